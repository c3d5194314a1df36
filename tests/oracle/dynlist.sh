#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Random URLs in groups of the overlay dynlist. Each that can be read finds an entry, so slapd
# lists something for it: "ditcheck --overlays" names the groups for which slapd lists nothing,
# and counts all.
#
#   dynlist.sh [FIRST [LAST]]    these seeds, each of $nurls URLs
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"

nurls=300
first=${1:-1}
last=${2:-$([ "${DIT_LONG:-no}" = yes ] && echo 10 || echo 1)}

make_sites() {
	local site
	for site in ref dit; do
		rm -rf "${work:?}/$site"
		mkdir -p "$work/$site/db"
	done
	fill_in_both <<-'E'
		include @SCHEMA@/core.schema
		include @SCHEMA@/cosine.schema
		include @SCHEMA@/inetorgperson.schema
		include @SCHEMA@/dyngroup.schema
		modulepath /usr/lib/ldap
		moduleload back_mdb
		moduleload dynlist
		database mdb
		suffix dc=d
		rootdn cn=Admin,dc=d
		rootpw secret
		directory @DB@
		maxsize 16777216
		overlay dynlist
		dynlist-attrset groupOfURLs memberURL member
		dynlist-attrset labeledURIObject ldap:///??sub?(cn=*) labeledURI
	E
}

# entries: an entry of each kind below the suffix, then groups, each with one URL
entries() {
	awk -v seed="$seed" -v n=$nurls '
	# The usual word, which stands first, or one of the others.
	function one_of(list, word, m) {
		m = split(list, word, "|")
		return rand() < 0.7 ? word[1] : word[1 + int(rand() * m)]
	}
	BEGIN {
		srand(seed)
		print "dn: dc=d\nobjectClass: domain\ndc: d\ndescription: top\n"
		print "dn: uid=u,dc=d\nobjectClass: inetOrgPerson\nuid: u\ncn: u\nsn: u\ndescription: u\n"
		for (i = 1; i <= n; i++) {
			url = one_of("ldap://|LDAP://|ldaps://|http://||<ldap://|URL:ldap://|ldapi://") \
				one_of("||host|:389|host:389|h%20") \
				one_of("/dc=d|/DC=D|/dc=d%20|/dc=%64|/dc|/dc=d,,|/nosuch=x,dc=d|/dc=d,dc=") \
				"?" one_of("|description|description,cn|nosuch,description") \
				"?" one_of("sub|base|SUB|nonsense|subtree") \
				"?" one_of("(objectClass=*)||objectClass=*|(objectClass=*|objectClass=*)" \
					"|()|(objectClass)|(|(dc=*)(nosuch=a))|(!(cn=zz))|(objectClass=%2A)|(&(dc=*)") \
				one_of("|?x-a|?!x-a|?")
			is_list = rand() < 0.4
			print "dn: cn=g" i ",dc=d\ncn: g" i
			print is_list ? "objectClass: device\nobjectClass: labeledURIObject\nlabeledURI: " url "\n" \
				: "objectClass: groupOfURLs\nmemberURL: " url "\n"
		}
	}'
}

# listed FILTER ATTRIBUTE: the groups for which slapd lists something
listed() {
	ldapsearch -x -LLL -o ldif-wrap=no -H "${url[ref]}" -D cn=Admin,dc=d -w secret -b dc=d "$1" "$2" |
		awk -v name="$2:" '/^dn: / { dn = $2 } $1 == name { print dn }'
}

# ignored: those that ditcheck names
ignored() {
	"$DITCHECK" "${sealed[@]}" --overlays --max-findings 0 -f "$work/dit/slapd.conf" >"$work/told"
	sed -n 's/^id2e, ID [0-9]*, \(cn=g[0-9]*,dc=d\), .*: url-ignored: .*/\1/p' "$work/told"
}

same_listed() {
	local others
	sed -n 's/^dn: \(cn=g\)/\1/p' "$work/in.ldif" | sort -u >"$work/groups"
	{
		listed '(objectClass=groupOfURLs)' member
		listed '(objectClass=labeledURIObject)' description
	} | sort -u >"$work/listed"
	others=$(ignored | sort -u | comm -23 "$work/groups" -)
	[ -s "$work/listed" ] && diff "$work/listed" - <<<"$others"
}

# counted CLASS ATTRIBUTE: the line of these groups says how many there are, some of them ignored
counted() {
	local n
	n=$(grep -c "^$2: " "$work/in.ldif")
	grep "^  dynlist $1 $2: $n groups, $n URLs, [1-9][0-9]* ignored\$" "$work/told"
}

for ((seed = first; seed <= last; seed++)); do
	make_sites
	entries >"$work/in.ldif"
	start_slapd ref
	check "seed $seed: ldapadd" ldapadd -x -H "${url[ref]}" -D cn=Admin,dc=d -w secret -f "$work/in.ldif"
	check "seed $seed: ditadd" "$DITADD" -q -f "$work/dit/slapd.conf" -l "$work/in.ldif"
	check "seed $seed: lists" same_listed
	check "seed $seed: groups that list members" counted groupOfURLs memberURL
	check "seed $seed: groups that list values" counted labeledURIObject labeledURI
	stop_slapd
done
finish
