# libraries/ground/system/local.mk
libditkit_a_SOURCES += \
	%D%/crypto_module.c \
	%D%/crypto_module.h \
	%D%/direct_write.c \
	%D%/direct_write.h \
	%D%/file_size_signal.c \
	%D%/file_size_signal.h \
	%D%/keeper.c \
	%D%/keeper.h \
	%D%/leftover.c \
	%D%/leftover.h \
	%D%/path.c \
	%D%/path.h \
	%D%/regular_file.c \
	%D%/regular_file.h \
	%D%/secret.c \
	%D%/secret.h \
	%D%/sync_file.c \
	%D%/sync_file.h \
	%D%/tmp_dir.c \
	%D%/tmp_dir.h \
	%D%/whole_io.c \
	%D%/whole_io.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
