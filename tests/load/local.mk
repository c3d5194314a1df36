# tests/load/local.mk
check_PROGRAMS += \
	%D%/test_ad_numbers \
	%D%/test_dn_table \
	%D%/test_dn_tree \
	%D%/test_entries \
	%D%/test_estimate \
	%D%/test_load \
	%D%/test_load_2_7 \
	%D%/test_load_csn \
	%D%/test_load_existing \
	%D%/test_load_glue \
	%D%/test_load_huge \
	%D%/test_load_nomem \
	%D%/test_load_parallel \
	%D%/test_load_prepared \
	%D%/test_load_writer \
	%D%/test_progress \
	$(NULL)
%C%_test_estimate_SOURCES = %D%/load_fixture.c %D%/load_fixture.h %D%/test_estimate.c
%C%_test_estimate_LDADD = $(test_libs)
%C%_test_progress_SOURCES = %D%/load_fixture.c %D%/load_fixture.h %D%/test_progress.c
%C%_test_progress_LDADD = $(test_libs)
%C%_test_dn_table_SOURCES = %D%/test_dn_table.c
%C%_test_dn_table_LDADD = $(test_libs)
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
%C%_test_load_prepared_SOURCES = %D%/load_fixture.c %D%/load_fixture.h \
	%D%/test_load_prepared.c
%C%_test_load_prepared_LDADD = $(test_libs)
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
%C%_test_ad_numbers_SOURCES = tests/build/fake_output.h %D%/test_ad_numbers.c
%C%_test_ad_numbers_LDADD = $(test_libs)
%C%_test_ad_numbers_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_load_csn_SOURCES = tests/build/fake_output.h %D%/test_load_csn.c
%C%_test_load_csn_LDADD = $(test_libs)
%C%_test_load_csn_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_entries_SOURCES = tests/build/fake_output.h %D%/test_entries.c
%C%_test_entries_LDADD = $(test_libs)
%C%_test_entries_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_dn_tree_SOURCES = tests/build/fake_output.h %D%/test_dn_tree.c
%C%_test_dn_tree_LDADD = $(test_libs)
%C%_test_dn_tree_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
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
