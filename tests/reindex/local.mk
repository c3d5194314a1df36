# tests/reindex/local.mk
check_PROGRAMS += \
	%D%/test_reindex \
	%D%/test_reindex_online \
	$(NULL)
%C%_test_reindex_SOURCES = tests/load/load_fixture.c tests/load/load_fixture.h \
	%D%/reindex_fixture.h %D%/test_reindex.c
%C%_test_reindex_LDADD = $(test_libs)
%C%_test_reindex_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags) \
	-Wl,--wrap=dit_postings_cut \
	-Wl,--wrap=dit_processor_count
%C%_test_reindex_online_SOURCES = tests/load/load_fixture.c tests/load/load_fixture.h \
	tests/output/online_other_10.h tests/output/store_fixture.h %D%/reindex_fixture.h \
	%D%/test_reindex_online.c
%C%_test_reindex_online_LDADD = $(test_libs)
%C%_test_reindex_online_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags) \
	-Wl,--wrap=dit_reindex_catch_up
