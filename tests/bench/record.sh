#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# record.sh FILE PROGRAM ARGUMENT...: run a program of ditkit and write what
# --progress=json tells of it to FILE, every 40 ms and more often, for
# tests/cli/test_forecast.c. Wall clock, so on an idle machine, or with a priority that
# makes it one (nice -n -18).
set -u
export LC_ALL=C
[ $# -ge 2 ] || { echo "usage: record.sh FILE PROGRAM ARGUMENT..." >&2; exit 1; }
file=$1
shift
# A program that does not catch the signal yet would be ended by it.
"$@" --progress=json --progress=1 2>"$file.all" >/dev/null &
program=$!
sleep 0.06
while kill -USR1 $program 2>/dev/null; do
	sleep 0.04
done
wait $program
status=$?
grep '^{' "$file.all" >"$file"
grep -v '^{' "$file.all" >&2
rm -f "$file.all"
exit $status
