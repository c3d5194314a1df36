#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Loading into a database that holds entries: whoever loads the first part and whoever
# loads the second, slapadd or ditadd, the result is what slapadd makes of both parts; in
# quick mode and not, with byte and integer keys, with holes that are filled later,
# duplicates, new attributes and indexes, lists that become ranges.
#
# In "make check" the directory is a small one, each comparison has one or two of the four ways
# to load both parts, in turn, and slapadd loads the long lists once, from cut to cut. With
# DIT_LONG=yes each comparison has all ways, and each cut a load of its own.
. "${0%/*}/lib.sh"
: "${DITGEN:?}"

entries=${EXISTING_ENTRIES:-500}
[ "${DIT_LONG:-}" != yes ] || entries=${EXISTING_ENTRIES:-2000}

# split_input N: the first N records of $work/input.ldif, and the others
split_input() {
	awk -v n="$1" 'BEGIN { RS = ""; ORS = "\n\n" } NR <= n' "$work/input.ldif" \
		>"$work/first.ldif"
	awk -v n="$1" 'BEGIN { RS = ""; ORS = "\n\n" } NR > n' "$work/input.ldif" \
		>"$work/second.ldif"
}

# second_conf DIR: the configuration of the second load
second_conf() {
	[ -z "$more_conf" ] || echo "$more_conf" >>"$1/slapd.conf"
}
more_conf=

# compare NAME CONF COMPARE-OPTIONS OPTION...: all ways to load both parts; messages and
# exit status of the second load are compared, too
compare() {
	local name=$1 conf=$2 how=$3 way threads=1
	shift 3
	make_site "$work/ref" "$conf"
	leave_out_mixed "$work/ref" "$work/first.ldif" "$@"
	leave_out_mixed "$work/ref" "$work/second.ldif" "$@"
	slapadd_site "$work/ref" "$@" -l "$work/first.ldif"
	second_conf "$work/ref"
	slapadd_site "$work/ref" "$@" -l "$work/second.ldif"
	for way in slapadd:integer ditadd:bytes ditadd:integer ditadd:slapadd; do
		threads=$((threads % 3 + 1))
		turn 3 || continue
		make_site "$work/dit" "$conf"
		case $way in
		slapadd:*) slapadd_site "$work/dit" "$@" -l "$work/first.ldif" ;;
		*:slapadd) ditadd_site "$work/dit" "$@" -l "$work/first.ldif" ;;
		*) ditadd_site "$work/dit" "$@" "--index-keys=${way#*:}" \
			-l "$work/first.ldif" ;;
		esac
		second_conf "$work/dit"
		case $way in
		*:slapadd) slapadd_site "$work/dit" "$@" -l "$work/second.ldif" ;;
		*) ditadd_site "$work/dit" "$@" -T $threads --memory 8M \
			-l "$work/second.ldif" ;;
		esac
		check "$name $conf $* $way: messages" same_messages "$work/ref" \
			"$work/dit"
		# slapadd keeps these, from before the error (doc/compatibility.md).
		[[ " $* " == *" -q "* && " $* " != *" -c "* ]] &&
			grep -q "(line=" "$work/ref/stderr" && continue
		# shellcheck disable=SC2086 # several words
		check "$name $conf $* $way: content" same_content --ignore-integerkey \
			$how "$work/ref" "$work/dit"
		check "$name $conf $* $way: leftovers" only_database "$work/dit"
	done
}

# A made-up directory: the second part begins within the tree, or after it.
"$DITGEN" --entries "$entries" --operational >"$work/input.ldif"
# Few entries that are added to many (the last cut): pages on the way to their keys alone are
# written again (tree/tree_merge.h).
all=$(grep -c '^dn:' "$work/input.ldif")
for n in 1 5 $((entries / 2)) $((entries + 20)) $((all - 4)); do
	split_input $n
	compare "directory cut at $n" bench '' -q
done
split_input $((entries / 3))
compare "directory" bench ''

# Fixtures, cut in the middle: children before parents, holes, tags, times, long names.
while read -r fixture conf kind options; do
	[ -n "$fixture" ] || continue
	cp "$DIT_TEST_DATA/ldif/$fixture.ldif" "$work/input.ldif"
	how=
	[ "$kind" = exact ] || how=--generated
	for n in 2 5; do
		split_input $n
		# shellcheck disable=SC2086 # several words
		compare "$fixture cut at $n" "$conf" "$how" $options
	done
done <<END
children-first  default       generated
children-first  kinds         generated  -q
empty-suffix    empty-suffix  generated
holes           default       generated
no-suffix-entry default       generated
operational     hash64        exact
operational     intlen8       exact
operational     substr        exact
options         kinds         generated  -c
rdns            default       generated  -q
sizes           hash64        generated  -c
schema          schema        generated
END

# Holes of the first part: filled by the second, given more children, or left.
cat >"$work/first.ldif" <<END
dn: cn=a,ou=C,ou=B,ou=A,dc=example,dc=com
objectClass: person
cn: a
sn: a

dn: cn=b,ou=E,ou=D,dc=example,dc=com
objectClass: person
cn: b
sn: b
END
cat >"$work/second.ldif" <<END
dn: ou=b,OU=a,dc=example,dc=com
objectClass: organizationalUnit
ou: b

dn: cn=a2,ou=c,ou=b,ou=a,dc=example,dc=com
objectClass: person
cn: a2
sn: a

dn: cn=c,ou=F,ou=e,ou=D,dc=example,dc=com
objectClass: person
cn: c
sn: c

dn: ou=d,dc=example,dc=com
objectClass: organizationalUnit
ou: d

dn: dc=example,dc=com
objectClass: domain
dc: example

dn: ou=b,ou=a,dc=example,dc=com
objectClass: organizationalUnit
ou: b
description: again
END
compare "holes" default --generated -c
compare "holes" default --generated -c -v

# Duplicates of the first part, of the second part, and of a hole's new entry; -c -q is
# not compared: slapadd loses entries then (storage.md 6.6).
cat >"$work/first.ldif" <<END
dn: dc=example,dc=com
objectClass: domain
dc: example

dn: cn=a,dc=example,dc=com
objectClass: person
cn: a
sn: a
END
cat >"$work/second.ldif" <<END
dn: cn=A,dc=example,dc=com
objectClass: person
cn: A
sn: a

dn: cn=b,dc=example,dc=com
objectClass: person
cn: b
sn: b
telephoneNumber: 1

dn: CN=b, dc=example,dc=com
objectClass: person
cn: b
sn: b

dn: dc=example,dc=com
objectClass: domain
dc: example
END
compare "duplicates" default --generated -c

# Lists near the length at which they become ranges (storage.md 5.4), cut at several
# places. With LIMIT IDs in all:
#
#   l             one entry too many: range
#   ou            LIMIT entries, two equal values in the first: list
#   o             LIMIT entries, two equal values in the last: range
#   description   LIMIT entries, twice present in the last: range
#   serialNumber  too many, the last one fills a hole of the first part: range
LIMIT=65535
awk -v limit=$LIMIT 'BEGIN {
	print "dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n"
	print "dn: cn=child,cn=hole,dc=example,dc=com\nobjectClass: device\n"
	for (i = 1; i <= limit + 1; i++) {
		printf "dn: cn=%d,dc=example,dc=com\nobjectClass: device\nl: Here\n", i
		print "serialNumber: 1"
		if (i <= limit) {
			print "ou: Unit" (i == 1 ? "\nou: UNIT" : "")
			print "o: Org" (i == limit ? "\no: ORG" : "")
			print "description: x" (i == limit ? "\ndescription;lang-en: y" : "")
		}
		print ""
	}
	print "dn: cn=hole,dc=example,dc=com\nobjectClass: device\nserialNumber: 1"
}' >"$work/input.ldif"
cuts='3 65000 65536 65537 65538'
make_site "$work/ref" lists
from=0
for n in $cuts all; do
	[ "${DIT_LONG:-}" != yes ] || { empty_site "$work/ref" && from=0; }
	awk -v from=$from -v n=${n/all/1e9} 'BEGIN { RS = ""; ORS = "\n\n" } NR > from && NR <= n' \
		"$work/input.ldif" >"$work/part.ldif"
	slapadd_site "$work/ref" -q -l "$work/part.ldif"
	cp "$work/ref/db/data.mdb" "$work/lists.$n"
	from=$n
done
for n in $cuts; do
	split_input $n
	make_site "$work/dit" lists
	cp "$work/lists.$n" "$work/dit/db/data.mdb"
	if [ "${DIT_LONG:-}" = yes ]; then
		cp "$work/lists.$n" "$work/ref/db/data.mdb"
		slapadd_site "$work/ref" -q -l "$work/second.ldif"
	fi
	ditadd_site "$work/dit" -q -l "$work/second.ldif"
	check "lists cut at $n: messages" same_messages "$work/ref" "$work/dit"
	check "lists cut at $n: content" same_content "$work/ref" "$work/dit"
	rm "$work/lists.$n"
done

# Another index in the second configuration holds new entries only.
"$DITGEN" --entries 300 --operational >"$work/input.ldif"
split_input 150
more_conf='index pager,labeledURI,destinationIndicator,carLicense eq'
compare "new indexes" bench '' -q
: >"$work/second.ldif"
compare "new indexes, no entries" bench '' -q
more_conf=

# Values that are stored apart.
if [ -e "$DIT_TEST_DATA/conf/multival.conf" ]; then
	cp "$DIT_TEST_DATA/ldif/multival.ldif" "$work/input.ldif"
	split_input 4
	compare "multival" multival --generated -c
fi

# A database whose entries were all deleted: its attribute numbers stay.
make_site "$work/ref" default
make_site "$work/dit" default
cp "$DIT_TEST_DATA/ldif/operational.ldif" "$work/input.ldif"
slapadd_site "$work/ref" -l "$work/input.ldif"
empty_site "$work/dit"
if [ "$DIT_OPENLDAP" = 2.7 ]; then
	echo "numbers without entries: not compared, mdb_load makes no database of 2.7"
else
	mdb_dump -s ad2i "$work/ref/db" | load_dump "$work/dit/db"
	empty_site "$work/ref"
	cp "$work/dit/db/data.mdb" "$work/ref/db"
	slapadd_site "$work/ref" -j 60 -c -l "$work/input.ldif"
	ditadd_site "$work/dit" -j 60 -c -l "$work/input.ldif"
	check "numbers without entries: messages" same_messages "$work/ref" "$work/dit"
	check "numbers without entries: content" same_content --ignore-integerkey "$work/ref" "$work/dit"
fi

# A failure changes nothing; too large a result is told; keys that do not fit are refused.
"$DITGEN" --entries 300 --operational >"$work/input.ldif"
split_input 150
make_site "$work/ref" bench
make_site "$work/dit" bench
slapadd_site "$work/ref" -q -l "$work/first.ldif"
ditadd_site "$work/dit" -q -l "$work/first.ldif"
{
	cat "$work/second.ldif"
	printf 'dn: cn=bad,dc=example,dc=com\nobjectClass: nothing\n\n'
} >"$work/bad.ldif"
ditadd_site "$work/dit" -q -l "$work/bad.ldif"
check "refused: exit" ended "$work/dit" 1
check "refused: content" same_content --ignore-integerkey "$work/ref" "$work/dit"

sed -i 's/^maxsize .*/maxsize 700000/' "$work/dit/slapd.conf"
ditadd_site "$work/dit" -q -l "$work/second.ldif"
check "map full: exit" ended "$work/dit" 1
check "map full: message" grep -q 'maxsize is 700000' "$work/dit/stderr"
check "map full: content" same_content --ignore-integerkey "$work/ref" "$work/dit"
ditadd_site "$work/dit" -q --grow -l "$work/second.ldif"
slapadd_site "$work/ref" -q -l "$work/second.ldif"
check "map full, --grow: exit" ended "$work/dit" 0
check "map full, --grow: content" same_content --ignore-integerkey "$work/ref" \
	"$work/dit"

# slapcat reads it all, from a database that slapadd began and ditadd continued.
slapcat -f "$work/ref/slapd.conf" >"$work/ref.ldif"
slapcat -f "$work/dit/slapd.conf" >"$work/dit.ldif"
check "slapcat" cmp "$work/ref.ldif" "$work/dit.ldif"
check "slapcat: all entries" test "$(grep -c '^dn:' "$work/dit.ldif")" -ge 300

# 2.7 has such keys by default.
cp "$work/dit/db/data.mdb" "$work/before.mdb"
[ "$DIT_OPENLDAP" = 2.7 ] || sed -i '/^database/i index_hash64 on' "$work/dit/slapd.conf"
ditadd_site "$work/dit" -q --grow -l "$work/bad.ldif"
check "hash64 over integer keys: exit" ended "$work/dit" 1
[ "$DIT_OPENLDAP" = 2.7 ] ||
	check "hash64 over integer keys: message" grep -q 'stored with integer keys' \
		"$work/dit/stderr"
check "hash64 over integer keys: unchanged" cmp "$work/before.mdb" \
	"$work/dit/db/data.mdb"

finish
