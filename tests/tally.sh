#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Count the results that make's test suites have left.
#
#   tally.sh count DIRECTORY TARGET [DIRECTORY TARGET]...
#   tally.sh forget DIRECTORY TARGET
#
# "make TARGET" in the build directory DIRECTORY prints the programs of one suite, as the
# names of their logs. Each program that ran has left a result next to its log.
#
# count prints a line for each program that failed or did not run, a line for each skip
# with its reason, and at last one line for all suites:
#
#   N passed, N failed, N skipped
#
# A program passes, fails or is skipped. A passing program may skip single cases; these are
# counted as skipped too. The reason of a skip is the line "SKIPPED: REASON" in the log; a
# skip without one is a failure. The exit status is 1 if anything failed, and if a suite
# has no programs.
#
# forget removes the results of earlier runs.
set -u
npassed=0
nfailed=0
nskipped=0

# suite_logs DIRECTORY TARGET
suite_logs() {
	make -C "$1" -s --no-print-directory "$2"
}

failed() {
	echo "failed: $*"
	nfailed=$((nfailed + 1))
}

# count_skips NAME LOG: print the reasons; false if the log has none
count_skips() {
	local reason found=1
	while read -r reason; do
		echo "skipped: $1: $reason"
		nskipped=$((nskipped + 1))
		found=0
	done < <(sed -n 's/^.*SKIPPED: //p' "$2")
	return $found
}

# count_program DIRECTORY LOG
count_program() {
	local name=$1/${2%.log} log=$1/$2 result ncases
	result=$(sed -n 's/^:global-test-result: //p' "$1/${2%.log}.trs" 2>/dev/null)
	# cmocka prints this for a case that was skipped.
	ncases=$(grep -c '^\[  SKIPPED \] [a-z]' "$log" 2>/dev/null)
	case $result in
	PASS)
		if count_skips "$name" "$log" || [ "${ncases:-0}" -eq 0 ]; then
			npassed=$((npassed + 1))
		else
			failed "$name: skips a case without a reason"
		fi
		;;
	SKIP)
		count_skips "$name" "$log" || failed "$name: skipped without a reason"
		;;
	'') failed "$name: did not run" ;;
	*) failed "$name" ;;
	esac
}

# count_suite DIRECTORY TARGET
count_suite() {
	local logs log
	if ! logs=$(suite_logs "$1" "$2") || [ -z "$logs" ]; then
		failed "$1: $2 names no programs"
		return
	fi
	for log in $logs; do
		count_program "$1" "$log"
	done
}

# forget DIRECTORY TARGET
forget() {
	local logs log
	logs=$(suite_logs "$1" "$2") || exit 1
	for log in $logs; do
		rm -f "$1/$log" "$1/${log%.log}.trs"
	done
}

case ${1-} in
count)
	shift
	while [ $# -ge 2 ]; do
		count_suite "$1" "$2"
		shift 2
	done
	echo "$npassed passed, $nfailed failed, $nskipped skipped"
	[ "$nfailed" -eq 0 ] && [ $((npassed + nskipped)) -gt 0 ]
	;;
forget) forget "$2" "$3" ;;
*)
	echo "usage: tally.sh count | forget DIRECTORY TARGET ..." >&2
	exit 2
	;;
esac
