#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Copies of one provider's database (syncrepl, updatedn, multiprovider): slapadd warns of
# entries without entryUUID or entryCSN. The same warnings for each configuration, as
# slapd.conf and as cn=config, in every mode, with the empty DN, and in each database of
# several.
. "${0%/*}/lib.sh"

top=dc=example,dc=com
sync="syncrepl rid=1 provider=ldap://h searchbase=$top bindmethod=simple retry=\"5 +\""
uuid=entryUUID:\ 00000000-0000-1000-8000-00000000000
csn=entryCSN:\ 20260101000000.000000Z#000000#001#000000

# device CN [LINE...]
device() {
	printf 'dn: cn=%s,%s\nobjectClass: device\ncn: %s\n' "$1" $top "$1"
	[ $# -eq 1 ] || printf '%s\n' "${@:2}"
	echo
}

{
	printf 'dn: %s\nobjectClass: domain\ndc: example\n\n' $top
	device neither
	device uuid "${uuid}1"
	device csn "$csn"
	device both "${uuid}2" "$csn"
	device refused 'nosuch: x'
	device order "$csn" 'description: x' "${uuid}3"
	device 'a\2C b' 'cn: a, b' "creatorsName: cn=x"
} >"$work/input.ldif"

# compare NAME OPTION...: $work/input.ldif into both sites
compare() {
	local name=$1
	shift
	slapadd_site "$work/ref" "$@" -l "$work/input.ldif"
	ditadd_site "$work/dit" "$@" -l "$work/input.ldif"
	check "$name $*: messages" same_messages "$work/ref" "$work/dit"
	[ ! -e "$work/dit/db/data.mdb" ] ||
		check "$name $*: content" same_content --generated --ignore-integerkey \
			"$work/ref" "$work/dit"
}

# warnings SITE: how many
warnings() {
	grep -c 'PROGRAM: warning, missing attrs ' "$work/$1/stderr"
}

# configure LINES: both sites with the default configuration and these lines
configure() {
	local site
	for site in ref dit; do
		make_site "$work/$site" default
		sed -i '1i serverID 1' "$work/$site/slapd.conf"
		printf '%b' "$1" >>"$work/$site/slapd.conf"
	done
}

# How many warnings: before 2.7, since 2.7.
while IFS='|' read -r old new lines; do
	lines=${lines//SYNC/$sync}
	configure "$lines"
	compare "$lines" -c -v
	[ "$DIT_OPENLDAP" = 2.7 ] && old=$new
	check "$lines: $old warnings" test "$(warnings dit)" -eq "$old"
done <<'END'
0|0|
5|5|SYNC\n
5|5|updatedn cn=x\n
5|0|multiprovider off\n
0|0|SYNC\nmultiprovider on\n
5|5|SYNC\nmirrormode on\nmirrormode off\n
0|0|SYNC\nmultiprovider on\nSYNC\n
0|0|updatedn cn=x\nmirrormode on\n
0|0|lastmod off\nSYNC\n
5|5|readonly on\nSYNC\nupdateref ldap://h\n
END

for options in '-q -c' '-u -c' '-w -c' '-s -c' '-n 1 -c' ''; do
	configure "$sync\n"
	# shellcheck disable=SC2086 # several words
	compare syncrepl $options
done
check "stopped at the first refused record: warnings" test "$(warnings dit)" -eq 4

# as cn=config
configure "$sync\n"
for lines in "$sync\n" "updatedn cn=x\n" "$sync\nmultiprovider on\n" 'multiprovider off\n'; do
	configure "$lines"
	for site in ref dit; do
		mkdir "$work/$site/tree"
		slaptest -f "$work/$site/slapd.conf" -F "$work/$site/tree" \
			>"$work/slaptest.out" 2>&1
		empty_site "$work/$site"
	done
	(cd "$work" && slapadd -F ref/tree -c -l input.ldif) 2>&1 |
		sed 's/^.* 0x[0-9a-f]* //; s/^slapadd: /PROGRAM: /' >"$work/ref/stderr"
	(cd "$work" && "$DITADD" --explain=no -F dit/tree -c -l input.ldif) 2>&1 |
		sed 's/^ditadd: /PROGRAM: /; /^OpenLDAP 2\.[0-9], as /d' >"$work/dit/stderr"
	check "tree, $lines: messages" diff -a "$work/ref/stderr" "$work/dit/stderr"
done

# The entry without a DN.
printf 'dn:\nobjectClass: device\ncn: r\n\ndn: ou=x\nobjectClass: organizationalUnit\nou: x\n' \
	>"$work/input.ldif"
for site in ref dit; do
	make_site "$work/$site" empty-suffix
	grep -q '^rootdn' "$work/$site/slapd.conf" || echo 'rootdn cn=x' >>"$work/$site/slapd.conf"
	echo "updatedn cn=x" >>"$work/$site/slapd.conf"
done
compare "empty DN" -c
check "empty DN: warnings" test "$(warnings dit)" -eq \
	"$([ "$DIT_OPENLDAP" = 2.7 ] && echo 1 || echo 2)"

finish
