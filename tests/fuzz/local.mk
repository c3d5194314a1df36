# tests/fuzz/local.mk
# Every target is linked with a main that replays its corpus and mutations of it.
# For a real fuzzer: clang -fsanitize=fuzzer,address fuzz_NAME.c with the same libraries.
fuzz_targets += \
	%D%/fuzz_ldif \
	$(NULL)
noinst_PROGRAMS += $(fuzz_targets)
fuzz_replay = %D%/replay_main.c
%C%_fuzz_ldif_SOURCES = %D%/fuzz_ldif.c $(fuzz_replay)
%C%_fuzz_ldif_LDADD = $(test_libs)

unit_scripts += %D%/fuzz.sh
EXTRA_DIST += %D%/corpus
