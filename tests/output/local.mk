# tests/output/local.mk
check_PROGRAMS += \
	%D%/test_append \
	%D%/test_index_output \
	%D%/test_merged_full \
	%D%/test_merged_output \
	%D%/test_merged_records \
	%D%/test_online \
	%D%/test_online_rounds \
	%D%/test_output \
	%D%/test_prepared \
	%D%/test_publication \
	%D%/test_publish \
	%D%/test_staging \
	%D%/test_staging_own \
	%D%/test_staging_split \
	%D%/test_store \
	%D%/test_table \
	%D%/test_table_changes \
	$(NULL)
%C%_test_append_SOURCES = %D%/store_fixture.h %D%/test_append.c
%C%_test_append_LDADD = $(test_libs)
%C%_test_append_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=dit_metas_read
%C%_test_prepared_SOURCES = %D%/store_fixture.h %D%/test_prepared.c
%C%_test_prepared_LDADD = $(test_libs)
%C%_test_index_output_SOURCES = %D%/store_fixture.h %D%/test_index_output.c
%C%_test_index_output_LDADD = $(test_libs)
%C%_test_online_SOURCES = %D%/online_fixture.h %D%/online_other_10.h %D%/store_fixture.h \
	%D%/test_online.c
%C%_test_online_LDADD = $(test_libs)
%C%_test_online_rounds_SOURCES = %D%/online_fixture.h %D%/online_other_10.h \
	%D%/seal_watch.h %D%/store_fixture.h %D%/test_online_rounds.c
%C%_test_online_rounds_LDADD = $(test_libs)
%C%_test_online_rounds_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fdatasync \
	-Wl,--wrap=dit_page_map_open -Wl,--wrap=dit_page_seal \
	-Wl,--wrap=dit_page_source_read
%C%_test_merged_output_SOURCES = %D%/store_fixture.h %D%/table_fixture.h \
	%D%/test_merged_output.c
%C%_test_merged_output_LDADD = $(test_libs)
%C%_test_merged_full_SOURCES = %D%/store_fixture.h %D%/test_merged_full.c
%C%_test_merged_full_LDADD = $(test_libs)
%C%_test_merged_records_SOURCES = %D%/seal_watch.h %D%/store_fixture.h \
	%D%/table_fixture.h %D%/test_merged_records.c
%C%_test_merged_records_LDADD = $(test_libs)
%C%_test_merged_records_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=dit_page_seal
%C%_test_output_SOURCES = %D%/store_fixture.h %D%/test_output.c
%C%_test_output_LDADD = $(test_libs)
%C%_test_publication_SOURCES = %D%/test_publication.c
%C%_test_publication_LDADD = $(test_libs)
%C%_test_publish_SOURCES = %D%/store_fixture.h %D%/test_publish.c
%C%_test_publish_LDADD = $(test_libs)
%C%_test_publish_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fsync
%C%_test_staging_SOURCES = %D%/store_fixture.h %D%/test_staging.c
%C%_test_staging_LDADD = $(test_libs)
%C%_test_staging_own_SOURCES = \
	%D%/test_staging_own.c \
	tests/page/page_dump.c \
	tests/page/page_dump.h \
	$(NULL)
%C%_test_staging_own_LDADD = $(test_libs)
%C%_test_staging_split_SOURCES = %D%/store_fixture.h %D%/test_staging_split.c
%C%_test_staging_split_LDADD = $(test_libs)
%C%_test_store_SOURCES = %D%/store_fixture.h %D%/test_store.c
%C%_test_store_LDADD = $(test_libs)
%C%_test_table_changes_SOURCES = %D%/store_fixture.h %D%/table_fixture.h \
	%D%/test_table_changes.c
%C%_test_table_changes_LDADD = $(test_libs)
%C%_test_table_SOURCES = %D%/table_fixture.h %D%/store_fixture.h %D%/test_table.c
%C%_test_table_LDADD = $(test_libs)
