#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The move of doc/upgrade-2.7.md: ditcat writes a database of 2.5 out, ditadd makes one of
# 2.7 of it. slapcat 2.7 writes what ditcat wrote. slapd 2.7 serves it and takes 10,000
# random changes; mdb_copy -c of LMDB 1.0, slapindex and slapcat of 2.7 and ditcheck --quick
# work on the result. Then it goes back to 2.5. A database of 2.7 that has entries is refused, whoever made it.
#
# For openldap27.sh. From the environment: MOVED_ENTRIES, MOVED_CHANGES, MOVED_SEED.
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${DITGEN:?}" "${DITCAT:?}"
if [ "$DIT_OPENLDAP" != 2.7 ]; then
	echo "SKIPPED: no OpenLDAP 2.7 (openldap27.sh runs this script)" >&2
	exit 77
fi
seed=${MOVED_SEED:-$RANDOM}
people=ou=People,$base

# random_changes N: additions, modifications, renames and removals of entries of its own
# and of those that were loaded; some of them fail
random_changes() {
	awk -v n="$1" -v seed="$seed" -v people="$people" '
	function name() { return "cn=random" int(rand() * n / 8) "," people }
	BEGIN {
		srand(seed)
		for (i = 0; i < n; i++) {
			what = rand()
			print "dn: " name()
			if (what < 0.4) {
				print "changetype: add\nobjectClass: inetOrgPerson"
				print "sn: s" int(rand() * 50)
				print "mail: m" i "@example.com"
			} else if (what < 0.8) {
				print "changetype: modify\nreplace: description"
				for (k = int(rand() * 4); k > 0; k--)
					print "description: text " k * int(rand() * 1000)
				print "-\nreplace: sn\nsn: t" int(rand() * 50) "\n-"
			} else if (what < 0.9) {
				print "changetype: modrdn\nnewrdn: cn=random" \
					int(rand() * n / 8) "\ndeleteoldrdn: 1"
			} else {
				print "changetype: delete"
			}
			print ""
		}
	}'
}

# quietly COMMAND...: exits with 0 and says nothing
quietly() {
	"$@" >"$work/said" 2>&1 && ! grep -q . "$work/said" || {
		cat "$work/said"
		return 1
	}
}

for site in old new made; do
	make_site "$work/$site" bench
	sed -i 's/^database mdb/sizelimit unlimited\n&/; $a rootpw secret' \
		"$work/$site/slapd.conf"
	grep -q '^rootdn' "$work/$site/slapd.conf" ||
		echo "rootdn \"cn=Admin,$base\"" >>"$work/$site/slapd.conf"
done
"$DITGEN" --entries "${MOVED_ENTRIES:-2000}" --operational >"$work/input.ldif"

# ---- the move ----

"$DITADD" --openldap=2.5 -q -f "$work/old/slapd.conf" -l "$work/input.ldif"
check "a database of 2.5" [ -s "$work/old/db/data.mdb" ]
"$DITCAT" -f "$work/old/slapd.conf" |
	"$DITADD" -f "$work/new/slapd.conf" >"$work/said" 2>&1
check "ditcat | ditadd" [ "${PIPESTATUS[*]}" = "0 0" ]
check "ditcheck" "$DITCHECK" --quick --database "$work/new/db"
"$DITCAT" -f "$work/old/slapd.conf" >"$work/old.ldif"
slapcat -f "$work/new/slapd.conf" >"$work/new.ldif"
check "slapcat 2.7 writes what ditcat wrote" cmp "$work/old.ldif" "$work/new.ldif"
slapadd_site "$work/made" -q -l "$work/old.ldif"
check "content is slapadd's" same_content --ignore-integerkey "$work/made" "$work/new"

# ---- the same entries once more are refused ----

for site in new made; do
	cp "$work/$site/db/data.mdb" "$work/before.mdb"
	ditadd_site "$work/$site" -q -l "$work/input.ldif"
	check "$site: refused" grep -qx 1 "$work/$site/exit"
	check "$site: the reason" grep -q MDB_KEYEXIST "$work/$site/stderr"
	check "$site: unchanged" cmp "$work/before.mdb" "$work/$site/db/data.mdb"
done

# ---- changes ----

random_changes "${MOVED_CHANGES:-10000}" >"$work/changes.ldif"
for site in new made; do
	start_slapd $site
	ldapmodify -c -x -H "${url[$site]}" -D "cn=Admin,$base" -w secret \
		-f "$work/changes.ldif" >"$work/$site/modify" 2>&1
	echo "$?" >>"$work/$site/modify"
	slapcat_or_export $site | without_stamps >"$work/$site/served"
done
check "results of the changes, seed $seed" diff "$work/made/modify" "$work/new/modify"
check "entries after them, seed $seed" diff -a "$work/made/served" "$work/new/served"
echo "$(grep -c '^[a-z]* entry\|^adding\|^modifying\|^deleting' "$work/new/modify") changes," \
	"$(grep -c '^ldap_' "$work/new/modify") refused"
stop_slapd
for site in new made; do
	check "$site: ditcheck after changes, seed $seed" \
		"$DITCHECK" --quick --database "$work/$site/db"
done
check "content after changes, seed $seed" same_content --generated --ignore-integerkey \
	"$work/made" "$work/new"
slapcat -f "$work/new/slapd.conf" >"$work/before.ldif"

# Debian's mdb_copy is of LMDB 0.9.
if [ -x "${OPENLDAP27:?}/bin/mdb_copy" ]; then
	mkdir "$work/copy"
	check "mdb_copy -c" quietly "$OPENLDAP27/bin/mdb_copy" -c "$work/new/db" "$work/copy"
	check "ditcheck of the copy" "$DITCHECK" --quick --database "$work/copy"
	check "content of the copy" compare_databases "$work/new/db" "$work/copy"
else
	echo "SKIPPED: no $OPENLDAP27/bin/mdb_copy" >&2
fi
check "slapindex" quietly slapindex -q -f "$work/new/slapd.conf"
slapcat -f "$work/new/slapd.conf" >"$work/after.ldif"
check "slapcat after slapindex" cmp "$work/before.ldif" "$work/after.ldif"
check "ditcheck after slapindex" "$DITCHECK" --quick --database "$work/new/db"

# ---- and back: changes since then are taken along ----

empty_site "$work/old"
slapcat -f "$work/new/slapd.conf" |
	"$DITADD" --openldap=2.5 -f "$work/old/slapd.conf" >"$work/said" 2>&1
check "slapcat | ditadd, back" [ "${PIPESTATUS[*]}" = "0 0" ]
"$DITCAT" -f "$work/old/slapd.conf" >"$work/back.ldif"
check "ditcat writes what slapcat wrote" cmp "$work/before.ldif" "$work/back.ldif"
check "ditcheck of the old one" "$DITCHECK" --openldap=2.5 \
	-f "$work/old/slapd.conf"

finish
