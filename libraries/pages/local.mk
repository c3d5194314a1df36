# libraries/pages/local.mk
noinst_LTLIBRARIES += %D%/libpages.la
rooms += %D%/libpages.la
%C%_libpages_la_SOURCES = \
	%D%/free_list.c \
	%D%/free_list.h \
	%D%/free_pages.c \
	%D%/free_pages.h \
	%D%/leaf_keys.c \
	%D%/leaf_keys.h \
	%D%/lmdb_format.h \
	%D%/meta_pages.c \
	%D%/meta_pages.h \
	%D%/page_format.h \
	%D%/page_nodes.h \
	%D%/new_file.c \
	%D%/new_file.h \
	%D%/page_commit.c \
	%D%/page_commit.h \
	%D%/page_set.c \
	%D%/page_set.h \
	%D%/page_sink.c \
	%D%/page_sink.h \
	%D%/page_source.c \
	%D%/page_source.h \
	%D%/page_tree.c \
	%D%/page_tree.h \
	%D%/page_view.c \
	%D%/page_view.h \
	%D%/page_writer.c \
	%D%/page_writer.h \
	%D%/table_writer.c \
	%D%/table_writer.h \
	%D%/tree_edit.c \
	%D%/tree_edit.h \
	%D%/tree_visit.c \
	%D%/tree_visit.h \
	%D%/walk.c \
	%D%/walk.h \
	%D%/walk_free.c \
	%D%/walk_leaf.c \
	%D%/walk_list.c \
	%D%/walk_meta.c \
	%D%/walk_order.c \
	%D%/walk_page.c \
	%D%/walk_private.h \
	%D%/walk_probe.c \
	%D%/walk_probe.h \
	%D%/walk_size.c \
	%D%/walk_tasks.c \
	%D%/walk_words.c \
	$(NULL)
EXTRA_DIST += %D%/README.md
