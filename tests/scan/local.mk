# tests/scan/local.mk
check_PROGRAMS += \
	%D%/test_scan \
	$(NULL)
# The example of <ditkit/scan.h>; tests/oracle/cat.sh runs it.
noinst_PROGRAMS += %D%/scan_count
%C%_scan_count_SOURCES = doc/examples/scan_count.c
%C%_scan_count_LDADD = libditkit.la
%C%_test_scan_SOURCES = tests/load/load_fixture.c tests/load/load_fixture.h %D%/test_scan.c
%C%_test_scan_LDADD = $(test_libs)
