# libraries/directory/files/local.mk
libditkit_a_SOURCES += \
	%D%/data_seal.c \
	%D%/data_seal.h \
	%D%/fault.c \
	%D%/fault.h \
	%D%/files.c \
	%D%/files.h \
	%D%/format_check.c \
	%D%/format_check.h \
	%D%/lmdb_append.c \
	%D%/lmdb_append.h \
	%D%/map_size.h \
	%D%/strerror.c \
	$(NULL)
EXTRA_DIST += %D%/README.md
