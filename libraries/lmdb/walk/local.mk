# libraries/lmdb/walk/local.mk
libditkit_a_SOURCES += \
	%D%/walk.c \
	%D%/walk.h \
	%D%/walk_free.c \
	%D%/walk_leaf.c \
	%D%/walk_list.c \
	%D%/walk_meta.c \
	%D%/walk_page.c \
	%D%/walk_private.h \
	%D%/walk_tasks.c \
	$(NULL)
EXTRA_DIST += %D%/README.md
