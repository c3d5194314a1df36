#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Line coverage of libraries/ by the unit tests and the tests of command lines, with gcov:
# a table by room. Fails below 92 %. Half an hour.
#
#   coverage.sh [--keep DIR] [--missing]
#
#   --keep DIR   where the build is (build-coverage in the current directory); it is used
#                again, and counts go on
#   --missing    also the lines that were not reached: FILE:LINE: TEXT
#
# Files that gcov cannot read, and sources that no test has run at all, would count as
# nothing: they are listed, and are failures.
set -eu
top=$(cd "${0%/*}/.." && pwd)
keep=$PWD/build-coverage
minimum=92
missing=no
while [ $# -gt 0 ]; do
	case $1 in
	--keep)
		keep=$2
		shift
		;;
	--missing) missing=yes ;;
	*)
		sed -n '/^#   /s/^# //p' "$0" >&2
		exit 2
		;;
	esac
	shift
done

mkdir -p "$keep"
cd "$keep"
[ -f Makefile ] || "$top/configure" --quiet --disable-shared --disable-hardening \
	CC="${CC:-gcc}" CFLAGS='-g -O0 --coverage -fprofile-update=atomic' >configure.out
make -s V=0 -j"${COVERAGE_JOBS:-2}" all >make.out
# A test that fails has counted all the same; it is told at the end.
failed=0
make -s V=0 -j"${COVERAGE_JOBS:-2}" check-unit >unit.out 2>&1 || failed=1
make -s V=0 check-TESTS TESTS='tests/cli/run.sh tests/cli/messages.sh' >cli.out 2>&1 || failed=1

# The objects of libraries/ alone; headers are counted where most of their lines are.
rm -rf gcov
mkdir gcov
cd gcov
find ../libraries -name '*.gcno' | sort >objects
: >unread
while read -r notes; do
	# Without counts (no program of the tests has the object) all its lines are missing.
	if ! gcov --preserve-paths --relative-only --source-prefix "$top" "$notes" \
		>one 2>one.err || ! grep -q '^Lines executed:' one; then
		grep -q ':no functions found$' one.err && continue # tables alone
		echo "not counted: $notes: $(head -n 1 one.err)" | tee -a unread >&2
		continue
	fi
	cat one
done <objects >summary
[ ! -s unread ] || failed=1
awk -v missing=$missing '
	/^File / {
		file = $2
		gsub(/\x27/, "", file)
		sub(/^.*\/libraries\//, "", file)
		sub(/^libraries\//, "", file)
		is_ours = $2 ~ /libraries\/.*\.c\x27$/ && file !~ /^\.\./
	}
	/^Lines executed:/ && is_ours {
		sub(/.*:/, "", $2)
		sub(/%/, "", $2)
		room = file
		sub(/\/.*/, "", room)
		lines[room] += $4
		hit[room] += int($2 * $4 / 100 + 0.5)
		all += $4
		all_hit += int($2 * $4 / 100 + 0.5)
		if ($2 + 0 < 88) {
			weak[file] = $2
		}
		is_ours = 0
	}
	END {
		print "| room | lines | reached | % |"
		print "|---|---|---|---|"
		sort = "sort"
		for (room in lines) {
			printf "| %s | %d | %d | %.1f |\n", room, lines[room], hit[room], \
				100 * hit[room] / lines[room] | sort
		}
		close(sort)
		printf "| all | %d | %d | %.1f |\n\n", all, all_hit, 100 * all_hit / all
		for (file in weak) {
			printf "below 88 %%: %s %s\n", file, weak[file] | sort
		}
		close(sort)
		exit all == 0 || 100 * all_hit / all < '$minimum'
	}' summary || failed=1
if [ "$missing" = yes ]; then
	# ./libraries#values#dn.c.gcov:    #####:   76:	return -ENOMEM;
	grep -H '^ *#####:' ./*libraries#*.c.gcov |
		sed 's/^[^:]*libraries#\([^:#]*\)#\([^:#]*\)\.gcov: *#####: *\([0-9]*\):/\1\/\2:\3:/'
fi
exit $failed
