# tests/tree/local.mk
check_PROGRAMS += \
	%D%/test_page_writer \
	%D%/test_random_merges \
	%D%/test_random_records \
	%D%/test_tree_merge \
	$(NULL)
%C%_test_page_writer_SOURCES = %D%/test_page_writer.c
%C%_test_page_writer_LDADD = $(test_libs)
%C%_test_page_writer_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=fcntl \
	-Wl,--wrap=fstat \
	-Wl,--wrap=posix_fadvise \
	-Wl,--wrap=pthread_create \
	-Wl,--wrap=pwrite
%C%_test_tree_merge_SOURCES = %D%/test_tree_merge.c
%C%_test_tree_merge_LDADD = $(test_libs)
%C%_test_random_merges_SOURCES = %D%/merge_fixture.h %D%/test_random_merges.c
%C%_test_random_merges_LDADD = $(test_libs)
%C%_test_random_records_SOURCES = %D%/merge_fixture.h %D%/test_random_records.c
%C%_test_random_records_LDADD = $(test_libs)
