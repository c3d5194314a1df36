# tests/split/local.mk
check_PROGRAMS += %D%/test_split
%C%_test_split_SOURCES = tests/load/load_fixture.c tests/load/load_fixture.h %D%/test_split.c
%C%_test_split_LDADD = $(test_libs)
