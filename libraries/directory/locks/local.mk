# libraries/directory/locks/local.mk
libditkit_a_SOURCES += \
	%D%/claim.c \
	%D%/claim.h \
	%D%/claimed_file.c \
	%D%/claimed_file.h \
	%D%/lmdb_reader.c \
	%D%/lmdb_reader.h \
	%D%/lmdb_reader_10.c \
	%D%/lmdb_reader_impl.h \
	%D%/lock_field.c \
	%D%/lock_field.h \
	%D%/lock_file.c \
	%D%/lock_file.h \
	%D%/mapped.c \
	%D%/mapped.h \
	%D%/private_dir.c \
	%D%/private_dir.h \
	%D%/process.c \
	%D%/process.h \
	%D%/reader_table.c \
	%D%/reader_table.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
