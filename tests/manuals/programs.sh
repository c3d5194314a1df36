#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The example programs of doc/examples, and those in the headers' man pages, as others use
# the library: it is installed, pkg-config says how to compile against it, and the programs
# do what their comments say.
set -u
: "${DIT_SRCDIR:?}" "${DIT_BUILDDIR:?}" "${DITADD:?}" "${DITCAT:?}"

work=$(mktemp -d "${TMPDIR:-/tmp}/ditkit-programs-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
nfailed=0
nchecks=0
examples=$DIT_SRCDIR/doc/examples

fail() {
	echo "FAILED: $*" >&2
	nfailed=$((nfailed + 1))
}
# same NAME EXPECTED GOT
same() {
	nchecks=$((nchecks + 1))
	[ "$2" = "$3" ] || {
		fail "$1"
		diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") >&2
	}
}

make -C "$DIT_BUILDDIR" DESTDIR="$work/root" install-libLTLIBRARIES \
	install-pkgincludeHEADERS install-pkgconfigDATA >"$work/log" 2>&1 || {
	cat "$work/log" >&2
	exit 1
}
pc=$(find "$work/root" -name ditkit.pc)
prefix=$(sed -n 's/^prefix=//p' "$pc")
libdir=${pc%/pkgconfig/ditkit.pc}
export PKG_CONFIG_PATH=${pc%/ditkit.pc}
export LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
static=--static
[ ! -e "$libdir/libditkit.so" ] || static=
flags=$(pkg-config $static --define-variable=prefix="$work/root$prefix" --cflags --libs \
	ditkit) || exit 1

for source in "$examples"/*.c; do
	name=${source##*/}
	nchecks=$((nchecks + 1))
	# shellcheck disable=SC2086 # lists of words
	${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror "$source" \
		-o "$work/${name%.c}" $flags -lpthread || fail "does not compile: $name"
done
[ $nchecks -ge 5 ] || fail "there are $nchecks programs"
# The archive alone, and the other libraries as pkg-config --static names them.
if [ -e "$libdir/libditkit.a" ]; then
	flags=$(pkg-config --static --define-variable=prefix="$work/root$prefix" --cflags \
		--libs ditkit)
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

# --- sorts ----------------------------------------------------------------------

# A word that comes four times a round, in 5000 rounds; tests/sort/examples.sh has the rest.
same 'sort_sum: a sum' 20000 "$(./sort_sum | awk '$2 == "the" { print $1 }')"
same 'sort_replace: the newest value' 'in the end: host = beta' \
	"$(./sort_replace | grep 'host')"
./sort_union >out || fail "sort_union: exit status $?"
[ -s out ] || fail 'sort_union prints nothing'

# --- the part of a program in dit_load(3) -------------------------------------------

for field in conf input report progress stop; do
	nchecks=$((nchecks + 1))
	grep -q "opts\.$field = " "$DIT_SRCDIR/doc/man/dit_load.3" &&
		grep -q "opts\.$field = " "$examples/load_watch.c" ||
		fail "dit_load.3 and load_watch.c differ in opts.$field"
done

echo "${0##*/}: $nchecks checks, $nfailed failed"
[ $nfailed -eq 0 ]
