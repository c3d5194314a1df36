# libraries/work/scan/local.mk
noinst_LTLIBRARIES += %D%/libscan.la
rooms += %D%/libscan.la
%C%_libscan_la_SOURCES = \
	%D%/scan.h \
	%D%/scan_run.c \
	%D%/scan_snapshot.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
