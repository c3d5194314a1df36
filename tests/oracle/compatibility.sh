#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Where ditadd is not slapadd on purpose: both sides of the differences that
# doc/compatibility.md names and no other test shows.
. "${0%/*}/lib.sh"

# both OPTION... (LDIF on standard input): one load each
both() {
	cat >"$work/input.ldif"
	empty_site "$work/ref"
	empty_site "$work/dit"
	slapadd_site "$work/ref" "$@" -l "$work/input.ldif"
	ditadd_site "$work/dit" "$@" -l "$work/input.ldif"
}

# values SITE ATTRIBUTE: of the whole database, sorted
values() {
	slapcat -f "$work/$1/slapd.conf" 2>/dev/null | sed -n "s/^$2:/$2:/p" | LC_ALL=C sort
}

# says SITE TEXT / silent SITE TEXT: on stderr
# shellcheck disable=SC2317 # called by check
says() {
	grep -qa "$2" "$work/$1/stderr"
}
# shellcheck disable=SC2317
silent() {
	! grep -qa "$2" "$work/$1/stderr"
}

suffix='dn: dc=example,dc=com
objectClass: domain
dc: example
'
long=$(printf '%0300d' 0)

make_site "$work/ref"
make_site "$work/dit"

# A refused record whose parents are missing.
both -c <<LDIF
$suffix
dn: cn=$long,ou=missing,dc=example,dc=com
objectClass: device
LDIF
check 'lost parents: slapadd lists them' says ref 'entry 2: ou=missing'
check 'lost parents: ditadd has none' silent dit 'entries missing'
check 'lost parents: both refuse the entry' says dit 'could not add entry'
check 'lost parents: content' same_content --generated --ignore-integerkey \
	"$work/ref" "$work/dit"

# A later entry needs the same parents: slapadd lists them once more, and those of a
# refused entry that is not needed. With every suffix; the empty one has no last parent.
listed() {
	grep -ac "^  entry .*: $2\$" "$work/$1/stderr"
}
for end in dc=example,dc=com dc=org; do
	[ $end = dc=example,dc=com ] || for site in ref dit; do
		sed -i 's/^suffix .*/suffix ""/' "$work/$site/slapd.conf"
	done
	both -c <<-LDIF
		$suffix
		dn: cn=$long,ou=missing,$end
		objectClass: device

		dn: cn=later,ou=missing,$end
		objectClass: device

		dn: cn=$long,ou=alone,$end
		objectClass: device
	LDIF
	check "parents of refused entries, $end: slapadd, twice" test \
		"$(listed ref ou=missing,$end)" -eq 2
	check "parents of refused entries, $end: slapadd, alone" test \
		"$(listed ref ou=alone,$end)" -eq 1
	check "parents of refused entries, $end: ditadd, once" test \
		"$(listed dit ou=missing,$end)" -eq 1
	check "parents of refused entries, $end: ditadd, none alone" test \
		"$(listed dit ou=alone,$end)" -eq 0
	check "parents of refused entries, $end: content" same_content --generated \
		--ignore-integerkey "$work/ref" "$work/dit"
done
make_site "$work/ref"
make_site "$work/dit"

# A store error in quick mode: what slapadd has stored before it is gone.
both -q -c <<LDIF
$suffix
dn: cn=before,dc=example,dc=com
objectClass: device

$suffix
dn: cn=after,dc=example,dc=com
objectClass: device
LDIF
check 'store error with -q: lost by slapadd' [ -z "$(values ref cn | grep before)" ]
check 'store error with -q: kept by ditadd' [ -n "$(values dit cn | grep before)" ]
check 'store error with -q: the rest' [ -n "$(values dit cn | grep after)" ]

# Without -c nothing is stored.
both <<LDIF
$suffix
dn: cn=broken,dc=example,dc=com
objectClass: nonsense
LDIF
check 'first error: slapadd stores what is before it' [ "$(values ref dc)" = 'dc: example' ]
check 'first error: ditadd stores nothing' untouched "$work/dit"

# An included file without a final line feed.
printf 'dn: cn=inside,dc=example,dc=com\nobjectClass: device\ncn: inside\ndescription: end' \
	>"$work/inside.ldif"
both -c <<LDIF
$suffix
include: file://$work/inside.ldif

dn: cn=behind,dc=example,dc=com
objectClass: device
LDIF
check 'include without LF: ditadd ends the line' [ "$(values dit description)" = \
	'description: end' ]
check 'include without LF: slapadd goes on' [ "$(values ref description)" != \
	'description: end' ]

# An included file that cannot be read, with -c.
both -c <<LDIF
$suffix
include: file://$work/no.ldif

dn: cn=behind,dc=example,dc=com
objectClass: device
LDIF
check 'unreadable include: alike' same_messages "$work/ref" "$work/dit"
check 'unreadable include: an error' diff "$work/dit/exit" - <<<1
check 'unreadable include: slapadd stores what is before it' [ "$(values ref dc)" = \
	'dc: example' ]
check 'unreadable include: and nothing after it' [ -z "$(values ref cn)" ]
check 'unreadable include: ditadd stores nothing' untouched "$work/dit"

# A NUL byte in a line.
{
	printf '%s\ndn: cn=a,dc=example,dc=com\nobjectClass: device\n' "$suffix"
	printf 'description: x\0y\nserialNumber: 1\n'
} | both -c
check 'NUL: slapadd stores a damaged record' [ "$(cat "$work/ref/exit")" -eq 0 ]
check 'NUL: ditadd refuses it' says dit 'a line holds a NUL byte'
check 'NUL: slapadd loses a line' [ -z "$(values ref serialNumber)" ]

# Input that cannot be read.
for site in ref dit; do
	empty_site "$work/$site"
done
slapadd_site "$work/ref" -l "$work"
ditadd_site "$work/dit" -l "$work"
check 'directory as input: slapadd is content' diff "$work/ref/exit" - <<<0
check 'directory as input: ditadd is not' diff "$work/dit/exit" - <<<1

# Flags of index databases.
both <<<"$suffix"
check 'flags: integer keys' [ -n "$(mdb_dump -s cn "$work/dit/db" | grep '^integerkey=1')" ]
check 'flags: slapadd has none' [ -z "$(mdb_dump -s cn "$work/ref/db" | grep '^integerkey=1')" ]
empty_site "$work/dit"
ditadd_site "$work/dit" --index-keys=bytes -l "$work/input.ldif"
check 'flags: as slapadd on request' same_content --generated "$work/ref" "$work/dit"

# Copies by mdb_load whose databases lost flags, as those of LMDB 0.9.31 do. slapd goes on
# with them; of its tools slapindex keeps the flags of an index.
# copy_without FLAGS DATABASE: of the site dit
copy_without() {
	empty_site "$work/dit"
	ditadd_site "$work/dit" --index-keys=bytes -l "$work/input.ldif"
	mdb_dump -a "$work/dit/db" | awk -v flags="^($1)=1$" -v name="database=$2" '
		/^database=/ { wanted = $0 == name }
		!(wanted && $0 ~ flags)' >"$work/dump"
	rm -f "$work/dit/db/data.mdb" "$work/dit/db/lock.mdb"
	load_dump "$work/dit/db" <"$work/dump"
	cp "$work/dit/db/data.mdb" "$work/copy.mdb"
}
both <<<"$suffix"
for name in ad2i dn2i id2e; do
	copy_without integerkey $name
	ditadd_site "$work/dit" -l "$work/input.ldif"
	check "copy, flags of $name: refused" diff "$work/dit/exit" - <<<1
	check "copy, flags of $name: named" says dit \
		"database \"$name\" has the flags (.*slapd gives it (integerkey"
	check "copy, flags of $name: the remedy" says dit \
		'the original directory out with slapcat'
	check "copy, flags of $name: unchanged" cmp "$work/copy.mdb" "$work/dit/db/data.mdb"
done
copy_without 'dupfixed|integerdup' cn
slapindex -f "$work/dit/slapd.conf" cn 2>/dev/null
check 'copy, flags of an index: slapindex keeps them' \
	[ -z "$(mdb_dump -s cn "$work/dit/db" | grep '^dupfixed=1')" ]
ditadd_site "$work/dit" -l "$work/input.ldif"
check 'copy, flags of an index: refused' diff "$work/dit/exit" - <<<1
check 'copy, flags of an index: named' says dit \
	'database "cn" has the flags (dupsort), but slapd gives it (dupsort dupfixed'

# Bytes that are no certificate: slapadd's normal form has the bytes after them.
both <<LDIF
${suffix}objectClass: extensibleObject
userCertificate;binary: 20200101000000Z
LDIF
check 'no certificate: loaded' diff "$work/dit/exit" - <<<0
check 'no certificate: its normal form' grep -q \
	"{ serialNumber '0'H, issuer rdnSequence:" \
	<(mdb_dump -p -s id2e "$work/dit/db" | sed 's/\\22/"/g')

# Values apart: an equal one of another length takes the place of the first.
make_site "$work/ref" apart
make_site "$work/dit" apart
both <<LDIF
$suffix
dn: cn=equal,dc=example,dc=com
objectClass: person
sn: abc
sn: a  b
sn: x
sn: a     b
LDIF
check 'equal values apart: ditadd keeps the later one' \
	[ "$(values dit sn)" = "$(printf 'sn: a     b\nsn: abc\nsn: x')" ]
if [ "$slapd_release" = 2.5 ]; then
	check 'equal values apart: slapadd damages it' \
		[ "$(values ref sn)" != "$(values dit sn)" ]
else
	check 'equal values apart: so does slapadd' same_content --generated \
		--ignore-integerkey "$work/ref" "$work/dit"
fi

# The base of a URL is empty, and so is the suffix: slapcat looks at no scope.
make_site "$work/ref" empty-suffix
slapadd_site "$work/ref" -q -l "$DIT_TEST_DATA/ldif/empty-suffix.ldif"
for scope in base one sub; do
	"$DITCAT" -f "$work/ref/slapd.conf" -H "ldap:///??$scope" | grep -c '^dn:'
done >"$work/scopes" 2>/dev/null
check 'an empty base: each scope has more entries' sort -nuc "$work/scopes"

# slapindex -t loses those of several names that its table has before the first one.
make_site "$work/ref"
slapadd_site "$work/ref" -q -l "$DIT_TEST_DATA/ldif/operational.ldif"
cp -r "$work/ref/db" "$work/before"
"$DITINDEX" -t -q -f "$work/ref/slapd.conf" objectClass sn cn 2>"$work/dit/stderr"
check 'ditindex -t of several names: all are there' "$DITCHECK" --compare \
	--ignore-integerkey "$work/before" "$work/ref/db"

# slapd stores the values of a new attribute under number 0, and finds them no more: slapcat
# prints the entry without them, and so does ditcat, which says so.
. "${0%/*}/slapd_lib.sh"
make_site "$work/ref"
sed -i '$a multival default 3,1\nrootpw secret' "$work/ref/slapd.conf"
slapadd_site "$work/ref" -q -l <(echo "$suffix")
start_slapd ref
ldapmodify -x -H "${url[ref]}" -D "cn=Admin,$base" -w secret >/dev/null <<LDIF
dn: $base
changetype: modify
add: description
description: 1
description: 2
description: 3
description: 4
-
add: o
o: x
LDIF
stop_slapd
slapcat -f "$work/ref/slapd.conf" >"$work/slapcat" 2>/dev/null
"$DITCAT" -f "$work/ref/slapd.conf" >"$work/ditcat" 2>"$work/dit/stderr"
check 'lost values: the rest of the entry' cmp "$work/slapcat" "$work/ditcat"
check 'lost values: a later attribute' grep -q '^o: x' "$work/ditcat"
grep -q '^description: ' "$work/slapcat" ||
	check 'lost values: told' says dit 'without "description", whose values slapd has lost'

finish
