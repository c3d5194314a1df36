#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Load made-up directories with slapadd -q and with ditadd -q, in turn, on fresh database
# directories, and print what each run cost and what follows from it.
#
#   bench.sh [--entries LIST] [--index LIST] [--threads LIST] [--memory LIST] [--rounds R]
#            [--slapadd-rounds R] [--slapadd-max N] [--index-keys KIND] [--seed S]
#            [--verify] [--operational] [--dir DIR] [--tsv FILE]
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
# With several numbers of threads there are two more tables: what the stages of ditadd cost,
# with the speed of 16 cores computed from it, and what each stage waits for.
. "${0%/*}/bench_lib.sh"

entries=100000
index=yes
threads=$(nproc)
memory=default
rounds=3
slapadd_rounds=
slapadd_max=400000
seed=1
verify=no
operational=()
index_keys=()
tsv=
again=no

while [ $# -gt 0 ]; do
	case $1 in
	--help) show_help && exit ;;
	--no-index) index=no ;;
	--verify) verify=yes ;;
	--operational) operational=(--operational) ;;
	--entries | --index | --threads | --memory | --rounds | --slapadd-rounds | \
		--slapadd-max | --index-keys | --seed | --dir | --tsv | --tables)
		[ $# -ge 2 ] || wrong_call "$1 needs a value"
		case $1 in
		--entries) entries=$2 && check_list "$1" "$2" "$number" ;;
		--index) index=$2 && check_list "$1" "$2" 'yes|no' ;;
		--threads) threads=$2 && check_list "$1" "$2" "$number" ;;
		--memory) memory=$2 && check_list "$1" "$2" "default|$size" ;;
		--rounds) rounds=$2 && check_list "$1" "$2" "$number" ;;
		--slapadd-rounds) slapadd_rounds=$2 && check_list "$1" "$2" '[0-9]+' ;;
		--slapadd-max) slapadd_max=$2 && check_list "$1" "$2" '[0-9]+' ;;
		--index-keys)
			check_list "$1" "$2" 'integer|bytes'
			index_keys=("--index-keys=$2")
			;;
		--seed) seed=$2 && check_list "$1" "$2" "$number" ;;
		--dir) base=$2 ;;
		--tsv) tsv=$2 ;;
		--tables) tsv=$2 && again=yes ;;
		esac
		shift
		;;
	*) wrong_call "$1?" ;;
	esac
	shift
done
slapadd_rounds=${slapadd_rounds:-$rounds}

if [ $again = yes ]; then
	[ -r "$tsv" ] || die "cannot read $tsv"
	report tables "$tsv"
	exit
fi

need_built "$ditadd" "$ditgen" "$measure"
need "$mdb_stat" lmdb-utils
[ "$slapadd_rounds" -eq 0 ] || need slapadd slapd
[ $verify = no ] || need_built "$ditcheck"
make_work
results=${tsv:-$work/results}

# ---- one run ----

print_header() {
	begin_notes "$results" db_bytes index_bytes rows temp_written_bytes ldif_bytes
	printf '%-8s %9s %5s %7s %8s %5s %9s %9s %11s %9s %9s %9s\n' program entries \
		index threads memory round wall/s cpu/s entries/s anon/MiB temp/MiB db/MiB
}

# note_run PROGRAM ENTRIES INDEX THREADS MEMORY ROUND TEMP-WRITTEN: the last measured
# command, in the file of results, and for the reader
note_run() {
	local sizes
	read -r -a sizes <<<"$(db_sizes "$work/db")"
	note "${@:1:6}" "${sizes[@]}" "$7" "$(wc -c <"$work/$2.ldif")"
	awk -v wall="$(cost wall_s)" -v cpu="$(cost cpu_s)" -v anon="$(cost anon_kib)" \
		-v temp="$(cost temp_kib)" -v db="${sizes[0]}" -v n="$2" \
		-v run="$(printf '%-8s %9s %5s %7s %8s %5s' "${@:1:6}")" 'BEGIN {
		printf "%s %9.2f %9.2f %11.0f %9.1f %9.1f %9.1f\n", run, wall, cpu,
			n / (wall > 0 ? wall : 0.001), anon / 1024, temp / 1024, db / 1048576
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
	"$ditcheck" --compare --exact "${options[@]}" "$1" "$work/db" || die "the content differs: $2"
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

mkdir "$work/tmp"
for with in yes no; do
	write_conf "$work/db" $with >"$work/slapd-$with.conf"
done
echo "$(nproc) processors, $(awk '/MemTotal/ { printf "%.1f", $2 / 1048576 }' \
	/proc/meminfo) GiB of memory, Linux $(uname -r)"
print_header
measure_all
[ $verify = no ] || echo "content: $(wc -l <"$work/verified" 2>/dev/null || echo 0)" \
	"databases compared with the first of their input, all the same"
report tables "$results"
