# tests/sort/local.mk

check_PROGRAMS += %D%/test_postings
%C%_test_postings_SOURCES = %D%/postings_fixture.c %D%/postings_fixture.h \
	%D%/test_postings.c
%C%_test_postings_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_postings_damage
%C%_test_postings_damage_SOURCES = %D%/postings_fixture.c %D%/postings_fixture.h \
	%D%/test_postings_damage.c
%C%_test_postings_damage_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_postings_memory
%C%_test_postings_memory_SOURCES = %D%/postings_fixture.c %D%/postings_fixture.h \
	%D%/test_postings_memory.c
%C%_test_postings_memory_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_run_cipher
%C%_test_run_cipher_SOURCES = %D%/test_run_cipher.c
%C%_test_run_cipher_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_radix
%C%_test_radix_SOURCES = %D%/test_radix.c
%C%_test_radix_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_sorter
%C%_test_sorter_SOURCES = %D%/test_sorter.c
%C%_test_sorter_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_sort_model
%C%_test_sort_model_SOURCES = %D%/sort_merges.h %D%/test_sort_model.c
%C%_test_sort_model_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_sort_threads
%C%_test_sort_threads_SOURCES = %D%/sort_merges.h %D%/test_sort_threads.c
%C%_test_sort_threads_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_sort_failures
%C%_test_sort_failures_SOURCES = %D%/sort_merges.h %D%/test_sort_failures.c
%C%_test_sort_failures_LDADD = $(test_libs)
%C%_test_sort_failures_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags) \
	-Wl,--wrap=mmap \
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
%C%_sort_replace_LDADD = libditkit.la
%C%_sort_sum_SOURCES = doc/examples/sort_sum.c
%C%_sort_sum_LDADD = libditkit.la -lpthread
%C%_sort_union_SOURCES = doc/examples/sort_union.c
%C%_sort_union_LDADD = libditkit.la
script_tests += %D%/examples.sh

check_PROGRAMS += %D%/test_byte_postings
%C%_test_byte_postings_SOURCES = %D%/test_byte_postings.c
%C%_test_byte_postings_LDADD = $(test_libs)
