#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Glued databases (config.md 5): one run writes the superior database and those below it,
# each with IDs, attribute numbers and indexes of its own; with -g, -n and -b other things
# happen. ditadd has to make what slapadd makes, empty files included.
. "${0%/*}/lib.sh"

# Directories of the site that are databases, the superior one first.
databases="db db-other db-later db-apart"

# make_glued DIR: a site with all of them empty; the subordinates are hidden if hidden is set
hidden=
make_glued() {
	make_site "$1" glue
	mkdir "$1/db-apart"
	[ -z "$hidden" ] || sed -i 's/^subordinate/&\nhidden on/' "$1/slapd.conf"
}

# operational NUMBER
operational() {
	local n
	n=$(printf '%012x' "$1")
	echo "entryUUID: 00000000-0000-1000-8000-$n"
	echo "creatorsName: cn=admin,dc=example,dc=com"
	echo "createTimestamp: 20260101000000Z"
	echo "entryCSN: 20260101000000.${n:6}Z#000000#000#000000"
	echo "modifiersName: cn=admin,dc=example,dc=com"
	echo "modifyTimestamp: 20260101000000Z"
	echo
}

number=0
# person DN: its sn is its cn, spelled with capitals
person() {
	number=$((number + 1))
	local cn=${1%%,*}
	printf 'dn: %s\nobjectClass: person\ncn: %s\nsn: Common\n' "$1" "${cn#*=}"
	echo "structuralObjectClass: person"
	operational $number
}

unit() {
	number=$((number + 1))
	local ou=${1%%,*}
	printf 'dn: %s\nobjectClass: organizationalUnit\nou: %s\n' "$1" "${ou#*=}"
	echo "structuralObjectClass: organizationalUnit"
	operational $number
}

domain() {
	number=$((number + 1))
	printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n'
	echo "structuralObjectClass: domain"
	operational $number
}

top=dc=example,dc=com

# people DN COUNT
people() {
	local i
	for ((i = 0; i < $2; i++)); do
		person "cn=Person $i,$1"
	done
}

# same_databases REFERENCE DIR: all that slapadd made, and nothing else
# shellcheck disable=SC2317 # called by check
same_databases() {
	local name
	for name in $databases; do
		if [ -e "$1/$name/data.mdb" ]; then
			compare_databases --ignore-integerkey "$1/$name" "$2/$name" || return 1
			[ "$(cd "$2/$name" && echo *)" = "data.mdb lock.mdb" ] || return 1
		elif [ -n "$(ls -A "$2/$name")" ]; then
			echo "$name is not empty"
			return 1
		fi
	done
}

# compare NAME OPTION...: load $work/input.ldif with both
compare() {
	local name=$1 threads
	shift
	[ "${1-}" = --quiet ] && shift || set -- -v "$@"
	make_glued "$work/ref"
	slapadd_site "$work/ref" "$@" -l "$work/input.ldif"
	! died "$work/ref" "$name ($*)" || return 0
	for threads in 1 2; do
		make_glued "$work/dit"
		ditadd_site "$work/dit" "$@" -T $threads --memory 8M \
			-l "$work/input.ldif"
		check "$name ($*) -T $threads: messages" same_messages "$work/ref" "$work/dit"
		check "$name ($*) -T $threads: content" same_databases "$work/ref" "$work/dit"
	done
}

# Entries of all databases mixed, parents first.
{
	domain
	unit "ou=Own,$top"
	unit "ou=sub,$top"
	person "cn=a,ou=Own,$top"
	person "cn=a,ou=sub,$top"
	unit "ou=Deep,ou=Sub,$top"
	people "ou=deep,ou=sub,$top" 20
	people "ou=own,$top" 20
	unit "ou=More,ou=sub,$top"
	people "ou=more,ou=sub,$top" 20
	people "ou=Deep,ou=sub,$top" 1 | sed 's/Person 0/Last One/'
} >"$work/input.ldif"
compare "mixed" -b "$top"
compare "mixed" -b "$top" -q
compare "mixed" -b "cn=any,ou=own,$top"
compare "mixed" -b "$top" -g -c
compare "mixed" -c
compare "mixed" -c -g
compare "mixed" -n 4 -c
compare "mixed" -n 2 -c
compare "mixed" -n 1 -c -q
compare "mixed" -g -n 4 -c
compare "mixed" -b "ou=sub,$top" -c
compare "mixed" -g -b "ou=sub,$top" -c
compare "mixed" -b "$top" -u
compare "mixed" -b "$top" -s

hidden=yes
compare "hidden" -n 4 -c
compare "hidden" -b "$top" -c
compare "hidden" -n 4 -g -c
compare "hidden" -n 2 -c
hidden=

# Without the database apart the superior one is the default.
for options in "" "-g" "-q -g" "-u -g"; do
	for dir in ref dit; do
		make_glued "$work/$dir"
		sed -i '/^suffix "ou=apart/,/^database mdb/d' "$work/$dir/slapd.conf"
	done
	# shellcheck disable=SC2086 # several words
	slapadd_site "$work/ref" -v $options -l "$work/input.ldif"
	# shellcheck disable=SC2086 # several words
	ditadd_site "$work/dit" -v $options -l "$work/input.ldif"
	check "by default $options: messages" same_messages "$work/ref" "$work/dit"
	check "by default $options: content" same_databases "$work/ref" "$work/dit"
done

# Nothing for one, or any: empty databases with all their named databases.
{
	domain
	people "$top" 3
} >"$work/input.ldif"
compare "superior only" -b "$top"
{
	unit "ou=sub,$top"
	people "ou=sub,$top" 3
} >"$work/input.ldif"
compare "subordinate only" -b "$top"
: >"$work/input.ldif"
compare "no entries" -b "$top"
compare "no entries" -n 4
compare "no entries" -b "$top" -g

# Holes end at the border of a database: no look-up asks for a subordinate's parent in the
# superior. The last database written is the last to tell.
{
	domain
	person "cn=a,ou=b,ou=a,ou=sub,$top"
} >"$work/input.ldif"
compare "holes in the subordinate" -b "$top"
{
	unit "ou=sub,$top"
	person "cn=a,ou=b,ou=a,$top"
} >"$work/input.ldif"
compare "holes in the superior" -b "$top"
{
	person "cn=a,ou=b,ou=sub,$top"
	person "cn=a,ou=deep,ou=sub,$top"
	person "cn=a,ou=b,$top"
} >"$work/input.ldif"
compare "holes everywhere" --quiet -b "$top"
{
	domain
	person "cn=a,ou=b,ou=a,ou=sub,$top"
	unit "ou=b,ou=a,ou=sub,$top"
	unit "ou=sub,$top"
	unit "ou=a,ou=sub,$top"
} >"$work/input.ldif"
compare "holes filled" -b "$top"

# A database that is apart is not glued, and its entries are refused.
{
	domain
	person "cn=a,ou=apart,$top"
	person "cn=a,dc=elsewhere"
} >"$work/input.ldif"
compare "apart" -b "$top" -c
compare "apart" -b "$top" -g -c
{
	domain
	person "cn=a,ou=sub,$top"
	person "cn=b,ou=sub,$top"
	person "cn=a,ou=sub,$top"
} >"$work/input.ldif"
compare "duplicate" -b "$top" -c

# slapadd lists holes whenever it leaves a database, even those that are filled later, and
# fails only for the last one; here the list comes once, and what is missing is an error.
{
	domain
	person "cn=a,ou=b,ou=sub,$top"
	person "cn=b,$top"
	unit "ou=sub,$top"
	person "cn=c,$top"
} >"$work/input.ldif"
make_glued "$work/ref"
make_glued "$work/dit"
slapadd_site "$work/ref" -q -b "$top" -l "$work/input.ldif"
ditadd_site "$work/dit" -q -b "$top" -l "$work/input.ldif"
check "interleaved holes: content" same_databases "$work/ref" "$work/dit"
check "interleaved holes: told once" diff - "$work/dit/stderr" <<END
Error, entries missing!
  entry 2: ou=b,ou=sub,$top
END
check "interleaved holes: exit" grep -qx 1 "$work/dit/exit"

# A failure changes nothing in any of them.
{
	domain
	unit "ou=sub,$top"
	people "ou=sub,$top" 10
	unit "ou=deep,ou=sub,$top"
	person "cn=a,dc=elsewhere"
} >"$work/input.ldif"
make_glued "$work/dit"
ditadd_site "$work/dit" -b "$top" -l "$work/input.ldif"
check "refused: exit" grep -qx 1 "$work/dit/exit"
for name in $databases; do
	check "refused: $name" test -z "$(ls -A "$work/dit/$name")"
done

# A subordinate whose superior is not there, and one that takes no entries from tools.
for options in "" "-n 1" "-g"; do
	for dir in ref dit; do
		make_glued "$work/$dir"
		sed -i 's/^suffix "dc=example,dc=com"/suffix "dc=other"/' \
			"$work/$dir/slapd.conf"
	done
	# shellcheck disable=SC2086 # several words
	slapadd_site "$work/ref" $options -l /dev/null
	# shellcheck disable=SC2086 # several words
	ditadd_site "$work/dit" $options -l /dev/null
	check "no superior $options" same_messages "$work/ref" "$work/dit"
	check "no superior $options: content" same_databases "$work/ref" "$work/dit"
done

for dir in ref dit; do
	make_glued "$work/$dir"
	sed -i '/^rootdn "cn=sub/d; /^lastmod off/d; /^maxsize/d; /^index sn pres/d
		/^directory .*db-other/,/^index/d' "$work/$dir/slapd.conf"
	sed -i '/^moduleload back_mdb/a moduleload back_ldap' "$work/$dir/slapd.conf"
	awk '/^database/ && ++n == 2 { print "database ldap"; next } { print }' \
		"$work/$dir/slapd.conf" >"$work/$dir/new.conf"
	mv "$work/$dir/new.conf" "$work/$dir/slapd.conf"
done
{
	domain
	unit "ou=sub,$top"
	unit "ou=deep,ou=sub,$top"
} >"$work/input.ldif"
if [ -e "$DIT_MODULE_PATH/back_ldap.la" ]; then
	slapadd_site "$work/ref" -b "$top" -c -v -l "$work/input.ldif"
	ditadd_site "$work/dit" -b "$top" -c -v -l "$work/input.ldif"
	sed -i 's/database #2 is of type ldap$//' "$work/dit/stderr"
	check "a subordinate of type ldap: messages" same_messages "$work/ref" "$work/dit"
	check "a subordinate of type ldap: content" same_databases "$work/ref" "$work/dit"
else
	echo "a subordinate of type ldap: not compared, back_ldap is not installed"
fi

finish
