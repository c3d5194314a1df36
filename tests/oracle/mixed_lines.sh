#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Cases that other comparisons leave out for the sake of slapadd 2.6.11 to 2.7.0 (leave_out_mixed
# in lib.sh) is what that slapadd gets wrong, record by record: it dies, refuses the record,
# or stores other values than those that the record gives to each attribute. ditadd for the
# same release stores these values.
#
# The values are those that ditadd for 2.5 stores, which content.sh compares with slapadd's.
#
# For openldap27.sh.
. "${0%/*}/lib.sh"
. "${0%/*}/fixtures.sh"
: "${DITCAT:?}"
if [ -z "$DIT_OPENLDAP" ]; then
	echo "SKIPPED: no other OpenLDAP (openldap27.sh runs this script)" >&2
	exit 77
fi

# values SITE PROGRAM: the lines of all entries, sorted within their entry, without doubles
# (2.5 has several blocks of an attribute), without those that each load makes up and without attributes that slapd computes
values() {
	"$2" -f "$work/$1/slapd.conf" -o ldif-wrap=no 2>/dev/null |
		sed '/^\(entryUUID\|entryCSN\|structuralObjectClass\): /d
			/^\(create\|modify\)Timestamp: /d; /^\(creators\|modifiers\)Name: /d
			/^\(entryDN\|hasSubordinates\|subschemaSubentry\): /d' |
		awk '/^dn:/ { dn = $0 } NF { print dn "\t" $0 }' | sort -u
}

# one_record NAME CONF OPTION...: $work/one.ldif, after the entry of the suffix
one_record() {
	local name=$1 site
	shift 2
	for site in ref dit was; do
		empty_site "$work/$site"
	done
	slapadd_site "$work/ref" -c "$@" -l "$work/one.ldif" 2>/dev/null
	ditadd_site "$work/dit" -c "$@" -l "$work/one.ldif"
	ditadd_site "$work/was" --openldap=2.5 -c "$@" -l "$work/one.ldif"
	values ref slapcat >"$work/ref/values"
	values dit slapcat >"$work/dit/values"
	values was "$DITCAT" >"$work/was/values"
	nrecords=$((nrecords + 1))
	if same_messages "$work/ref" "$work/dit" >"$work/same" &&
		diff -a "$work/ref/values" "$work/was/values" >"$work/differs"; then
		check "$name: slapadd gets the record wrong" false
		cat "$work/one.ldif" >&2
		return
	fi
	if grep -q "$rules" "$work/dit/stderr"; then
		nrefused=$((nrefused + 1)) # a rule of these releases, told by ditadd as well
		return
	fi
	check "$name: ditadd stores what the record says" \
		diff -a "$work/was/values" "$work/dit/values"
}

# each_record NAME CONF OPTION...: what is left out of $work/input.ldif
each_record() {
	local name=$1 n
	leave_out_mixed "$work/ref" "$work/input.ldif" "${@:3}"
	[ -e "$work/input.ldif.mixed" ] || return 0
	awk -v dir="$work" 'BEGIN { n = 1 }
		{ sub(/\r$/, "") }
		/^$/ { if (some) { close(file); n++; some = 0 } next }
		{ file = dir "/mixed." n; print >file; some = 1 }' "$work/input.ldif.mixed"
	for ((n = 1; ; n++)); do
		[ -e "$work/mixed.$n" ] || break
		mv "$work/mixed.$n" "$work/one.ldif"
		one_record "$name ${*:3}, record $n" "${@:2}"
	done
}

rules='presented under multiple names\|not allowed\|cannot have multiple values'
rules+='\|structuralObjectClass'
nrecords=0
nrefused=0
while read -r fixture conf _ rest; do
	[ -n "$fixture" ] && ! lacks_module "$conf" || continue
	read -ra options <<<"$rest"
	for site in ref dit was; do
		make_site "$work/$site" "$conf"
	done
	for mode in '-n 1' -q; do
		[[ " $rest " != *' -'[bn]' '* ]] || mode=${mode#-n 1}
		fill_in "$work" <"$DIT_TEST_DATA/ldif/$fixture.ldif" >"$work/input.ldif"
		# shellcheck disable=SC2086 # two words
		each_record "$fixture/$conf" "$conf" $mode "${options[@]}"
	done
done <<<"$table"
echo "$nrecords records left out elsewhere; of these ditadd refuses $nrefused, too"
check "some records are left out" [ $nrecords -gt 10 ]

finish
