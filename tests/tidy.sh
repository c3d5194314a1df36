#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# clang-tidy 14 with .clang-tidy over libraries/ and servers/: "make tidy". Minutes, so it
# is no part of "make check". Arguments: the compiler flags, then optionally "--" and files.
set -u
cd "${DIT_SRCDIR:?}" || exit 99

tidy=
for name in clang-tidy-14 clang-tidy; do
	if command -v $name >/dev/null && $name --version | grep -q 'version 14\.'; then
		tidy=$name
		break
	fi
done
if [ -z "$tidy" ]; then
	echo "clang-tidy 14 is not installed (Debian 12: clang-tidy)"
	exit 1
fi

flags=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	flags+=("$1")
	shift
done
[ $# -gt 0 ] && shift
files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(find libraries servers -name '*.c' | sort)

# One process for each file, as many as there are processors; each is silent about a good
# file.
found=$(printf '%s\0' "${files[@]}" |
	xargs -0 -P "$(nproc)" -I{} "$tidy" --quiet {} -- "${flags[@]}" 2>/dev/null |
	grep -E ': (error|warning): ' | sed "s#^$PWD/##" | sort -u)
if [ -n "$found" ]; then
	echo "$found"
	exit 1
fi
echo "${#files[@]} files: nothing found"
