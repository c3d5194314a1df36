#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# "make cppcheck": cppcheck over libraries/ and servers/, with the suppressions of
# tests/cppcheck.supp. It takes minutes, so "make check" leaves it out.
# Arguments: the compiler's -D and -I flags, then optionally "--" and files, named from the
# top.
set -u
top=${DIT_SRCDIR:?}

if ! command -v cppcheck >/dev/null; then
	echo "cppcheck is not installed (Debian: cppcheck)"
	exit 1
fi
flags=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	case $1 in
	-D* | -I*) flags+=("$1") ;;
	esac
	shift
done
[ $# -gt 0 ] && shift
cd "$top" || exit 1
[ $# -gt 0 ] || set -- libraries servers
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
cppcheck --quiet -j "$(nproc)" --std=c11 --library=posix \
	--enable=warning,performance,portability \
	--suppressions-list=tests/cppcheck.supp --error-exitcode=2 \
	--template='{file}:{line}: {severity}: {message} [{id}]' \
	"${flags[@]}" "$@" >"$log" 2>&1
status=$?
cat "$log"
if [ $status -ne 0 ]; then
	echo "cppcheck: reports: $(wc -l <"$log")"
	exit 1
fi
echo "cppcheck: nothing found"
