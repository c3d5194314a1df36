#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A directory that slapd has changed for a while, with holes in its IDs, and what ditcat and
# ditadd make of it for OpenLDAP 2.7, with both widths of hashes, and for this release:
# ditcheck --compare finds no difference, and finds each entry that is changed or added.
#
# From the environment: ACROSS_ENTRIES.
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${DITGEN:?}" "${DITCAT:?}"
people=ou=People,$base

# changes: of the entries on stdin some are deleted, renamed or changed; others are added
changes() {
	awk -v people="$people" '
	/^dn: uid=/ {
		dn = substr($0, 5)
		if (++n % 7 == 0)
			print "dn: " dn "\nchangetype: delete\n"
		else if (n % 11 == 0)
			print "dn: " dn "\nchangetype: modrdn\n" \
				"newrdn: cn=renamed " n "\ndeleteoldrdn: 0\n"
		else if (n % 5 == 0)
			print "dn: " dn "\nchangetype: modify\nreplace: sn\n" \
				"sn: Changed " n "\n-\n" \
				"add: carLicense\ncarLicense: A " n "\n-\n"
		if (n % 9 == 0)
			print "dn: cn=added " n "," people "\nchangetype: add\n" \
				"objectClass: person\nsn: added\n"
	}'
}

# difference NUMBER LINE COMMAND...: an LDIF in which COMMAND changes something
difference() {
	local want=$1 line=$2
	shift 2
	rm -f "$work/new/db/"*
	"$@" <"$work/old.ldif" | "$DITADD" --openldap=2.7 -q -f "$work/new/slapd.conf"
	"$DITCHECK" --compare --json "$work/old/db" "$work/new/db" >"$work/said"
	[ $? -eq 1 ] && grep -q "\"differences\": *$want[,}]" "$work/said" &&
		grep -q "$line" "$work/said" || {
		cut -c1-400 "$work/said"
		return 1
	}
}

for site in old new; do
	make_site "$work/$site" bench
	sed -i 's/^database mdb/sizelimit unlimited\n&/; $a rootpw secret' \
		"$work/$site/slapd.conf"
	grep -q '^rootdn' "$work/$site/slapd.conf" ||
		echo "rootdn \"cn=Admin,$base\"" >>"$work/$site/slapd.conf"
done
"$DITGEN" --entries "${ACROSS_ENTRIES:-1000}" --operational >"$work/input.ldif"
"$DITADD" -q -f "$work/old/slapd.conf" -l "$work/input.ldif"
changes <"$work/input.ldif" >"$work/changes.ldif"
start_slapd old
ldapmodify -x -H "${url[old]}" -D "cn=Admin,$base" -w secret -f "$work/changes.ldif" \
	>"$work/said" 2>&1
check "changes" [ $? -eq 0 ]
stop_slapd

"$DITCAT" -f "$work/old/slapd.conf" -l "$work/old.ldif"
for width in on off; do
	rm -f "$work/new/db/"*
	sed -i '/^index_hash64/d' "$work/new/slapd.conf"
	sed -i "1i index_hash64 $width" "$work/new/slapd.conf"
	"$DITADD" --openldap=2.7 -q -f "$work/new/slapd.conf" -l "$work/old.ldif"
	check "index_hash64 $width: ditcheck" \
		"$DITCHECK" --openldap=2.7 -f "$work/new/slapd.conf"
	check "index_hash64 $width: the same" \
		"$DITCHECK" --compare "$work/old/db" "$work/new/db"
	check "index_hash64 $width: the other way round" \
		"$DITCHECK" --compare "$work/new/db" "$work/old/db"
done

# A load for the same release: deletions and additions have changed IDs.
rm -f "$work/new/db/"*
sed -i '/^index_hash64/d' "$work/new/slapd.conf"
"$DITADD" -q -f "$work/new/slapd.conf" -l "$work/old.ldif"
check "the same release: the same" "$DITCHECK" --compare "$work/old/db" "$work/new/db"
"$DITCHECK" --compare --exact "$work/old/db" "$work/new/db" >"$work/said"
check "the same release: not as it is stored" [ $? -eq 1 ]

# slapadd stores an attribute twice whose lines stand apart under two names; ditadd stores
# once what slapcat writes of it.
make_site "$work/apart"
make_site "$work/joined"
printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n' >"$work/input.ldif"
for n in 1 2 3; do
	printf 'dn: cn=%d,dc=example,dc=com\nobjectClass: person\ncn: %d\nsn: x\n' $n $n
	printf 'commonName: b\ndescription: p\ncn: a\n\n'
done >>"$work/input.ldif"
slapadd_site "$work/apart" -l "$work/input.ldif"
for release in 2.7 2.5; do
	rm -f "$work/joined/db/"*
	"$DITCAT" -f "$work/apart/slapd.conf" |
		"$DITADD" --openldap=$release -f "$work/joined/slapd.conf"
	"$DITCHECK" --compare "$work/apart/db" "$work/joined/db" >"$work/said"
	check "lines apart, $release: exit status" [ $? -eq 0 ]
	check "lines apart, $release: their number" grep -qx \
		'id2e: 3 entries differ in the order of values alone' "$work/said"
	check "lines apart, $release: nothing else" [ "$(wc -l <"$work/said")" -eq 1 ]
	"$DITCHECK" --compare --exact --ignore-integerkey "$work/apart/db" \
		"$work/joined/db" >"$work/said"
	check "lines apart, $release: --exact" [ $? -eq 1 ]
done

sed -i '/^index_hash64/d' "$work/new/slapd.conf"
check "a changed value is found" difference 1 'Changed 5\b.*Other 5' \
	sed 's/^sn: Changed 5$/sn: Other 5/'
check "a lost value is found" difference 1 'carLicense, only in the first' \
	sed '/^carLicense: A 5$/d'
check "a new entry is found" difference 1 'cn=new.*only in the second' \
	sed "\$a dn: cn=new,$people\nobjectClass: device\ncn: new\n"

finish
