# tests/filter/local.mk
check_PROGRAMS += \
	%D%/test_filter_index \
	%D%/test_filter_match \
	$(NULL)
%C%_test_filter_index_SOURCES = tests/load/load_fixture.c tests/load/load_fixture.h %D%/test_filter_index.c
%C%_test_filter_index_LDADD = $(test_libs)
%C%_test_filter_index_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_filter_match_SOURCES = %D%/test_filter_match.c
%C%_test_filter_match_LDADD = $(test_libs)
