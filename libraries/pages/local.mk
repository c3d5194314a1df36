# libraries/pages/local.mk
noinst_LTLIBRARIES += %D%/libpages.la
rooms += %D%/libpages.la
%C%_libpages_la_SOURCES = \
	%D%/lmdb_format.h \
	%D%/meta_pages.c \
	%D%/meta_pages.h \
	%D%/page_sink.c \
	%D%/page_sink.h \
	%D%/page_tree.c \
	%D%/page_tree.h \
	%D%/page_writer.c \
	%D%/page_writer.h \
	%D%/table_writer.c \
	%D%/table_writer.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
