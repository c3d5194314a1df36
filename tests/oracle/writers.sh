#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The append writer and our own pages: the same records in every named database, the same
# exit status, the same messages. Every fixture with its configuration, with both kinds of
# index keys, on 1 to 8 threads: what the first writer makes on one thread is compared with
# what the second one makes on several. Then a large directory, and a load on top of it;
# a limit of the file size; a database that is too small. In "make check" each third
# load of a fixture is made, so that both kinds of keys have their turns.
. "${0%/*}/lib.sh"
. "${0%/*}/fixtures.sh"
: "${DITGEN:?}"

# both NAME COMPARE-OPTIONS THREADS OPTION...: load the input with both writers, compare
both() {
	local name=$1 threads=$3
	local -a options
	read -ra options <<<"$2"
	shift 3
	empty_site "$work/ref"
	empty_site "$work/dit"
	ditadd_site "$work/ref" "$@" -T 1 --writer=pages -l "$work/input.ldif"
	ditadd_site "$work/dit" "$@" -T "$threads" --writer=append -l "$work/input.ldif"
	check "$name $* -T $threads: messages" same_messages "$work/ref" "$work/dit"
	check "$name $* -T $threads: content" \
		same_content "${options[@]}" "$work/ref" "$work/dit"
	check "$name $* -T $threads: leftovers" only_database "$work/dit"
}

threads=1
while read -r fixture conf kind rest; do
	[ -n "$fixture" ] || continue
	[ $# -eq 0 ] || [ "$fixture" = "$1" ] || continue
	read -ra options <<<"$rest"
	fill_in "$work" <"$DIT_TEST_DATA/ldif/$fixture.ldif" >"$work/input.ldif"
	make_site "$work/ref" "$conf"
	make_site "$work/dit" "$conf"
	compare=
	[ "$kind" = generated ] && compare=--generated
	for keys in integer bytes; do
		turn 3 || continue
		both "$fixture/$conf" "$compare" $threads "${options[@]}" --index-keys=$keys
		threads=$((threads % 8 + 1))
	done
done <<<"$table"
[ $# -eq 0 ] || finish

# A large directory: lists of all lengths, ranges, several transactions of liblmdb.
make_site "$work/ref" bench
make_site "$work/dit" bench
"$DITGEN" --entries 12000 --operational >"$work/input.ldif"
for keys in integer bytes; do
	both large "" 3 -q --index-keys=$keys
done
# Little memory, so that there are runs and small batches.
both large "" 2 -q --memory 8M

# An appended database takes more entries, as slapadd's databases do.
"$DITGEN" --entries 13000 --operational >"$work/more.ldif"
cp "$work/input.ldif" "$work/first.ldif"
for site in ref dit; do
	ditadd_site "$work/$site" -q -c -T 2 -l "$work/more.ldif"
done
check "more entries: messages" same_messages "$work/ref" "$work/dit"
check "more entries: content" same_content "$work/ref" "$work/dit"

# slapd's tools read it, and find nothing to mend.
check "slapcat" slapcat -f "$work/dit/slapd.conf" -l "$work/cat.ldif"
check "slapcat: entries" test "$(grep -c '^dn:' "$work/cat.ldif")" -ge 13000

# A limit of the file's size, which liblmdb meets when it writes: no file is left.
for limit in 100 4000 20000; do
	empty_site "$work/dit"
	(ulimit -f $limit && exec "$DITADD" -q -T 2 --writer=append \
		-f "$work/dit/slapd.conf" -l "$work/first.ldif") 2>"$work/limit.stderr"
	check "a limit of $limit KiB: exit" test $? -eq 1
	check "a limit of $limit KiB: message" grep -q "File too large" "$work/limit.stderr"
	check "a limit of $limit KiB: nothing left" untouched "$work/dit"
done

# A database that is too small is refused with the size that it needs, as with pages.
sed -i 's/^maxsize.*/maxsize 16777216/' "$work/dit/slapd.conf"
empty_site "$work/dit"
ditadd_site "$work/dit" -q -T 2 --writer=append -l "$work/first.ldif"
check "maxsize: exit" grep -qx 1 "$work/dit/exit"
check "maxsize: message" grep -q "maxsize is 16777216: configure" "$work/dit/stderr"
check "maxsize: nothing left" untouched "$work/dit"

finish
