#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every name that the installed libraries define for others begins with dit_: a program that
# links the static library may use any other name for a function of its own. The shared
# library shows nothing else either. The locale of that program changes nothing.
set -u
: "${DIT_BUILDDIR:?}"

nm=${NM:-nm}
libs=$DIT_BUILDDIR
nfailed=0

# visible FILE OPTION...: names that a linker would find in it
visible() {
	local file=$1
	shift
	"$nm" -g --defined-only "$@" "$file" | awk 'NF == 3 { print $3 }'
}

# check FILE OPTION...
check() {
	local names others
	names=$(visible "$@") || exit 1
	if ! grep -q '^dit_load$' <<<"$names"; then
		echo "$1: dit_load() is not there" >&2
		nfailed=$((nfailed + 1))
	fi
	others=$(grep -v '^dit_' <<<"$names")
	if [ -n "$others" ]; then
		echo "$1: visible without the prefix dit_:" >&2
		echo "$others" >&2
		nfailed=$((nfailed + 1))
	fi
}

# keeps_out FILE OPTION...: nothing asks the locale of the program, in which "I" may be no
# "i", and a text another one
keeps_out() {
	local asked names='strn?casecmp|__ctype_.*|to(upper|lower)|str(coll|xfrm|tod)|setlocale'
	! getconf GNU_LIBC_VERSION >/dev/null 2>&1 || names+='|strerror' # errno_text.h
	asked=$("$nm" -u "$@" | awk 'NF == 2 { print $2 }' | grep -xE "$names" | sort -u)
	if [ -n "$asked" ]; then
		echo "$1: depends on the locale:" >&2
		echo "$asked" >&2
		nfailed=$((nfailed + 1))
	fi
}

command -v "$nm" >/dev/null || {
	echo "$nm is needed (Debian: binutils)" >&2
	exit 77
}
[ -f "$libs/libditkit.a" ] || [ -f "$libs/libditkit.so.1.0.0" ] || {
	echo "no library in $libs" >&2
	exit 1
}
[ ! -f "$libs/libditkit.a" ] || check "$libs/libditkit.a"
[ ! -f "$libs/libditkit.a" ] || keeps_out "$libs/libditkit.a"
[ ! -f "$libs/libditkit.so.1.0.0" ] || check "$libs/libditkit.so.1.0.0" --dynamic
[ $nfailed -eq 0 ]
