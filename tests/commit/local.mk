# tests/commit/local.mk
check_PROGRAMS += \
	%D%/test_new_file \
	%D%/test_page_commit \
	%D%/test_page_reserve \
	$(NULL)
%C%_test_new_file_SOURCES = %D%/test_new_file.c tests/page/page_dump.c tests/page/page_dump.h
%C%_test_new_file_LDADD = $(test_libs)
%C%_test_page_commit_SOURCES = %D%/commit_fixture.h %D%/test_page_commit.c
%C%_test_page_commit_LDADD = $(test_libs)
%C%_test_page_reserve_SOURCES = %D%/test_page_reserve.c
%C%_test_page_reserve_LDADD = $(test_libs)
%C%_test_page_commit_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=fdatasync \
	-Wl,--wrap=pwrite
