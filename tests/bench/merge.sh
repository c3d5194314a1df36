#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Entries are added to a database with entries, by "slapadd -q" and by ditadd: a few, and
# parts of what is there; 27 indexes.
#
#   merge.sh [--entries N] [--add LIST] [--threads LIST] [--rounds N] [--memory SIZE]
#            [--dir DIR] [--no-slapadd] [--no-check]
#
#   --entries N     of the database [200000]
#   --add LIST      how many come: numbers, or shares of the database
#                   [1,10,100,1%,10%,50%]
#   --threads LIST  of ditadd [1,2]
#   --rounds N      runs of each; the fastest counts [3]; slapadd adds a share only once
#   --memory SIZE   of ditadd [its default]
#   --dir DIR       where to work [$TMPDIR, /tmp]
#   --no-slapadd    only ditadd, for large directories
#   --no-check      the contents are not compared
#
# Every run begins with a copy of the same database, which is in the page cache. CPU seconds
# are user and system time of all threads; on a machine that is busy with other things they
# say more than the wall clock.
. "${0%/*}/bench_lib.sh"

entries=200000 add=1,10,100,1%,10%,50% threads=1,2 rounds=3 memory= with_slapadd=yes
with_check=yes
while [ $# -gt 0 ]; do
	case $1 in
	--entries) entries=${2:-} && shift ;;
	--add) add=${2:-} && shift ;;
	--threads) threads=${2:-} && shift ;;
	--rounds) rounds=${2:-} && shift ;;
	--memory) memory=${2:-} && shift ;;
	--dir) base=${2:-} && shift ;;
	--no-slapadd) with_slapadd=no ;;
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
[ -z "$memory" ] || check_list --memory "$memory" "$size"
need slapadd slapd
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

# best N COMMAND...: the fastest of N rounds; leaves best_wall, best_cpu, best_anon
best() {
	local n=$1 i
	shift
	best_wall=
	for ((i = 0; i < n; i++)); do
		rm -rf "$work/db"
		cp -r "$work/begin" "$work/db"
		sync -f "$work"
		sleep "${BENCH_REST:-1}"
		measured "$@" -f "$work/slapd.conf" -l "$work/more.ldif"
		if [ -z "$best_wall" ] ||
			awk -v a="$(cost wall_s)" -v b="$best_wall" 'BEGIN { exit !(a < b) }'; then
			best_wall=$(cost wall_s)
			best_cpu=$(cost cpu_s)
			best_anon=$(cost anon_kib)
		fi
	done
}

# line NAME THREADS ADDED
line() {
	awk -v name="$1" -v n="$2" -v what="$3" -v wall="$best_wall" -v cpu="$best_cpu" \
		-v anon="$best_anon" -v ref_wall="${ref_wall:-0}" -v ref_cpu="${ref_cpu:-0}" '
		BEGIN { printf "| %s | %s | %s | %.3f | %.3f | %.0f | %.1f | %.1f |\n", what,
			name, n, wall, cpu, anon / 1024, (wall > 0 ? ref_wall / wall : 0),
			(cpu > 0 ? ref_cpu / cpu : 0) }'
}

echo "$entries entries, 27 indexes"
echo
echo "| added | program | threads | wall s | cpu s | anonymous MiB | speed | less cpu |"
echo "|---|---|---|---|---|---|---|---|"
for what in ${add//,/ }; do
	n=$(count_of "$what")
	more_entries "$n"
	ref_wall=0 ref_cpu=0
	if [ $with_slapadd = yes ]; then
		case $what in
		*%) best 1 slapadd -q ;;
		*) best "$rounds" slapadd -q ;;
		esac
		ref_wall=$best_wall ref_cpu=$best_cpu
		line "slapadd -q" 1 "$what"
		rm -rf "$work/reference"
		mv "$work/db" "$work/reference"
	fi
	for t in ${threads//,/ }; do
		best "$rounds" "$ditadd" -q -T "$t" ${memory:+--memory "$memory"}
		line ditadd "$t" "$what"
	done
	[ $with_slapadd = no ] || [ $with_check = no ] ||
		"$ditcheck" --compare "$work/reference" "$work/db" >"$work/compared" 2>&1 ||
		die "the databases are different: $(head -3 "$work/compared")"
done
