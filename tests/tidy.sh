#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# "make tidy": clang-tidy 14 with .clang-tidy over libraries/ and servers/. It takes
# minutes, so "make check" leaves it out.
# Arguments: the compiler flags, then optionally "--" and files, named from the top.
set -u
top=${DIT_SRCDIR:?}

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
files=("${@/#/$top/}")
[ $# -gt 0 ] || mapfile -t files < <(find "$top/libraries" "$top/servers" -name '*.c' | sort)

# One process for each file, as many as there are processors. A process whose file is good
# says nothing of interest. A report about a header comes once for each file with it.
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
printf '%s\0' "${files[@]}" |
	xargs -0 -P "$(nproc)" -I{} "$tidy" --quiet {} -- "${flags[@]}" >"$log" 2>&1
status=$?
found=$(grep -E ': (fatal )?(error|warning): ' "$log" | sed "s#^$top/##" | sort -u)
if [ -n "$found" ]; then
	echo "$found"
	echo "${#files[@]} files, reports: $(wc -l <<<"$found")"
	exit 1
fi
if [ $status -ne 0 ]; then
	cat "$log"
	echo "${#files[@]} files: $tidy failed"
	exit 1
fi
echo "${#files[@]} files: nothing found"
