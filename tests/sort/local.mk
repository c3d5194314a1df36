# tests/sort/local.mk
check_PROGRAMS += %D%/test_postings
%C%_test_postings_SOURCES = %D%/test_postings.c
%C%_test_postings_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_radix
%C%_test_radix_SOURCES = %D%/test_radix.c
%C%_test_radix_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_sorter
%C%_test_sorter_SOURCES = %D%/test_sorter.c
%C%_test_sorter_LDADD = $(test_libs)
