#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tally.sh counts what ran, and a suite that ran fewer programs than its makefile names has
# failed. The suites here are made up: a makefile that names logs, and results beside them.
set -u
: "${DIT_SRCDIR:?}"

work=$(mktemp -d "${TMPDIR:-/tmp}/ditkit-tally-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
nfailed=0

# suite NAME PROGRAM=RESULT...: an empty result: the program did not run
suite() {
	local name=$1 program
	shift
	mkdir -p "$work/$name"
	printf 'list:\n\t@echo %s\n' "$(printf '%s.log ' "${@%%=*}")" >"$work/$name/Makefile"
	for program; do
		[ -n "${program#*=}" ] || continue
		echo ":global-test-result: ${program#*=}" >"$work/$name/${program%%=*}.trs"
		: >"$work/$name/${program%%=*}.log"
	done
}

# expect STATUS LINE...: of tally.sh over the suites in $suites
expect() {
	local status=$1 got
	shift
	# shellcheck disable=SC2086 # pairs
	(cd "$work" && "$DIT_SRCDIR/tests/tally.sh" count $suites) >"$work/out" 2>&1
	got=$?
	if [ $got -ne "$status" ] || ! printf '%s\n' "$@" | diff - "$work/out"; then
		echo "FAILED: $suites: exit status $got" >&2
		nfailed=$((nfailed + 1))
	fi
}

suite good one=PASS two=PASS
suite other one=PASS
suites='good list other list'
expect 0 '3 passed, 0 failed, 0 skipped'

suite fewer one=PASS two= three=PASS
suites='good list fewer list'
expect 1 'failed: fewer/two: did not run' '4 passed, 1 failed, 0 skipped'

suite broken one=FAIL two=ERROR three=XPASS
suites='broken list'
expect 1 'failed: broken/one' 'failed: broken/two' 'failed: broken/three' \
	'0 passed, 3 failed, 0 skipped'

suite skips one=SKIP two=PASS three=SKIP four=PASS
echo 'SKIPPED: slapadd is not installed' >"$work/skips/one.log"
printf '[ RUN      ] a_disk\nSKIPPED: only root may mount\n[  SKIPPED ] a_disk\n' \
	>"$work/skips/two.log"
suites='skips list'
expect 1 'skipped: skips/one: slapadd is not installed' \
	'skipped: skips/two: only root may mount' \
	'failed: skips/three: skipped without a reason' '2 passed, 1 failed, 2 skipped'
printf '[ RUN      ] a_disk\n[  SKIPPED ] a_disk\n[  SKIPPED ] 1 test(s).\n' \
	>"$work/skips/four.log"
echo 'SKIPPED: mdb_dump is not installed' >"$work/skips/three.log"
expect 1 'skipped: skips/one: slapadd is not installed' \
	'skipped: skips/two: only root may mount' \
	'skipped: skips/three: mdb_dump is not installed' \
	'failed: skips/four: skips a case without a reason' '1 passed, 1 failed, 3 skipped'

# No programs at all, and no way to find out which.
mkdir "$work/empty" "$work/nothing"
printf 'list:\n\t@echo\n' >"$work/empty/Makefile"
printf 'list:\n\t@echo no cmocka; exit 1\n' >"$work/nothing/Makefile"
suites='empty list'
expect 1 'failed: empty: list names no programs' '0 passed, 1 failed, 0 skipped'
suites='good list nothing list'
(cd "$work" && "$DIT_SRCDIR/tests/tally.sh" count good list nothing list) \
	>"$work/out" 2>/dev/null && nfailed=$((nfailed + 1))
[ "$(tail -n 1 "$work/out")" = '2 passed, 1 failed, 0 skipped' ] || nfailed=$((nfailed + 1))

# What an earlier run left does not count.
(cd "$work" && "$DIT_SRCDIR/tests/tally.sh" forget good list)
suites='good list'
expect 1 'failed: good/one: did not run' 'failed: good/two: did not run' \
	'0 passed, 2 failed, 0 skipped'

echo "${0##*/}: $nfailed failed"
[ $nfailed -eq 0 ]
