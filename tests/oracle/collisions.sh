#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Each definition that a module of slapd's brings (slaptest writes them down), defined in the
# configuration as well: before the module's line and after it; with the same names and OID, with
# the names of it alone, and with the OID of it alone. slapadd and ditadd both take the
# configuration, or refuse it because of the same name or OID.
#
# "make check" looks at each 53rd case, DIT_LONG=yes at each.
. "${0%/*}/lib.sh"

# global_part MODULE
global_part() {
	printf 'include %s/core.schema\nmodulepath %s\n' "$DIT_SCHEMA_DIR" "$DIT_MODULE_PATH"
	[ "$1" = back_mdb ] || echo 'moduleload back_mdb'
	# Other back ends are made of this one.
	[[ $1 != back_*meta ]] || echo 'moduleload back_ldap'
}

database_part() {
	printf 'database mdb\nsuffix dc=x\ndirectory %s\n' "$work/db"
}

# configuration MODULE BEFORE AFTER: with these lines before and after its own
configuration() {
	global_part "$1"
	printf '%s\n' "$2" "moduleload $1" "$3"
	database_part
	[[ $1 != back_* ]] || echo "database ${1#back_}"
}

# dump_definitions: a line for each definition that slapd has with the configuration on standard
# input
dump_definitions() {
	rm -rf "$work/slapd.d"
	mkdir "$work/slapd.d"
	cat >"$work/slapd.conf"
	slaptest -n 0 -f "$work/slapd.conf" -F "$work/slapd.d" >"$work/slaptest" 2>&1 || return
	sed -e ':a' -e 'N' -e '$!ba' -e 's/\n //g' "$work/slapd.d/cn=config/cn=schema.ldif" |
		sed -n 's/^olc\(ObjectIdentifier\|LdapSyntaxes\|AttributeTypes\|ObjectClasses\): \({[0-9]*}\)\?/\1 /p'
}

# dump_of MODULE: $work/dump with the module, $work/base without it
dump_of() {
	local without
	without=$(
		global_part "$1"
		[ "$1" = back_mdb ] || database_part
	)
	if [ "$without" != "$last_base" ]; then
		dump_definitions <<<"$without" | sort >"$work/base"
		last_base=$without
	fi
	{
		global_part "$1"
		echo "moduleload $1"
		database_part
		# A database of this type alone brings more.
		[ "$1" != back_ldap ] || echo 'database ldap'
	} | dump_definitions >"$work/dump"
	[ -s "$work/base" ] && [ -s "$work/dump" ]
}

# cases_of DUMP NEW: for each definition of NEW three lines to put into a configuration
cases_of() {
	awk '
	function resolve(oid,  part) {
		while (split(oid, part, ":") == 2) {
			oid = macro[part[1]] "." part[2]
		}
		return oid in macro ? macro[oid] : oid
	}
	FNR == NR {
		if ($1 == "ObjectIdentifier") {
			macro[$2] = resolve($3)
		}
		next
	}
	$1 == "ObjectIdentifier" {
		print "objectidentifier " $2 " " macro[$2]
		print "objectidentifier " $2 " 1.2.3"
		print "objectidentifier x " macro[$2]
		next
	}
	{
		oid = resolve($3)
	}
	$1 == "LdapSyntaxes" {
		print "ldapsyntax ( " oid " DESC \47x\47 )"
		next
	}
	{
		names = $0
		sub(/.* NAME /, "", names)
		match(names, /^(\47[^\47]*\47|\([^)]*\))/)
		names = substr(names, 1, RLENGTH)
		kind = $1 == "AttributeTypes" ? "attributetype" : "objectclass"
		rest = $1 == "AttributeTypes" ? "SUP name )" : "SUP top AUXILIARY )"
		print kind " ( " oid " NAME " names " " rest
		print kind " ( 1.2.3 NAME " names " " rest
		print kind " ( " oid " NAME \47x\47 " rest
	}' "$1" "$2"
}

# why FILE STATUS: sets reason to what it says about names and OIDs that are there twice, and
# has_macro where that is the OID of a macro: there slapadd prints bytes of chance. A remark on a
# macro that is there already is slapadd's alone.
why() {
	local line
	reason=
	has_macro=
	while IFS= read -r line; do
		line=${line% in \(*}
		if [[ $line =~ (Inconsistent duplicate|Duplicate|previously defined).* ]]; then
			[[ $2 = 0 && $line = *previously* ]] ||
				reason+="${BASH_REMATCH[0]//\"/}"$'\n'
			[[ ! $line =~ \"\(\ [A-Za-z-]+: ]] || has_macro=yes
		fi
	done <"$1"
}

# decided_alike: the two programs about $work/slapd.conf
# shellcheck disable=SC2317 # called by check
decided_alike() {
	local theirs ours their_reason their_macro
	command slapadd -u -b dc=x -f "$work/slapd.conf" -l /dev/null 2>"$work/theirs"
	theirs=$?
	"$DITADD" -u -b dc=x -f "$work/slapd.conf" -l /dev/null 2>"$work/ours"
	ours=$?
	ndecided[theirs]=$((${ndecided[theirs]:-0} + 1))
	why "$work/theirs" $theirs
	their_reason=$reason
	their_macro=$has_macro
	why "$work/ours" $ours
	if [[ -n $their_macro && $reason =~ ,\ [0-9.]+$'\n'$ ]]; then
		reason=${reason%%, *}
		their_reason=${their_reason%%, *}
	fi
	[ $theirs = $ours ] && [ "$their_reason" = "$reason" ] && return
	echo "slapadd ends with $theirs, ditadd with $ours"
	cat "$work/theirs" "$work/ours"
	return 1
}

mkdir "$work/db"
last_base=
ndecided=()
ndefinitions=0
modules=("$DIT_MODULE_PATH"/*.la)
if [ ! -e "${modules[0]}" ]; then
	echo "SKIPPED: this slapd has no modules" >&2
	exit 77
fi
for file in "${modules[@]}"; do
	module=${file##*/}
	module=${module%.la}
	check "$module: slaptest" dump_of "$module"
	sort "$work/dump" | comm -13 "$work/base" - >"$work/new"
	ndefinitions=$((ndefinitions + $(wc -l <"$work/new")))
	while IFS= read -r line; do
		if turn 53; then
			configuration "$module" "$line" '' >"$work/slapd.conf"
			check "$line, moduleload $module" decided_alike
		fi
		if turn 53; then
			configuration "$module" '' "$line" >"$work/slapd.conf"
			check "moduleload $module, $line" decided_alike
		fi
	done < <(cases_of "$work/dump" "$work/new")
done
echo "${#modules[@]} modules, $ndefinitions definitions: ${ndecided[0]:-0} cases taken," \
	"${ndecided[1]:-0} refused"
check "some are taken, some are refused" [ "${#ndecided[@]}" -eq 2 ]

finish
