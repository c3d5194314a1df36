#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Replay the corpus of every fuzz target, and mutations of it.
set -u
failed=0
n=0

for corpus in "$DIT_SRCDIR"/tests/fuzz/corpus/*/; do
	name=$(basename "$corpus")
	program=$DIT_BUILDDIR/tests/fuzz/fuzz_$name
	n=$((n + 1))
	echo "fuzz_$name"
	asan=${ASAN_OPTIONS-}
	# Suppressions name functions of libldap, which only the slow unwinder finds.
	[ "$name" != schema ] || asan=$asan:fast_unwind_on_malloc=0
	# An endless loop ends at a limit of processor time, which other processes do not use up.
	if ! (ulimit -t 600 && ASAN_OPTIONS=$asan exec "$program" "$corpus"); then
		echo "failed: fuzz_$name $corpus" >&2
		failed=1
	fi
done
[ "$n" -gt 0 ] || failed=1
exit "$failed"
