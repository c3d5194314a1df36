# libraries/ground/sort/local.mk
libditkit_a_SOURCES += \
	%D%/merge_heap.h \
	%D%/posting_list.c \
	%D%/posting_list.h \
	%D%/postings.c \
	%D%/postings.h \
	%D%/postings_bucket.c \
	%D%/postings_cursor.c \
	%D%/postings_merge.c \
	%D%/postings_private.h \
	%D%/postings_run.c \
	%D%/radix.c \
	%D%/radix.h \
	%D%/run_file.c \
	%D%/run_file.h \
	%D%/sort.h \
	%D%/sorter.c \
	%D%/sorter_merge.c \
	%D%/sorter_order.c \
	%D%/sorter_private.h \
	%D%/sorter_run.c \
	%D%/sorter_view.c \
	$(NULL)
EXTRA_DIST += %D%/README.md
