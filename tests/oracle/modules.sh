#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every module that slapd has here brings to ditadd the schema that it brings to slapd:
# slaptest writes down slapd's schema with the module and without; what is new is used in
# a configuration, which both programs take with the module and refuse without it.
. "${0%/*}/lib.sh"

module_path=${DIT_MODULE_PATH:-/usr/lib/ldap}

# global_part [MODULE]
global_part() {
	printf 'include %s/core.schema\nmodulepath %s\nmoduleload back_mdb\n' \
		"$DIT_SCHEMA_DIR" "$module_path"
	[ -z "${1:-}" ] || printf 'moduleload %s\n' "$1"
}

database_part() {
	printf 'database mdb\nsuffix "dc=x"\ndirectory @DB@\n'
}

# dump_schema [MODULE]: KIND NAME of every element, those of the configuration and classes
# that nothing may be derived from (monitoring) left out
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
		grep -v ' olc\|ObjectClasses olm' | sort -u
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

# load_both_with TEXT-FILE [MODULE]
load_both_with() {
	local site
	for site in ref dit; do
		empty_site "$work/$site"
		{
			global_part "${@:2}"
			cat "$1"
		} | fill_in "$work/$site" >"$work/$site/slapd.conf"
	done
	slapadd_site "$work/ref" -u -l /dev/null
	ditadd_site "$work/dit" -u -l /dev/null
}

make_site "$work/ref"
make_site "$work/dit"
dump_schema >"$work/base"
check "schema without modules" [ "$(wc -l <"$work/base")" -gt 50 ]

nmodules=0
nelements=0
for file in "$module_path"/*.la; do
	module=${file##*/}
	module=${module%.la}
	[ "$module" != back_mdb ] || continue
	check "$module: slaptest" dump_schema "$module"
	dump_schema "$module" >"$work/with"
	comm -13 "$work/base" "$work/with" >"$work/new"
	nmodules=$((nmodules + 1))
	nelements=$((nelements + $(wc -l <"$work/new")))

	use_elements <"$work/new" >"$work/text"
	load_both_with "$work/text" "$module"
	check "$module: taken" same_messages "$work/ref" "$work/dit"
	check "$module: taken by both" diff "$work/dit/exit" - <<<0
	# Each on its own, so that none is there without its module.
	while read -r kind name what; do
		use_elements <<<"$kind $name $what" >"$work/text"
		load_both_with "$work/text"
		check "$module: no $name without it" same_messages "$work/ref" "$work/dit"
		check "$module: no $name" diff "$work/dit/exit" - <<<1
	done <"$work/new"
done
echo "$nelements elements of $nmodules modules"
check "some modules bring schema" [ "$nelements" -gt 100 ]

finish
