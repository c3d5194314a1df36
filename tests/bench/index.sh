#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Indexes rebuilt by "slapindex -q -t" and by ditindex: the same database, made by
# ditadd, all 27 indexes and mail alone.
#
#   index.sh [--entries N] [--index LIST] [--threads LIST] [--rounds N]
#            [--slapindex-rounds N] [--memory SIZE] [--dir DIR] [--tsv FILE]
#
#   --entries N           of the database [100000]
#   --index LIST          all, or the name of an attribute [all,mail]
#   --threads LIST        of ditindex [1,2]
#   --rounds N            runs of ditindex, in turn with slapindex; medians count [3]
#   --slapindex-rounds N  slapindex takes part in the first N rounds only [1]; 0: for large
#                         directories
#   --memory SIZE         of ditindex [its default]
#   --dir DIR             where to work [$TMPDIR, /tmp]
#   --tsv FILE            keep the figures of each run in FILE
#
# CPU seconds are user and system time of all threads; on a machine that is busy with other
# things they say more than the wall clock. The contents are compared.
. "${0%/*}/bench_lib.sh"

entries=100000 index=all,mail threads=1,2 rounds=3 slapindex_rounds=1 memory='' tsv=''
while [ $# -gt 0 ]; do
	case $1 in
	--entries) entries=${2:-} && shift ;;
	--index) index=${2:-} && shift ;;
	--threads) threads=${2:-} && shift ;;
	--rounds) rounds=${2:-} && shift ;;
	--slapindex-rounds) slapindex_rounds=${2:-} && shift ;;
	--memory) memory=${2:-} && shift ;;
	--dir) base=${2:-} && shift ;;
	--tsv) tsv=${2:-} && shift ;;
	--help) show_help && exit 0 ;;
	*) wrong_call "unknown option \"$1\"" ;;
	esac
	shift
done
check_list --entries "$entries" "$number"
check_list --index "$index" '[A-Za-z]+'
check_list --threads "$threads" "$number"
check_list --rounds "$rounds" "$number"
check_list --slapindex-rounds "$slapindex_rounds" '[0-9]+'
[ -z "$memory" ] || check_list --memory "$memory" "$size"
ditindex=${DITINDEX:-$builddir/ditindex}
[ "$slapindex_rounds" -eq 0 ] || need slapindex slapd mdb_copy lmdb-utils
need_built "$ditadd" "$ditindex" "$ditcheck" "$ditgen" "$measure"
make_work

write_conf "$work/db" yes >"$work/slapd.conf"
sed -i 's/^maxsize .*/maxsize 109951162777/' "$work/slapd.conf"
empty_db
"$ditgen" --entries "$entries" |
	"$ditadd" -q -f "$work/slapd.conf" --index-keys=bytes >"$work/load" 2>&1 ||
	die "the load failed: $(head -3 "$work/load")"

# run PROGRAM THREADS COMMAND...: all of $what, noted for round $round
run() {
	local attribute=()
	[ "$what" = all ] || attribute=("$what")
	settle
	measured "${@:3}" -f "$work/slapd.conf" "${attribute[@]}"
	note "$1" "$entries" "$what" "$2" "${memory:--}" "$round"
}

echo "$entries entries, 27 indexes"
begin_notes "${tsv:-$work/notes}"
for what in ${index//,/ }; do
	rm -rf "$work/reference"
	for ((round = 1; round <= rounds; round++)); do
		if [ "$round" -le "$slapindex_rounds" ]; then
			run "slapindex -q -t" 1 slapindex -q -t
			[ -d "$work/reference" ] || {
				mkdir "$work/reference"
				mdb_copy -c "$work/db" "$work/reference"
			}
		fi
		for n in ${threads//,/ }; do
			run ditindex "$n" "$ditindex" -T "$n" ${memory:+--memory "$memory"}
		done
	done
	[ ! -d "$work/reference" ] ||
		"$ditcheck" --compare --exact "$work/reference" "$work/db" ||
		die "the indexes are different"
done
report pairs "$notes"
