#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# configure refuses machines whose databases are others: big-endian ones, 32-bit ones. It
# accepts one without cmocka; there make's test targets fail, and say why.
set -u
: "${DIT_SRCDIR:?}" "${CC:?}"

work=$(mktemp -d "${TMPDIR:-/tmp}/ditkit-platform-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
nfailed=0

# refused SETTING TEXT
refused() {
	rm -rf "$work/build"
	mkdir "$work/build"
	if (cd "$work/build" && env CC="$CC" "$1" "$DIT_SRCDIR/configure" --quiet) \
		>"$work/out" 2>&1; then
		echo "configured with $1" >&2
		nfailed=$((nfailed + 1))
	elif ! grep -q "$2" "$work/out"; then
		echo "with $1:" >&2
		cat "$work/out" >&2
		nfailed=$((nfailed + 1))
	fi
}

# configure refuses a big-endian or a 32-bit machine; it asks the compiler.
refused dit_cv_machine=no 'ditkit needs a 64-bit little-endian machine'

# without_cmocka TARGET...: every .pc file but cmocka's is found
without_cmocka() {
	local dir target
	mkdir -p "$work/pc" "$work/bare"
	for dir in $(pkg-config --variable pc_path pkg-config | tr : ' '); do
		cp -n "$dir"/*.pc "$work/pc/" 2>/dev/null
	done
	rm -f "$work/pc/cmocka.pc"
	(cd "$work/bare" && env CC="$CC" PKG_CONFIG_PATH= PKG_CONFIG_LIBDIR="$work/pc" \
		"$DIT_SRCDIR/configure" --quiet) >"$work/out" 2>&1 || cat "$work/out" >&2
	for target; do
		if make -C "$work/bare" "$target" >"$work/out" 2>&1 ||
			! grep -q '^There are no tests without cmocka' "$work/out"; then
			echo "make $target without cmocka:" >&2
			cat "$work/out" >&2
			nfailed=$((nfailed + 1))
		fi
	done
}

# check-local: what "make check" runs after all is built.
without_cmocka check-local check-unit check-long list-check
[ $nfailed -eq 0 ]
