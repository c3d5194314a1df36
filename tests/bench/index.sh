#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Indexes rebuilt by "slapindex -q -t" and by ditindex: the same database, made by
# ditadd, all 27 indexes and mail alone.
#
#   index.sh [--entries N] [--threads LIST] [--rounds N] [--memory SIZE] [--dir DIR]
#            [--no-slapindex]
#
#   --entries N     of the database [100000]
#   --threads LIST  of ditindex [1,2]
#   --rounds N      runs of ditindex; the fastest counts [3]; slapindex runs once
#   --memory SIZE   of ditindex [its default]
#   --dir DIR       where to work [$TMPDIR, /tmp]
#   --no-slapindex  only ditindex, for large directories
#
# CPU seconds are user and system time of all threads; on a machine that is busy with other
# things they say more than the wall clock. The contents are compared.
. "${0%/*}/bench_lib.sh"

entries=100000 threads=1,2 rounds=3 memory= with_slapindex=yes
while [ $# -gt 0 ]; do
	case $1 in
	--entries) entries=${2:-} && shift ;;
	--threads) threads=${2:-} && shift ;;
	--rounds) rounds=${2:-} && shift ;;
	--memory) memory=${2:-} && shift ;;
	--dir) base=${2:-} && shift ;;
	--no-slapindex) with_slapindex=no ;;
	--help) show_help && exit 0 ;;
	*) wrong_call "unknown option \"$1\"" ;;
	esac
	shift
done
check_list --entries "$entries" "$number"
check_list --threads "$threads" "$number"
check_list --rounds "$rounds" "$number"
[ -z "$memory" ] || check_list --memory "$memory" "$size"
ditindex=${DITINDEX:-$builddir/ditindex}
need slapindex slapd
need_built "$ditadd" "$ditindex" "$ditcheck" "$ditgen" "$measure"
make_work

write_conf "$work/db" yes >"$work/slapd.conf"
sed -i 's/^maxsize .*/maxsize 109951162777/' "$work/slapd.conf"
empty_db
"$ditgen" --entries "$entries" |
	"$ditadd" -q -f "$work/slapd.conf" --index-keys=bytes >"$work/load" 2>&1 ||
	die "the load failed: $(head -3 "$work/load")"

# best COMMAND...: the fastest of all rounds; leaves best_wall and best_cpu
best() {
	local i
	best_wall=
	for ((i = 0; i < rounds; i++)); do
		measured "$@"
		if [ -z "$best_wall" ] ||
			awk -v a="$(cost wall_s)" -v b="$best_wall" 'BEGIN { exit !(a < b) }'; then
			best_wall=$(cost wall_s)
			best_cpu=$(cost cpu_s)
		fi
	done
}

# line NAME THREADS INDEXES
line() {
	awk -v name="$1" -v n="$2" -v what="$3" -v wall="$best_wall" -v cpu="$best_cpu" \
		-v ref_wall="${ref_wall:-0}" -v ref_cpu="${ref_cpu:-0}" '
		BEGIN { printf "| %s | %s | %s | %.3f | %.3f | %.1f | %.1f |\n", name, n, what,
			wall, cpu, (wall > 0 ? ref_wall / wall : 0),
			(cpu > 0 ? ref_cpu / cpu : 0) }'
}

echo "$entries entries, 27 indexes"
echo
echo "| program | threads | indexes | wall s | cpu s | speed | less cpu |"
echo "|---|---|---|---|---|---|---|"
for what in all mail; do
	attribute=()
	[ $what = all ] || attribute=("$what")
	ref_wall=0 ref_cpu=0
	if [ $with_slapindex = yes ]; then
		measured slapindex -q -t -f "$work/slapd.conf" "${attribute[@]}"
		best_wall=$(cost wall_s) best_cpu=$(cost cpu_s)
		ref_wall=$best_wall ref_cpu=$best_cpu
		line "slapindex -q -t" 1 $what
		rm -rf "$work/reference"
		mkdir "$work/reference"
		mdb_copy -c "$work/db" "$work/reference"
	fi
	for n in ${threads//,/ }; do
		best "$ditindex" -T "$n" -f "$work/slapd.conf" ${memory:+--memory "$memory"} \
			"${attribute[@]}"
		line ditindex "$n" $what
	done
	[ $with_slapindex = no ] ||
		"$ditcheck" --compare "$work/reference" "$work/db" ||
		die "the indexes are different"
done
