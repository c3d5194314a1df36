#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Configurations, one odd line each: what slapadd refuses, ditadd refuses in the same
# words; what slapadd takes, ditadd takes, and both store the same. In "make check" each third
# line of the long tables: neighbours are of a kind, so each kind is there.
. "${0%/*}/lib.sh"

# with_error WHERE TEXT: a configuration with TEXT (\n: new line) at one of four places
with_error() {
	printf "include $DIT_SCHEMA_DIR/%s.schema\n" core cosine nis
	printf 'modulepath %s\nmoduleload back_mdb\n' "$DIT_MODULE_PATH"
	[[ $1 != [GB] ]] || printf '%b\n' "$2"
	printf 'database mdb\nsuffix "dc=example,dc=com"\ndirectory @DB@\n'
	[[ $1 != [DE] ]] || printf '%b\n' "$2"
}

# The grammar that slapadd prints after a malformed definition is not compared.
# shellcheck disable=SC2317 # called by refused_alike
without_grammar() {
	[[ $'\n'$(<"$1/stderr") != *$'\n'[[:space:]]* && $(<"$1/stderr") != *Description\ =* ]] ||
		sed -i '/^[A-Za-z]*Description = /d; /^[[:space:]]/d' "$1/stderr"
}

# A slapd without modules ignores moduleload and modulepath, which ditadd follows.
ignores_modules() {
	echo 'moduleload nosuchmodule' >"$work/modules.conf"
	slaptest -u -f "$work/modules.conf" >/dev/null 2>&1
}

# config_cases FILE FUNCTION [STEP]: call FUNCTION TEXT MESSAGE after a load with each
# configuration, or each STEPth; a record that the options refuse is left out by both
config_cases() {
	local where text message conf site n=0
	while IFS= read -r text; do
		[[ $text != \#* ]] && turn "${3:-1}" && printf '%s\n' "$text"
	done <"$DIT_TEST_DATA/errors/$1" >"$work/cases"
	while IFS=$'\t' read -r where text _; do
		with_error "$where" "$text"
		printf '\036\n' # after each configuration
	done <"$work/cases" | fill_in @SITE@ >"$work/configurations"
	while IFS=$'\t' read -r where text message && IFS= read -r -d $'\036' -u 3 conf; do
		if [[ $text == *module@(load|path)* ]] && [ -n "$lacks_modules" ]; then
			echo "configuration: $text: not compared, slapd has no modules"
			continue
		fi
		conf=${conf#$'\n'}
		for site in ref dit; do
			empty_site "$work/$site"
			printf '%s' "${conf//@SITE@/"$work/$site"}" >"$work/$site/slapd.conf"
		done
		slapadd_site "$work/ref" -q -c -l "$work/input.ldif"
		ditadd_site "$work/dit" -q -c -l "$work/input.ldif"
		"$2" "$text" "$message"
		n=$((n + 1))
	done <"$work/cases" 3<"$work/configurations"
	echo "$1: $n configurations"
}

# shellcheck disable=SC2317 # called by config_cases
refused_alike() {
	without_grammar "$work/ref"
	without_grammar "$work/dit"
	check "configuration: $1" same_messages "$work/ref" "$work/dit"
}

# shellcheck disable=SC2317 # called by config_cases
refused_where_slapadd_may_die() {
	check "configuration: $1: ditadd" ended "$work/dit" 1
	check "configuration: $1: message" grep -qF "$2" "$work/dit/stderr"
	[ "$(<"$work/ref/exit")" -ge 128 ] || refused_alike "$1"
}

# shellcheck disable=SC2317 # called by config_cases
stored_alike() {
	check "configuration: $1: taken" ended "$work/dit" 0
	check "configuration: $1: messages" same_messages "$work/ref" "$work/dit"
	check "configuration: $1: content" same_content --generated --ignore-integerkey \
		"$work/ref" "$work/dit"
}

# shellcheck disable=SC2317 # called by config_cases
refused_by_slapadd_alone() {
	# Since 2.7 this stands and falls with a serverID, which both want.
	if [ "$DIT_OPENLDAP" = 2.7 ] && [ "$1" = 'mirrormode on' ]; then
		refused_alike "$1"
		return
	fi
	check "configuration: $1: slapadd" ended "$work/ref" 1
	check "configuration: $1: ditadd" ended "$work/dit" 0
}

# page_bytes SITE
page_bytes() {
	od -An -tu4 -j48 -N4 "$1/db/data.mdb"
}

# shellcheck disable=SC2317 # called by config_cases
alike_in_2_7() {
	if [ "$(<"$work/ref/exit")" -ne 0 ]; then
		refused_alike "$1"
		return
	fi
	stored_alike "$1"
	check "configuration: $1: page size" [ "$(page_bytes "$work/ref")" -eq \
		"$(page_bytes "$work/dit")" ]
}

cat >"$work/input.ldif" <<-LDIF
	dn: dc=example,dc=com
	objectClass: domain
	dc: example

	dn: cn=One,dc=example,dc=com
	objectClass: person
	cn: One
	cn;lang-de: Eins
	sn: Numeral
LDIF
lacks_modules=
! ignores_modules || lacks_modules=yes
make_site "$work/ref"
make_site "$work/dit"
config_cases config-cases refused_alike 3
# ditadd does not know what is built into a slapd of another release.
[ -n "$DIT_OPENLDAP" ] || config_cases config-unloaded refused_alike
config_cases config-dangling refused_where_slapadd_may_die
config_cases config-lenient refused_by_slapadd_alone
config_cases config-accepted stored_alike 3
[ "$DIT_OPENLDAP" != 2.7 ] || config_cases config-2.7 alike_in_2_7

finish
