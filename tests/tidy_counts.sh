#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# tidy.sh says how many files it looked at, and it fails with a report, with a clang-tidy
# that breaks off, and without one. The clang-tidy here is made up: a script.
set -u
: "${DIT_SRCDIR:?}"

work=$(mktemp -d "${TMPDIR:-/tmp}/ditkit-tidy-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
for name in bash cat find grep mktemp nproc rm sed sort wc xargs; do
	ln -s "$(command -v $name)" "$work/bin/$name"
done
nfailed=0

# fake COMMANDS: what clang-tidy does with a file; $file is its name
fake() {
	printf '#!%s\nif [ "$1" = --version ]; then echo "LLVM version 14.0.6"; exit; fi\n%s\n' \
		"$work/bin/bash" "file=\$2; $1" >"$work/bin/clang-tidy"
	chmod +x "$work/bin/clang-tidy"
}

# expect STATUS LINE...: of tidy.sh over two files
expect() {
	local status=$1 got
	shift
	PATH=$work/bin bash "$DIT_SRCDIR/tests/tidy.sh" -DX -- a.c b.c >"$work/out" 2>&1
	got=$?
	if [ $got -ne "$status" ] || ! printf '%s\n' "$@" | diff - "$work/out"; then
		echo "FAILED: exit status $got, expected $status" >&2
		nfailed=$((nfailed + 1))
	fi
}

expect 1 "clang-tidy 14 is not installed (Debian 12: clang-tidy)"

fake ':'
expect 0 "2 files: nothing found"

# A header that both files include is reported once.
fake "echo $DIT_SRCDIR/h.h:1:2: error: bad; exit 1"
expect 1 "h.h:1:2: error: bad" "2 files, reports: 1"

fake 'exit 1'
expect 1 "2 files: clang-tidy failed"

[ $nfailed -eq 0 ]
