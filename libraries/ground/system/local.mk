# libraries/ground/system/local.mk
libditkit_a_SOURCES += \
	%D%/crypto_module.c \
	%D%/crypto_module.h \
	%D%/file_io.c \
	%D%/file_io.h \
	%D%/keeper.c \
	%D%/keeper.h \
	%D%/path.c \
	%D%/path.h \
	%D%/secret.c \
	%D%/secret.h \
	%D%/tmp_files.c \
	%D%/tmp_files.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
