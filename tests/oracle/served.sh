#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Debian's slapd serves three databases with the same content: slapadd's, ditadd's, and
# one without any index, where every filter is tested on every entry. Searches of every
# kind on every indexed attribute must find the same entries in all three; so must they
# after the same additions, changes, renames and removals, but for the values that each
# server makes up: it must find those of its own. slapcat, slapindex and slapadd must work
# on ditadd's database as on slapadd's.
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${DITGEN:?}"

# ---- three sites, loaded from one LDIF with all operational attributes ----

# serve_conf SITE: what the default configuration lacks for being changed over LDAP
serve_conf() {
	make_site "$work/$1"
	sed -i 's/^database mdb/sizelimit unlimited\n&/; $a rootpw secret' \
		"$work/$1/slapd.conf"
}

# some_fixtures: records of several fixtures, the suffix entry of the first only. Left out
# are some whose values order otherwise in slapd's index than in slapd's filter test: a
# year past the range of time keys (t3, t6), integers with leading zeros or a sign (n26,
# n27).
some_fixtures() {
	local data=$DIT_TEST_DATA/ldif name
	cat "$data/operational.ldif"
	for name in numbers options unicode dn-values; do
		cp "$data/$name.ldif" "$work/part.ldif"
		leave_out_mixed "$work/ref" "$work/part.ldif" -q
		echo
		awk 'BEGIN { RS = ""; ORS = "\n\n" }
			!/^dn: *(uid=n2[67],|cn=t[36],)?dc=example,dc=com/' \
			"$work/part.ldif"
	done
	"$DITGEN" --entries 342 | awk 'BEGIN { RS = ""; ORS = "\n\n" }
		!/^dn: (ou=People,)?dc=example,dc=com/'
}

for site in ref dit scan; do
	serve_conf $site
done
sed -i '/^index/d' "$work/scan/slapd.conf"

some_fixtures >"$work/some.ldif"
slapadd_site "$work/ref" -q -l "$work/some.ldif"
check "loading the fixtures" diff "$work/ref/exit" - <<<0
slapcat -f "$work/ref/slapd.conf" >"$work/input.ldif"
for site in ref scan; do
	empty_site "$work/$site"
	slapadd_site "$work/$site" -q -l "$work/input.ldif"
done
ditadd_site "$work/dit" -q -l "$work/input.ldif"
check "loading" same_messages "$work/ref" "$work/dit"
check "content before serving" same_content --ignore-integerkey "$work/ref" "$work/dit"

# ---- searches ----

# stamps WANTED: of the export on stdin with the values that a server made up (WANTED = 0),
# or those values alone, as "(FILTER) DN" (WANTED = 1). Made up is what was not loaded.
stamps() {
	awk -v wanted="$1" -v loaded="$work/input.ldif" '
	BEGIN {
		is_stamp = "^(entryUUID|entryCSN|createTimestamp|modifyTimestamp): "
		while ((getline line < loaded) > 0) {
			if (line ~ is_stamp) {
				old[line] = 1
			}
		}
	}
	/^dn:/ { dn = $0 }
	$0 ~ is_stamp && !($0 in old) {
		if (wanted) {
			sub(": ", "=")
			print "(" $0 ") " dn
		}
		next
	}
	!wanted'
}

# finds_its_stamps SITE: equality of each value that the server made up for its changes
# finds the entries that have the value. Servers make up different values, so these cannot
# be compared between them.
finds_its_stamps() {
	slapcat_or_export "$1" | stamps 1 | sort >"$work/$1/stamps"
	[ "$(wc -l <"$work/$1/stamps")" -gt 20 ] || return 1
	sed 's/^(\(.*\)) dn:.*/\1/' "$work/$1/stamps" | sort -u >"$work/$1/stamp-filters"
	search "$1" $base sub "$work/$1/stamp-filters" | diff -a "$work/$1/stamps" -
}

# They are sorted by attribute, so each fifth one is of all attributes and kinds.
step=5
[ "${DIT_LONG:-}" != yes ] || step=1

# search_everywhere WHEN: all filters, in several places of the tree
search_everywhere() {
	local scope where site
	slapcat_or_export ref | stamps 0 | make_filters | awk -v step=$step 'NR % step == 0' \
		>"$work/filters"
	awk 'NR % 4 == 0' "$work/filters" >"$work/filters.some"
	while read -r scope filters where; do
		for site in ref dit scan; do
			search $site "$where" "$scope" "$work/$filters" \
				>"$work/$site/found"
		done
		for site in dit scan; do
			check "$1: $site finds as slapadd's, $scope $where" \
				diff -a "$work/ref/found" "$work/$site/found"
		done
	done <<-PLACES
		sub filters $base
		sub filters.some ou=People,$base
		one filters.some ou=People,$base
		one filters.some $base
		base filters.some uid=mbrandt,ou=People,$base
		base filters.some ou=nowhere,$base
	PLACES
	echo "$1: $(wc -l <"$work/filters") filters," \
		"$(search ref $base sub "$work/filters" | grep -c ' dn:') names found"
}

for site in ref dit scan; do
	start_slapd $site
done
search_everywhere 'as loaded'

# A database that slapd has open is not touched.
cp "$work/dit/db/data.mdb" "$work/before.mdb"
ditadd_site "$work/dit" -q -l "$work/input.ldif"
check "refused while slapd runs" diff "$work/dit/exit" - <<<1
check "untouched while slapd runs" cmp "$work/before.mdb" "$work/dit/db/data.mdb"

# ---- changes ----

for site in ref dit scan; do
	ldapmodify -c -x -H "${url[$site]}" -D "cn=Admin,$base" -w secret \
		-f "$DIT_TEST_DATA/served/changes.ldif" >"$work/$site/modify" 2>&1
	echo "$?" >>"$work/$site/modify"
done
for site in dit scan; do
	check "$site: results of the changes" diff "$work/ref/modify" "$work/$site/modify"
done
search_everywhere 'after changes'
for site in ref dit scan; do
	check "after changes: $site finds its own stamps" finds_its_stamps $site
done
stop_slapd

for site in ref dit scan; do
	slapcat -f "$work/$site/slapd.conf" 2>&1 | without_stamps >"$work/$site/slapcat"
done
for site in dit scan; do
	check "$site: slapcat" diff -a "$work/ref/slapcat" "$work/$site/slapcat"
done
check "content after changes" same_content --generated --ignore-integerkey \
	"$work/ref" "$work/dit"

# ---- slapd's other tools on our database ----

for options in '-q' '-q -t' 'cn uidNumber'; do
	# On both: changes by slapd may have dropped keys that another value needs.
	for site in ref dit; do
		# shellcheck disable=SC2086 # several words
		check "$site: slapindex $options" \
			slapindex -f "$work/$site/slapd.conf" $options
	done
	check "content after slapindex $options" same_content --generated \
		--ignore-integerkey "$work/ref" "$work/dit"
done
for site in ref dit; do
	slapadd_site "$work/$site" -l "$DIT_TEST_DATA/served/more.ldif"
done
check "slapadd into our database" same_messages "$work/ref" "$work/dit"
check "content after slapadd" same_content --generated --ignore-integerkey \
	"$work/ref" "$work/dit"

finish
