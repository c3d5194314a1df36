# tests/bulk/local.mk
check_PROGRAMS += \
	%D%/test_ad_numbers \
	%D%/test_builders \
	%D%/test_check \
	%D%/test_check_damage \
	%D%/test_check_findings \
	%D%/test_check_index \
	%D%/test_check_loops \
	%D%/test_check_sizes \
	%D%/test_check_use \
	%D%/test_chosen \
	%D%/test_context_csn \
	%D%/test_csn_list \
	%D%/test_dn_table \
	%D%/test_entries \
	%D%/test_before_open \
	%D%/test_one_bit \
	%D%/test_export \
	%D%/test_export_file \
	%D%/test_export_keeper \
	%D%/test_export_pack \
	%D%/test_export_text \
	%D%/test_export_url \
	%D%/test_filter_index \
	%D%/test_filter_match \
	%D%/test_glue \
	%D%/test_index_limit \
	%D%/test_index_writer \
	%D%/test_load \
	%D%/test_load_2_7 \
	%D%/test_load_existing \
	%D%/test_load_glue \
	%D%/test_load_huge \
	%D%/test_load_nomem \
	%D%/test_load_parallel \
	%D%/test_progress \
	%D%/test_scan \
	%D%/test_reindex \
	%D%/test_reindex_online \
	%D%/test_stored_keys \
	%D%/test_release_rules \
	%D%/test_tree \
	%D%/test_value_rules \
	%D%/test_load_writer \
	$(NULL)
%C%_test_check_SOURCES = %D%/load_fixture.c %D%/load_fixture.h %D%/test_check.c
%C%_test_check_LDADD = $(test_libs)
%C%_test_check_damage_SOURCES = \
	%D%/content_damages.h \
	%D%/load_fixture.c \
	%D%/load_fixture.h \
	%D%/test_check_damage.c \
	$(NULL)
%C%_test_check_damage_LDADD = $(test_libs)
%C%_test_check_index_SOURCES = %D%/builders_fixture.h %D%/test_check_index.c
%C%_test_check_index_LDADD = $(test_libs)
%C%_test_check_loops_SOURCES = %D%/test_check_loops.c
%C%_test_check_loops_LDADD = $(test_libs)
%C%_test_check_loops_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_csn_list_SOURCES = %D%/test_csn_list.c
%C%_test_csn_list_LDADD = $(test_libs)
%C%_test_csn_list_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_check_findings_SOURCES = %D%/test_check_findings.c
%C%_test_check_findings_LDADD = $(test_libs)
%C%_test_check_findings_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_check_sizes_SOURCES = %D%/test_check_sizes.c
%C%_test_check_sizes_LDADD = $(test_libs)
%C%_test_check_sizes_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_check_use_SOURCES = %D%/test_check_use.c
%C%_test_check_use_LDADD = $(test_libs)
%C%_test_check_use_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
# The example of <ditkit/scan.h>; tests/oracle/cat.sh runs it.
noinst_PROGRAMS += %D%/scan_count
%C%_scan_count_SOURCES = doc/examples/scan_count.c
%C%_scan_count_LDADD = libditkit.la
%C%_test_scan_SOURCES = %D%/load_fixture.c %D%/load_fixture.h %D%/test_scan.c
%C%_test_scan_LDADD = $(test_libs)
%C%_test_chosen_SOURCES = %D%/load_fixture.c %D%/load_fixture.h %D%/test_chosen.c
%C%_test_chosen_LDADD = $(test_libs)
%C%_test_before_open_SOURCES = %D%/load_fixture.c %D%/load_fixture.h %D%/test_before_open.c
%C%_test_before_open_LDADD = $(test_libs)
%C%_test_one_bit_SOURCES = %D%/load_fixture.c %D%/load_fixture.h %D%/test_one_bit.c
%C%_test_one_bit_LDADD = $(test_libs)
%C%_test_export_SOURCES = %D%/load_fixture.c %D%/load_fixture.h %D%/test_export.c
%C%_test_export_LDADD = $(test_libs)
%C%_test_export_file_SOURCES = %D%/test_export_file.c
%C%_test_export_file_LDADD = $(test_libs)
%C%_test_export_file_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fstatat -Wl,--wrap=fchown
%C%_test_export_keeper_SOURCES = %D%/test_export_keeper.c
%C%_test_export_keeper_LDADD = $(test_libs)
%C%_test_export_text_SOURCES = %D%/test_export_text.c
%C%_test_export_text_LDADD = $(test_libs)
%C%_test_export_url_SOURCES = %D%/test_export_url.c
%C%_test_export_url_LDADD = $(test_libs)
%C%_test_filter_index_SOURCES = %D%/load_fixture.c %D%/load_fixture.h %D%/test_filter_index.c
%C%_test_filter_index_LDADD = $(test_libs)
%C%_test_filter_index_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_filter_match_SOURCES = %D%/test_filter_match.c
%C%_test_filter_match_LDADD = $(test_libs)
%C%_test_export_pack_SOURCES = %D%/test_export_pack.c
%C%_test_export_pack_LDADD = $(test_libs)
%C%_test_export_pack_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_builders_SOURCES = %D%/builders_fixture.h %D%/test_builders.c
%C%_test_builders_LDADD = $(test_libs)
%C%_test_index_writer_SOURCES = %D%/builders_fixture.h %D%/test_index_writer.c
%C%_test_index_writer_LDADD = $(test_libs)
%C%_test_reindex_SOURCES = %D%/load_fixture.c %D%/load_fixture.h \
	%D%/reindex_fixture.h %D%/test_reindex.c
%C%_test_reindex_LDADD = $(test_libs)
%C%_test_reindex_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_reindex_online_SOURCES = %D%/load_fixture.c %D%/load_fixture.h \
	%D%/reindex_fixture.h \
	%D%/test_reindex_online.c
%C%_test_reindex_online_LDADD = $(test_libs)
%C%_test_reindex_online_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags) \
	-Wl,--wrap=dit_reindex_catch_up
%C%_test_progress_SOURCES = %D%/load_fixture.c %D%/load_fixture.h %D%/test_progress.c
%C%_test_progress_LDADD = $(test_libs)
%C%_test_stored_keys_SOURCES = %D%/builders_fixture.h %D%/test_stored_keys.c
%C%_test_stored_keys_LDADD = $(test_libs)
%C%_test_dn_table_SOURCES = %D%/test_dn_table.c
%C%_test_dn_table_LDADD = $(test_libs)
%C%_test_index_limit_SOURCES = %D%/test_index_limit.c
%C%_test_index_limit_LDADD = $(test_libs)
%C%_test_release_rules_SOURCES = %D%/test_release_rules.c
%C%_test_release_rules_LDADD = $(test_libs)
%C%_test_load_SOURCES = %D%/load_fixture.c %D%/load_fixture.h %D%/test_load.c
%C%_test_load_LDADD = $(test_libs)
%C%_test_load_2_7_SOURCES = \
	%D%/load_fixture.c \
	%D%/load_fixture.h \
	%D%/test_load_2_7.c \
	tests/page/page_dump.c \
	tests/page/page_dump.h \
	$(NULL)
%C%_test_load_2_7_LDADD = $(test_libs)
%C%_test_load_existing_SOURCES = \
	%D%/load_fixture.c \
	%D%/load_fixture.h \
	%D%/test_load_existing.c
%C%_test_load_existing_LDADD = $(test_libs)
%C%_test_load_huge_SOURCES = %D%/load_fixture.c %D%/load_fixture.h %D%/test_load_huge.c
%C%_test_load_huge_LDADD = $(test_libs)
%C%_test_load_glue_SOURCES = %D%/load_fixture.c %D%/load_fixture.h %D%/test_load_glue.c
%C%_test_load_glue_LDADD = $(test_libs)
%C%_test_load_glue_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fsync
%C%_test_load_writer_SOURCES = %D%/load_fixture.c %D%/load_fixture.h %D%/test_load_writer.c
%C%_test_load_writer_LDADD = $(test_libs)
%C%_test_load_writer_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=dit_metas_read
%C%_test_load_nomem_SOURCES = %D%/load_fixture.c %D%/load_fixture.h %D%/test_load_nomem.c
%C%_test_load_nomem_LDADD = $(test_libs)
%C%_test_load_nomem_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_ad_numbers_SOURCES = %D%/fake_output.h %D%/test_ad_numbers.c
%C%_test_ad_numbers_LDADD = $(test_libs)
%C%_test_ad_numbers_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_context_csn_SOURCES = %D%/fake_output.h %D%/test_context_csn.c
%C%_test_context_csn_LDADD = $(test_libs)
%C%_test_context_csn_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_entries_SOURCES = %D%/fake_output.h %D%/test_entries.c
%C%_test_entries_LDADD = $(test_libs)
%C%_test_entries_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_tree_SOURCES = %D%/fake_output.h %D%/test_tree.c
%C%_test_tree_LDADD = $(test_libs)
%C%_test_tree_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_glue_SOURCES = %D%/test_glue.c
%C%_test_glue_LDADD = $(test_libs)
%C%_test_glue_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_value_rules_SOURCES = %D%/test_value_rules.c
%C%_test_value_rules_LDADD = $(test_libs)
%C%_test_value_rules_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
long_units += %D%/test_load_parallel
# Each call at which threads meet sleeps now and then.
%C%_test_load_parallel_SOURCES = \
	%D%/load_fixture.c \
	%D%/load_fixture.h \
	%D%/test_load_parallel.c \
	$(NULL)
%C%_test_load_parallel_LDADD = $(test_libs)
%C%_test_load_parallel_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=pthread_barrier_wait \
	-Wl,--wrap=pthread_cond_broadcast \
	-Wl,--wrap=pthread_cond_signal \
	-Wl,--wrap=pthread_cond_wait \
	-Wl,--wrap=pthread_create \
	-Wl,--wrap=pthread_join \
	-Wl,--wrap=pthread_mutex_lock \
	-Wl,--wrap=pthread_mutex_unlock

check_PROGRAMS += %D%/test_key_sample
%C%_test_key_sample_SOURCES = %D%/test_key_sample.c
%C%_test_key_sample_LDADD = $(test_libs)
