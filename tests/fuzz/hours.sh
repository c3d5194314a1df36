#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# libFuzzer with the targets of this folder: each for some seconds, with the address and
# the undefined behaviour sanitizer. Needs clang (Debian: clang, libclang-rt-14-dev).
# fuzz.sh looks for lost memory, which takes most of the time here.
#
#   hours.sh [--seconds N] [--jobs N] [--keep DIR] [TARGET...]
#
#   --seconds N   of processor time for each target (3600)
#   --jobs N      targets at the same time (1)
#   --keep DIR    where the build, new inputs and logs are (build-fuzz in the current
#                 directory); what is there is used again, and earlier runs are counted
#
# Targets are names without "fuzz_"; none: all. At the end there is a table of this run and
# the earlier ones with the same DIR: executions, edges covered at the very first and at the
# end, inputs kept, and findings, which lie in DIR/found. Findings become inputs of corpus/.
set -eu
top=$(cd "${0%/*}/../.." && pwd)
seconds=3600
jobs=1
keep=$PWD/build-fuzz
while [ $# -gt 0 ]; do
	case $1 in
	--seconds) seconds=$2 ;;
	--jobs) jobs=$2 ;;
	--keep) keep=$2 ;;
	*) break ;;
	esac
	shift 2
done
if [ $# -eq 0 ]; then
	set -- "$top"/tests/fuzz/fuzz_*.c
	set -- "${@##*/fuzz_}"
	set -- "${@%.c}"
fi
if ! command -v clang >/dev/null; then
	echo "clang is not installed (Debian: clang, libclang-rt-14-dev)" >&2
	exit 2
fi

# build TARGET...: programs with libFuzzer's main; no slapd is run for each input
build() {
	mkdir -p "$keep/build"
	cd "$keep/build"
	[ -f Makefile ] || "$top/configure" --quiet --disable-shared CC="${CC:-clang}" \
		CFLAGS='-g -O1 -Wno-error' --with-slapd=/nonexistent \
		--with-sanitizer=fuzzer-no-link,address,undefined >configure.out
	make -s am--refresh >configure.out
	make -s V=0 CPPFLAGS=-Dmain=dit_replay_main LDFLAGS=-fsanitize=fuzzer "${@/#/tests/fuzz/fuzz_}" \
		>make.out 2>&1 || {
		tail -20 make.out >&2
		exit 2
	}
}

# cpu_seconds PID: the processor time that the process has taken, in whole seconds
cpu_seconds() {
	awk -v hz="$(getconf CLK_TCK)" '
		{ sub(/.*\) /, ""); split($0, field); print int((field[12] + field[13]) / hz) }
	' "/proc/$1/stat"
}

# fuzz TARGET: leaves new inputs in corpus/TARGET, a log, and findings in found. libFuzzer
# limits the time on the clock, so a machine with other work would fuzz less: SIGTERM ends
# the program, which then prints its figures, when its processor time is over.
fuzz() {
	local target=$1 pid used=0
	mkdir -p "$keep/corpus/$target" "$keep/found" "$keep/tmp"
	TMPDIR=${FUZZ_TMPDIR:-$keep/tmp} DIT_TEST_DATA=$top/tests/data \
		ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
		"$keep/build/tests/fuzz/fuzz_$target" \
		-max_len=4096 -timeout=120 -rss_limit_mb=4096 -print_final_stats=1 \
		-artifact_prefix="$keep/found/$target-" "$keep/corpus/$target" \
		"$top/tests/fuzz/corpus/$target" >"$keep/$target.log" 2>&1 &
	pid=$!
	while kill -0 $pid 2>/dev/null && [ "$used" -lt "$seconds" ]; do
		sleep 1
		used=$(cpu_seconds $pid 2>/dev/null || echo "$used")
	done
	kill -TERM $pid 2>/dev/null || true
	wait $pid || true
	echo "processor time: $used" >>"$keep/$target.log"
	cat "$keep/$target.log" >>"$keep/$target.logs"
}

# row TARGET: of the table. An input that is only slow is no finding.
row() {
	awk -v target="$1" -v nfound="$(find "$keep/found" -name "$1-*" \
		! -name "$1-slow-unit-*" | wc -l)" '
		function after(word,   i) {
			for (i = 1; i < NF; i++) {
				if ($i == word) {
					return $(i + 1)
				}
			}
		}
		/INITED/ && !first { first = after("cov:") }
		/cov:/ { cov = after("cov:"); split(after("corp:"), part, "/"); kept = part[1] }
		/number_of_executed_units/ { n += $2 }
		/^processor time:/ { seconds += $3 }
		END {
			printf "| %s | %d | %d | %.1f | %d | %d | %d | %d |\n", target,
				seconds, n, seconds ? n / seconds : 0, first, cov,
				kept, nfound
		}' "$keep/$1.logs"
}

build "$@"
for target; do
	while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
		wait -n || true
	done
	fuzz "$target" &
done
wait
echo "| target | CPU s | executions | a second | edges at first | edges | inputs | findings |"
echo "|---|---|---|---|---|---|---|---|"
for target; do
	row "$target"
done
