# libraries/directory/locks/local.mk
libditkit_a_SOURCES += \
	%D%/claim.c \
	%D%/claim.h \
	%D%/lmdb_reader.c \
	%D%/lmdb_reader.h \
	%D%/lock_file.c \
	%D%/lock_file.h \
	%D%/mapped.c \
	%D%/mapped.h \
	%D%/process.c \
	%D%/process.h \
	%D%/reader_table.c \
	%D%/reader_table.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
