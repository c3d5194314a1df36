# libraries/directory/output/local.mk
libditkit_a_SOURCES += \
	%D%/data_check.c \
	%D%/data_check.h \
	%D%/index_output.c \
	%D%/index_output.h \
	%D%/index_tables.c \
	%D%/index_tables.h \
	%D%/manifest.c \
	%D%/manifest.h \
	%D%/merged_output.c \
	%D%/online.c \
	%D%/online.h \
	%D%/online_impl.h \
	%D%/online_rounds.c \
	%D%/output.c \
	%D%/output.h \
	%D%/output_impl.h \
	%D%/prepared_state.h \
	%D%/publication.c \
	%D%/publication.h \
	%D%/record_output.h \
	%D%/record_tables.c \
	%D%/record_tables.h \
	%D%/staging.c \
	%D%/staging.h \
	%D%/staging_append.c \
	%D%/staging_old.c \
	%D%/staging_pages.c \
	%D%/staging_prepared.c \
	%D%/staging_publish.c \
	%D%/stored_records.c \
	%D%/stored_records.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
