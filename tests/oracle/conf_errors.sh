#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Configurations, one odd line each: what slapadd refuses, ditadd refuses in the same
# words; what slapadd takes, ditadd takes, and both store the same.
. "${0%/*}/lib.sh"

# with_error WHERE TEXT: a configuration with TEXT (\n: new line) at one of four places
with_error() {
	cat <<-CONF
		include $DIT_SCHEMA_DIR/core.schema
		include $DIT_SCHEMA_DIR/cosine.schema
		include $DIT_SCHEMA_DIR/nis.schema
		modulepath $DIT_MODULE_PATH
		moduleload back_mdb
	CONF
	[[ $1 != [GB] ]] || printf '%b\n' "$2"
	printf 'database mdb\nsuffix "dc=example,dc=com"\ndirectory @DB@\n'
	[[ $1 != [DE] ]] || printf '%b\n' "$2"
}

# The grammar that slapadd prints after a malformed definition is not compared.
# shellcheck disable=SC2317 # called by refused_alike
without_grammar() {
	sed -i '/^[A-Za-z]*Description = /d; /^[[:space:]]/d' "$1/stderr"
}

# A slapd without modules ignores moduleload and modulepath, which ditadd follows.
ignores_modules() {
	echo 'moduleload nosuchmodule' >"$work/modules.conf"
	slaptest -u -f "$work/modules.conf" >/dev/null 2>&1
}

# config_cases FILE FUNCTION: call FUNCTION TEXT MESSAGE after a load with each
# configuration; a record that the options refuse is left out by both
config_cases() {
	local where text message site
	while IFS=$'\t' read -r where text message; do
		[[ $where != \#* ]] || continue
		if [[ $text == *module@(load|path)* ]] && [ -n "$lacks_modules" ]; then
			echo "configuration: $text: not compared, slapd has no modules"
			continue
		fi
		for site in ref dit; do
			empty_site "$work/$site"
			with_error "$where" "$text" | fill_in "$work/$site" \
				>"$work/$site/slapd.conf"
		done
		slapadd_site "$work/ref" -q -c -l "$work/input.ldif"
		ditadd_site "$work/dit" -q -c -l "$work/input.ldif"
		"$2" "$text" "$message"
	done <"$DIT_TEST_DATA/errors/$1"
}

# shellcheck disable=SC2317 # called by config_cases
refused_alike() {
	without_grammar "$work/ref"
	without_grammar "$work/dit"
	check "configuration: $1" same_messages "$work/ref" "$work/dit"
}

# shellcheck disable=SC2317 # called by config_cases
refused_where_slapadd_may_die() {
	check "configuration: $1: ditadd" diff "$work/dit/exit" - <<<1
	check "configuration: $1: message" grep -qF "$2" "$work/dit/stderr"
	[ "$(cat "$work/ref/exit")" -ge 128 ] || refused_alike "$1"
}

# shellcheck disable=SC2317 # called by config_cases
stored_alike() {
	check "configuration: $1: taken" diff "$work/dit/exit" - <<<0
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
	check "configuration: $1: slapadd" diff "$work/ref/exit" - <<<1
	check "configuration: $1: ditadd" diff "$work/dit/exit" - <<<0
}

# page_bytes SITE
page_bytes() {
	od -An -tu4 -j48 -N4 "$1/db/data.mdb"
}

# shellcheck disable=SC2317 # called by config_cases
alike_in_2_7() {
	if [ "$(cat "$work/ref/exit")" -ne 0 ]; then
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
config_cases config-cases refused_alike
config_cases config-dangling refused_where_slapadd_may_die
config_cases config-lenient refused_by_slapadd_alone
config_cases config-accepted stored_alike
[ "$DIT_OPENLDAP" != 2.7 ] || config_cases config-2.7 alike_in_2_7

finish
