# libraries/directory/output/local.mk
noinst_LTLIBRARIES += %D%/liboutput.la
rooms += %D%/liboutput.la
%C%_liboutput_la_SOURCES = \
	%D%/existing.c \
	%D%/existing.h \
	%D%/existing_add.c \
	%D%/existing_hide.c \
	%D%/existing_impl.h \
	%D%/existing_read.c \
	%D%/guard.c \
	%D%/guard.h \
	%D%/index_output.c \
	%D%/index_output.h \
	%D%/index_tables.c \
	%D%/index_tables.h \
	%D%/merged_table.c \
	%D%/merged_table.h \
	%D%/online.c \
	%D%/online.h \
	%D%/online_impl.h \
	%D%/online_rounds.c \
	%D%/output.c \
	%D%/output.h \
	%D%/output_existing.c \
	%D%/output_impl.h \
	%D%/publication.c \
	%D%/publication.h \
	%D%/rebuilt_output.c \
	%D%/rebuilt_output.h \
	%D%/record_output.h \
	%D%/staging.c \
	%D%/staging.h \
	%D%/staging_append.c \
	%D%/staging_old.c \
	%D%/staging_pages.c \
	%D%/staging_publish.c \
	%D%/staging_split.c \
	$(NULL)
EXTRA_DIST += %D%/README.md
