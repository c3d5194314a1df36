# libraries/work/scan/local.mk
libditkit_a_SOURCES += \
	%D%/entry_match.c \
	%D%/known.c \
	%D%/known.h \
	%D%/scan.h \
	%D%/scan_digest.c \
	%D%/scan_impl.h \
	%D%/scan_open.c \
	%D%/scan_run.c \
	%D%/scan_snapshot.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
