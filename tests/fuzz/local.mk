# tests/fuzz/local.mk
# Every target is linked with a main that replays its corpus and mutations of it.
# For a real fuzzer: clang -fsanitize=fuzzer,address fuzz_NAME.c with the same libraries,
# LSAN_OPTIONS=suppressions=lsan.supp and ASAN_OPTIONS=fast_unwind_on_malloc=0.
fuzz_targets += \
	%D%/fuzz_check \
	%D%/fuzz_conf \
	%D%/fuzz_dn \
	%D%/fuzz_entry \
	%D%/fuzz_entry_decode \
	%D%/fuzz_filter \
	%D%/fuzz_key_integer \
	%D%/fuzz_ldif \
	%D%/fuzz_schema \
	%D%/fuzz_tree \
	%D%/fuzz_value \
	%D%/fuzz_walk \
	$(NULL)
noinst_PROGRAMS += $(fuzz_targets)
fuzz_replay = %D%/replay_main.c
%C%_fuzz_check_SOURCES = \
	%D%/fuzz_check.c \
	tests/bulk/load_fixture.c \
	tests/bulk/load_fixture.h \
	$(fuzz_replay)
%C%_fuzz_check_LDADD = $(test_libs)
%C%_fuzz_conf_SOURCES = %D%/fuzz_conf.c $(fuzz_replay)
%C%_fuzz_conf_LDADD = $(test_libs)
%C%_fuzz_dn_SOURCES = %D%/fuzz_dn.c $(fuzz_replay)
%C%_fuzz_dn_LDADD = $(test_libs)
%C%_fuzz_entry_SOURCES = %D%/fuzz_entry.c $(fuzz_replay)
%C%_fuzz_entry_LDADD = $(test_libs)
%C%_fuzz_entry_decode_SOURCES = %D%/fuzz_entry_decode.c $(fuzz_replay)
%C%_fuzz_entry_decode_LDADD = $(test_libs)
%C%_fuzz_filter_SOURCES = %D%/fuzz_filter.c $(fuzz_replay)
%C%_fuzz_filter_LDADD = $(test_libs)
%C%_fuzz_key_integer_SOURCES = %D%/fuzz_key_integer.c $(fuzz_replay)
%C%_fuzz_key_integer_LDADD = $(test_libs)
%C%_fuzz_ldif_SOURCES = %D%/fuzz_ldif.c $(fuzz_replay)
%C%_fuzz_ldif_LDADD = $(test_libs)
%C%_fuzz_schema_SOURCES = %D%/fuzz_schema.c $(fuzz_replay)
%C%_fuzz_schema_LDADD = $(test_libs)
%C%_fuzz_tree_SOURCES = %D%/fuzz_tree.c $(fuzz_replay)
%C%_fuzz_tree_LDADD = $(test_libs)
%C%_fuzz_value_SOURCES = %D%/fuzz_value.c $(fuzz_replay)
%C%_fuzz_value_LDADD = $(test_libs)
%C%_fuzz_walk_SOURCES = \
	%D%/fuzz_walk.c \
	tests/pages/walk_fixture.c \
	tests/pages/walk_fixture.h \
	$(fuzz_replay)
%C%_fuzz_walk_LDADD = $(test_libs)

unit_scripts += %D%/fuzz.sh
EXTRA_DIST += %D%/corpus
