#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# As many indexes as slapd opens are loaded and served; one more is refused as slapadd
# refuses it, before anything is read. In a glued database below the chosen one as well.
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"

# add_indexes N: directives
add_indexes() {
	local i
	for ((i = 1; i <= $1; i++)); do
		printf 'index att%03d eq\n' $i
	done
}

# make_indexed DIR N [M]: a site with N indexes, and M in a database below
make_indexed() {
	local i
	rm -rf "$1"
	mkdir -p "$1/db" "$1/db-other"
	{
		echo "include $DIT_SCHEMA_DIR/core.schema"
		for ((i = 1; i <= 300; i++)); do
			printf 'attributetype ( 1.3.6.1.4.1.99999.3.%d' $i
			printf " NAME 'att%03d' EQUALITY caseIgnoreMatch" $i
			echo " SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )"
		done
		echo "objectclass ( 1.3.6.1.4.1.99999.2 NAME 'thing' SUP top STRUCTURAL"
		echo "  MUST dc MAY ( att001 \$ att123 \$ att124 ) )"
		echo "modulepath $DIT_MODULE_PATH"
		echo "moduleload back_mdb"
		if [ -n "${3:-}" ]; then
			echo "database mdb"
			echo 'suffix "dc=sub,dc=example,dc=com"'
			echo "directory $1/db-other"
			echo "subordinate"
			add_indexes "$3"
		fi
		echo "database mdb"
		echo 'suffix "dc=example,dc=com"'
		echo "directory $1/db"
		add_indexes "$2"
	} >"$1/slapd.conf"
}

cat >"$work/input.ldif" <<'LDIF'
dn: dc=example,dc=com
objectClass: thing
dc: example
att001: first
att123: last but one
att124: last
structuralObjectClass: thing
entryUUID: 00000000-0000-1000-8000-000000000001
creatorsName: cn=admin,dc=example,dc=com
createTimestamp: 20260101000000Z
entryCSN: 20260101000000.000001Z#000000#000#000000
modifiersName: cn=admin,dc=example,dc=com
modifyTimestamp: 20260101000000Z

LDIF
echo "this is no LDIF" >"$work/bad.ldif"

# The indexes that this slapd opens: 2.5 124, later releases more, 2.7 that of objectClass as well.
for limit in 252 251 250 124 123 0; do
	make_indexed "$work/ref" $limit
	slapadd_site "$work/ref" -l "$work/input.ldif"
	[ "$(cat "$work/ref/exit")" -ne 0 ] || break
done
check "slapadd has a limit" test "$limit" -gt 0
# 2.7 has an index of objectClass as well.
counted=$limit
[ "$DIT_OPENLDAP" != 2.7 ] || counted=$((limit + 1))
make_indexed "$work/dit" "$limit"
ditadd_site "$work/dit" --index-keys=bytes -l "$work/input.ldif"
check "$limit indexes: messages" same_messages "$work/ref" "$work/dit"
check "$limit indexes: content" same_content "$work/ref" "$work/dit"
start_slapd dit
found() { ldapsearch -x -LLL -o ldif-wrap=no -H "${url[dit]}" -b "$base" "$1" dn | grep -c '^dn:'; }
check "$limit indexes: the first is served" test "$(found att001=first)" -eq 1
check "$limit indexes: a late one is served" test "$(found 'att123=last but one')" -eq 1
stop_slapd

# same_refusal NAME: slapd's order of indexes depends on where its memory lies
same_refusal() {
	sed -i 's/mdb_dbi_open([a-zA-Z0-9]*)/mdb_dbi_open(ATT)/' "$work"/{ref,dit}/stderr
	check "$1: last line" grep -q "has $((counted + 1)) indexes, slapd 2\..* opens $counted at most" \
		"$work/dit/stderr"
	sed -i '/ indexes, slapd 2\./d' "$work/dit/stderr"
	check "$1: messages" same_messages "$work/ref" "$work/dit"
	check "$1: the reference" grep -q MDB_DBS_FULL "$work/ref/stderr"
	check "$1: nothing is left" untouched "$work/dit"
}

for options in "-l $work/input.ldif" "-l $work/bad.ldif" "-q -l $work/input.ldif" \
	"-d 0 -l $work/input.ldif" "-l $work/none.ldif" "-u -l $work/input.ldif"; do
	for site in ref dit; do
		make_indexed "$work/$site" $((limit + 1))
	done
	# shellcheck disable=SC2086 # words
	slapadd_site "$work/ref" $options
	# shellcheck disable=SC2086
	ditadd_site "$work/dit" $options
	case $options in
	*none* | -u*) check "one more, $options" same_messages "$work/ref" "$work/dit" ;;
	-d*)
		sed -i '/ indexes, slapd 2\./d' "$work/dit/stderr"
		check "one more, $options" same_messages "$work/ref" "$work/dit"
		;;
	*) same_refusal "one more, $options" ;;
	esac
done

# The patch level of a release that is not here is not known: the lowest limit holds.
for release in 2.5:124 2.6:123; do
	lowest=${release#*:}
	[ -z "$DIT_OPENLDAP" ] || continue # told by the slapd of configure
	if slapd -VV 2>&1 | grep -qF "slapd ${release%:*}."; then
		continue
	fi
	make_indexed "$work/dit" "$lowest"
	ditadd_site "$work/dit" "--openldap=${release%:*}" -l "$work/input.ldif"
	check "as $release: status" grep -qx 0 "$work/dit/exit"
	make_indexed "$work/dit" $((lowest + 1))
	ditadd_site "$work/dit" "--openldap=${release%:*}" -l "$work/input.ldif"
	check "as $release, one more: message" grep -q \
		"has $((lowest + 1)) indexes, slapd ${release%:*}.0 opens $lowest at most" \
		"$work/dit/stderr"
	check "as $release, one more: status" grep -qx 1 "$work/dit/exit"
done

for counts in "1 $((limit + 1))" "$((limit + 1)) 1"; do
	for site in ref dit; do
		# shellcheck disable=SC2086
		make_indexed "$work/$site" $counts
	done
	slapadd_site "$work/ref" -b "$base" -l "$work/input.ldif"
	ditadd_site "$work/dit" -b "$base" -l "$work/input.ldif"
	same_refusal "glued, $counts indexes"
done
finish
