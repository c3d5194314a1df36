# libraries/bulk/local.mk
noinst_LTLIBRARIES += %D%/libbulk.la
rooms += %D%/libbulk.la
%C%_libbulk_la_SOURCES = \
	%D%/dn_table.c \
	%D%/dn_table.h \
	%D%/load.c \
	%D%/load.h \
	%D%/load_csn.c \
	%D%/load_glue.c \
	%D%/load_index.c \
	%D%/load_late.c \
	%D%/load_nodes.c \
	%D%/load_parse.c \
	%D%/load_private.h \
	%D%/load_publish.c \
	%D%/load_refuse.c \
	%D%/load_resolve.c \
	%D%/load_setup.c \
	%D%/load_size.c \
	%D%/load_split.c \
	%D%/load_store.c \
	%D%/load_target.c \
	%D%/load_tree.c \
	%D%/load_wide.c \
	%D%/version.c \
	$(NULL)
EXTRA_DIST += %D%/README.md
