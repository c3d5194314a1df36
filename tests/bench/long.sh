#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A long load, watched: ditgen writes into a pipe, ditadd reads it with little memory, to
# the end; every few seconds it is noted how far it is and what it holds. A table shows
# each phase in ten parts, and whether one of them was much slower than the others.
#
#   long.sh [--minutes M | --entries N] [--memory SIZE] [--threads N] [--every SECONDS]
#           [--no-index] [--disk-share PERCENT] [--dir DIR] [--tmpdir DIR] [--tsv FILE]
#
#   --minutes M           about so long: as many entries as a trial load of TRIAL entries
#                         lets one expect, or as many as the disk holds (30)
#   --entries N           exactly so many; nothing is tried
#   --memory SIZE         for ditadd (256M)
#   --threads N           for ditadd (one per processor)
#   --every SECONDS       between two looks, 0.1 at least (5)
#   --no-index            without the 27 indexed attributes
#   --disk-share PERCENT  of the free disk that may be filled (80)
#   --dir DIR             where the database goes ($TMPDIR, /tmp)
#   --tmpdir DIR          where the temporary files go (DIR)
#   --tsv FILE            keep what was noted: seconds, entries, CPU seconds, bytes of
#                         anonymous memory, temporary files, database, dirty pages, written
#
# Entries count as done when ditgen has written them; those in the pipe and in batches are
# too few to matter. Database and temporary files are counted in blocks on disk; dirty are
# the pages of the whole machine that wait for being written. An index's speed is in MiB of
# database a second. A phase has a cliff if a part of it runs at less than half the speed
# of the median part. Generating costs a processor some 2 us an entry, which is part of
# what is measured.
. "${0%/*}/bench_lib.sh"

TRIAL=200000
minutes=30
entries=
memory=256M
threads=$(nproc)
every=5
index=yes
disk_share=80
tmpdir=
tsv=

while [ $# -gt 0 ]; do
	case $1 in
	--help) show_help && exit ;;
	--no-index) index=no ;;
	--minutes | --entries | --memory | --threads | --every | --disk-share | --dir | \
		--tmpdir | --tsv)
		[ $# -ge 2 ] || wrong_call "$1 needs a value"
		case $1 in
		--minutes) minutes=$2 && check_list "$1" "$2" '[0-9]+([.][0-9]+)?' ;;
		--entries) entries=$2 && check_list "$1" "$2" "$number" ;;
		--memory) memory=$2 && check_list "$1" "$2" "$size" ;;
		--threads) threads=$2 && check_list "$1" "$2" "$number" ;;
		--every) every=$2 && check_list "$1" "$2" '[1-9][0-9]*|[0-9]*[.][1-9]' ;;
		--disk-share) disk_share=$2 && check_list "$1" "$2" '[1-9][0-9]?' ;;
		--dir) base=$2 ;;
		--tmpdir) tmpdir=$2 ;;
		--tsv) tsv=$2 ;;
		esac
		shift
		;;
	*) wrong_call "$1?" ;;
	esac
	shift
done

need_built "$ditadd" "$ditgen" "$measure"
need "$mdb_stat" lmdb-utils
make_work
samples=${tsv:-$work/samples}
if [ -n "$tmpdir" ]; then
	tmpdir=$(mktemp -d "$tmpdir/ditkit-long-XXXXXX") || die "no room in $tmpdir"
	remove_tmpdir() {
		rm -rf "$tmpdir"
	}
	atexit+=(remove_tmpdir)
else
	tmpdir=$work/tmp
	mkdir "$tmpdir"
fi
write_conf "$work/db" $index 4398046511104 >"$work/slapd.conf"
ticks=$(getconf CLK_TCK 2>/dev/null || echo 100)

free_bytes() {
	df -P -k "$work" | awk 'NR == 2 { printf "%.0f\n", $4 * 1024 }'
}

# choose_entries: from a trial's speed and its bytes on disk. Per entry a larger database
# needs less room than the trial's, and temporary files less than it.
choose_entries() {
	empty_db
	"$ditgen" --entries "$TRIAL" >"$work/trial.ldif" || die "the generator failed"
	measured "$ditadd" -q -T "$threads" --memory "$memory" --stats --tmpdir "$tmpdir" \
		-f "$work/slapd.conf" -l "$work/trial.ldif"
	rm "$work/trial.ldif"
	entries=$(awk -v n="$TRIAL" -v wall="$(cost wall_s)" -v minutes="$minutes" \
		-v db="$(db_sizes "$work/db" | cut -d ' ' -f 1)" -v temp="$(($(cost temp_kib) * 1024))" \
		-v free="$(free_bytes)" -v share="$disk_share" 'BEGIN {
		in_time = minutes * 60 / (wall / n + 1e-6)
		on_disk = free * share / 100 / ((db + temp) / n)
		printf "%.0f %s\n", in_time < on_disk ? in_time : on_disk, \
			in_time < on_disk ? "time" : "disk"
	}')
	limit=${entries#* }
	entries=${entries% *}
	empty_db
}

# ---- the load, and looks at it ----

# temp_on_disk: blocks of the files that are open but have no name any more
temp_on_disk() {
	stat -L -c '%h %b %B' "/proc/$pid/fd/"* 2>/dev/null |
		awk '$1 == 0 { n += $2 * $3 } END { printf "%.0f", n }'
}

db_on_disk() {
	local file
	for file in "$work/db/ditkit-staging/data.mdb" "$work/db/data.mdb"; do
		stat -c '%b %B' "$file" 2>/dev/null && break
	done | awk '{ n = $1 * $2 } END { printf "%.0f", n }'
}

# look: one line of figures; fails when ditadd is no more
look() {
	local status stat io
	status=$(awk '/^RssAnon/ { printf "%.0f", $2 * 1024 }' "/proc/$pid/status" 2>/dev/null)
	stat=$(awk -v t="$ticks" '{ print ($14 + $15) / t }' "/proc/$pid/stat" 2>/dev/null)
	io=$(awk '/^write_bytes/ { print $2 }' "/proc/$pid/io" 2>/dev/null)
	[ -n "$status" ] || return 1
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' \
		"$(awk -v a="$started" -v b="$(date +%s%N)" 'BEGIN { printf "%.2f", (b - a) / 1e9 }')" \
		"$(cat "$work/progress")" "$stat" "$status" "$(temp_on_disk)" "$(db_on_disk)" \
		"$(awk '/^(Dirty|Writeback):/ { n += $2 } END { printf "%.0f", n * 1024 }' \
			/proc/meminfo)" "${io:-0}" >>"$samples"
}

pid=
stop_load() {
	[ -z "$pid" ] || kill "$pid" 2>/dev/null
}
atexit+=(stop_load)

limit=
[ -n "$entries" ] || choose_entries
mkdir -p "$work/db"
sync -f "$work"
echo "$entries entries${limit:+ (what the $limit allows)}, indexes: $index, $threads threads," \
	"--memory $memory, $(awk -v n="$(free_bytes)" 'BEGIN { printf "%.1f", n / 2 ^ 30 }')" \
	"GiB of disk free"
printf 'seconds\tentries\tcpu_s\tanon_bytes\ttemp_bytes\tdb_bytes\tdirty_bytes\twritten_bytes\n' \
	>"$samples"
echo 0 >"$work/progress"
started=$(date +%s%N)
"$measure" "$work/generator" "$ditgen" --entries "$entries" --progress "$work/progress" |
	"$ditadd" -q -T "$threads" --memory "$memory" --stats --tmpdir "$tmpdir" \
		-f "$work/slapd.conf" >"$work/output" 2>"$work/errors" &
pid=$!
while look; do
	sleep "$every"
done
wait "$pid" || {
	pid=
	sed 's/^/    /; 20q' "$work/errors" >&2
	die "the load failed"
}
pid=
ended=$(date +%s%N)
grep -q "^$entries records read, $entries entries stored" "$work/output" ||
	die "not all entries were stored: $(head -n 1 "$work/output")"

# ---- the table ----

sed 's/^/    /' "$work/output"
echo "    generator: $(cat "$work/generator")"
awk -v total="$(awk -v a="$started" -v b="$ended" 'BEGIN { print (b - a) / 1e9 }')" \
	-v entries="$entries" -v has_index=$index -f "${0%/*}/long_report.awk" \
	FS='\t' "$work/output" "$samples"
