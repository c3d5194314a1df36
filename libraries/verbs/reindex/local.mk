# libraries/verbs/reindex/local.mk
libditkit_a_SOURCES += \
	%D%/estimate_reindex.c \
	%D%/reindex.h \
	%D%/reindex_online.c \
	%D%/reindex_run.c \
	%D%/reindex_scan.c \
	%D%/reindex_target.c \
	%D%/reindexer.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
