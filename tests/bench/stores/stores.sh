#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# LMDB, RocksDB and LevelDB with the same entries and postings: time to write, size, time
# to read, and what is left after the writer was killed in the middle.
#
#   stores.sh [--entries LIST] [--memory SIZE] [--cgroup DIR] [--reads N] [--rounds R]
#             [--only PATTERN] [--no-crash] [--dir DIR]
#
#   --entries LIST   sizes of the directory (100000)
#   --memory SIZE    for caches and memory tables of RocksDB and LevelDB (256M)
#   --cgroup DIR     limit the programs to --memory in all, page cache included, in this
#                    memory cgroup (version 1 or 2), which exists, is empty, and is ours to
#                    write to. Without it LMDB, which has no cache of its own, may use all
#                    memory of the machine as page cache, and the others as well
#   --reads N        look-ups of each kind (100000)
#   --rounds R       how often all is written; medians are printed (1)
#   --only PATTERN   only the lines that match this extended regular expression
#   --no-crash       leave the second table out
#   --dir DIR        where the databases go ($TMPDIR, /tmp)
#
# The input is a database that ditadd makes from ditgen's entries: every store gets the
# same records, either in key order, as a sorting loader has them, or entry by entry, as
# slapadd comes upon them ("random"). Writing ends when everything is synced to disk; that
# part is shown apart, and so is the merging that RocksDB and LevelDB still owe after random
# writes. Reading begins with a new process. All stores must give the same rows.
#
# Killed: the writer gets SIGKILL after half of the records. What the process had handed to
# the kernel survives that, synced or not: this is the end of a process, not a power failure
# or a crash of the system, which are not simulated. After those, what was not synced may be
# lost, and without syncs LMDB may be damaged beyond reading, with WRITEMAP or not.
. "${0%/*}/../bench_lib.sh"

program=${BENCH_STORES:-$builddir/tests/bench/stores/bench_stores}
entries=100000
memory=256M
cgroup=
reads=100000
rounds=1
only=.
crash=yes

while [ $# -gt 0 ]; do
	case $1 in
	--help) show_help && exit ;;
	--no-crash) crash=no ;;
	--entries | --memory | --cgroup | --reads | --rounds | --only | --dir)
		[ $# -ge 2 ] || wrong_call "$1 needs a value"
		case $1 in
		--entries) entries=$2 && check_list "$1" "$2" "$number" ;;
		--memory) memory=$2 && check_list "$1" "$2" "$size" ;;
		--cgroup) cgroup=$2 ;;
		--reads) reads=$2 && check_list "$1" "$2" "$number" ;;
		--rounds) rounds=$2 && check_list "$1" "$2" "$number" ;;
		--only) only=$2 ;;
		--dir) base=$2 ;;
		esac
		shift
		;;
	*) wrong_call "$1?" ;;
	esac
	shift
done

need_built "$program" "$ditadd" "$ditgen" "$measure"
make_work
cache=$(bytes_of "$memory")

# ---- a limit on memory ----

# set_limit BYTES: for all that run in the group
set_limit() {
	local file
	for file in memory.max memory.limit_in_bytes; do
		if [ -e "$cgroup/$file" ]; then
			echo "$1" >"$cgroup/$file" || die "cannot set $cgroup/$file"
			return
		fi
	done
	die "$cgroup is no memory cgroup"
}

lift_limit() {
	[ ! -e "$cgroup/memory.max" ] || echo max >"$cgroup/memory.max"
	[ ! -e "$cgroup/memory.limit_in_bytes" ] || echo -1 >"$cgroup/memory.limit_in_bytes"
}

if [ -n "$cgroup" ]; then
	[ -w "$cgroup/cgroup.procs" ] || die "$cgroup is no cgroup that we may write to"
	set_limit "$cache"
	atexit+=(lift_limit)
	limited="page cache and programs limited to $memory by a cgroup"
else
	limited="caches of RocksDB and LevelDB limited to $memory, page cache not limited"
fi

# start_limited COMMAND...: becomes the command, in the group if there is one
start_limited() {
	[ -z "$cgroup" ] || echo "$BASHPID" >"$cgroup/cgroup.procs" || exit 1
	exec "$@"
}

# stores ARGUMENT...: the program, measured; its line to $work/line
stores() {
	(start_limited "$measure" "$work/cost" "$program" "$@" --cache "$cache") >"$work/line" \
		2>"$work/errors"
}

line() { # line NAME: a figure that the program printed
	sed -n "s/.*\b$1=\([^ ]*\).*/\1/p" "$work/line"
}

# was_starved STATUS: killed by the kernel because the group had no memory left. LMDB keeps
# the pages that a transaction has changed in memory, unless with WRITEMAP.
was_starved() {
	[ -n "$cgroup" ] && [ "$1" -eq 137 ]
}

forget() {
	rm -rf "$work/db"
	mkdir "$work/db" || die "no room in $base"
	sync -f "$work"
}

median() { # median COLUMN FILE
	sort -n -k "$1,$1" "$2" | awk -v c="$1" '{ v[NR] = $c }
		END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# ---- what is measured ----

# store method sync batch option; 110000 postings are the 500 entries of a transaction of
# slapadd -q, 220 those of one entry
writes='
lmdb append-multiple nosync 0
lmdb append-multiple nosync 110000
lmdb append-multiple sync 110000
lmdb append-multiple writemap-nosync 110000
lmdb append-multiple mapasync 110000
lmdb append-multiple writemap 110000
lmdb append nosync 110000
lmdb random nosync 110000
lmdb random writemap-nosync 110000
lmdb random sync 110000
rocksdb ingest none 0
rocksdb ingest none 0 --compress
rocksdb ordered nowal 1000
rocksdb random nowal 1000
rocksdb random wal 1000
rocksdb random wal 1000 --compress
rocksdb random sync 110000
leveldb ordered wal 1000
leveldb random wal 1000
leveldb random wal 1000 --compress
leveldb random sync 110000
'
kills='
lmdb append-multiple nosync 0
lmdb append-multiple nosync 110000
lmdb append-multiple writemap-nosync 110000
lmdb random sync 110000
lmdb random nosync 110000
lmdb random nosync 220
lmdb random writemap 110000
lmdb random writemap-nosync 110000
lmdb random mapasync 110000
rocksdb ingest none 0
rocksdb random nowal 1000
rocksdb random wal 1000
rocksdb random sync 110000
leveldb random wal 1000
leveldb random sync 110000
'
if [ -n "${STORES_BATCH:-}" ]; then # for tests: fewer records than one batch has
	writes=${writes//110000/$STORES_BATCH}
	kills=${kills//110000/$STORES_BATCH}
fi

# write_all N: all lines of the first table
write_all() {
	local store method sync batch option round file checks=
	echo
	echo "$1 entries, $(stat -c %s "$work/input/entries" | awk '{ printf "%.0f", $1 / 1048576 }')" \
		"MiB; $(($(stat -c %s "$work/input/sorted") / 16)) postings; $limited"
	echo
	echo "| store | written | sync | batch | wall, s | of it sync, s | then merging, s | CPU, s |" \
		"size, MiB | entry by ID, us | list of up to 100 IDs, us | scan, rows/s |"
	echo "|---|---|---|---|---|---|---|---|---|---|---|---|"
	while read -r store method sync batch option; do
		[[ "$store $method $sync $batch $option" =~ $only ]] || continue
		file=$work/runs
		rm -f "$file"
		for ((round = 0; round < rounds; round++)); do
			forget
			# shellcheck disable=SC2086 # an option or none
			stores write "$store" "$method" "$sync" "$batch" "$work/db" \
				"$work/input" --compact $option || {
				was_starved $? && rm -f "$file" && break
				die "failed: $store $method: $(cat "$work/errors")"
			}
			echo "$(line write_s) $(line settle_s) $(line compact_s)" \
				"$(cost cpu_s)" >>"$file"
		done
		if [ ! -f "$file" ]; then
			echo "| $store | $method${option:+, compressed} | $sync |" \
				"$batch | killed: more memory is needed | | | | | | | |"
			continue
		fi
		stores read "$store" "$work/db" "$work/input" "$reads" ||
			die "cannot read: $store $method: $(cat "$work/errors")"
		checks=${checks:-$(line checks)}
		[ "$(line checks)" = "$checks" ] || die "other rows in: $store $method"
		awk -v name="| $store | $method${option:+, compressed} | $sync |" \
			-v batch="$batch" -v write="$(median 1 "$file")" \
			-v settle="$(median 2 "$file")" -v merge="$(median 3 "$file")" \
			-v cpu="$(median 4 "$file")" -v bytes="$(du -B 1 -s "$work/db" | cut -f 1)" \
			-v entry="$(line entry_us)" -v list="$(line list_us)" \
			-v rows="$(line scan_rows_s)" 'BEGIN {
			printf "%s %s | %.2f | %.2f | %.2f | %.2f | %.0f | %.1f | %.1f | %.0f |\n",
				name, (batch > 0 ? batch : "all"), write + settle, settle,
				merge, cpu, bytes / 1048576, entry, list, rows
		}'
	done <<<"$(grep . <<<"$writes")"
}

# kill_all N: all lines of the second table
kill_all() {
	local store method sync batch half
	half=$((($1 + $(stat -c %s "$work/input/sorted") / 16) / 2))
	echo
	echo "Killed by SIGKILL after $half records of $((2 * half)) (no power failure is" \
		"simulated):"
	echo
	echo "| store | written | sync | batch | opens | entries | postings | postings without" \
		"their entry |"
	echo "|---|---|---|---|---|---|---|---|"
	while read -r store method sync batch; do
		[[ "$store $method $sync $batch" =~ $only ]] || continue
		forget
		stores write "$store" "$method" "$sync" "$batch" "$work/db" "$work/input" \
			--kill-after "$half"
		[ $? -eq 137 ] || die "was not killed: $store $method $(cat "$work/errors")"
		if stores count "$store" "$work/db"; then
			echo "| $store | $method | $sync | $((batch)) | yes |" \
				"$(line entries) | $(line postings) | $(line orphans) |"
		else
			echo "| $store | $method | $sync | $((batch)) |" \
				"no: $(tail -n 1 "$work/errors") | - | - | - |"
		fi
	done <<<"$(grep . <<<"$kills")" | sed 's/ | 0 | yes/ | all | yes/'
	[ "${PIPESTATUS[0]}" -eq 0 ] || exit 1
}

for n in ${entries//,/ }; do
	rm -rf "$work/input"
	mkdir "$work/input" "$work/source" || die "no room in $base"
	write_conf "$work/source" yes >"$work/slapd.conf"
	"$ditgen" --entries "$n" | "$ditadd" -q --index-keys bytes -f "$work/slapd.conf" ||
		die "the source cannot be loaded"
	"$program" extract "$work/source" "$work/input" || die "no input"
	rm -r "$work/source"
	write_all "$n"
	[ $crash = no ] || kill_all "$n"
done
