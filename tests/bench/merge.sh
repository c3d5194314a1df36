#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Entries are added to a database with entries, by "slapadd -q" and by ditadd: a few, and
# parts of what is there; 27 indexes.
#
#   merge.sh [--entries N] [--add LIST] [--threads LIST] [--rounds N] [--slapadd-rounds N]
#            [--memory SIZE] [--dir DIR] [--tsv FILE] [--no-check]
#
#   --entries N         of the database [200000]
#   --add LIST          how many come: numbers, or shares of the database
#                       [1,10,100,1%,10%,50%]
#   --threads LIST      of ditadd [1,2]
#   --rounds N          runs of ditadd, in turn with slapadd; medians count [3]
#   --slapadd-rounds N  slapadd takes part in the first N rounds only [1]; 0: for large
#                       directories
#   --memory SIZE       of ditadd [its default]
#   --dir DIR           where to work [$TMPDIR, /tmp]
#   --tsv FILE          keep the figures of each run in FILE
#   --no-check          the contents are not compared
#
# Every run begins with a copy of the same database, which is in the page cache. CPU seconds
# are user and system time of all threads; on a machine that is busy with other things they
# say more than the wall clock.
. "${0%/*}/bench_lib.sh"

entries=200000 add=1,10,100,1%,10%,50% threads=1,2 rounds=3 slapadd_rounds=1
memory='' tsv='' with_check=yes
while [ $# -gt 0 ]; do
	case $1 in
	--entries) entries=${2:-} && shift ;;
	--add) add=${2:-} && shift ;;
	--threads) threads=${2:-} && shift ;;
	--rounds) rounds=${2:-} && shift ;;
	--slapadd-rounds) slapadd_rounds=${2:-} && shift ;;
	--memory) memory=${2:-} && shift ;;
	--dir) base=${2:-} && shift ;;
	--tsv) tsv=${2:-} && shift ;;
	--no-check) with_check=no ;;
	--help) show_help && exit 0 ;;
	*) wrong_call "unknown option \"$1\"" ;;
	esac
	shift
done
check_list --entries "$entries" "$number"
check_list --add "$add" "$number%?"
check_list --threads "$threads" "$number"
check_list --rounds "$rounds" "$number"
check_list --slapadd-rounds "$slapadd_rounds" '[0-9]+'
[ -z "$memory" ] || check_list --memory "$memory" "$size"
[ "$slapadd_rounds" -eq 0 ] || need slapadd slapd
need_built "$ditadd" "$ditcheck" "$ditgen" "$measure"
make_work

write_conf "$work/db" yes >"$work/slapd.conf"
empty_db
"$ditgen" --operational --entries "$entries" >"$work/begin.ldif"
"$ditadd" -q -f "$work/slapd.conf" --index-keys=bytes -l "$work/begin.ldif" \
	>"$work/load" 2>&1 || die "the load failed: $(head -3 "$work/load")"
mv "$work/db" "$work/begin"

# count_of WORD: 10% -> entries
count_of() {
	case $1 in
	*%) echo $((entries * ${1%\%} / 100)) ;;
	*) echo "$1" ;;
	esac
}

# more_entries N: the next ones, in $work/more.ldif
more_entries() {
	"$ditgen" --operational --entries $((entries + $1)) |
		tail -c +$(($(wc -c <"$work/begin.ldif") + 1)) >"$work/more.ldif"
	check_list "more entries" "$(grep -c '^dn:' "$work/more.ldif")" "$1"
}

# run PROGRAM THREADS COMMAND...: adds the entries to a copy; noted for round $round
run() {
	rm -rf "$work/db"
	cp -r "$work/begin" "$work/db"
	settle
	measured "${@:3}" -f "$work/slapd.conf" -l "$work/more.ldif"
	note "$1" "$entries" "$what" "$2" "${memory:--}" "$round"
}

echo "$entries entries, 27 indexes; the kind is how many are added"
begin_notes "${tsv:-$work/notes}"
for what in ${add//,/ }; do
	more_entries "$(count_of "$what")"
	rm -rf "$work/reference"
	for ((round = 1; round <= rounds; round++)); do
		if [ "$round" -le "$slapadd_rounds" ]; then
			run "slapadd -q" 1 slapadd -q
			rm -rf "$work/reference"
			mv "$work/db" "$work/reference"
		fi
		for t in ${threads//,/ }; do
			run ditadd "$t" "$ditadd" -q -T "$t" ${memory:+--memory "$memory"}
		done
	done
	[ ! -d "$work/reference" ] || [ $with_check = no ] ||
		"$ditcheck" --compare --exact "$work/reference" "$work/db" >"$work/compared" 2>&1 ||
		die "the databases are different: $(head -3 "$work/compared")"
done
report pairs "$notes"
