#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Exports by slapcat and ditcat, and what goes with them: one database, made by ditadd.
#
#   export.sh [--entries N] [--threads LIST] [--rounds N] [--dir DIR] [--again]
#
#   --entries N     of the database [200000]
#   --threads LIST  of ditcat [1,2]
#   --rounds N      runs of each; the fastest counts [3]
#   --dir DIR       where to work [$TMPDIR, /tmp]
#   --again         also slapcat | slapadd -q next to ditcat | ditadd -q, 27 indexes; and
#                   bench_scan next to slapcat | grep -c
#
# CPU seconds are user and system time of all threads; on a machine that is busy with other
# things they say more than the wall clock. All outputs are compared first.
. "${0%/*}/bench_lib.sh"

entries=200000 threads=1,2 rounds=3 again=no
while [ $# -gt 0 ]; do
	case $1 in
	--entries) entries=${2:-} && shift ;;
	--threads) threads=${2:-} && shift ;;
	--rounds) rounds=${2:-} && shift ;;
	--dir) base=${2:-} && shift ;;
	--again) again=yes ;;
	--help) show_help && exit 0 ;;
	*) wrong_call "unknown option \"$1\"" ;;
	esac
	shift
done
check_list --entries "$entries" "$number"
check_list --threads "$threads" "$number"
check_list --rounds "$rounds" "$number"
ditcat=${DITCAT:-$builddir/ditcat}
bench_scan=${BENCH_SCAN:-$builddir/tests/bench/bench_scan}
need slapcat slapd slapadd slapd
need_built "$ditadd" "$ditcat" "$ditgen" "$measure" "$bench_scan"
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

# best NAME OUTPUT COMMAND...: the fastest of all rounds; leaves best_wall and best_cpu
best() {
	local name=$1 output=$2 i
	shift 2
	best_wall=
	for ((i = 0; i < rounds; i++)); do
		measured "$@" -l "$output"
		if [ -z "$best_wall" ] ||
			awk -v a="$(cost wall_s)" -v b="$best_wall" 'BEGIN { exit !(a < b) }'; then
			best_wall=$(cost wall_s)
			best_cpu=$(cost cpu_s)
		fi
	done
}

# line NAME THREADS OUTPUT: a line of the table, in relation to slapcat
line() {
	awk -v name="$1" -v n="$2" -v to="$3" -v wall="$best_wall" -v cpu="$best_cpu" \
		-v ref_wall="$ref_wall" -v ref_cpu="$ref_cpu" -v mb="$((bytes / 1000000))" '
		BEGIN { printf "| %s | %s | %s | %.3f | %.3f | %.0f | %.2f | %.2f |\n", name,
			n, to, wall, cpu, mb / (wall > 0 ? wall : 1),
			(wall > 0 ? ref_wall / wall : 0), (cpu > 0 ? ref_cpu / cpu : 0) }'
}

echo
echo "| program | threads | to | wall s | cpu s | MB/s | speed | less cpu |"
echo "|---|---|---|---|---|---|---|---|"
for output in /dev/null "$work/out.ldif"; do
	to=file
	[ "$output" = /dev/null ] && to=/dev/null
	best slapcat "$output" slapcat -f "$work/slapd.conf"
	ref_wall=$best_wall ref_cpu=$best_cpu
	line slapcat 1 $to
	for n in ${threads//,/ }; do
		best ditcat "$output" "$ditcat" -T "$n" -f "$work/slapd.conf"
		line ditcat "$n" $to
	done
	rm -f "$work/out.ldif"
done
for kind in gzip zstd; do
	for n in ${threads//,/ }; do
		best ditcat /dev/null "$ditcat" -T "$n" -f "$work/slapd.conf" --compress $kind
		line "ditcat --compress $kind" "$n" /dev/null
	done
done
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
