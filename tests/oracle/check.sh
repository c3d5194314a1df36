#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ditcheck finds nothing wrong with databases that slapadd, slapindex and slapd make, nor
# with ours: fixtures with both kinds of index keys, entries added to a database, changes
# by slapd while it runs and after it has stopped.
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${DITCHECK:?}" "${DITGEN:?}"

# clean DIR: the database and the subordinate ones
clean() {
	"$DITCHECK" --quick -f "$1/slapd.conf" >"$work/check.found" 2>&1 ||
		{
			cat "$work/check.found"
			return 1
		}
}

# fixture, configuration, options for both
while read -r name conf options; do
	[ -n "$name" ] || continue
	# shellcheck disable=SC2086 # several words
	for keys in integer bytes; do
		make_site "$work/dit" "$conf"
		ditadd_site "$work/dit" $options --index-keys $keys \
			-l "$DIT_TEST_DATA/ldif/$name.ldif"
		check "$name, $conf: ditadd, $keys" clean "$work/dit"
	done
	make_site "$work/ref" "$conf"
	# shellcheck disable=SC2086
	slapadd_site "$work/ref" $options -l "$DIT_TEST_DATA/ldif/$name.ldif"
	check "$name, $conf: slapadd" clean "$work/ref"
done <<-TABLE
	bare default -q
	holes default -c
	lists schema -c
	lists lists -q -c
	unicode kinds -c
	interleaved hash64 -q
	numbers intlen8 -q
	empty-suffix empty-suffix
	no-suffix-entry default -c
	sizes default -c
	more-rules certs -c
	grown-suffix grown-suffix
	nothing default
TABLE

# ---- values apart from their entries (id2v), lists as ranges, long values ----

for program in slapadd ditadd; do
	make_site "$work/apart" apart
	load_with "$([ $program = ditadd ] && echo "$DITADD" || echo slapadd)" \
		"$work/apart" -c -l "$DIT_TEST_DATA/apart/values.ldif"
	check "values apart: $program" clean "$work/apart"
	make_site "$work/bench" bench
	"$DITGEN" --entries 3000 >"$work/input.ldif"
	load_with "$([ $program = ditadd ] && echo "$DITADD" || echo slapadd)" \
		"$work/bench" -q -l "$work/input.ldif"
	check "3000 entries: $program" clean "$work/bench"
	check "slapindex" slapindex -q -f "$work/bench/slapd.conf"
	check "3000 entries: $program, slapindex" clean "$work/bench"
	"$DITGEN" --entries 3200 | awk 'BEGIN { RS = ""; ORS = "\n\n" } NR > 3100' \
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
	check "$site: beside slapd" clean "$work/$site"
	ldapmodify -c -x -H "${url[$site]}" -D "cn=Admin,$base" -w secret \
		-f "$DIT_TEST_DATA/served/changes.ldif" >"$work/$site/modify" 2>&1
	check "$site: beside slapd, after changes" clean "$work/$site"
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
	check "$site: was changed meanwhile" test "$(ldapsearch -x -LLL -H "${url[$site]}" \
		-b "cn=x599,$base" -s base 1.1)" = "dn: cn=x599,$base"
	check "$site: was checked meanwhile" test $n -gt 0
	echo "$site: checked $n times while slapd changed it"
done
stop_slapd
for site in ref dit; do
	check "$site: after slapd" clean "$work/$site"
done

finish
