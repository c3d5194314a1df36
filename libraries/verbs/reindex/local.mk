# libraries/verbs/reindex/local.mk
noinst_LTLIBRARIES += %D%/libreindex.la
rooms += %D%/libreindex.la
%C%_libreindex_la_SOURCES = \
	%D%/estimate_reindex.c \
	%D%/reindex.h \
	%D%/reindex_attrs.c \
	%D%/reindex_online.c \
	%D%/reindex_run.c \
	%D%/reindex_scan.c \
	%D%/reindex_target.c \
	%D%/reindexer.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
