#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# make check-stores: the comparison of stores works, with a thousand entries: every line
# is there, all stores give the same rows, a killed writer leaves what its transactions say.
. "${0%/*}/../../oracle/lib.sh"
: "${DITGEN:?}" "${DIT_SRCDIR:?}" "${DIT_BUILDDIR:?}"

here=$DIT_SRCDIR/tests/bench/stores
program=$DIT_BUILDDIR/tests/bench/stores/bench_stores

# line PATTERN: such a line is in the tables, once
line() {
	check "a line with $1" test "$(grep -c -e "$1" "$work/tables")" -eq 1
}

export STORES_BATCH=1000
check "stores.sh runs" bash "$here/stores.sh" --entries 1000 --memory 16M --reads 500
cp "$work/check.out" "$work/tables"
npostings=$(sed -n 's/^1000 entries.*; \([0-9]*\) postings.*/\1/p' "$work/tables")
check "postings were found" test "${npostings:-0}" -gt 100000
check "lines of the first table" \
	test "$(grep -c '^| [lr][a-z]* .* | [0-9]* |$' "$work/tables")" -eq 36
check "rows a second in each" test "$(awk -F '|' 'NF == 14 && $13 > 1000' "$work/tables" |
	wc -l)" -eq 21

# One transaction: nothing. Many, in key order: all entries, most of half the postings.
# Entry by entry: no posting without its entry.
line '| lmdb | append-multiple | nosync | all | yes | 0 | 0 | 0 |'
line '| rocksdb | ingest | none | all | yes | 0 | 0 | 0 |'
line '| lmdb | append-multiple | nosync | 1000 | yes | 1000 | [1-9][0-9]* | 0 |'
check "no orphans anywhere" test "$(grep -c '| yes | [0-9]* | [0-9]* | 0 |$' "$work/tables")" \
	-eq 15
check "a batch is all that is lost" awk -F '|' -v n="$npostings" '
	/ yes / && $5 ~ /1000/ && $2 !~ /nowal/ && $4 !~ /nowal/ {
		seen++
		lost = (n + 1000) / 2 - $7 - $8
		bad += lost > 2000 || lost < -2000
	}
	END { exit !(seen > 8 && !bad) }' "$work/tables"

# A cgroup: the limit is set, the programs enter it, the limit is lifted.
mkdir "$work/group"
touch "$work/group/cgroup.procs" "$work/group/memory.limit_in_bytes"
check "with a cgroup" bash "$here/stores.sh" --entries 100 --memory 16M --reads 100 --no-crash \
	--cgroup "$work/group" --only 'append nosync'
cp "$work/check.out" "$work/limited"
check "the limit is lifted" diff "$work/group/memory.limit_in_bytes" - <<<-1
check "programs enter the group" grep -q '^[0-9][0-9]*$' "$work/group/cgroup.procs"
check "only what was asked for" test "$(grep -c '^| lmdb | append | nosync | ' \
	"$work/limited") $(grep -c '^| [lr]' "$work/limited")" = "1 1"

# What goes wrong is told.
mkdir "$work/integer" "$work/input" "$work/empty"
sed "s,@DB@,$work/integer,; s,@SCHEMA@,$DIT_SCHEMA_DIR," >"$work/integer.conf" <<'END'
include @SCHEMA@/core.schema
include @SCHEMA@/cosine.schema
include @SCHEMA@/nis.schema
include @SCHEMA@/inetorgperson.schema
database mdb
suffix "dc=example,dc=com"
directory @DB@
maxsize 1073741824
index cn eq,sub
END
"$DITGEN" --entries 200 | "$DITADD" -q -f "$work/integer.conf"
"$program" extract "$work/integer" "$work/input" 2>"$work/why"
check "integer keys are refused" grep -q 'not in byte order' "$work/why"
"$program" write lmdb sideways nosync 0 "$work/empty" "$work/input" 2>"$work/why"
check "unknown method" grep -q 'sideways: no method' "$work/why"
"$program" write floppy random nosync 0 "$work/empty" "$work/input" 2>"$work/why"
check "unknown store" grep -q 'floppy: no such store' "$work/why"
bash "$here/stores.sh" --sideways 2>"$work/why"
check "unknown option" grep -q -e '--sideways?' "$work/why"
check "help" bash "$here/stores.sh" --help

finish
