# tests/scan/local.mk
check_PROGRAMS += \
	%D%/test_known \
	%D%/test_scan \
	$(NULL)
%C%_test_known_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
# The example of <ditkit/scan.h>; tests/oracle/cat.sh runs it.
test_tools += %D%/scan_count
%C%_scan_count_SOURCES = doc/examples/scan_count.c
thread_tests += \
	%D%/test_scan \
	$(NULL)
