#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Values that slapadd does not survive, and with it all that it had not stored yet. Here
# their record is left out with an error of its own, and the rest is what slapadd makes of
# the input without it.
. "${0%/*}/lib.sh"

# attribute, value in base64, what we say. One a line; columns are separated by tabs. Where
# it says "damaged", slapadd writes past its memory and dies later, or not at all.
table='
damaged tINT		an empty integer has no index key
tINT	LS0x	not an integer, and has no index key
tINT	IC0yODgyMzAzNzYxNTE3MTE3NDM=	not an integer, and has no index key
tNSM		smr_normalize tNSM 21
tCEIA	YWJj/2RlZiBGb28=	text that is not UTF-8 has no approximate index key
tDN	dFVNPWNuPWFcLHRBdXRoej0=	smr_normalize tDN 21
tCIIA	wyg=	text that is not UTF-8 has no approximate index key
'

# record NUMBER ATTRIBUTE BASE64
record() {
	printf 'dn: cn=%s,dc=x\nobjectClass: device\nobjectClass: extensibleObject\n' "$1"
	if [ -n "$3" ]; then
		printf '%s:: %s\n\n' "$2" "$3"
	else
		printf '%s:\n\n' "$2"
	fi
}

# input ATTRIBUTE BASE64: records around one with that value
input() {
	printf 'dn: dc=x\nobjectClass: domain\ndc: x\n\n'
	record 1 description YQ==
	[ $# -eq 0 ] || record 2 "$1" "$2"
	record 3 description Yg==
}

while IFS= read -r line; do
	[ -n "$line" ] || continue
	attribute=${line%%	*}
	is_damaged=false
	if [[ $attribute = damaged* ]]; then
		is_damaged=true
		attribute=${attribute#damaged }
	fi
	line=${line#*	}
	value=${line%%	*}
	text=${line#*	}
	what="$attribute '$value'"
	for site in ref dit; do
		make_site "$work/$site" values
	done

	input "$attribute" "$value" >"$work/input.ldif"
	slapadd_site "$work/ref" -c -q -l "$work/input.ldif"
	$is_damaged || check "$what: slapadd dies" test "$(cat "$work/ref/exit")" -ge 128
	ditadd_site "$work/dit" -c -q -l "$work/input.ldif"
	check "$what: told" grep -q "$text" "$work/dit/stderr"
	check "$what: exit status" diff "$work/dit/exit" - <<<0
	empty_site "$work/ref"
	input >"$work/rest.ldif"
	slapadd_site "$work/ref" -c -q -l "$work/rest.ldif"
	check "$what: the rest" same_content --ignore-integerkey "$work/ref" "$work/dit"

	empty_site "$work/dit"
	ditadd_site "$work/dit" -q -l "$work/input.ldif"
	check "$what: told without -c" grep -q "$text" "$work/dit/stderr"
	check "$what: exit status without -c" diff "$work/dit/exit" - <<<1
	check "$what: nothing stored" untouched "$work/dit"
done <<<"$table"

# Without the index an empty integer is a value like any other.
for site in ref dit; do
	make_site "$work/$site" values
	sed -i 's/tBOOL,tINT,/tBOOL,/' "$work/$site/slapd.conf"
done
input tINT '' >"$work/input.ldif"
slapadd_site "$work/ref" -q -l "$work/input.ldif"
ditadd_site "$work/dit" -q -l "$work/input.ldif"
check "empty integer without index: messages" same_messages "$work/ref" "$work/dit"
check "empty integer without index" same_content --ignore-integerkey \
	"$work/ref" "$work/dit"

# A class with an empty list of names. It can be named only by its OID, so the rest of the
# input is what it is without the definition.
for site in ref dit; do
	make_site "$work/$site" values
done
sed '/^database/,$d' "$work/ref/slapd.conf" >"$work/head"
sed -n '/^database/,$p' "$work/ref/slapd.conf" >"$work/tail.ref"
sed -n '/^database/,$p' "$work/dit/slapd.conf" >"$work/tail.dit"
nameless='objectclass ( 1.3.6.1.4.1.99999.9.9 NAME () SUP top )'
input >"$work/input.ldif"
{ cat "$work/head"; echo "$nameless"; cat "$work/tail.ref"; } >"$work/ref/slapd.conf"
slapadd_site "$work/ref" -q -l "$work/input.ldif"
check "class without names: slapadd dies" test "$(cat "$work/ref/exit")" -ge 128
make_site "$work/ref" values
slapadd_site "$work/ref" -q -l "$work/input.ldif"
{ cat "$work/head"; echo "$nameless"; cat "$work/tail.dit"; } >"$work/dit/slapd.conf"
ditadd_site "$work/dit" -q -l "$work/input.ldif"
check "class without names: messages" same_messages "$work/ref" "$work/dit"
check "class without names: content" same_content --ignore-integerkey \
	"$work/ref" "$work/dit"

finish
