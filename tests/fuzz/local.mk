# tests/fuzz/local.mk
# replay_main.c replays the corpus of a target and mutations of it.
# hours.sh runs them with libFuzzer.
fuzz_targets += \
	%D%/fuzz_check \
	%D%/fuzz_clean \
	%D%/fuzz_conf \
	%D%/fuzz_cursor \
	%D%/fuzz_digest \
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
	%D%/fuzz_modify \
	%D%/fuzz_reindex \
	%D%/fuzz_schema \
	%D%/fuzz_tree \
	%D%/fuzz_value \
	%D%/fuzz_walk \
	$(NULL)
test_tools += $(fuzz_targets)
%C%_fuzz_check_SOURCES = %D%/fuzz_check.c %D%/replay_main.c
%C%_fuzz_clean_SOURCES = %D%/fuzz_clean.c %D%/replay_main.c
%C%_fuzz_conf_SOURCES = %D%/fuzz_conf.c %D%/replay_main.c
%C%_fuzz_cursor_SOURCES = %D%/fuzz_cursor.c %D%/replay_main.c
%C%_fuzz_digest_SOURCES = %D%/fuzz_digest.c %D%/replay_main.c
%C%_fuzz_dn_SOURCES = %D%/fuzz_dn.c %D%/replay_main.c
%C%_fuzz_entry_SOURCES = %D%/fuzz_entry.c %D%/replay_main.c
%C%_fuzz_entry_decode_SOURCES = %D%/fuzz_entry_decode.c %D%/replay_main.c
%C%_fuzz_export_SOURCES = %D%/fuzz_export.c %D%/replay_main.c
%C%_fuzz_filter_SOURCES = %D%/fuzz_filter.c %D%/replay_main.c
%C%_fuzz_key_integer_SOURCES = %D%/fuzz_key_integer.c %D%/replay_main.c
%C%_fuzz_ldif_SOURCES = %D%/fuzz_ldif.c %D%/replay_main.c
%C%_fuzz_load_SOURCES = %D%/fuzz_load.c %D%/replay_main.c
%C%_fuzz_map_SOURCES = %D%/fuzz_map.c %D%/replay_main.c
%C%_fuzz_merge_SOURCES = %D%/fuzz_merge.c %D%/replay_main.c
%C%_fuzz_modify_SOURCES = %D%/fuzz_modify.c %D%/replay_main.c
%C%_fuzz_reindex_SOURCES = %D%/fuzz_reindex.c %D%/replay_main.c
%C%_fuzz_schema_SOURCES = %D%/fuzz_schema.c %D%/replay_main.c
%C%_fuzz_tree_SOURCES = %D%/fuzz_tree.c %D%/replay_main.c
%C%_fuzz_value_SOURCES = %D%/fuzz_value.c %D%/replay_main.c
%C%_fuzz_walk_SOURCES = %D%/fuzz_walk.c %D%/replay_main.c
# Whole runs of the tools have fewer mutations.
%C%_fuzz_check_CPPFLAGS = $(AM_CPPFLAGS) -DMUTATIONS=100
%C%_fuzz_digest_CPPFLAGS = $(AM_CPPFLAGS) -DMUTATIONS=60
%C%_fuzz_export_CPPFLAGS = $(AM_CPPFLAGS) -DMUTATIONS=80
%C%_fuzz_load_CPPFLAGS = $(AM_CPPFLAGS) -DMUTATIONS=100
%C%_fuzz_merge_CPPFLAGS = $(AM_CPPFLAGS) -DMUTATIONS=60
%C%_fuzz_modify_CPPFLAGS = $(AM_CPPFLAGS) -DMUTATIONS=60
%C%_fuzz_reindex_CPPFLAGS = $(AM_CPPFLAGS) -DMUTATIONS=60

unit_scripts += %D%/fuzz.sh
long_units += %D%/fuzz.sh
EXTRA_DIST += %D%/README.md %D%/corpus %D%/hours.sh
tests_libfixtures_a_SOURCES += %D%/changed_database.c %D%/changed_database.h %D%/fuzz_target.h
