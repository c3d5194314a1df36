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
# count prints a line for each program that failed or did not run, with the first lines of
# its log that name a failure, a line for each skip with its reason, the ten programs that took longest, and at last one line for all suites:
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

# suite_logs DIRECTORY TARGET: the paths of its logs, a line each
suite_logs() {
	make -C "$1" -s --no-print-directory "$2" | tr -s ' ' '\n' | sed -n "s#.#$1/&#p"
}

# count_logs: of a list of logs, and of lines "none DIRECTORY TARGET"
count_logs() {
	awk '
	function failed(text) {
		print "failed: " text
		nfailed++
	}
	# A program failed: up to ten lines of its log say at what (cmocka, lib.sh, sanitizers).
	function show_failures(log_file,    line, n) {
		while (n < 10 && (getline line <log_file) > 0) {
			if (line ~ /^(\[  (FAILED|ERROR ) +\]|FAILED: |ERROR:)|: error: |Sanitizer: / \
			    || line ~ /^[^ ]+: line [0-9]+: /) {
				print "    " line
				n++
			}
		}
		close(log_file)
	}
	# The lines of a log: its skips with reasons, cases that cmocka skipped, seconds.
	function read_log(name, log_file,    line) {
		nreasons = ncases = 0
		while ((getline line <log_file) > 0) {
			if (sub(/^.*SKIPPED: /, "", line)) {
				print "skipped: " name ": " line
				nreasons++
			} else if (line ~ /^\[  SKIPPED \] [a-z]/) {
				ncases++
			} else if (line ~ /^SECONDS: /) {
				took[name] = substr(line, 10)
			}
		}
		close(log_file)
		nskipped += nreasons
	}
	function read_result(file,    line, result) {
		while ((getline line <file) > 0) {
			if (sub(/^:global-test-result: /, "", line)) {
				result = line
			}
		}
		close(file)
		return result
	}
	$1 == "none" {
		failed($2 ": " $3 " names no programs")
		next
	}
	{
		name = $0
		sub(/\.log$/, "", name)
		result = read_result(name ".trs")
		if (result == "") {
			failed(name ": did not run")
			next
		}
		read_log(name, $0)
		if (result == "SKIP") {
			if (nreasons == 0) {
				failed(name ": skipped without a reason")
			}
		} else if (result != "PASS") {
			failed(name)
			show_failures($0)
		} else if (nreasons == 0 && ncases > 0) {
			failed(name ": skips a case without a reason")
		} else {
			npassed++
		}
	}
	END {
		sort = "sort -rn | head -n 10"
		for (name in took) {
			split(took[name], second, " ")
			if (!told++) {
				print "slowest, in seconds: wall, user, system"
			}
			printf "%8.1f %7.1f %7.1f  %s\n", second[1], second[2], second[3], name | sort
		}
		close(sort)
		printf "%d passed, %d failed, %d skipped\n", npassed, nfailed, nskipped
		exit nfailed > 0 || npassed + nskipped == 0
	}'
}

case ${1-} in
count)
	shift
	while [ $# -ge 2 ]; do
		logs=$(suite_logs "$1" "$2")
		echo "${logs:-none $1 $2}"
		shift 2
	done | count_logs
	;;
forget)
	logs=$(suite_logs "$2" "$3") || exit 1
	while read -r log; do
		printf '%s\0' "$log" "${log%.log}.trs"
	done <<<"$logs" | xargs -0 rm -f
	;;
*)
	echo "usage: tally.sh count | forget DIRECTORY TARGET ..." >&2
	exit 2
	;;
esac
