#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The list of symbols of Debian's package is that of the library. The names come from the
# static library too, where no shared one is built: all that it shows has the prefix dit_
# and is marked DIT_PUBLIC in an installed header.
set -u
: "${DIT_SRCDIR:?}" "${DIT_BUILDDIR:?}"
list=$DIT_SRCDIR/doc/packaging/debian/libditkit1.symbols
library=$DIT_BUILDDIR/libditkit.so.1.0.0
[ -f "$library" ] || library=

# The functions that installed headers declare DIT_PUBLIC.
declared=$(cat "$DIT_BUILDDIR"/include/ditkit/*.h | tr '\n' ' ' |
	grep -o 'DIT_PUBLIC [^;(]*(' | sed 's/.*[ *]\([a-z_0-9]*\)($/\1/' | grep '^dit_' | sort -u)
[ "$(wc -l <<<"$declared")" -gt 20 ] || {
	echo 'the headers declare no functions' >&2
	exit 1
}
listed=$(sed -n 's/^ \([a-z_0-9]*\)@Base .*/\1/p' "$list" | sort)
status=0
diff <(echo "$declared") <(echo "$listed") >&2 || {
	echo "FAILED: ${list##*/} (>) is not what the headers declare (<)" >&2
	status=1
}
if [ -n "$library" ]; then
	diff <(nm -D --defined-only "$library" | awk '{ print $NF }' | sort) \
		<(echo "$listed") >&2 || {
		echo "FAILED: ${list##*/} (>) is not what the library has (<)" >&2
		status=1
	}
	readelf -d "$library" | grep -q 'SONAME.*\[libditkit\.so\.1\]' || {
		echo 'FAILED: the shared library is not libditkit.so.1' >&2
		status=1
	}
fi
[ "$(head -n 1 "$list")" = 'libditkit.so.1 libditkit1 #MINVER#' ] || {
	echo "FAILED: ${list##*/} is of another library" >&2
	status=1
}
exit $status
