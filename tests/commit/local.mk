# tests/commit/local.mk
check_PROGRAMS += \
	%D%/test_new_file \
	%D%/test_page_commit \
	%D%/test_page_reserve \
	$(NULL)
%C%_test_page_commit_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=fdatasync \
	-Wl,--wrap=pwrite
EXTRA_DIST += \
	%D%/commit_fixture.h \
	$(NULL)
thread_tests += \
	%D%/test_page_commit \
	$(NULL)
# With a sanitizer it takes as long as ten others.
long_units += \
	%D%/test_new_file \
	$(NULL)
plain_units += %D%/test_new_file
