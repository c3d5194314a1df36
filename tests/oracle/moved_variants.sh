#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Variants of the move of doc/upgrade-2.7.md: a database whose values stand apart and its
# accesslog, chosen with -b and with -n; the configurations as files and as cn=config; from
# Debian's OpenLDAP, or from that of MOVED_FROM=PREFIX, whose release is then MOVED_RELEASE
# [2.6]. slapd 2.7 serves both and logs a change; both go back.
#
# For openldap27.sh.
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${DITCAT:?}"
if [ "$DIT_OPENLDAP" != 2.7 ]; then
	echo "SKIPPED: no OpenLDAP 2.7 (openldap27.sh runs this script)" >&2
	exit 77
fi
suffixes=("$base" cn=accesslog)
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
		moduleload accesslog
		database mdb
		suffix $base
		rootdn cn=admin,$base
		rootpw secret
		directory $work/$1/one
		index cn eq,sub
		index member eq
		multival member,description 3,1
		overlay accesslog
		logdb cn=accesslog
		logops writes
		logold (objectClass=*)
		database mdb
		suffix cn=accesslog
		rootdn cn=accesslog
		directory $work/$1/two
		index reqType,reqDN pres,eq
	CONF
	check "$1: slaptest" "$4" -n 0 -f "$work/$1/slapd.conf" -F "$work/$1/slapd.d"
}

# entries: people with hashes of passwords, and a group of them all
entries() {
	printf 'dn: %s\nobjectClass: domain\ndc: example\n\n' "$base"
	seq 200 | awk -v base="$base" '{ printf "dn: cn=%d,%s\nobjectClass: person\n" \
		"cn: %d\nsn: x\nuserPassword: {SSHA}%028d\n\n", $1, base, $1, $1
		member = member "member: cn=" $1 "," base "\n" }
		END { printf "dn: cn=all,%s\nobjectClass: groupOfNames\n%s\n", base, member }'
}

# changes FIRST: of the group, of a list of values, a rename, a removal, an addition
changes() {
	cat <<-LDIF
		dn: cn=all,$base
		changetype: modify
		delete: member
		member: cn=$1,$base
		-
		add: member
		member: cn=new $1,$base

		dn: cn=$1,$base
		changetype: modrdn
		newrdn: cn=new $1
		deleteoldrdn: 1

		dn: cn=$(($1 + 1)),$base
		changetype: delete

		dn: cn=many $1,$base
		changetype: add
		objectClass: person
		cn: many $1
		sn: x
		$(printf 'description: %d\n' {1..20})
	LDIF
}

# changed SITE FIRST: slapd takes the changes and sets a password, which is good after that
changed() {
	local to=(-x -D "cn=admin,$base" -w secret)
	start_slapd "$1"
	check "$1: changes" ldapmodify "${to[@]}" -H "${url[$1]}" < <(changes "$2")
	check "$1: ldappasswd" ldappasswd "${to[@]}" -H "${url[$1]}" -s word "cn=new $2,$base"
	check "$1: ldapwhoami" ldapwhoami -x -H "${url[$1]}" -D "cn=new $2,$base" -w word
	stop_slapd
}

# compared ONE OTHER: both databases of both sites. slapd made cn=accesslog itself, without
# operational attributes; ditadd gives them to it, as slapadd does.
compared() {
	"$DITCHECK" --compare "$work/$1/one" "$work/$2/one" &&
		! "$DITCHECK" --compare "$work/$1/two" "$work/$2/two" 2>&1 |
		grep -v '^id2e: "cn=accesslog", [a-zA-Z]*, only in the second: '
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
	slapcat -f "$work/new/slapd.conf" -n 1 >"$work/new.1"
	check "$old, $new: slapcat" cmp "$work/old.1" "$work/new.1"
	check "$old, $new: nothing lost" compared old new
}

two_databases old $schema $modules $tools/slaptest
two_databases new "$DIT_SCHEMA_DIR" "$DIT_MODULE_PATH" slaptest
entries >"$work/input.ldif"
check "made by the old slapadd" $tools/slapadd -q -n 1 -f "$work/old/slapd.conf" \
	-l "$work/input.ldif"
PATH=$tools:${tools%/*}/libexec:$PATH changed old 1
$tools/slapcat -n 1 -f "$work/old/slapd.conf" >"$work/old.1"
check "values stand apart" grep -q "^id2v .* [1-9][0-9]*\$" \
	<("$DITCHECK" --quick --stats --database "$work/old/one")
check "five changes are logged" \
	[ "$($tools/slapcat -n 2 -f "$work/old/slapd.conf" | grep -c '^dn: reqStart')" = 5 ]
for old in "-f $work/old/slapd.conf" "-F $work/old/slapd.d"; do
	for new in "-f $work/new/slapd.conf" "-F $work/new/slapd.d"; do
		moved_with "$old" "$new" "-b ${suffixes[0]}" "-b ${suffixes[1]}"
		moved_with "$old" "$new" "-n 1" "-n 2"
	done
done

# ---- and back: slapd 2.7 has logged changes since then ----

changed new 11
slapcat -n 2 -f "$work/new/slapd.conf" >"$work/new.2"
check "the log goes on" [ "$(grep -c '^dn: reqStart' "$work/new.2")" = 10 ]
for from in slapcat "$DITCAT --openldap=2.7"; do
	rm "$work"/old/{one,two}/*
	for n in 1 2; do
		$from -n $n -f "$work/new/slapd.conf" |
			"$DITADD" "${release:---openldap=2.5}" -n $n -f "$work/old/slapd.conf" \
				>"$work/said" 2>&1
		check "$from: back" [ "${PIPESTATUS[*]}" = "0 0" ]
	done
	check "$from: nothing lost" compared new old
done
PATH=$tools:${tools%/*}/libexec:$PATH changed old 21
finish
