#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The nightly export of a provider, a consumer and both of a mirror pair, while changes come:
# each is written. The kinds of findings are those of sound.sh; here they meet ditkit-export.
#
# For openldap27.sh as well. From the environment: EXPORT_RUNS, of each of the four [3].
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
. "${0%/*}/sites_lib.sh"
: "${DITCHECK:?}" "${DITCAT:?}" "${DIT_SRCDIR:?}"
nruns=${EXPORT_RUNS:-3}

mkdir "$work/sbin"
ln -s "$DITADD" "$DITCAT" "$DITCHECK" "$work/sbin/"
sed "s,@sbindir@,$work/sbin,g" "$DIT_SRCDIR/doc/packaging/systemd/ditkit-export.in" \
	>"$work/ditkit-export"

# endless PREFIX: changes without end; the number of entries stays
endless() {
	awk -v people="ou=people,$base" -v prefix="$1" 'BEGIN {
		for (i = 0; ; i++) {
			print "dn: cn=" prefix i "," people "\nchangetype: add"
			print "objectClass: inetOrgPerson\nsn: s\nuid: " prefix i "\n"
			print "dn: cn=p" i % 40 + 1 "," people "\nchangetype: modify"
			print "replace: description\ndescription: " prefix i "\n"
			if (i >= 20)
				print "dn: cn=" prefix i - 20 "," people "\nchangetype: delete\n"
		}
	}'
}

# writes SITE PREFIX: from now on
writes() {
	ldapmodify -c -x -H "${url[$1]}" -D "$admin" -w secret < <(endless "$2") \
		>/dev/null 2>"$work/$1/modify" &
	writers+=($!)
	soon has "$1" "cn=${2}1*"
}
writers=()

# shellcheck disable=SC2317 # at the end
stop_writers() {
	[ ${#writers[@]} -eq 0 ] || kill "${writers[@]}" 2>/dev/null
	writers=()
}
atexit=(stop_writers "${atexit[@]}")

exported() { # exported SITE
	DITKIT_DIR=$work/$1/exports DITKIT_OPTIONS="-f $work/$1/slapd.conf -T 1" \
		sh "$work/ditkit-export" 1 >"$work/$1/said" 2>&1 || {
		cat "$work/$1/said"
		return 1
	}
}

# exports_of SITE...: in turn; the writers have not ended by then
exports_of() {
	local i site
	for ((i = 0; i < nruns; i++)); do
		for site; do
			check "$site: export $i" exported "$site"
		done
	done
	for i in "${writers[@]}"; do
		check "the writer is there" kill -0 "$i"
	done
	stop_writers
}

site p "overlay syncprov"
load p -w
start_slapd p
site c "$(follow 1 p)"
start_slapd c
soon has c cn=p40
writes p w
soon has c 'cn=w1*'
exports_of p c
stop c
stop p

mirror_pair
writes m1 a
writes m2 b
exports_of m1 m2
finish
