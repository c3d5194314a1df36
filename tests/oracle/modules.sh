#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every module that slapd has here brings to ditadd the schema that it brings to slapd:
# slaptest writes down slapd's schema with the module and without; what is new is used in
# a configuration, which both programs take with the module and refuse without it. Values of
# the attributes are stored and refused alike, with the value check and without. ditadd has
# the modules that are built into slapd, too.
#
# "make check" looks at each fifth element alone without its module, DIT_LONG=yes at each.
. "${0%/*}/lib.sh"

module_path=$DIT_MODULE_PATH

# global_part [MODULE]
global_part() {
	printf 'include %s/core.schema\nmodulepath %s\nmoduleload back_mdb\n' \
		"$DIT_SCHEMA_DIR" "$module_path"
	[ -z "${1:-}" ] || printf 'moduleload %s\n' "$1"
}

database_part() {
	printf 'database mdb\nsuffix "dc=x"\ndirectory @DB@\n'
}

# dump_schema [MODULE]: KIND NAME of every element; classes that nothing may be derived from
# (monitoring) left out
dump_schema() {
	rm -rf "$work/ref/slapd.d"
	mkdir "$work/ref/slapd.d"
	{
		global_part "$@"
		database_part
	} | fill_in "$work/ref" >"$work/ref/slapd.conf"
	slaptest -n 0 -f "$work/ref/slapd.conf" -F "$work/ref/slapd.d" \
		>"$work/ref/slaptest" 2>&1 || return 1
	sed -e ':a' -e 'N' -e '$!ba' -e 's/\n //g' \
		"$work/ref/slapd.d/cn=config/cn=schema.ldif" |
		sed -n "s/^olc\(AttributeTypes\|ObjectClasses\): (.* NAME (\? \?'\([^']*\)'.*\(ABSTRACT\|AUXILIARY\|STRUCTURAL\|\$\).*/\1 \2 \3/p" |
		grep -v 'ObjectClasses olm' | sort -u
}

# use_elements: a configuration that needs the elements on standard input
use_elements() {
	local kind name what n=0 attrs='' classes=''
	while read -r kind name what; do
		n=$((n + 1))
		if [ "$kind" = AttributeTypes ]; then
			attrs+="index $name pres\n"
		else
			classes+="objectclass ( 1.2.3.$n NAME 'test$n' SUP $name $what )\n"
		fi
	done
	printf '%b' "$classes"
	database_part
	printf '%b' "$attrs"
}

# use_values: entries that have each of the attributes on standard input, with values of
# many kinds, in the entry and in its DN; and one of each class, also of those that configure
# overlays and databases
use_values() {
	local kind name what value n=0
	printf 'dn: dc=x\nobjectClass: device\nobjectClass: dcObject\ncn: x\ndc: x\n\n'
	while read -r kind name what; do
		if [ "$kind" = ObjectClasses ]; then
			n=$((n + 1))
			printf 'dn: cn=%s,dc=x\nobjectClass: extensibleObject\n' $n
			printf 'objectClass: %s\nolcOverlay: x\nolcDatabase: x\n' "$name"
			[ "$what" = STRUCTURAL ] || printf 'objectClass: device\n'
			printf '\n'
			continue
		fi
		for value in userPassword 2.5.4.35 7 -1 TRUE dc=x 20220101000000Z \
			20220101000000.000001Z '{0}dc=x' '(cn=x)' ldap:///dc=x??sub \
			dn:dc=x 192.0.2.1:389 $'\xc3\xa4' ' ' \
			"( 1.2.3 NAME 'x' )" '{1.2.3 criticality TRUE}' \
			'{0}{ 1.2.3 controlValue "00ff" }' '{1.2.3 x}'; do
			n=$((n + 1))
			printf 'dn: cn=%s,dc=x\nobjectClass: extensibleObject\n' $n
			printf 'objectClass: device\n%s: %s\n\n' "$name" "$value"
			printf 'dn: cn=%s+%s="%s",dc=x\n' $n "$name" "${value//\"/\\\"}"
			printf 'objectClass: extensibleObject\nobjectClass: device\n\n'
		done
	done
}

# load_values FILE MODULE: with the value check, and the same without it
load_values() {
	local site options
	{
		global_part "$2"
		database_part
	} | fill_in_both
	for options in -c '-c -o value-check=yes'; do
		for site in ref dit; do
			empty_site "$work/$site"
		done
		# shellcheck disable=SC2086 # several words
		slapadd_site "$work/ref" $options -l "$1"
		# shellcheck disable=SC2086
		ditadd_site "$work/dit" $options -l "$1"
		same_messages "$work/ref" "$work/dit" &&
			same_content --generated --ignore-integerkey "$work/ref" \
				"$work/dit" || return 1
	done
}

# load_both_with TEXT-FILE [MODULE]
load_both_with() {
	empty_site "$work/ref"
	empty_site "$work/dit"
	{
		global_part "${@:2}"
		cat "$1"
	} | fill_in_both
	slapadd_site "$work/ref" -u -l /dev/null
	ditadd_site "$work/dit" -u -l /dev/null
}

make_site "$work/ref"
make_site "$work/dit"
dump_schema >"$work/base"
modules=("$module_path"/*.la)
if [ ! -e "${modules[0]}" ]; then
	echo "all is built into this slapd"
	modules=()
	sed -i '/ olc/d' "$work/base" # as below
fi
check "schema without modules" [ "$(wc -l <"$work/base")" -gt 50 ]
grep 'AttributeTypes' "$work/base" | grep -v ' entryDN ' | split -l 100 - "$work/base-"
for part in "$work"/base-*; do # slapd opens no more indexes
	use_elements <"$part" >"$work/text"
	load_both_with "$work/text"
	check "without modules, ${part##*-}: taken" same_messages "$work/ref" "$work/dit"
	check "without modules, ${part##*-}: taken by both" ended "$work/dit" 0
done

nmodules=0
nelements=0
for file in "${modules[@]}"; do
	module=${file##*/}
	module=${module%.la}
	[ "$module" != back_mdb ] || continue
	dump_schema "$module" >"$work/with"
	check "$module: slaptest" test $? -eq 0
	comm -13 "$work/base" "$work/with" >"$work/new"
	nmodules=$((nmodules + 1))
	nelements=$((nelements + $(wc -l <"$work/new")))

	use_elements <"$work/new" >"$work/text"
	load_both_with "$work/text" "$module"
	check "$module: taken" same_messages "$work/ref" "$work/dit"
	check "$module: taken by both" ended "$work/dit" 0
	# The attributes of a configuration have the syntaxes of others.
	sed -i '/AttributeTypes olc/d' "$work/new"
	use_values <"$work/new" >"$work/values.ldif"
	check "$module: values" load_values "$work/values.ldif" "$module"
	# Each on its own, so that none is there without its module.
	while read -r kind name what; do
		turn 5 || continue
		use_elements <<<"$kind $name $what" >"$work/text"
		load_both_with "$work/text"
		check "$module: no $name without it" same_messages "$work/ref" "$work/dit"
		check "$module: no $name" ended "$work/dit" 1
	done <"$work/new"
done
echo "$nelements elements of $nmodules modules"
[ ${#modules[@]} -eq 0 ] ||
	check "some modules bring schema" [ "$nelements" -gt 100 ]

finish
