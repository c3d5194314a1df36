#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Whole runs of each tool under valgrind: no byte is used that was not written, none
# outside of an object, and no memory is lost. The other sanitizers do not see the first.
# For make check-long: two minutes.
. "${0%/*}/faults_lib.sh"
: "${DITCAT:?}"

if ! command -v valgrind >/dev/null; then
	skip "valgrind is not installed (Debian: valgrind)"
fi

# under NAME PROGRAM ARGUMENT...: the exit status is $wanted, or 0
under() {
	local name=$1 status
	shift
	valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
		--suppressions="${DIT_SRCDIR:?}/tests/faults/valgrind.supp" \
		--log-file="$work/valgrind" "$@" >"$work/out" 2>"$work/said"
	status=$?
	check "$name: exit status $status" test $status -eq "${wanted:-0}"
	check "$name: valgrind says nothing" quiet
}

quiet() {
	cat "$work/valgrind"
	[ ! -s "$work/valgrind" ]
}

make_input 60
conf=$work/dit/slapd.conf
wanted=2 under "a wrong call" "$DITCHECK" -f "$conf" --filter-log="$work/first.ldif"
options=(-q -T 2 --memory 16M --tmpdir "$work/tmp" -f "$conf")
for databases in "db" "db db-other"; do
	make_conf "$work/dit"
	for writer in pages append; do
		make_files "$work/dit"
		under "new, $writer, $databases" "$DITADD" "${options[@]}" --writer=$writer \
			-l "$work/first.ldif"
		check "new, $writer, $databases: it is whole" whole
	done
	under "more, $databases" "$DITADD" "${options[@]}" -l "$work/second.ldif"
	check "more, $databases: it is whole" whole
	under "export, $databases" "$DITCAT" -T 2 -f "$conf" -l "$work/all.ldif"
	under "filter, $databases" "$DITCAT" -T 2 -f "$conf" -a '(&(cn=a*)(!(sn=b*)))'
	under "compressed, $databases" "$DITCAT" -T 2 -f "$conf" --compress zstd
	under "check, $databases" "$DITCHECK" -T 2 --memory 16M -f "$conf" --stats
	under "quick check, $databases" "$DITCHECK" --quick -T 2 -f "$conf"
	under "reindex, $databases" "$DITINDEX" "${options[@]}"
	under "reindex --online, $databases" "$DITINDEX" "${options[@]}" --online
	check "reindex, $databases: it is whole" whole
done
cp -r "$work/dit/files/db" "$work/copy"
under "comparison" "$DITCHECK" --compare "$work/copy" "$work/dit/files/db"
make_files "$work/dit"
databases=db
make_conf "$work/dit"
under "for 2.7" "$DITADD" "${options[@]}" --openldap=2.7 -l "$work/first.ldif"
under "check of 2.7" "$DITCHECK" -T 2 --memory 16M --openldap=2.7 -f "$conf"
under "export of 2.7" "$DITCAT" -T 2 --openldap=2.7 -f "$conf"
under "reindex of 2.7" "$DITINDEX" "${options[@]}" --openldap=2.7
finish
