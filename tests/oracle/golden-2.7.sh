#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Data files that slapadd 2.7.0 made (tests/data/golden-2.7) are read: all records of
# all their databases are those that liblmdb 1.0 printed.
set -u
data=${DIT_TEST_DATA:?}/golden-2.7
pagedump=${DIT_BUILDDIR:?}/tests/oracle/pagedump
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
passed=0

# sums FILE: what NAME.sum says, of a data file
sums() {
	"$pagedump" <"$1" >"$work/dump" || return 1
	while read -r _ name flags entries; do
		printf '%s %s %s %s\n' "$name" "$flags" "$entries" \
			"$(awk -v name="$name" '$1 == "DB" { is = $2 == name; next } is' \
				"$work/dump" | sha256sum | cut -d' ' -f1)"
	done < <(grep '^DB ' "$work/dump")
}

# clean FILE: ditcheck finds nothing wrong with it
clean() {
	"${DITCHECK:?}" --quick --database "$1" >"$work/check" 2>&1 &&
		[ "$(cat "$work/check")" = "$1: 0 findings" ] || {
		cat "$work/check"
		return 1
	}
}

for name in people big-ps1024 gen100; do
	gzip -dc "$data/raw/$name.mdb.gz" >"$work/data.mdb"
	if sums "$work/data.mdb" | diff "$data/sum/$name" - >"$work/diff" &&
		clean "$work/data.mdb"; then
		passed=$((passed + 1))
	else
		echo "raw/$name: not as it is"
		cat "$work/diff"
		failed=$((failed + 1))
	fi
done
echo "golden-2.7: $passed equal, $failed not"
[ $failed = 0 ]
