#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The system calls of a load grow with megabytes, not with entries: count them for two
# sizes of two directories, one of full entries (0.9 KiB), one of ten times as many small
# ones in about as many bytes, and look at what the larger size adds.
#
#   syscalls.sh [--entries N] [--threads LIST] [--dir DIR] [-- OPTION...]
#
#   --entries N      full entries in the smaller directory; four times as many in the
#                    larger one, ten times as many of the small kind (2000)
#   --threads LIST   numbers of threads (1,2)
#   --dir DIR        where the databases go ($TMPDIR, /tmp)
#   -- OPTION...     for ditadd, such as -T 1
#
# Exit status 1 and a line that says so if more than MAX_PER_ENTRY calls come with a small
# entry, more than MAX_PER_MIB with a MiB of LDIF, database and temporary files, or more
# than MAX_READS_PER_MIB reads with a MiB of LDIF: ditadd gets so much memory that there are
# no temporary files to be read. Reads of /proc/self/statm come by the clock and do not count.
. "${0%/*}/bench_lib.sh"

MAX_PER_ENTRY=0.05
MAX_PER_MIB=50
MAX_READS_PER_MIB=4
entries=2000
threads=1,2
options=()

while [ $# -gt 0 ]; do
	case $1 in
	--help) show_help && exit ;;
	--entries | --threads | --dir)
		[ $# -ge 2 ] || wrong_call "$1 needs a value"
		case $1 in
		--entries) entries=$2 && check_list "$1" "$2" "$number" ;;
		--threads) threads=$2 && check_list "$1" "$2" "$number" ;;
		--dir) base=$2 ;;
		esac
		shift
		;;
	--)
		shift
		options=("$@")
		break
		;;
	*) wrong_call "$1?" ;;
	esac
	shift
done

if ! command -v strace >/dev/null || ! command -v "$mdb_stat" >/dev/null; then
	echo "SKIPPED: strace or mdb_stat is not installed (Debian: strace, lmdb-utils)" >&2
	[ -n "${CI:-}" ] && exit 1
	exit 77
fi
need_built "$ditadd" "$ditgen" "$measure"
make_work
BENCH_REST=0 # nothing is timed
mkdir "$work/tmp"
write_conf "$work/db" yes >"$work/slapd.conf"

# small_entries N: units below the suffix, each in 75 bytes
small_entries() {
	awk -v n="$1" 'BEGIN {
		print "dn: dc=example,dc=com\nobjectClass: dcObject\n" \
			"objectClass: organization\ndc: example\no: Example\n"
		for (i = 1; i < n; i++) {
			printf "dn: ou=u%d,dc=example,dc=com\n" \
				"objectClass: organizationalUnit\nou: u%d\n\n", i, i
		}
	}'
}

# count KIND ENTRIES THREADS: one load, one line of figures and of the table
count() {
	empty_db
	strace -f -qq -C -U calls,name -o "$work/calls" "$ditadd" -q -T "$3" --memory 8G "${options[@]}" \
		--stats --tmpdir "$work/tmp" -f "$work/slapd.conf" -l "$work/$1-$2.ldif" \
		>"$work/output" || die "failed: $1 $2, $3 threads"
	awk -v kind="$1" -v entries="$2" -v threads="$3" \
		-v ldif="$(wc -c <"$work/$1-$2.ldif")" \
		-v db="$(db_sizes "$work/db" | cut -d ' ' -f 1)" -v temp="$(temp_written)" '
		/"\/proc\/self\/statm"/ { reads-- }
		# slapd writes of itself in as many pieces as it likes.
		/pipe2\(\[/ { split($0, part, /[[,]/); from = part[2]; reader = $1 }
		from != "" && $1 == reader && $0 ~ "read\\(" from "," { reads--; all-- }
		from != "" && $1 == reader && $0 ~ "close\\(" from "\\)" { from = "" }
		NF == 2 && $1 ~ /^[0-9]+$/ && $2 != "total" {
			all += $1
			if ($2 ~ /^(read|readv|pread64|preadv2?)$/) { reads += $1 }
			if ($2 ~ /^(write|writev|pwrite64|pwritev2?)$/) { writes += $1 }
			if ($2 == "futex") { waits += $1 }
		}
		END {
			print kind, entries, threads, ldif / 1048576,
				(ldif + db + temp) / 1048576, all, reads, writes, waits + 0
		}' "$work/calls" >>"$work/figures"
	tail -n 1 "$work/figures" | awk '{
		printf "| %s | %d | %d | %.1f | %.1f | %d | %d | %d | %d | %.2f | %.3f |\n",
			$1, $2, $3, $4, $5, $6, $7, $8, $9, $6 / $5, $6 / $2
	}'
}

echo "| entries of kind | entries | threads | LDIF, MiB | read and written, MiB | calls |" \
	"reads | writes | futex | calls per MiB | calls per entry |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
for t in ${threads//,/ }; do
	for n in "$entries" $((4 * entries)); do
		[ -f "$work/full-$n.ldif" ] ||
			"$ditgen" --entries "$n" >"$work/full-$n.ldif" || die "no room"
		[ -f "$work/small-$((10 * n)).ldif" ] ||
			small_entries $((10 * n)) >"$work/small-$((10 * n)).ldif" || die "no room"
		count full "$n" "$t"
		count small $((10 * n)) "$t"
	done
done

# The figures of a kind and a number of threads come in two lines, the smaller size first.
echo
awk -v per_entry=$MAX_PER_ENTRY -v per_mib=$MAX_PER_MIB -v reads_per_mib=$MAX_READS_PER_MIB '
	function check(what, v, max) {
		is_bad = v > max
		nbad += is_bad
		printf "%s: %.3f, at most %s%s\n", what, v, max, (is_bad ? ": TOO MANY" : "")
	}
	!(($1, $3) in mib) {
		mib[$1, $3] = $5; ldif[$1, $3] = $4; n[$1, $3] = $2
		calls[$1, $3] = $6; reads[$1, $3] = $7
		next
	}
	{
		name = $3 ($3 == 1 ? " thread" : " threads") ", each more "
		added = $6 - calls[$1, $3]
		if ($1 == "small") {
			check(name "entry of the small kind", added / ($2 - n[$1, $3]), per_entry)
		}
		check(name "MiB, " $1 " entries", added / ($5 - mib[$1, $3]), per_mib)
		check(name "MiB of LDIF, reads, " $1 " entries",
			($7 - reads[$1, $3]) / ($4 - ldif[$1, $3]), reads_per_mib)
	}
	END { exit nbad > 0 ? 1 : 0 }' "$work/figures"
