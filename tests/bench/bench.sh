#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Load made-up directories with slapadd -q and with ditadd -q, in turn, on fresh database
# directories, and print what each run cost and what follows from it.
#
#   bench.sh [--entries LIST] [--index LIST] [--threads LIST] [--memory LIST] [--rounds R]
#            [--slapadd-rounds R] [--slapadd-max N] [--index-keys KIND] [--seed S]
#            [--verify] [--operational] [--dir DIR] [--tsv FILE]
#   bench.sh --targets [--small N] [--large N] [--rounds R] [--slapadd-large run|SECONDS]
#            [--dir DIR] [--tsv FILE]
#   bench.sh --tables FILE
#
# Lists are separated by commas, and every combination is measured:
#
#   --entries LIST       sizes of the directory (100000)
#   --index LIST         yes, no: with the 27 indexed attributes, without; --no-index is
#                        the same as --index no (yes)
#   --threads LIST       numbers of threads (one per processor)
#   --memory LIST        default, 256M: what ditadd is given with --memory (default)
#   --rounds R           how often (3)
#   --slapadd-rounds R   slapadd takes part in the first R rounds only; 0: it is not needed
#   --slapadd-max N      slapadd is not measured with more entries than N (400000)
#   --index-keys KIND    integer or bytes, for ditadd
#   --seed S             of the made-up entries (1)
#   --verify             in the first round, compare the content of each of ditadd's
#                        databases with the first one of the same input; what every load
#                        makes again does not count, except with --operational
#   --operational        operational attributes are in the LDIF, as in an export
#   --dir DIR            where the databases go ($TMPDIR, /tmp)
#   --tsv FILE           keep the figures of each run, one line each, in FILE
#   --tables FILE        print the tables once more from such a file; measures nothing
#
# A round is one slapadd run and all ditadd runs on the same input. The ratio is slapadd's
# wall time over ditadd's of the same round; where slapadd sits out, of its last one.
#
# --targets measures what the project promises and prints promised, measured, pass or
# FAIL: --small entries (100000) with 2 threads, with and without indexes, and --large
# ones (1000000) with --memory 256M and with 8G, which is no limit for so many. slapadd may
# need an hour for a million entries: it is only run with "--slapadd-large run" (once); with
# a number of seconds, taken from an earlier run on the same machine, that one is used and
# the table says so.
. "${0%/*}/bench_lib.sh"

entries=100000
index=yes
threads=$(nproc)
memory=default
rounds=3
slapadd_rounds=
slapadd_max=400000
slapadd_large=none
seed=1
verify=no
operational=()
index_keys=()
tsv=
mode=tables
small=100000
large=1000000

while [ $# -gt 0 ]; do
	case $1 in
	--help) show_help && exit ;;
	--no-index) index=no ;;
	--verify) verify=yes ;;
	--operational) operational=(--operational) ;;
	--targets) mode=targets ;;
	--entries | --index | --threads | --memory | --rounds | --slapadd-rounds | \
		--slapadd-max | --slapadd-large | --index-keys | --seed | --dir | --tsv | \
		--tables | --small | --large)
		[ $# -ge 2 ] || wrong_call "$1 needs a value"
		case $1 in
		--entries) entries=$2 && check_list "$1" "$2" "$number" ;;
		--index) index=$2 && check_list "$1" "$2" 'yes|no' ;;
		--threads) threads=$2 && check_list "$1" "$2" "$number" ;;
		--memory) memory=$2 && check_list "$1" "$2" "default|$size" ;;
		--rounds) rounds=$2 && check_list "$1" "$2" "$number" ;;
		--slapadd-rounds) slapadd_rounds=$2 && check_list "$1" "$2" '[0-9]+' ;;
		--slapadd-max) slapadd_max=$2 && check_list "$1" "$2" '[0-9]+' ;;
		--slapadd-large)
			slapadd_large=$2
			check_list "$1" "$2" 'none|run|[0-9]+([.][0-9]+)?'
			;;
		--index-keys)
			check_list "$1" "$2" 'integer|bytes'
			index_keys=("--index-keys=$2")
			;;
		--seed) seed=$2 && check_list "$1" "$2" "$number" ;;
		--dir) base=$2 ;;
		--tsv) tsv=$2 ;;
		--tables) tsv=$2 && mode=again ;;
		--small) small=$2 && check_list "$1" "$2" "$number" ;;
		--large) large=$2 && check_list "$1" "$2" "$number" ;;
		esac
		shift
		;;
	*) wrong_call "$1?" ;;
	esac
	shift
done
slapadd_rounds=${slapadd_rounds:-$rounds}

report() {
	awk -v small="$small" -v large="$large" -f "${0%/*}/bench_report.awk" \
		-v mode="$1" "$2"
}

if [ $mode = again ]; then
	[ -r "$tsv" ] || die "cannot read $tsv"
	report tables "$tsv"
	exit
fi

need_built "$ditadd" "$ditgen" "$measure"
need "$mdb_stat" lmdb-utils
if [ "$slapadd_rounds" -gt 0 ] || [ $mode = targets ]; then
	need slapadd slapd
fi
[ $verify = no ] || need_built "$ditcheck"
make_work
results=${tsv:-$work/results}

# ---- one run ----

columns='program entries indexes threads memory round wall_s cpu_s anon_bytes rss_bytes
	db_bytes index_bytes rows temp_bytes temp_written_bytes ldif_bytes'
print_header() {
	# shellcheck disable=SC2086 # a list of words
	printf '%s\n' $columns | paste -s -d '\t' >"$results"
	printf '%-8s %9s %5s %7s %8s %5s %9s %9s %11s %9s %9s %9s\n' program entries \
		index threads memory round wall/s cpu/s entries/s anon/MiB temp/MiB db/MiB
}

# note_run PROGRAM ENTRIES INDEX THREADS MEMORY ROUND TEMP-WRITTEN: the last measured
# command, in the file of results, and for the reader
note_run() {
	local sizes wall cpu anon temp
	wall=$(cost wall_s)
	cpu=$(cost cpu_s)
	anon=$(($(cost anon_kib) * 1024))
	temp=$(($(cost temp_kib) * 1024))
	read -r -a sizes <<<"$(db_sizes "$work/db")"
	printf '%s\t' "${@:1:6}" "$wall" "$cpu" "$anon" "$(($(cost rss_kib) * 1024))" \
		"${sizes[@]}" "$temp" "$7" >>"$results"
	wc -c <"$work/$2.ldif" >>"$results"
	awk -v wall="$wall" -v anon="$anon" -v temp="$temp" -v db="${sizes[0]}" \
		-v line="$(printf '%-8s %9s %5s %7s %8s %5s %9.2f %9.2f' "${@:1:6}" \
			"$wall" "$cpu")" \
		-v n="$2" 'BEGIN {
		printf "%s %11.0f %9.1f %9.1f %9.1f\n", line, n / (wall > 0 ? wall : 0.001),
			anon / 1048576, temp / 1048576, db / 1048576
		}'
}

run_slapadd() { # run_slapadd ENTRIES INDEX ROUND
	empty_db
	measured slapadd -q -f "$work/slapd-$2.conf" -l "$work/$1.ldif"
	note_run slapadd "$1" "$2" 1 - "$3" 0
}

run_ditadd() { # run_ditadd ENTRIES INDEX THREADS MEMORY ROUND
	local options=("${index_keys[@]}")
	[ "$4" = default ] || options+=(--memory "$4")
	empty_db
	measured "$ditadd" -q -T "$3" "${options[@]}" --stats --tmpdir "$work/tmp" \
		-f "$work/slapd-$2.conf" -l "$work/$1.ldif"
	note_run ditadd "$1" "$2" "$3" "$4" "$5" "$(temp_written)"
	if [ $verify = yes ] && [ "$5" -eq 1 ]; then
		verify_db "$work/first-$1-$2" "$*"
	fi
}

# verify_db FIRST WHAT: the content of $work/db is that of FIRST, or it is the first
verify_db() {
	local options=(--generated)
	[ "${#operational[@]}" -eq 0 ] || options=()
	if [ ! -d "$1" ]; then
		mv "$work/db" "$1"
		return
	fi
	"$ditcheck" --compare "${options[@]}" "$1" "$work/db" || die "the content differs: $2"
	echo "$2" >>"$work/verified"
}

# make_input ENTRIES: once
make_input() {
	if [ ! -f "$work/$1.ldif" ]; then
		"$ditgen" --entries "$1" --seed "$seed" "${operational[@]}" \
			>"$work/$1.ldif" || die "the generator failed"
	fi
}

# ---- all runs ----

measure_all() {
	local round n with t m
	for n in ${entries//,/ }; do
		make_input "$n"
		for ((round = 1; round <= rounds; round++)); do
			for with in ${index//,/ }; do
				if [ "$round" -le "$slapadd_rounds" ] &&
					[ "$n" -le "$slapadd_max" ]; then
					run_slapadd "$n" "$with" "$round"
				fi
				for t in ${threads//,/ }; do
					for m in ${memory//,/ }; do
						run_ditadd "$n" "$with" "$t" "$m" "$round"
					done
				done
			done
		done
		rm -rf "$work/$n.ldif" "$work/first-$n"-*
	done
}

measure_targets() {
	local round m large_rounds=$(((rounds + 1) / 2))
	make_input "$small"
	for ((round = 1; round <= rounds; round++)); do
		for with in yes no; do
			run_slapadd "$small" $with "$round"
			run_ditadd "$small" $with 2 default "$round"
		done
	done
	rm "$work/$small.ldif"
	make_input "$large"
	for ((round = 1; round <= large_rounds; round++)); do
		if [ $round -eq 1 ]; then
			case $slapadd_large in
			none) ;;
			run) run_slapadd "$large" yes 1 ;;
			*) printf 'slapadd\t%s\tyes\t1\t-\tgiven\t%s\t0\t0\t0\t0\t0\t0\t0\t0\t0\n' \
				"$large" "$slapadd_large" >>"$results" ;;
			esac
		fi
		for m in default 256M 8G; do
			run_ditadd "$large" yes 2 $m "$round"
		done
	done
}

mkdir "$work/tmp"
for with in yes no; do
	write_conf "$work/db" $with >"$work/slapd-$with.conf"
done
echo "$(nproc) processors, $(awk '/MemTotal/ { printf "%.1f", $2 / 1048576 }' \
	/proc/meminfo) GiB of memory, Linux $(uname -r)"
print_header
if [ $mode = targets ]; then
	measure_targets
else
	measure_all
fi
[ $verify = no ] || echo "content: $(wc -l <"$work/verified" 2>/dev/null || echo 0)" \
	"databases compared with the first of their input, all the same"
report tables "$results"
[ $mode = tables ] || report targets "$results"
