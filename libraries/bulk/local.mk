# libraries/bulk/local.mk
noinst_LTLIBRARIES += %D%/libbulk.la
rooms += %D%/libbulk.la
%C%_libbulk_la_SOURCES = \
	%D%/ad_numbers.c \
	%D%/ad_numbers.h \
	%D%/builders.c \
	%D%/builders.h \
	%D%/check.c \
	%D%/check.h \
	%D%/context_csn.c \
	%D%/context_csn.h \
	%D%/dn_table.c \
	%D%/dn_table.h \
	%D%/entries.c \
	%D%/entries.h \
	%D%/glue.c \
	%D%/glue.h \
	%D%/index_limit.c \
	%D%/index_limit.h \
	%D%/index_writer.c \
	%D%/index_writer.h \
	%D%/list_queue.c \
	%D%/list_queue.h \
	%D%/load.c \
	%D%/load.h \
	%D%/load_csn.c \
	%D%/load_parse.c \
	%D%/load_private.h \
	%D%/load_publish.c \
	%D%/load_refuse.c \
	%D%/load_resolve.c \
	%D%/load_setup.c \
	%D%/load_size.c \
	%D%/load_store.c \
	%D%/load_target.c \
	%D%/tree.c \
	%D%/tree.h \
	%D%/tree_private.h \
	%D%/tree_record.c \
	%D%/tree_record.h \
	%D%/tree_write.c \
	%D%/value_rules.c \
	%D%/value_rules.h \
	%D%/version.c \
	$(NULL)
EXTRA_DIST += %D%/README.md
