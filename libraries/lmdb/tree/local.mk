# libraries/lmdb/tree/local.mk
libditkit_a_SOURCES += \
	%D%/page_sink.c \
	%D%/page_sink.h \
	%D%/page_tree.c \
	%D%/page_tree.h \
	%D%/page_writer.c \
	%D%/page_writer.h \
	%D%/table_writer.c \
	%D%/table_writer.h \
	%D%/table_writer_impl.h \
	%D%/tree_diff.c \
	%D%/tree_diff.h \
	%D%/tree_merge.c \
	%D%/tree_merge.h \
	%D%/tree_path.c \
	%D%/tree_path.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
