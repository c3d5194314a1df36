# tests/output/local.mk
check_PROGRAMS += \
	%D%/test_ad_numbers \
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
%C%_test_ad_numbers_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags) $(record_output_wraps)
%C%_test_append_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=dit_metas_read
%C%_test_online_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=dit_page_commit_write
%C%_test_online_rounds_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fdatasync \
	-Wl,--wrap=dit_page_source_open -Wl,--wrap=dit_page_seal \
	-Wl,--wrap=dit_page_row_read
%C%_test_merged_records_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=dit_page_seal
%C%_test_publish_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fsync
EXTRA_DIST += \
	%D%/online_fixture.h \
	%D%/online_other_10.h \
	%D%/seal_watch.h \
	%D%/store_fixture.h \
	%D%/table_fixture.h \
	$(NULL)
thread_tests += \
	%D%/test_index_output \
	%D%/test_output \
	%D%/test_staging \
	$(NULL)
long_units += \
	%D%/test_merged_output \
	%D%/test_table \
	%D%/test_table_changes \
	$(NULL)
