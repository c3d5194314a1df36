#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The library as others meet it: it is installed, pkg-config says how to compile against it,
# and the man pages show the programs, which are taken out of them. Programs and synopses
# compile pedantically, as C and as C++, and the programs do what their comments say.
. "${0%/*}/../checks_lib.sh"
. "${0%/*}/../installed.sh"
: "${DIT_SRCDIR:?}" "${DIT_BUILDDIR:?}" "${DITADD:?}" "${DITCAT:?}"

examples=$DIT_SRCDIR/doc/examples

if ! command -v mandoc >/dev/null || ! command -v c++ >/dev/null; then
	skip 'no mandoc, or no C++ compiler (Debian: mandoc, g++)'
fi
static=--static
[ ! -e "$DIT_INSTALLED/root$prefix/lib/libditkit.so" ] || static=
flags=$(pkg-config $static --cflags --libs ditkit) || exit 1

# compile SOURCE OPTION...: as C; and as C++
compile() {
	nchecks=$((nchecks + 2))
	# shellcheck disable=SC2086 # a list of words
	${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -pedantic -Werror "$@" $flags -lpthread ||
		fail "does not compile as C: $1"
	# shellcheck disable=SC2086 # a list of words
	c++ -std=c++17 -Wall -Wextra -pedantic -Werror -x c++ "$@" -x none $flags -lpthread ||
		fail "does not compile as C++: $1"
}

# A section as a reader sees it and copies it.
section() { # section PAGE NAME
	(cd "$DIT_SRCDIR" && awk -f doc/man/page.awk "doc/man/$1") |
		mandoc -T ascii -O width=200 | sed 's/.\x08//g' |
		awk -v name="$2" '/^[A-Z]/ { on = $0 == name; next } on { print substr($0, 6) }'
}

# Each page has its own; those that are in no page are in doc/examples alone.
mkdir "$work/pages"
cp "$examples"/*.c "$work/pages/"
npages=0
for page in "$DIT_SRCDIR"/doc/man/*.3; do
	page=${page##*/}
	npages=$((npages + 1))
	section "$page" SYNOPSIS >"$work/synopsis.c"
	compile "$work/synopsis.c" -fsyntax-only
	programs=$(sed -n 's/^\.\\" program //p' "$DIT_SRCDIR/doc/man/$page")
	[ -n "$programs" ] || fail "$page has no program"
	for program in $programs; do rm "$work/pages/$program"; done
	section "$page" EXAMPLES | awk -v names="${programs//$'\n'/ }" -v dir="$work/pages" '
		BEGIN { split(names, files, " "); n = 1 }
		/^\/\*/ { on = 1 }
		on { print >(dir "/" files[n]) }
		/^int main\(/ { in_main = 1 }
		in_main && /^}/ { in_main = on = 0; n++ }'
	for program in $programs; do
		[ -s "$work/pages/$program" ] || fail "$page does not show $program"
	done
done
[ $npages -ge 9 ] || fail "there are $npages pages"
for source in "$work/pages"/*.c; do
	compile "$source" -o "$work/$(basename "$source" .c)"
done
# The archive alone, and the other libraries as pkg-config --static names them.
if [ -e "$DIT_INSTALLED/root$prefix/lib/libditkit.a" ]; then
	flags=$(pkg-config --static --cflags --libs ditkit)
	# shellcheck disable=SC2086 # a list of words
	${CC:-cc} "$examples/sort_sum.c" -o "$work/archived" ${flags/-lditkit/-l:libditkit.a} ||
		fail 'an archive does not link'
	same 'a program with the archive' "$("$work/sort_sum")" "$("$work/archived")"
fi

cd "$work" || exit 1
mkdir demo-db
conf=$examples/slapd.conf

# --- load_watch -----------------------------------------------------------------

same 'load_watch: the phases in their order, and the entries' \
	$'entries\ntree\nindexes\nsync\n24 entries' \
	"$(./load_watch "$conf" "$examples/people.ldif" 2>err)"
grep -q '100 %' err || fail 'load_watch: no phase ends with 100 %'
"$DITCAT" -f "$conf" >loaded.ldif
same 'load_watch: what ditcat finds' 24 "$(grep -c '^dn:' loaded.ldif)"
./load_watch "$conf" "$examples/people.ldif" >out 2>err
same 'load_watch: a failure' 1 $?
grep -q 'load_watch: .*MDB_KEYEXIST' err || fail 'load_watch: a failure is not told'
# An interrupt, while it waits for the rest of a pipe.
rm demo-db/*
mkfifo pipe
./load_watch "$conf" pipe >out 2>err &
loader=$!
exec 7>pipe
head -n 30 "$examples/people.ldif" >&7
kill -INT $loader
wait $loader
same 'load_watch: an interrupt' 1 $?
exec 7>&-
[ ! -e demo-db/data.mdb ] || fail 'load_watch: an interrupt left a database'

# --- scan_count -----------------------------------------------------------------

"$DITADD" -q -f "$conf" -l "$examples/people.ldif"
same 'scan_count: values and entries' \
	"$(grep -ci '^objectClass:' loaded.ldif) values in 24 entries" \
	"$(./scan_count "$conf" objectClass | head -n 1)"
same 'scan_count: the entry with most values' 1 \
	"$(./scan_count "$conf" member | grep -c '^most: .* in cn=')"
./scan_count missing.conf cn >out 2>err
same 'scan_count: a failure' 1 $?

same 'scan_pull: entries and attributes that match' \
	"$("$DITCAT" -f "$conf" -a '(uid=m*)' | sed -n 's/^dn: //p; s/^mail: /  /p')" \
	"$(./scan_pull "$conf" '(uid=m*)')"
./scan_pull "$conf" '(uid=' >out 2>err
same 'scan_pull: a failure' 1 $?

# --- export_part, compare_two, what_changed, make_changes, check_database ---------------------

people='ou=People,dc=harbour,dc=example'
same 'export_part: its entries' \
	"$("$DITCAT" -f "$conf" -s "$people" | grep -c '^dn:') entries" \
	"$(./export_part "$conf" "$people" people.ldif.zst)"
same 'export_part: what it has written' "$("$DITCAT" -f "$conf" -s "$people")" \
	"$(zstd -dcq people.ldif.zst)"
mkdir copy
cp demo-db/data.mdb copy/
same 'compare_two: a copy' '0 differences' "$(./compare_two demo-db copy)"
"$DITADD" -q -f "$conf" -l - <<<$'dn: ou=New,dc=harbour,dc=example\nobjectClass: organizationalUnit\nou: New'
./compare_two demo-db copy >out
same 'compare_two: another entry' 1 $?
grep -q 'ou=New' out || fail 'compare_two: the entry is not told'
./compare_two demo-db demo-db >out 2>err
same 'compare_two: a failure' 2 $?
./what_changed "$conf" copy demo-db >out 2>err
same 'what_changed: one change' '1 changes' "$(cat err)"
grep -q '^changetype: add' out || fail 'what_changed: the entry is not added'
./what_changed "$conf" copy copy >out 2>err
same 'what_changed: a failure' 2 $?
./what_changed "$conf" demo-db copy >back.ldif 2>err
same 'make_changes: the way back' '1 entries changed' "$(./make_changes "$conf" back.ldif)"
./compare_two demo-db copy >out || fail 'make_changes: the states differ'
./make_changes "$conf" back.ldif >out 2>err
same 'make_changes: a failure' 1 $?
grep -q 'make_changes: .*ou=New' err || fail 'make_changes: a failure is not told'
same 'check_database: a sound one' '0 findings' "$(./check_database "$conf")"
same 'check_database: none that can be checked' '' "$(./check_database nothing.conf 2>err)"
printf 'x' | dd of=copy/data.mdb bs=1 seek=$((2 * 4096 + 10)) conv=notrunc 2>/dev/null
sed "s,^directory.*,directory $work/copy," "$conf" >copy.conf
./check_database copy.conf >out 2>&1
same 'check_database: a damaged one' 1 $?
grep -q '^[1-9][0-9]* findings$' out || fail 'check_database: no finding'

# --- prepare_publish ------------------------------------------------------------

rm -rf demo-db/*
same 'prepare_publish: entries' './demo-db: 24 entries' \
	"$(./prepare_publish "$conf" "$examples/people.ldif")"
same 'prepare_publish: what is there' 24 "$("$DITCAT" -f "$conf" | grep -c '^dn:')"
./prepare_publish "$conf" "$examples/people.ldif" >out 2>err
same 'prepare_publish: a failure' 1 $?
grep -q 'prepare_publish: .*has entries' err || fail 'prepare_publish: a failure is not told'

# --- split_part -----------------------------------------------------------------

for part in 0 1; do
	./split_part "$conf" "$examples/shards.map" "$examples/people.ldif" shards $part 2 ||
		fail "split_part: exit status $?"
done >out
same 'split_part: records of each shard' \
	"$(zstd -dcq shards/*/*.zst | grep -c '^dn:')" \
	"$(awk '{ n += $2 } END { print n }' out)"
./split_part "$conf" "$examples/shards.map" "$examples/people.ldif" shards 2 2 >out 2>err
same 'split_part: a failure' 1 $?

# --- index_online, load_estimate, safe_copy -------------------------------------

./index_online "$conf" uid >out || fail "index_online: exit status $?"
grep -q '^uid: [1-9][0-9]* keys$' out || fail 'index_online: the keys are not told'
./index_online "$conf" nothing >out 2>err
same 'index_online: a failure' 1 $?
mkdir empty
sed "s,^directory.*,directory $work/empty," "$conf" >empty.conf
same 'load_estimate: entries' "$work/empty: 24 entries, within maxsize" \
	"$(./load_estimate empty.conf "$examples/people.ldif")"
same 'load_estimate: nothing is written' '' "$(ls empty)"
./safe_copy copied <loaded.ldif || fail "safe_copy: exit status $?"
cmp loaded.ldif copied || fail 'safe_copy: another content'
./safe_copy missing/copied <loaded.ldif 2>err
same 'safe_copy: a failure' 1 $?

# --- sorts ----------------------------------------------------------------------

# A word that comes four times a round, in 5000 rounds; tests/sort/examples.sh has the rest.
same 'sort_sum: a sum' 20000 "$(./sort_sum | awk '$2 == "the" { print $1 }')"
same 'sort_replace: the newest value' 'in the end: host = beta' \
	"$(./sort_replace | grep 'host')"
./sort_union >out || fail "sort_union: exit status $?"
[ -s out ] || fail 'sort_union prints nothing'

finish
