# tests/tree/local.mk
check_PROGRAMS += \
	%D%/test_page_writer \
	%D%/test_random_merges \
	%D%/test_random_records \
	%D%/test_tree_merge \
	$(NULL)
%C%_test_page_writer_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=fcntl \
	-Wl,--wrap=pthread_create \
	-Wl,--wrap=pwrite
EXTRA_DIST += \
	%D%/merge_fixture.h \
	$(NULL)
thread_tests += \
	%D%/test_page_writer \
	$(NULL)
