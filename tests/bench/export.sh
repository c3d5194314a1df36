#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Exports by slapcat and ditcat, and what goes with them: one database, made by ditadd.
#
#   export.sh [--entries N] [--threads LIST] [--to LIST] [--rounds N] [--slapcat-rounds N]
#             [--dir DIR] [--tsv FILE] [--again]
#
#   --entries N         of the database [200000]
#   --threads LIST      of ditcat [1,2]
#   --to LIST           null: to /dev/null, by ditcat packed as well; pipe: to cat; file;
#                       check: no export, but ditcheck, after the others [null,pipe,file]
#   --rounds N          runs of each, in turn; medians count [3]
#   --slapcat-rounds N  slapcat takes part in the first N rounds only [those of --rounds]
#   --dir DIR           where to work [$TMPDIR, /tmp]
#   --tsv FILE          keep the figures of each run in FILE
#   --again             also slapcat | slapadd -q next to ditcat | ditadd -q, 27 indexes; and
#                       bench_scan next to slapcat | grep -c
#
# CPU seconds are user and system time of all threads; on a machine that is busy with other
# things they say more than the wall clock. All outputs are compared first.
. "${0%/*}/bench_lib.sh"

entries=200000 threads=1,2 outputs=null,pipe,file rounds=3 slapcat_rounds='' tsv='' again=no
while [ $# -gt 0 ]; do
	case $1 in
	--entries) entries=${2:-} && shift ;;
	--threads) threads=${2:-} && shift ;;
	--to) outputs=${2:-} && shift ;;
	--rounds) rounds=${2:-} && shift ;;
	--slapcat-rounds) slapcat_rounds=${2:-} && shift ;;
	--dir) base=${2:-} && shift ;;
	--tsv) tsv=${2:-} && shift ;;
	--again) again=yes ;;
	--help) show_help && exit 0 ;;
	*) wrong_call "unknown option \"$1\"" ;;
	esac
	shift
done
check_list --entries "$entries" "$number"
check_list --threads "$threads" "$number"
check_list --to "$outputs" 'null|pipe|file|check'
check_list --rounds "$rounds" "$number"
slapcat_rounds=${slapcat_rounds:-$rounds}
check_list --slapcat-rounds "$slapcat_rounds" '[0-9]+'
ditcat=${DITCAT:-$builddir/ditcat}
bench_scan=${BENCH_SCAN:-$builddir/tests/bench/bench_scan}
need slapcat slapd slapadd slapd
need_built "$ditadd" "$ditcat" "$ditcheck" "$ditgen" "$measure" "$bench_scan"
make_work

write_conf "$work/db" yes >"$work/slapd.conf"
empty_db
"$ditgen" --entries "$entries" | "$ditadd" -q -f "$work/slapd.conf" >"$work/load" 2>&1 ||
	die "the load failed: $(head -3 "$work/load")"

slapcat -f "$work/slapd.conf" >"$work/slapcat.ldif"
for n in ${threads//,/ }; do
	"$ditcat" -T "$n" -f "$work/slapd.conf" | cmp - "$work/slapcat.ldif" ||
		die "ditcat -T $n writes other bytes than slapcat"
done
bytes=$(wc -c <"$work/slapcat.ldif")
rm "$work/slapcat.ldif"
echo "$entries entries, $bytes bytes of LDIF: the same from slapcat and ditcat"

# run TO PROGRAM COMMAND...: one run, noted with the threads $n in round $round
run() {
	local to=$1 program=$2
	shift 2
	case $to in
	null) measured "$@" -l /dev/null ;;
	pipe) measured bash -o pipefail -c '"$@" | cat >/dev/null' bash "$@" ;;
	file)
		rm -f "$work/out.ldif"
		settle
		measured "$@" -l "$work/out.ldif"
		;;
	check) measured "$@" ;;
	esac
	note "$program" "$entries" "$to" "$n" - "$round"
}

begin_notes "${tsv:-$work/notes}"
for to in ${outputs//,/ }; do
	for ((round = 1; round <= rounds; round++)); do
		if [ "$round" -le "$slapcat_rounds" ] && [ "$to" != check ]; then
			n=1 && run "$to" slapcat slapcat -f "$work/slapd.conf"
		fi
		for n in ${threads//,/ }; do
			if [ "$to" = check ]; then
				run check ditcheck "$ditcheck" -T "$n" -f "$work/slapd.conf"
				continue
			fi
			run "$to" ditcat "$ditcat" -T "$n" -f "$work/slapd.conf"
			[ "$to" = null ] || continue
			for kind in gzip zstd; do
				run null "ditcat --compress $kind" "$ditcat" -T "$n" \
					-f "$work/slapd.conf" --compress $kind
			done
		done
	done
done
rm -f "$work/out.ldif"
report pairs "$notes" -v bytes="$bytes"
[ "$again" = yes ] || exit 0

echo
echo "Values of cn, counted ($(nproc) processors):"
echo
"$bench_scan" "$work/db" cn "$threads" "$rounds"
measured sh -c "slapcat -f $work/slapd.conf | grep -c '^cn:'"
echo
echo "slapcat | grep -c: $(cost wall_s) s, $(cost cpu_s) s of CPU, $(cat "$work/output") lines"

echo
write_conf "$work/copy" yes >"$work/copy.conf"
for pair in slapcat:slapadd "$ditcat:$ditadd"; do
	rm -rf "$work/copy"
	mkdir "$work/copy"
	measured sh -c "${pair%%:*} -f $work/slapd.conf | ${pair#*:} -q -f $work/copy.conf"
	echo "$(basename "${pair%%:*}") | $(basename "${pair#*:}") -q:" \
		"$(cost wall_s) s, $(cost cpu_s) s of CPU"
done
