# tests/compare/local.mk
check_PROGRAMS += \
	%D%/test_compare \
	%D%/test_compare_across \
	$(NULL)
%C%_test_compare_SOURCES = tests/output/store_fixture.h %D%/test_compare.c
%C%_test_compare_LDADD = $(test_libs)
%C%_test_compare_across_SOURCES = tests/output/store_fixture.h %D%/test_compare_across.c
%C%_test_compare_across_LDADD = $(test_libs)
