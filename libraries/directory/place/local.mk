# libraries/directory/place/local.mk
libditkit_a_SOURCES += \
	%D%/claim.c \
	%D%/claim.h \
	%D%/claimed_file.c \
	%D%/claimed_file.h \
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
	%D%/lmdb_error.c \
	%D%/lmdb_error.h \
	%D%/lmdb_reader.c \
	%D%/lmdb_reader.h \
	%D%/lmdb_reader_10.c \
	%D%/lmdb_reader_impl.h \
	%D%/lock_field.c \
	%D%/lock_field.h \
	%D%/lock_file.c \
	%D%/lock_file.h \
	%D%/map_size.h \
	%D%/private_dir.c \
	%D%/private_dir.h \
	%D%/reader_table.c \
	%D%/reader_table.h \
	%D%/spare.c \
	%D%/spare.h \
	%D%/strerror.c \
	$(NULL)
EXTRA_DIST += %D%/README.md
