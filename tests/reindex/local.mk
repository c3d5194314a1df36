# tests/reindex/local.mk
check_PROGRAMS += \
	%D%/test_reindex \
	%D%/test_reindex_online \
	$(NULL)
%C%_test_reindex_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags) \
	-Wl,--wrap=dit_postings_cut \
	-Wl,--wrap=dit_processor_count
%C%_test_reindex_online_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags) \
	-Wl,--wrap=dit_reindex_catch_up
EXTRA_DIST += \
	%D%/reindex_fixture.h \
	$(NULL)
thread_tests += \
	%D%/test_reindex_online \
	$(NULL)
long_units += \
	%D%/test_reindex \
	$(NULL)
