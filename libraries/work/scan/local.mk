# libraries/work/scan/local.mk
noinst_LTLIBRARIES += %D%/libscan.la
rooms += %D%/libscan.la
%C%_libscan_la_SOURCES = \
	%D%/entry_match.c \
	%D%/entry_match.h \
	%D%/scan.h \
	%D%/scan_entries.c \
	%D%/scan_impl.h \
	%D%/scan_open.c \
	%D%/scan_run.c \
	%D%/scan_snapshot.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
