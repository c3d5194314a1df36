# libraries/lmdb/page/local.mk
libditkit_a_SOURCES += \
	%D%/key_order.c \
	%D%/key_order.h \
	%D%/lmdb_format.h \
	%D%/long_value.c \
	%D%/long_value.h \
	%D%/meta_pages.c \
	%D%/meta_pages.h \
	%D%/page_format.h \
	%D%/page_nodes.h \
	%D%/page_seal.c \
	%D%/page_seal.h \
	%D%/page_set.c \
	%D%/page_set.h \
	%D%/page_source.c \
	%D%/page_source.h \
	%D%/page_view.c \
	%D%/page_view.h \
	%D%/tree_cursor.c \
	%D%/tree_cursor.h \
	%D%/tree_position.c \
	%D%/tree_position.h \
	%D%/tree_visit.c \
	%D%/tree_visit.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
