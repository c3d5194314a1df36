# tests/pages/local.mk
check_PROGRAMS += \
	%D%/test_lmdb_10 \
	%D%/test_new_file \
	%D%/test_page_format \
	%D%/test_hidden_commit \
	%D%/test_page_commit \
	%D%/test_page_source \
	%D%/test_page_writer \
	%D%/test_table_edit \
	%D%/test_tree_cursor \
	%D%/test_walk \
	%D%/test_walk_damage \
	%D%/test_walk_probe \
	$(NULL)
%C%_test_lmdb_10_SOURCES = %D%/test_lmdb_10.c %D%/page_dump.c %D%/page_dump.h
%C%_test_lmdb_10_LDADD = $(test_libs)
%C%_test_new_file_SOURCES = %D%/test_new_file.c %D%/page_dump.c %D%/page_dump.h
%C%_test_new_file_LDADD = $(test_libs)
%C%_test_page_format_SOURCES = %D%/test_page_format.c
%C%_test_page_format_LDADD = $(test_libs)
%C%_test_hidden_commit_SOURCES = %D%/commit_fixture.h %D%/test_hidden_commit.c
%C%_test_hidden_commit_LDADD = $(test_libs)
%C%_test_page_commit_SOURCES = %D%/commit_fixture.h %D%/test_page_commit.c
%C%_test_page_commit_LDADD = $(test_libs)
%C%_test_page_commit_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=fdatasync \
	-Wl,--wrap=pwrite
%C%_test_page_source_SOURCES = %D%/test_page_source.c
%C%_test_page_source_LDADD = $(test_libs)
%C%_test_page_source_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=preadv2 \
	-Wl,--wrap=pthread_create
%C%_test_page_writer_SOURCES = %D%/test_page_writer.c
%C%_test_page_writer_LDADD = $(test_libs)
%C%_test_page_writer_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=openat \
	-Wl,--wrap=__openat_2 \
	-Wl,--wrap=pthread_create \
	-Wl,--wrap=pwrite
%C%_test_table_edit_SOURCES = %D%/test_table_edit.c
%C%_test_table_edit_LDADD = $(test_libs)
%C%_test_tree_cursor_SOURCES = \
	%D%/page_dump.c \
	%D%/page_dump.h \
	%D%/test_tree_cursor.c \
	%D%/walk_fixture.c \
	%D%/walk_fixture.h \
	$(NULL)
%C%_test_tree_cursor_LDADD = $(test_libs)
%C%_test_walk_SOURCES = %D%/test_walk.c %D%/walk_fixture.c %D%/walk_fixture.h
%C%_test_walk_LDADD = $(test_libs)
%C%_test_walk_damage_SOURCES = \
	%D%/test_walk_damage.c \
	%D%/walk_damages.h \
	%D%/walk_fixture.c \
	%D%/walk_fixture.h \
	$(NULL)
%C%_test_walk_damage_LDADD = $(test_libs)
%C%_test_walk_probe_SOURCES = %D%/test_walk_probe.c
%C%_test_walk_probe_LDADD = $(test_libs)
