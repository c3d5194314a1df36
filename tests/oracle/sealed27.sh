#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Databases of slapd 2.7 whose pages are encrypted and have checksums ("crypto" and
# "passphrase"), with the module of the tests. What slapadd made and slapd changed is read as
# slapcat reads it, also while slapd runs. What ditadd made and ditindex changed is served by
# slapd, which changes it, and then all tools agree on it. With MACs alone, and with
# checksums alone, too.
#
# For openldap27.sh. From the environment: SEALED_ENTRIES.
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${DITGEN:?}" "${DITCAT:?}" "${DITINDEX:?}" "${DIT_BUILDDIR:?}"
if [ "$DIT_OPENLDAP" != 2.7 ]; then
	echo "SKIPPED: no OpenLDAP 2.7 (openldap27.sh runs this script)" >&2
	exit 77
fi
people=ou=People,$base

# site NAME: with a module
site() {
	make_site "$work/$1" bench
	sed -i 's/^database mdb/sizelimit unlimited\n&/' "$work/$1/slapd.conf"
	{
		grep -q '^rootdn' "$work/$1/slapd.conf" || echo "rootdn \"cn=Admin,$base\""
		printf '%s\n' 'rootpw secret' "crypto $DIT_BUILDDIR/tests/system/xor_module.so" \
			'passphrase "open sesame"'
	} >>"$work/$1/slapd.conf"
}

# same_text SITE: ditcat and slapcat
same_text() {
	slapcat -f "$work/$1/slapd.conf" >"$work/slapcat.ldif" 2>"$work/said" &&
		"$DITCAT" --openldap=2.7 -f "$work/$1/slapd.conf" >"$work/ditcat.ldif" &&
		cmp "$work/slapcat.ldif" "$work/ditcat.ldif" &&
		grep -q '^dn:' "$work/ditcat.ldif"
}

sound() {
	"$DITCHECK" --openldap=2.7 -f "$work/$1/slapd.conf"
}

# change SITE PREFIX: entries are added, deleted and changed
change() {
	awk -v people="$people" -v prefix="$2" 'BEGIN {
		for (i = 0; i < 300; i++) {
			print "dn: cn=" prefix i "," people "\nchangetype: add"
			print "objectClass: inetOrgPerson\nsn: s" i % 7
			for (k = 0; k < (i % 50 == 0 ? 400 : i % 20); k++)
				print "description: a long text, number " i * k " of " k
			print ""
		}
		for (i = 0; i < 300; i += 3)
			print "dn: cn=" prefix i "," people "\nchangetype: delete\n"
		for (i = 1; i < 300; i += 3)
			print "dn: cn=" prefix i "," people "\nchangetype: modify\n" \
				"replace: sn\nsn: other\nsn: " i "\n-\n"
	}' | ldapmodify -x -H "${url[$1]}" -D "cn=Admin,$base" -w secret >/dev/null
}

more_entries() {
	awk -v people="$people" 'BEGIN {
		for (i = 0; i < 300; i++) {
			print "dn: cn=more" i "," people "\nobjectClass: inetOrgPerson"
			print "sn: s" i % 7 "\ncn: more" i
			for (k = 0; k < (i % 50 == 0 ? 400 : i % 20); k++)
				print "description: a text, number " i * k " of " k
			print ""
		}
	}'
}

"$DITGEN" --entries "${SEALED_ENTRIES:-600}" --operational >"$work/input.ldif"
more_entries >"$work/more.ldif"
for kind in '' mac sum; do
	export XOR_MODULE=$kind
	site theirs
	[ "$kind" != sum ] || sed -i '/^passphrase/d' "$work/theirs/slapd.conf"
	slapadd_site "$work/theirs" -l "$work/input.ldif"
	check "$kind: slapadd's: ditcat" same_text theirs
	check "$kind: slapadd's: ditcheck" sound theirs
	start_slapd theirs
	check "$kind: changes" change theirs changed
	check "$kind: while slapd runs: ditcat" same_text theirs
	check "$kind: while slapd runs: ditcheck" sound theirs
	stop_slapd
	check "$kind: slapd's: ditcat" same_text theirs
	check "$kind: slapd's: ditcheck" sound theirs
	check "$kind: slapd's: ditadd" "$DITADD" -q -f "$work/theirs/slapd.conf" \
		-l "$work/more.ldif"
	check "$kind: slapd's and more: ditcat" same_text theirs
	check "$kind: slapd's and more: ditcheck" sound theirs

	site ours
	[ "$kind" != sum ] || sed -i '/^passphrase/d' "$work/ours/slapd.conf"
	check "$kind: ditadd" "$DITADD" -q -f "$work/ours/slapd.conf" -l "$work/ditcat.ldif"
	check "$kind: ditadd's: slapcat" same_text ours
	check "$kind: ditadd's: ditindex" "$DITINDEX" --openldap=2.7 \
		-f "$work/ours/slapd.conf"
	start_slapd ours
	check "$kind: slapd changes it" change ours again
	stop_slapd
	check "$kind: ditadd's and slapd's: ditcat" same_text ours
	check "$kind: ditadd's and slapd's: ditcheck" sound ours
done
finish
