#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Measure ditadd on this machine: directories made up here, loaded with 1, 2, 4 ...
# threads, with and without indexes, in several sizes. OUT/tables.md gets the tables,
# OUT/log what the runs print, OUT/*.tsv the figures of each run.
#
#   run.sh [--threads LIST] [--entries LIST] [--memory LIST] [--rounds R] [--dir DIR]
#          [--out OUT]
#
#   --threads LIST   numbers of threads (1,2,4 ... and one per processor)
#   --entries LIST   sizes of the directory, smallest first (100000,400000,1000000)
#   --memory LIST    what ditadd is given as --memory in the last table, with the largest
#                    size and most threads; none: no such table (default,256M)
#   --rounds R       how often each is measured; medians are printed (3)
#   --dir DIR        where the databases go: a local disk or a tmpfs with 6 KiB for each
#                    entry ($TMPDIR, /tmp)
#   --out OUT        new directory for the results (./bench-results)
#
# Before anything is timed, and again in the first round of each size, the databases that
# the numbers of threads make are compared, record by record: a difference ends the run.
top=$(cd "${0%/*}" && pwd) || exit 1
export PATH=$top/bin:$PATH
export DITADD=$top/bin/ditadd DITGEN=$top/bin/ditgen DITCHECK=$top/bin/ditcheck
export MEASURE=$top/bin/measure MDB_STAT=$top/bin/mdb_stat DIT_SCHEMA_DIR=$top/schema
. "$top/bench_lib.sh"

processors=$(nproc)
threads=
for ((n = 1; n < processors; n *= 2)); do
	threads+=$n,
done
threads+=$processors
entries=100000,400000,1000000
memory=default,256M
rounds=3
out=bench-results

while [ $# -gt 0 ]; do
	case $1 in
	--help) show_help && exit ;;
	--threads | --entries | --memory | --rounds | --dir | --out)
		[ $# -ge 2 ] || wrong_call "$1 needs a value"
		case $1 in
		--dir) base=$2 ;;
		*) declare "${1#--}=$2" ;;
		esac
		shift
		;;
	*) wrong_call "$1?" ;;
	esac
	shift
done

for program in awk sed mktemp nproc paste sort sync wc; do
	command -v $program >/dev/null || {
		echo "run.sh: $program is needed" >&2
		exit 1
	}
done
mkdir "$out" || exit 1

# section NAME TITLE OPTION...: one run of bench.sh
section() {
	local name=$1 title=$2
	shift 2
	printf '\n## %s\n\n' "$title"
	"$top/bench.sh" --slapadd-rounds 0 --dir "$base" --tsv "$out/$name.tsv" "$@" || {
		echo "run.sh: stopped: $title" >&2
		return 1
	}
}

all() {
	printf '# ditadd on this machine\n\n'
	describe
	section same "The same database, byte for byte, with any number of threads" \
		--entries 20000 --operational --verify --threads "$threads" --rounds 1 &&
		section threads "Threads, sizes, indexes" --entries "$entries" \
			--threads "$threads" --index yes,no --rounds "$rounds" --verify &&
		if [ "$memory" != none ]; then
			section memory "Memory" --entries "${entries##*,}" \
				--threads "${threads##*,}" --memory "$memory" \
				--rounds "$rounds" --verify
		fi
}

all | tee "$out/log"
status=${PIPESTATUS[0]}
sed '/^\(program\|ditadd\) /d' "$out/log" >"$out/tables.md"
exit "$status"
