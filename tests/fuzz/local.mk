# tests/fuzz/local.mk
# Every target is linked with a main that replays its corpus and mutations of it.
# hours.sh runs them with libFuzzer.
fuzz_targets += \
	%D%/fuzz_check \
	%D%/fuzz_clean \
	%D%/fuzz_conf \
	%D%/fuzz_cursor \
	%D%/fuzz_dn \
	%D%/fuzz_entry \
	%D%/fuzz_entry_decode \
	%D%/fuzz_export \
	%D%/fuzz_filter \
	%D%/fuzz_key_integer \
	%D%/fuzz_ldif \
	%D%/fuzz_load \
	%D%/fuzz_map \
	%D%/fuzz_merge \
	%D%/fuzz_reindex \
	%D%/fuzz_schema \
	%D%/fuzz_tree \
	%D%/fuzz_value \
	%D%/fuzz_walk \
	$(NULL)
noinst_PROGRAMS += $(fuzz_targets)
fuzz_replay = %D%/replay_main.c
# For whole runs of the tools: over a small database.
fuzz_database = \
	%D%/changed_database.c \
	%D%/changed_database.h \
	tests/load/load_fixture.c \
	tests/load/load_fixture.h
%C%_fuzz_check_SOURCES = %D%/fuzz_check.c $(fuzz_database) $(fuzz_replay)
%C%_fuzz_check_LDADD = $(test_libs)
%C%_fuzz_clean_SOURCES = \
	%D%/fuzz_clean.c \
	tests/walk/walk_fixture.c \
	tests/walk/walk_fixture.h \
	$(fuzz_replay)
%C%_fuzz_clean_LDADD = $(test_libs)
%C%_fuzz_conf_SOURCES = %D%/fuzz_conf.c $(fuzz_replay)
%C%_fuzz_conf_LDADD = $(test_libs)
%C%_fuzz_cursor_SOURCES = %D%/fuzz_cursor.c $(fuzz_replay)
%C%_fuzz_cursor_LDADD = $(test_libs)
%C%_fuzz_dn_SOURCES = %D%/fuzz_dn.c $(fuzz_replay)
%C%_fuzz_dn_LDADD = $(test_libs)
%C%_fuzz_entry_SOURCES = %D%/fuzz_entry.c $(fuzz_replay)
%C%_fuzz_entry_LDADD = $(test_libs)
%C%_fuzz_entry_decode_SOURCES = %D%/fuzz_entry_decode.c $(fuzz_replay)
%C%_fuzz_entry_decode_LDADD = $(test_libs)
%C%_fuzz_export_SOURCES = %D%/fuzz_export.c $(fuzz_database) $(fuzz_replay)
%C%_fuzz_export_CPPFLAGS = $(AM_CPPFLAGS) -DMUTATIONS=80
%C%_fuzz_export_LDADD = $(test_libs)
%C%_fuzz_filter_SOURCES = %D%/fuzz_filter.c $(fuzz_replay)
%C%_fuzz_filter_LDADD = $(test_libs)
%C%_fuzz_key_integer_SOURCES = %D%/fuzz_key_integer.c $(fuzz_replay)
%C%_fuzz_key_integer_LDADD = $(test_libs)
%C%_fuzz_ldif_SOURCES = %D%/fuzz_ldif.c $(fuzz_replay)
%C%_fuzz_ldif_LDADD = $(test_libs)
%C%_fuzz_load_SOURCES = %D%/fuzz_load.c $(fuzz_database) $(fuzz_replay)
%C%_fuzz_load_CPPFLAGS = $(AM_CPPFLAGS) -DMUTATIONS=100
%C%_fuzz_load_LDADD = $(test_libs)
%C%_fuzz_map_SOURCES = %D%/fuzz_map.c $(fuzz_replay)
%C%_fuzz_map_LDADD = $(test_libs)
%C%_fuzz_merge_SOURCES = %D%/fuzz_merge.c $(fuzz_database) $(fuzz_replay)
%C%_fuzz_merge_CPPFLAGS = $(AM_CPPFLAGS) -DMUTATIONS=60
%C%_fuzz_merge_LDADD = $(test_libs)
%C%_fuzz_reindex_SOURCES = %D%/fuzz_reindex.c $(fuzz_database) $(fuzz_replay)
%C%_fuzz_reindex_CPPFLAGS = $(AM_CPPFLAGS) -DMUTATIONS=60
%C%_fuzz_reindex_LDADD = $(test_libs)
%C%_fuzz_schema_SOURCES = %D%/fuzz_schema.c $(fuzz_replay)
%C%_fuzz_schema_LDADD = $(test_libs)
%C%_fuzz_tree_SOURCES = %D%/fuzz_tree.c $(fuzz_replay)
%C%_fuzz_tree_LDADD = $(test_libs)
%C%_fuzz_value_SOURCES = %D%/fuzz_value.c $(fuzz_replay)
%C%_fuzz_value_LDADD = $(test_libs)
%C%_fuzz_walk_SOURCES = \
	%D%/fuzz_walk.c \
	tests/walk/walk_fixture.c \
	tests/walk/walk_fixture.h \
	$(fuzz_replay)
%C%_fuzz_walk_LDADD = $(test_libs)

unit_scripts += %D%/fuzz.sh
long_units += %D%/fuzz.sh
EXTRA_DIST += %D%/README.md %D%/corpus %D%/hours.sh
