#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# configure refuses machines whose databases are others: big-endian ones, 32-bit ones.
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

refused ac_cv_c_bigendian=yes 'ditkit needs a little-endian machine'
refused ac_cv_sizeof_void_p=4 'ditkit needs a 64-bit machine'
[ $nfailed -eq 0 ]
