# libraries/store/local.mk
noinst_LTLIBRARIES += %D%/libstore.la
rooms += %D%/libstore.la
%C%_libstore_la_SOURCES = \
	%D%/claim.c \
	%D%/claim.h \
	%D%/compare.c \
	%D%/compare.h \
	%D%/compare_entry.c \
	%D%/compare_impl.h \
	%D%/compare_index.c \
	%D%/compare_text.c \
	%D%/dn_reader.c \
	%D%/dn_reader.h \
	%D%/door.c \
	%D%/door.h \
	%D%/entry_codec.c \
	%D%/entry_codec.h \
	%D%/entry_edit.c \
	%D%/entry_edit.h \
	%D%/existing.c \
	%D%/existing.h \
	%D%/existing_add.c \
	%D%/existing_impl.h \
	%D%/existing_read.c \
	%D%/fault.c \
	%D%/fault.h \
	%D%/files.c \
	%D%/files.h \
	%D%/format_check.c \
	%D%/format_check.h \
	%D%/lmdb_error.c \
	%D%/lmdb_error.h \
	%D%/name_codec.c \
	%D%/name_codec.h \
	%D%/readers.c \
	%D%/readers.h \
	%D%/output.c \
	%D%/output.h \
	%D%/output_existing.c \
	%D%/output_impl.h \
	%D%/output_pages.c \
	%D%/snapshot.c \
	%D%/split_codec.c \
	%D%/split_codec.h \
	%D%/staging.c \
	%D%/staging_changes.c \
	%D%/staging_impl.h \
	%D%/staging_publish.c \
	%D%/staging_split.c \
	%D%/staging_tables.c \
	%D%/store.h \
	%D%/stored_flags.c \
	%D%/stored_flags.h \
	%D%/strerror.c \
	$(NULL)
EXTRA_DIST += %D%/README.md
