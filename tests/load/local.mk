# tests/load/local.mk
check_PROGRAMS += \
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
	%D%/test_load_scratch \
	%D%/test_load_writer \
	%D%/test_progress \
	$(NULL)
%C%_test_load_glue_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fsync
%C%_test_load_writer_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=dit_metas_read
%C%_test_load_nomem_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_load_csn_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags) $(entry_writer_wraps)
%C%_test_entries_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags) $(entry_writer_wraps)
%C%_test_dn_tree_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags) $(record_output_wraps)
long_units += %D%/test_load_parallel
# Each call at which threads meet sleeps now and then.
%C%_test_load_parallel_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=pthread_cond_broadcast \
	-Wl,--wrap=pthread_cond_signal \
	-Wl,--wrap=pthread_cond_wait \
	-Wl,--wrap=pthread_create \
	-Wl,--wrap=pthread_join \
	-Wl,--wrap=pthread_mutex_lock \
	-Wl,--wrap=pthread_mutex_unlock
tests_libfixtures_a_SOURCES += %D%/load_fixture.c %D%/load_fixture.h
thread_tests += \
	%D%/test_load_2_7 \
	%D%/test_load_existing \
	%D%/test_load_glue \
	%D%/test_load_parallel \
	%D%/test_load_prepared \
	%D%/test_load_scratch \
	$(NULL)
long_units += \
	%D%/test_load \
	%D%/test_load_huge \
	%D%/test_load_nomem \
	%D%/test_load_writer \
	%D%/test_progress \
	$(NULL)
