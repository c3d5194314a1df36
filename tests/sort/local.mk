# tests/sort/local.mk
check_PROGRAMS += \
	%D%/test_postings \
	%D%/test_postings_damage \
	%D%/test_postings_memory \
	%D%/test_radix \
	%D%/test_run_cipher \
	%D%/test_sort_failures \
	%D%/test_sort_model \
	%D%/test_sort_threads \
	%D%/test_sorter \
	$(NULL)

%C%_test_postings_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fallocate
%C%_test_sort_failures_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags) \
	-Wl,--wrap=pread \
	-Wl,--wrap=__pread_chk \
	-Wl,--wrap=pwrite

# The examples again, with the sanitizers; examples.sh looks at what they print.
check_PROGRAMS += \
	%D%/sort_replace \
	%D%/sort_sum \
	%D%/sort_union \
	$(NULL)
%C%_sort_replace_SOURCES = doc/examples/sort_replace.c
%C%_sort_sum_SOURCES = doc/examples/sort_sum.c
%C%_sort_union_SOURCES = doc/examples/sort_union.c
script_tests += %D%/examples.sh
tests_libfixtures_a_SOURCES += %D%/postings_fixture.c %D%/postings_fixture.h
EXTRA_DIST += \
	%D%/sort_merges.h \
	$(NULL)
thread_tests += \
	%D%/sort_sum \
	%D%/test_postings \
	%D%/test_sort_threads \
	$(NULL)
long_units += \
	%D%/test_sorter \
	$(NULL)
