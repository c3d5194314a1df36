#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Variants of the move of doc/upgrade-2.7.md: two databases, chosen with -b and with -n; the
# configurations as files and as cn=config; from Debian's OpenLDAP, or from that of
# MOVED_FROM=PREFIX, whose release is then MOVED_RELEASE [2.6].
#
# For openldap27.sh.
. "${0%/*}/lib.sh"
: "${DITCAT:?}"
if [ "$DIT_OPENLDAP" != 2.7 ]; then
	echo "SKIPPED: no OpenLDAP 2.7 (openldap27.sh runs this script)" >&2
	exit 77
fi
suffixes=(dc=example,dc=com dc=other)
tools=/usr/sbin schema=/etc/ldap/schema modules=/usr/lib/ldap release=
if [ -n "${MOVED_FROM:-}" ]; then
	tools=$MOVED_FROM/sbin schema=$MOVED_FROM/etc/openldap/schema
	modules=$MOVED_FROM/libexec/openldap release=--openldap=${MOVED_RELEASE:-2.6}
fi

# two_databases SITE SCHEMA MODULES SLAPTEST
two_databases() {
	mkdir -p "$work/$1"/{one,two,slapd.d}
	cat >"$work/$1/slapd.conf" <<-CONF
		include $2/core.schema
		include $2/cosine.schema
		modulepath $3
		moduleload back_mdb
		database mdb
		suffix ${suffixes[0]}
		directory $work/$1/one
		index cn eq,sub
		database mdb
		suffix ${suffixes[1]}
		directory $work/$1/two
		index description,cn pres,eq
	CONF
	check "$1: slaptest" "$4" -n 0 -f "$work/$1/slapd.conf" -F "$work/$1/slapd.d"
}

# entries SUFFIX
entries() {
	printf 'dn: %s\nobjectClass: domain\ndc: %s\n\n' "$1" \
		"$(echo "$1" | sed 's/^dc=//; s/,.*//')"
	seq 1 50 | awk -v suffix="$1" '{ printf "dn: cn=%d,%s\nobjectClass: device\n" \
		"cn: %d\ndescription: text %d of %s\n\n", $1, suffix, $1, $1 * 7, suffix }'
}

# moved_with OLD-SOURCE NEW-SOURCE CHOICE...: CHOICE is how each database is chosen
moved_with() {
	local old=$1 new=$2 n choice
	shift 2
	rm -rf "$work"/new/{one,two}
	mkdir "$work"/new/{one,two}
	for choice; do
		# shellcheck disable=SC2086 # several words
		"$DITCAT" $release $old $choice | "$DITADD" $new $choice >"$work/said" 2>&1
		check "$old, $new, $choice" [ "${PIPESTATUS[*]}" = "0 0" ]
	done
	for n in 1 2; do
		slapcat -f "$work/new/slapd.conf" -n $n >"$work/new.$n"
		check "$old, $new: database $n" cmp "$work/old.$n" "$work/new.$n"
	done
}

two_databases old $schema $modules $tools/slaptest
two_databases new "$DIT_SCHEMA_DIR" "$DIT_MODULE_PATH" slaptest
for n in 1 2; do
	entries "${suffixes[n - 1]}" >"$work/input.ldif"
	check "made by the old slapadd" $tools/slapadd -q -n $n -f "$work/old/slapd.conf" \
		-l "$work/input.ldif"
	$tools/slapcat -n $n -f "$work/old/slapd.conf" >"$work/old.$n"
	check "database $n has entries" [ "$(grep -c '^dn:' "$work/old.$n")" = 51 ]
done
for old in "-f $work/old/slapd.conf" "-F $work/old/slapd.d"; do
	for new in "-f $work/new/slapd.conf" "-F $work/new/slapd.d"; do
		moved_with "$old" "$new" "-b ${suffixes[0]}" "-b ${suffixes[1]}"
		moved_with "$old" "$new" "-n 1" "-n 2"
	done
done
finish
