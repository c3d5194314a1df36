# libraries/lmdb/commit/local.mk
libditkit_a_SOURCES += \
	%D%/free_list.c \
	%D%/free_list.h \
	%D%/page_commit.c \
	%D%/page_commit.h \
	%D%/page_commit_old.c \
	%D%/page_commit_impl.h \
	%D%/page_commit_write.c \
	%D%/page_reserve.c \
	%D%/page_reserve.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
