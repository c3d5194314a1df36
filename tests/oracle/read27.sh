#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Databases that slapadd 2.7 made and slapd 2.7 changed: ditcat writes what slapcat writes,
# and ditcheck finds nothing wrong with structure and content, also next to slapd. ditindex
# makes of it what slapindex makes, and slapcat prints the same text afterwards; while slapd
# runs it is refused, and the process is named. A slapd that is started while ditcat reads
# serves at once and takes changes, which ditcat does not print. A database keeps its page size,
# whatever dbpagesize says.
#
# For openldap27.sh. From the environment: READ_ENTRIES.
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${DITGEN:?}" "${DITCAT:?}" "${DITINDEX:?}"
if [ "$DIT_OPENLDAP" != 2.7 ]; then
	echo "SKIPPED: no OpenLDAP 2.7 (openldap27.sh runs this script)" >&2
	exit 77
fi
people=ou=People,$base
conf=$work/site/slapd.conf

# same_text: ditcat and slapcat
same_text() {
	slapcat -f "$conf" >"$work/slapcat.ldif" 2>"$work/said" &&
		"$DITCAT" --openldap=2.7 -f "$conf" >"$work/ditcat.ldif" &&
		cmp "$work/slapcat.ldif" "$work/ditcat.ldif"
}

# same_text_of FILTER: of some entries, at least one
same_text_of() {
	slapcat -f "$conf" -a "$1" >"$work/slapcat.ldif" 2>"$work/said" &&
		"$DITCAT" --openldap=2.7 -f "$conf" -a "$1" >"$work/ditcat.ldif" &&
		cmp "$work/slapcat.ldif" "$work/ditcat.ldif" &&
		grep -q '^dn:' "$work/ditcat.ldif"
}

# refused STATUS COMMAND...: and slapd's process is named, and what helps
refused() {
	local want=$1
	shift
	"$@" >"$work/out" 2>"$work/said"
	[ $? -eq "$want" ] && ! grep -q '^dn:' "$work/out" &&
		grep -q "in use by slapd, process ${pid[site]}; --online builds" "$work/said"
}

change() {
	awk -v people="$people" 'BEGIN {
		for (i = 0; i < 600; i++) {
			print "dn: cn=changed" i "," people "\nchangetype: add"
			print "objectClass: inetOrgPerson\nsn: s" i % 7
			for (k = 0; k < i % 60; k++)
				print "description: a long text, number " i * k
			print ""
		}
		for (i = 0; i < 600; i += 3)
			print "dn: cn=changed" i "," people "\nchangetype: delete\n"
		for (i = 1; i < 600; i += 3)
			print "dn: cn=changed" i "," people "\nchangetype: modify\n" \
				"replace: sn\nsn: other\nsn: " i "\n-\n"
	}' | ldapmodify -x -H "${url[site]}" -D "cn=Admin,$base" -w secret >/dev/null
}

make_site "$work/site" bench
sed -i 's/^database mdb/sizelimit unlimited\n&/; $a rootpw secret' "$conf"
grep -q '^rootdn' "$conf" || echo "rootdn \"cn=Admin,$base\"" >>"$conf"
"$DITGEN" --entries "${READ_ENTRIES:-1000}" --operational >"$work/input.ldif"
slapadd_site "$work/site" -l "$work/input.ldif"
check "slapadd's: ditcat" same_text
check "slapadd's: ditcheck" "$DITCHECK" --openldap=2.7 -f "$conf"
check "slapadd's: ditcat -a" same_text_of '(&(objectClass=person)(sn=s*))'
cp -r "$work/site/db" "$work/whole"

start_slapd site
check "changes" change
check "while slapd runs: ditcat" same_text
check "while slapd runs: ditcheck" "$DITCHECK" --openldap=2.7 -f "$conf"
check "while slapd runs: ditindex" refused 1 "$DITINDEX" --openldap=2.7 -f "$conf"
check "while slapd runs: ditcheck --quick" "$DITCHECK" --quick --openldap=2.7 -f "$conf"
stop_slapd
check "slapd's: ditcat" same_text
check "slapd's: ditcheck" "$DITCHECK" --openldap=2.7 -f "$conf"
check "slapd's: ditcat -a" same_text_of '(cn=changed*)'

# reindexed: by both programs; slapd has left no keys that belong to no entry
reindexed() {
	rm -rf "$work/other"
	mkdir -p "$work/other"
	cp -r "$work/site/db" "$work/other/db"
	sed "s,$work/site/db,$work/other/db," "$conf" >"$work/other/slapd.conf"
	slapcat -f "$conf" >"$work/before.ldif" 2>"$work/said" &&
		slapindex -q -f "$work/other/slapd.conf" >"$work/said" 2>&1 &&
		"$DITINDEX" --openldap=2.7 -f "$conf" &&
		slapcat -f "$conf" >"$work/after.ldif" 2>"$work/said" &&
		cmp "$work/before.ldif" "$work/after.ldif" &&
		"$DITCHECK" --openldap=2.7 -f "$conf" &&
		compare_databases --ignore-integerkey "$work/other/db" "$work/site/db"
}

check "slapd's: ditindex" reindexed

printf 'dn: cn=added,%s\nobjectClass: person\nsn: x\n' "$people" >"$work/added.ldif"
slapadd_site "$work/site" -l "$work/added.ldif"
check "ditindex's, and an entry of slapadd's: ditcheck" "$DITCHECK" --openldap=2.7 -f "$conf"
check "ditindex's, and an entry of slapadd's: ditcat -a" same_text_of '(cn=added)'

# The pipe has no reader, so ditcat stands. No lock.mdb, as in a directory that was put back
# from a copy.
rm "$work/site/db/lock.mdb"
"$DITCAT" --openldap=2.7 -f "$conf" >"$work/before.ldif"
rm "$work/site/db/lock.mdb"
mkfifo "$work/pipe"
"$DITCAT" --openldap=2.7 -f "$conf" >"$work/pipe" 2>"$work/said" &
ditcat=$!
exec 8<"$work/pipe"
read -r line <&8
check "ditcat has begun" [ "$line" = "dn: $base" ]
start_slapd site 8<&-
check "slapd has not waited" kill -0 "$ditcat"
for i in 1 2 3 4 5; do
	awk -v people="$people" -v i=$i 'BEGIN {
		while (n++ < 200)
			print "dn: cn=changed" n "," people "\nchangetype: modify\n" \
				"replace: sn\nsn: late" i "\n-\n"
	}' | ldapmodify -c -x -H "${url[site]}" -D "cn=Admin,$base" -w secret \
		>"$work/said" 2>&1 8<&-
done
printf 'dn: cn=late,%s\nchangetype: add\nobjectClass: person\nsn: x\n' "$people" |
	ldapmodify -x -H "${url[site]}" -D "cn=Admin,$base" -w secret >"$work/said" 2>&1 8<&-
check "slapd takes changes" [ $? -eq 0 ]
{
	echo "$line"
	cat <&8
} >"$work/ditcat.ldif"
exec 8<&-
wait $ditcat
check "ditcat ended" [ $? -eq 0 ]
check "ditcat prints one state" cmp "$work/before.ldif" "$work/ditcat.ldif"
stop_slapd
check "after that: ditcat" same_text
check "after that: ditcheck" "$DITCHECK" --openldap=2.7 -f "$conf"

# sized STATUS BYTES COMMAND...: with that dbpagesize; the file keeps its own
sized() {
	local want=$1
	sed -i "/^dbpagesize/d; /^database mdb/a dbpagesize $2" "$conf"
	shift 2
	"$@" -f "$conf" >"$work/out" 2>"$work/said"
	[ $? -eq "$want" ] || {
		cat "$work/said"
		return 1
	}
	[ "$(od -An -tu4 -j48 -N4 "$work/site/db/data.mdb")" -eq "$(getconf PAGESIZE)" ]
}

for bytes in 256 65536; do
	printf 'dn: cn=more%s,%s\nobjectClass: device\n' $bytes "$people" >"$work/more.ldif"
	check "pages of $bytes bytes: ditadd" sized 0 $bytes "$DITADD" -l "$work/more.ldif"
	check "pages of $bytes bytes: slapadd" sized 1 $bytes slapadd -l "$work/more.ldif"
	check "pages of $bytes bytes: a duplicate" grep -q MDB_KEYEXIST "$work/said"
	check "pages of $bytes bytes: ditindex" sized 0 $bytes "$DITINDEX" --openldap=2.7
	check "pages of $bytes bytes: ditcheck" sized 0 $bytes "$DITCHECK" --openldap=2.7
done
for tool in "$DITADD" slapadd slapindex slapcat; do
	check "no page size: ${tool##*/}" sized 1 5000 "$tool"
	check "no page size: ${tool##*/}'s words" grep -q 'set_pagesize failed' "$work/said"
done
for tool in "$DITINDEX" "$DITCAT" "$DITCHECK"; do
	check "no page size: ${tool##*/}" sized 0 5000 "$tool" --openldap=2.7
done

finish
