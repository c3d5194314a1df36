#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The measuring scripts work: each runs with a thousand entries or less, and what it prints
# has every line and figure that it should. No time is judged here, only arithmetic.
. "${0%/*}/../oracle/lib.sh"
: "${DITGEN:?}" "${DIT_SRCDIR:?}" "${DIT_BUILDDIR:?}"

here=$DIT_SRCDIR/tests/bench

for needed in mdb_stat strace ldapsearch slapd; do
	if ! command -v $needed >/dev/null; then
		echo "SKIPPED: $needed is not installed (Debian: lmdb-utils, strace, slapd, ldap-utils)" >&2
		[ -n "${CI:-}" ] && exit 1
		exit 77
	fi
done

# run NAME COMMAND...: must succeed; its output goes to $work/NAME
run() {
	local name=$1
	shift
	check "$name runs" "$@"
	cp "$work/check.out" "$work/$name"
}

# has NAME N PATTERN: N lines of the output match
has() {
	check "$1: $2 lines with $3" test "$(grep -c -e "$3" "$work/$1")" -eq "$2"
}

# left_nothing: every script removed its scratch directory
left_nothing() {
	check "nothing left behind" test -z "$(ls -A "$scratch")"
}

# In memory where that is possible: a disk's time for syncing is of no interest here.
if [ -w /dev/shm ]; then
	scratch=$(mktemp -d /dev/shm/ditkit-smoke-XXXXXX) || exit 1
else
	scratch=$(mktemp -d "$work/scratch-XXXXXX") || exit 1
fi
remove_scratch() {
	rm -rf "$scratch"
}
atexit+=(remove_scratch)
export TMPDIR=$scratch BENCH_REST=0

# ---- index.sh: indexes built anew ----

run index bash "$here/index.sh" --entries 400 --threads 1,2 --rounds 1
has index 2 '^| slapindex -q -t | 1 | '
has index 4 '^| ditindex | [12] | '

# ---- merge.sh: entries that come to others ----

run merge bash "$here/merge.sh" --entries 400 --add 1,10% --threads 1,2 --rounds 1
has merge 1 '^400 entries, 27 indexes$'
has merge 2 '^| \(1\|10%\) | slapadd -q | 1 | '
has merge 4 '^| \(1\|10%\) | ditadd | [12] | .* | [0-9.]* | [0-9.]* |$'

# ---- export.sh: exports, scans ----

run export bash "$here/export.sh" --entries 400 --threads 1,2 --rounds 1 --again
has export 1 '^400 entries, [0-9]* bytes of LDIF: the same'
has export 2 '^| slapcat | 1 | '
has export 8 '^| ditcat'
has export 8 '^| [12] | \(warm\|cold\) | \(on\|off\) | .* | 400 | '
has export 1 '^slapcat | grep -c: '
has export 2 ' -q: .* s of CPU'
left_nothing

# ---- move.sh: to OpenLDAP 2.7 ----

run move bash "$here/move.sh" --entries 400,800 --rounds 2
has move 1 '^| 400 | ditcat '
has move 1 '^| 800 | ditcat '
left_nothing

# ---- bench.sh: loads, tables, arithmetic ----

run bench bash "$here/bench.sh" --entries 300,600 --index yes,no --threads 1,2 --memory default,16M \
	--rounds 2 --slapadd-rounds 1 --slapadd-max 300 --verify --tsv "$work/bench.tsv"
has bench 1 '^content: 12 databases compared'
has bench 1 '^Medians:'
has bench 8 '^Threads: '
has bench 1 "^The indexes' share"
has bench 9 '^| \(slapadd\|ditadd\) | [36]00 | [12] | '
has bench 1 '^Growth: '
has bench 1 '^Memory:'
check "one line for each run" test "$(wc -l <"$work/bench.tsv")" -eq 35
run again bash "$here/bench.sh" --tables "$work/bench.tsv"
check "tables once more" diff <(sed -n '/^Medians/,$p' "$work/bench") \
	<(sed 1d "$work/again")

run targets bash "$here/bench.sh" --targets --small 200 --large 400 --rounds 1 --slapadd-large 7
has targets 10 '^| .* | at \(most\|least\) [0-9.]* | [-0-9.]* | \(pass\|FAIL\) |'
has targets 1 "^| 400 entries.*earlier run's"

# Medians, pairs and shares of made-up figures.
awk 'BEGIN {
	OFS = "\t"
	print "program", "entries", "indexes", "threads", "memory", "round", "wall_s", \
		"cpu_s", "anon_bytes", "rss_bytes", "db_bytes", "index_bytes", "rows", \
		"temp_bytes", "ldif_bytes"
	split("40 60 50", slow)
	split("2 2 4", fast)
	for (i = 1; i <= 3; i++) {
		print "slapadd", 100000, "yes", 1, "-", i, slow[i], slow[i], 1, 1, 1, 1, 1, 0, 1
		print "ditadd", 100000, "yes", 2, "default", i, fast[i], 3.5, 1, 1, 1, 1, 1, 0, 1
		print "ditadd", 100000, "no", 2, "default", i, 0.5, 0.9, 1, 1, 1, 0, 0, 0, 1
	}
	print "slapadd", 1000000, "yes", 1, "-", "given", 3000, 0, 0, 0, 0, 0, 0, 0, 0
	print "ditadd", 1000000, "yes", 2, "default", 1, 20, 42, 1, 1, 1, 1, 1, 0, 1
	print "ditadd", 1000000, "yes", 2, "8G", 1, 20, 42, 1, 1, 1, 1, 1, 0, 1
	print "ditadd", 1000000, "yes", 2, "256M", 1, 26, 42, 306184192, 1, 1, 1048576, 1, \
		1048577, 1
}' >"$work/made-up.tsv"
awk -v mode=targets -v small=100000 -v large=1000000 -f "$here/bench_report.awk" \
	"$work/made-up.tsv" >"$work/verdicts"
check "verdicts" diff <(sed -n 's/^| .* | at .* | \([-0-9.n]* | .*\) |$/\1/p' \
	"$work/verdicts") - <<'END'
20.0 | pass
150.0 | pass
3.50 | pass
3.00 | FAIL
- | not measured
1.20 | FAIL
292 | FAIL
1.30 | pass
1 | FAIL
0.88 | pass
END

# ---- system calls ----

run syscalls bash "$here/syscalls.sh" --entries 2000
has syscalls 8 '^| \(full\|small\) | [248]0* | [12] | '
has syscalls 10 ', at most [0-9.]*$'
bash "$here/syscalls.sh" --entries 100 --threads 2 -- --batch 1 >"$work/one-by-one"
check "meeting for each entry is noticed" test $? -eq 1
# Reads are few here, and none has to do with meetings.
has one-by-one 3 'each more \(MiB, \|entry \).*: TOO MANY'

# ---- the ladder ----

run ladder bash "$here/ladder.sh" --entries 500 --rounds 1 --searches 100 --slapadd
has ladder 13 '^| .* | [0-9.]* | [0-9.]* | [0-9]* | [0-9]* | [0-9.]* |$'
has ladder 6 '^| \(equality\|substring\) | .* | [1-9][0-9]* | [0-9.]* | [0-9.]* |$'

# ---- records of the sort ----

run records "$DIT_BUILDDIR/tests/bench/bench_records" 20 1 2
has records 7 '^[a-z].* [0-9.]* s *[0-9.]* k/s$'
has records 1 '^  look-ups before the seal'

# ---- a long load ----

run long env TRIAL_ENTRIES=2000 bash "$here/long.sh" --minutes 0.02 --memory 16M \
	--every 0.1 --tsv "$work/long.tsv"
has long 4 '^| \(entries\|tree\|indexes\|sync and put in place\) | '
has long 2 'too short for parts'
check "it was looked at" test "$(wc -l <"$work/long.tsv")" -gt 2
bash "$here/long.sh" --entries 100 --memory 1K >"$work/long" 2>&1
check "a long load that fails" test $? -eq 1
has long 1 '^long.sh: the load failed'

# Made up: 100 s of entries at an even speed, or at a quarter of it from second 80; 100 s
# of indexes at an even speed.
for slow in 1 4; do
	printf '  entries 100 s\n  tree 0 s\n  indexes 100 s\n  sync and put in place 1 s\n' \
		>"$work/phases"
	awk -v slow=$slow 'BEGIN {
		OFS = "\t"
		print "seconds"
		for (t = 0; t <= 200; t++) {
			n = t <= 80 ? t : 80 + (t - 80) / slow
			print t, 1000 * (t <= 100 ? n : 100), t, 0, 0, t * 1048576, 0, 0
		}
	}' | awk -v total=201 -v entries=100000 -v has_index=yes -f "$here/long_report.awk" \
		FS='\t' "$work/phases" - >"$work/report.$slow"
done
has report.1 2 ': no cliff$'
has report.1 10 '^| entries | .* | 1000 entries/s | 1.00 |'
has report.4 1 'entries: slowest part 25% .*: CLIFF$'
has report.4 1 'indexes: .*: no cliff$'

# ---- the bundle: in an empty environment, with its own libraries only ----

run bundle bash "$here/bundle.sh" "$work/bundle.tar.gz"
tar -C "$scratch" -xzf "$work/bundle.tar.gz"
top=$scratch/ditkit-bench
for program in ditadd ditcheck ditgen measure mdb_stat; do
	check "$program: libraries of the bundle" test -z "$("$top/lib/ld-linux-x86-64.so.2" \
		--library-path "$top/lib" --list "$top/programs/$program" |
		awk -v lib="$top/lib/" '!/linux-vdso/ && index($0, lib) == 0')"
done
check "bundle runs" env -i PATH=/usr/bin:/bin TMPDIR="$scratch" "$top/run.sh" \
	--threads 1,2 --entries 100,200 --memory default,16M --rounds 1 --out "$scratch/out"
cp "$scratch/out/tables.md" "$work/tables" && rm -rf "$scratch/out" "$top"
has tables 3 '^content: [1-9][0-9]* databases compared'
has tables 5 '^Threads: '

# ---- wrong calls ----

for script in bench.sh bundle.sh ladder.sh long.sh merge.sh syscalls.sh; do
	run help bash "$here/$script" --help
	check "$script --help says how" grep -q "$script" "$work/help"
	bash "$here/$script" --no-such-option >/dev/null 2>"$work/wrong"
	check "$script: unknown option" test $? -eq 2
	check "$script: which one" grep -q -e '--no-such-option' "$work/wrong"
done
bash "$here/bench.sh" --threads 1,x >/dev/null 2>"$work/wrong"
check "not a number" test $? -eq 2
DITADD=/bin/false bash "$here/bench.sh" --entries 10 >/dev/null 2>"$work/wrong"
check "a load that fails" test $? -eq 1
left_nothing

finish
