#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ditcheck finds nothing wrong with databases that slapadd, slapindex and slapd make, nor
# with ours: all fixtures with both kinds of index keys, entries added to a database, changes
# by slapd while it runs and after it has stopped, random ones as well.
#
# In "make check" a fixture is loaded in one of three ways, in turn. With DIT_LONG=yes in
# each, with 3,000 entries added to and 10,000 random changes.
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
. "${0%/*}/fixtures.sh"
: "${DITCHECK:?}" "${DITGEN:?}"

# clean DIR [OPTION...]: the database and the subordinate ones
clean() {
	local dir=$1
	shift
	"$DITCHECK" -f "$dir/slapd.conf" "$@" >"$work/check.found" 2>&1 ||
		{
			cat "$work/check.found"
			return 1
		}
}

# of_choice OPTION...: those that choose a database
of_choice() {
	while [ $# -gt 0 ]; do
		case $1 in
		-b | -n) echo "$1 $2" ;;
		esac
		shift
	done
}

nthreads=1
while read -r name conf _ options; do
	[ -n "$name" ] || continue
	# slapadd -s stores an entry that lacks the value that names it: a finding.
	[ "$name $options" != "bare -s" ] || continue
	! lacks_module "$conf" || continue
	# shellcheck disable=SC2046,SC2086 # several words
	choice=$(of_choice $options)
	turn 1 # so that each has its turns
	for program in slapadd integer bytes; do
		turn 3 || continue
		make_site "$work/site" "$conf"
		fill_in "$work/site" <"$DIT_TEST_DATA/ldif/$name.ldif" >"$work/input.ldif"
		# shellcheck disable=SC2086
		if [ $program = slapadd ]; then
			slapadd_site "$work/site" $options -l "$work/input.ldif"
		else
			ditadd_site "$work/site" $options --index-keys $program \
				-l "$work/input.ldif"
		fi
		# A later release refuses records that 2.5 takes.
		[ -e "$work/site/db/data.mdb" ] || [ -z "$DIT_OPENLDAP" ] || continue
		# shellcheck disable=SC2086
		check "$name, $conf $options: $program" clean "$work/site" -T $nthreads $choice
		nthreads=$((nthreads % 3 + 1))
	done
done <<<"$table"

# ---- values apart from their entries (id2v), lists as ranges, long values ----

nbench=500
[ "${DIT_LONG:-}" != yes ] || nbench=3000
for program in slapadd ditadd; do
	make_site "$work/apart" apart
	load_with "$([ $program = ditadd ] && echo "$DITADD" || echo slapadd)" \
		"$work/apart" -c -l "$DIT_TEST_DATA/apart/values.ldif"
	check "values apart: $program" clean "$work/apart"
	make_site "$work/bench" bench
	"$DITGEN" --entries $nbench >"$work/input.ldif"
	load_with "$([ $program = ditadd ] && echo "$DITADD" || echo slapadd)" \
		"$work/bench" -q -l "$work/input.ldif"
	check "$nbench entries: $program" clean "$work/bench"
	check "slapindex" slapindex -q -f "$work/bench/slapd.conf"
	check "$nbench entries: $program, slapindex" clean "$work/bench"
	"$DITGEN" --entries $((nbench + 200)) | awk -v n=$((nbench + 100)) \
		'BEGIN { RS = ""; ORS = "\n\n" } NR > n' \
		>"$work/more.ldif"
	load_with "$([ $program = ditadd ] && echo "$DITADD" || echo slapadd)" \
		"$work/bench" -c -l "$work/more.ldif"
	check "more entries: $program" clean "$work/bench"
done

# ---- served and changed by slapd ----

for site in ref dit; do
	make_site "$work/$site"
	sed -i 's/^database mdb/sizelimit unlimited\n&/; $a rootpw secret' \
		"$work/$site/slapd.conf"
	"$DITGEN" --entries 400 >"$work/input.ldif"
done
slapadd_site "$work/ref" -q -l "$work/input.ldif"
ditadd_site "$work/dit" -q -l "$work/input.ldif"
for site in ref dit; do
	start_slapd $site
	check "$site: next to slapd" clean "$work/$site"
	ldapmodify -c -x -H "${url[$site]}" -D "cn=Admin,$base" -w secret \
		-f "$DIT_TEST_DATA/served/changes.ldif" >"$work/$site/modify" 2>&1
	check "$site: next to slapd, after changes" clean "$work/$site"
	# Entries come and go while the check runs.
	for ((i = 0; i < 600; i++)); do
		printf 'dn: cn=x%d,%s\nchangetype: add\nobjectClass: person\nsn: s%d\n\n' \
			$i $base $i
		printf 'dn: cn=x%d,%s\nchangetype: delete\n\n' $((i - 20)) $base
	done >"$work/many.ldif"
	ldapmodify -c -x -H "${url[$site]}" -D "cn=Admin,$base" -w secret \
		-f "$work/many.ldif" >/dev/null 2>&1 &
	changes=$!
	n=0
	while kill -0 $changes 2>/dev/null; do
		check "$site: while slapd changes it" clean "$work/$site"
		n=$((n + 1))
	done
	check "$site: was changed during the checks" test "$(ldapsearch -x -LLL -H "${url[$site]}" \
		-b "cn=x599,$base" -s base 1.1)" = "dn: cn=x599,$base"
	check "$site: was checked during the changes" test $n -gt 0
	echo "$site: checked $n times while slapd changed it"
done
stop_slapd
for site in ref dit; do
	check "$site: after slapd" clean "$work/$site"
done

# ---- random changes by slapd ----

# random_changes N: changes of all kinds to the directory of ditgen, some of them refused
random_changes() {
	awk -v n="$1" -v base="$base" '
	function random(below) {
		seed = (seed * 1103515245 + 12345) % 2147483648
		return int(seed / 65536) % below
	}
	function word() { return words[1 + random(nwords)] }
	function some_dn() { return "cn=r" random(60) "," (random(3) ? "" : "ou=new" random(5) ",") base }
	BEGIN {
		seed = 7
		nwords = split("Anna  Bert\303\251 CLARA d e\\20f Gustav-Adolf 12 +49 Zo\303\253", words, " ")
		for (i = 0; i < 5; i++)
			printf "dn: ou=new%d,%s\nchangetype: add\nobjectClass: organizationalUnit\n\n", i, base
		for (; i < n; i++) {
			kind = random(10)
			if (kind < 3) {
				printf "dn: %s\nchangetype: add\nobjectClass: inetOrgPerson\n", some_dn()
				printf "sn: %s\n", word()
				for (k = random(4); k > 0; k--) printf "description: %s %s %d\n", word(), word(), random(9)
				printf "telephoneNumber: %d\nuid: u%d\n\n", random(1000), random(50)
			} else if (kind < 4) {
				printf "dn: %s\nchangetype: delete\n\n", some_dn()
			} else if (kind < 6) {
				printf "dn: %s\nchangetype: modrdn\nnewrdn: cn=r%d\ndeleteoldrdn: %d\n", some_dn(), random(60), random(2)
				if (random(2)) printf "newsuperior: ou=new%d,%s\n", random(5), base
				print ""
			} else if (kind < 7) {
				printf "dn: %s\nchangetype: modify\nreplace: description\n", some_dn()
				for (k = random(4); k > 0; k--) printf "description: %s %d\n", word(), random(99)
				print "-\n"
			} else if (kind < 8) {
				printf "dn: %s\nchangetype: modify\nadd: mail\nmail: m%d@x\n-\n\n", some_dn(), random(9)
			} else if (kind < 9) {
				printf "dn: %s\nchangetype: modify\ndelete: mail\nmail: M%d@X\n-\n\n", some_dn(), random(9)
			} else {
				printf "dn: %s\nchangetype: modify\nreplace: sn\nsn: %s\n-\nadd: cn\ncn;lang-de: %s\n-\n\n", some_dn(), word(), word()
			}
		}
	}'
}

n=1000
[ "${DIT_LONG:-}" != yes ] || n=10000
random_changes $n >"$work/random.ldif"
for site in ref dit; do
	start_slapd $site
	ldapmodify -c -x -H "${url[$site]}" -D "cn=Admin,$base" -w secret \
		-f "$work/random.ldif" >"$work/$site/modify" 2>&1
	check "$site: next to slapd, after $n random changes" clean "$work/$site"
	echo "$site: $(grep -c '^ldap_' "$work/$site/modify") of $n changes were refused"
done
stop_slapd
for site in ref dit; do
	check "$site: after slapd and random changes" clean "$work/$site"
done

finish
