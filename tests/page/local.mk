# tests/page/local.mk
check_PROGRAMS += \
	%D%/test_lmdb_10 \
	%D%/test_page_format \
	%D%/test_page_seal \
	%D%/test_page_source \
	%D%/test_tree_cursor \
	%D%/test_tree_visit \
	$(NULL)
%C%_test_lmdb_10_SOURCES = %D%/test_lmdb_10.c %D%/page_dump.c %D%/page_dump.h
%C%_test_lmdb_10_LDADD = $(test_libs)
%C%_test_page_format_SOURCES = %D%/test_page_format.c
%C%_test_page_format_LDADD = $(test_libs)
%C%_test_page_seal_SOURCES = %D%/test_page_seal.c
%C%_test_page_seal_LDADD = $(test_libs)
%C%_test_page_source_SOURCES = %D%/test_page_source.c
%C%_test_page_source_LDADD = $(test_libs)
%C%_test_page_source_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=preadv2 \
	-Wl,--wrap=pthread_create
%C%_test_tree_cursor_SOURCES = \
	%D%/page_dump.c \
	%D%/page_dump.h \
	%D%/test_tree_cursor.c \
	tests/walk/walk_fixture.c \
	tests/walk/walk_fixture.h \
	$(NULL)
%C%_test_tree_cursor_LDADD = $(test_libs)
%C%_test_tree_visit_SOURCES = %D%/page_dump.c %D%/page_dump.h %D%/test_tree_visit.c
%C%_test_tree_visit_LDADD = $(test_libs)
