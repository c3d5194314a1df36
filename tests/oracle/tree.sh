#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# cn=config: every slapd.conf fixture turned into a tree by slaptest and loaded from by
# slapadd and by ditadd, same records as from the file; and what is wrong with a tree is
# told in slapd's words.
#
# In "make check" a configuration is loaded with -q or without, in turn, and of the two long
# tables, where neighbours are of a kind, each fourth line is taken. DIT_LONG=yes: all.
. "${0%/*}/lib.sh"

module_path=$DIT_MODULE_PATH

# with_tree PROGRAM DIR ARGUMENT...: run it on the tree in DIR/slapd.d; as load_with
with_tree() {
	local config=(-F slapd.d)
	load_with "$@"
}

# make_tree DIR: DIR/slapd.d from DIR/slapd.conf. slaptest opens the databases, but for
# -u, and then it writes nothing; -n 0 opens the first alone.
make_tree() {
	rm -rf "$1/slapd.d"
	mkdir "$1/slapd.d"
	(cd "$work" && slaptest -n 0 -f "$1/slapd.conf" -F "$1/slapd.d") \
		>"$1/slaptest" 2>&1 || cat "$1/slaptest"
	[ -f "$1/slapd.d/cn=config.ldif" ]
}

# schema_apart DIR: what slapd.conf defines itself ends in cn=config, which is read before
# the schema that it builds on; slapd refuses such a tree. An included file is different.
schema_apart() {
	grep -v '^\(include\|module\|database\)' "$1/slapd.conf" |
		sed '/^suffix/,$d' >"$1/own.schema"
	{
		grep '^\(include\|module\)' "$1/slapd.conf"
		echo "include $1/own.schema"
		sed -n '/^database/,$p' "$1/slapd.conf"
	} >"$1/new"
	mv "$1/new" "$1/slapd.conf"
}

# fixture CONF LDIF OPTION...
fixture() {
	local conf=$1 name="$2/$1" options=("${@:3}") mode site
	! lacks_module "$conf" || return 0
	! lacks_syntax "$conf" || return 0
	fill_in "$work" <"$DIT_TEST_DATA/ldif/$2.ldif" >"$work/input.ldif"
	make_site "$work/ref" "$conf"
	leave_out_mixed "$work/ref" "$work/input.ldif" -q
	for site in ref dit file; do
		make_site "$work/$site" "$conf"
		awk '$1 == "directory" { print $2 }' "$work/$site/slapd.conf" |
			xargs mkdir -p
		if grep -q '^\(attributetype\|objectclass\) ' "$work/$site/slapd.conf"
		then
			schema_apart "$work/$site"
		fi
		[ "$site" = file ] || check "$name: slaptest" make_tree "$work/$site"
		empty_site "$work/$site"
	done
	turn 1 # so that each mode has its turns
	for mode in '' -q; do
		turn 2 || continue
		for site in ref dit file; do
			empty_site "$work/$site"
		done
		for_slapadd "$work/input.ldif" $mode
		with_tree slapadd "$work/ref" ${mode:+"$mode"} "${options[@]}" \
			-l "$work/ref.ldif"
		with_tree "$DITADD" "$work/dit" --explain=no ${mode:+"$mode"} "${options[@]}" -T 2 \
			-l "$work/input.ldif"
		ditadd_site "$work/file" ${mode:+"$mode"} "${options[@]}" -T 1 \
			-l "$work/input.ldif"
		check "$name $mode: messages" same_messages "$work/ref" "$work/dit"
		# Refused alike: no database.
		[ -f "$work/dit/db/data.mdb" ] || continue
		check "$name $mode: content" same_content --generated \
			--ignore-integerkey "$work/ref" "$work/dit"
		check "$name $mode: file and tree" same_content --generated \
			"$work/file" "$work/dit"
	done
}

# Entries and options for each configuration; "operational" for those not named.
declare -A entries=(
	[apart]=../apart/values [bench]=unicode [certs]=certs
	[empty-suffix]=empty-suffix [entry-size]=comments [grown-suffix]=grown-suffix [intlen8]=numbers
	[lists]=comments [lists-wide]=comments [lists17]=comments [long-suffix]=long-suffix
	[odd-suffix]=odd-suffix [options]=tags [rules]=comments [schema]=schema
	[substr]=unicode [too-long-suffix]=long-suffix [values]=comments
)

# The tree that the cases below are about; no checksums, so that it can be changed.
base_tree() {
	cat >"$work/base/slapd.conf" <<-CONF
		include $DIT_SCHEMA_DIR/core.schema
		include $DIT_SCHEMA_DIR/cosine.schema
		modulepath $module_path
		moduleload back_mdb
		moduleload syncprov
		tool-threads 2
		sortvals member
		objectidentifier myroot 1.2.3.4
		attributetype ( myroot:1 NAME 'foo' SUP name )
		backend mdb
		idlexp 17
		database mdb
		suffix "dc=x"
		rootdn "cn=Jörg,dc=x"
		directory $work/site/db
		index default eq,sub
		index cn
		multival member 5,3
		overlay syncprov
		database mdb
		suffix "dc=y"
		directory $work/site/db-other
	CONF
	make_tree "$work/base"
	cp -r "$work/base/slapd.d" "$work/summed"
	find "$work/base/slapd.d" -name '*.ldif' -exec sed -i 1,2d {} +
}

# change TREE FILE COMMAND: one line of tree-cases
change() {
	local at="$1/$2"
	case $3 in
	rm) rm -r "$at" ;;
	empty) : >"$at" ;;
	folder) rm "$at" && mkdir "$at" ;;
	link) rm "$at" && ln -s nowhere "$at" ;;
	file) rm -rf "$at" && : >"$at" ;;
	copy\ *) cp "$at" "${at%/*}/${3#copy }" ;;
	move\ *) mv "$at" "${at%/*}/${3#move }" ;;
	write\ *) mkdir -p "${at%/*}" && printf '%b\n' "${3#write }" >"$at" ;;
	add\ *) printf '%b\n' "${3#add }" >>"$at" ;;
	*) sed -i "$3" "$at" ;;
	esac
}

# tree_cases FILE BASE FUNCTION [STEP]: call FUNCTION after loads from each changed tree, or
# each STEPth
tree_cases() {
	local at how text neutral=$neutral$no_grammar
	while IFS=$'\t' read -r at how; do
		[[ -n $at && $at != \#* ]] && turn "${4:-1}" || continue
		rm -rf "$work/site/slapd.d"
		cp -r "$2" "$work/site/slapd.d"
		if [ "$DIT_OPENLDAP" = 2.7 ] && [[ $how =~ olc(RestrictOp|DbPageSize|DbCryptoModule|DbPassphrase) ]]; then
			echo "tree: $how: not compared, an attribute of 2.7"
			continue
		fi
		if [[ $at == *cn=module* && ! -e "$2/cn=config/cn=module{0}.ldif" ]]; then
			echo "tree: $at: $how: not compared, slapd was built without modules"
			continue
		fi
		change "$work/site/slapd.d" "$at" "$how"
		text="$at: $how"
		empty_site "$work/site"
		with_tree slapadd "$work/site" -l /dev/null
		cp "$work/site/exit" "$work/site/stderr" "$work/ref"
		empty_site "$work/site"
		with_tree "$DITADD" "$work/site" --explain=no -l /dev/null
		"$3" "$at: $how"
	done <"$DIT_TEST_DATA/errors/$1"
}

# names_file WHAT: ditadd refused the tree and named a file of it, which slapadd does not; the
# line is taken out
names_file() {
	local line rest='' named=
	while IFS= read -r line; do
		if [[ $line = 'PROGRAM: this entry cannot be read: SITE/slapd.d/cn=config'* ]]; then
			named=$line
		else
			rest+=$line$'\n'
		fi
	done <"$work/site/stderr"
	[[ $'\n'$rest != *$'\nPROGRAM: bad configuration directory!\n'* ]] ||
		check "tree: $1: the file is named" test -n "$named"
	printf '%s' "$rest" >"$work/site/stderr"
}

# shellcheck disable=SC2317 # called by tree_cases
told_alike() {
	names_file "$1"
	check "tree: $1" same_messages "$work/ref" "$work/site"
}

# slapd takes these lines, dies of them, or loads something else than is meant.
# shellcheck disable=SC2317 # called by tree_cases
refused_by_ditadd() {
	check "tree: $1: refused" ended "$work/site" 1
	check "tree: $1: said" grep -q '^PROGRAM: bad configuration directory!$' \
		"$work/site/stderr"
	check "tree: $1: slapadd differs" eval \
		'! same_messages "$work/ref" "$work/site"'
}

# shellcheck disable=SC2317 # called by tree_cases
refused_by_slapadd() {
	check "tree: $1: slapadd" [ "$(<"$work/ref/exit")" -ne 0 ]
	check "tree: $1: ditadd" ended "$work/site" 0
}

# own_classes FILE: entries whose classes are those of their modules alone
own_classes() {
	local modules module naming kind class lines name neutral=$neutral$no_grammar
	while IFS=$'\t' read -r modules naming kind class lines; do
		[[ -n $modules && $modules != \#* ]] && turn 4 || continue
		# Modules of other releases.
		for module in $modules; do
			[ -e "$module_path/$module.so" ] || continue 2
		done
		rm -rf "$work/site/slapd.d"
		cp -r "$work/base/slapd.d" "$work/site/slapd.d"
		for module in $modules; do
			grep -q "}$module\$" "$work/site/slapd.d/cn=config/cn=module{0}.ldif" ||
				echo "olcModuleLoad: {9}$module" \
					>>"$work/site/slapd.d/cn=config/cn=module{0}.ldif"
		done
		name="$naming={3}$kind"
		[ "$naming" = olcDatabase ] || name="olcDatabase={1}mdb/$naming={3}$kind"
		printf '%b\n' "dn: $naming={3}$kind\nobjectClass: $class" \
			${lines:+"$lines"} "$naming: {3}$kind" |
			fill_in "$work/site" >"$work/site/slapd.d/cn=config/$name.ldif"
		empty_site "$work/site"
		with_tree slapadd "$work/site" -u -l /dev/null
		cp "$work/site/exit" "$work/site/stderr" "$work/ref"
		with_tree "$DITADD" "$work/site" --explain=no -u -l /dev/null
		told_alike "$class alone for $naming $kind"
	done <"$DIT_TEST_DATA/errors/$1"
}

# told_by_both WHAT ARGUMENT...: both programs in the same folder, with $input
input=/dev/null
told_by_both() {
	local what=$1
	shift
	for site in ref dit; do
		empty_site "$work/$site"
	done
	(cd "$work" && slapadd "$@" -l "$input") 2>"$work/ref/stderr"
	echo $? >"$work/ref/exit"
	(cd "$work" && "$DITADD" --explain=no "$@" -l "$input") 2>"$work/dit/stderr"
	echo $? >"$work/dit/exit"
	sed -i 's/^\(slapadd\|ditadd\): /PROGRAM: /
		/^PROGRAM: this entry cannot be read: /d' "$work/ref/stderr" \
		"$work/dit/stderr"
	check "$what" same_messages "$work/ref" "$work/dit"
}

make_site "$work/ref"
make_site "$work/dit"
make_site "$work/site"
make_site "$work/base"
check "base tree" base_tree

loaded=
for file in "$DIT_TEST_DATA"/conf/*.conf; do
	conf=${file##*/}
	conf=${conf%.conf}
	case $conf in
	*-part) ;;
	glue)
		fixture glue operational -c
		fixture glue comments -c -b dc=example,dc=com
		;;
	lexical)
		fixture lexical operational -n 3
		fixture lexical operational -c -b ou=x,dc=example,dc=com
		;;
	*) fixture "$conf" "${entries[$conf]:-operational}" -c ;;
	esac
	loaded+=" $(ls "$work/dit/db")"
done
check "databases were made" grep -q 'data.mdb.*data.mdb.*data.mdb' <<<"${loaded//$'\n'/ }"

tree_cases tree-cases "$work/base/slapd.d" told_alike 4
tree_cases tree-sums "$work/summed" told_alike
own_classes tree-classes
tree_cases tree-strict "$work/base/slapd.d" refused_by_ditadd
tree_cases tree-lenient "$work/base/slapd.d" refused_by_slapadd

make_site "$work/dit"
mkdir "$work/empty" "$work/hidden" "$work/full"
: >"$work/hidden/.x"
: >"$work/full/x"
conf=dit/slapd.conf
told_by_both "no folder" -F nowhere
told_by_both "empty name" -F ""
told_by_both "empty folder" -F empty
told_by_both "a file" -F "$conf"
told_by_both "file and no folder" -f "$conf" -F nowhere
told_by_both "file and a tree" -f "$conf" -F base/slapd.d
told_by_both "file and a folder" -f "$conf" -F full
told_by_both "bad file and an empty folder" -f nowhere.conf -F empty
told_by_both "-n 9" -F base/slapd.d -n 9
told_by_both "-b unknown" -F base/slapd.d -b dc=unknown

# Databases whose files have other numbers than their names: "database #1 (dc=y) not configured
# to hold" tells which one is chosen.
printf 'dn: cn=nowhere\nobjectClass: device\n' >"$work/nowhere.ldif"
input=nowhere.ldif
for at in moved copied numbered; do
	cp -r "$work/base/slapd.d" "$work/$at"
done
first='cn=config/olcDatabase={1}mdb'
mv "$work/moved/$first.ldif" "$work/moved/${first/1/7}.ldif"
mv "$work/moved/$first" "$work/moved/${first/1/7}"
cp "$work/copied/$first.ldif" "$work/copied/${first/1/7}.ldif"
sed -i 's/^\(dn: olcDatabase=\){2}/\1{1}/; s/^\(olcDatabase: \){2}/\1{1}/' \
	"$work/numbered/${first/1/2}.ldif"
# A second file of an overlay is one more overlay.
if [ -e "$module_path/memberof.so" ] && [ -e "$work/copied/cn=config/cn=module{0}.ldif" ]; then
	echo 'olcModuleLoad: {9}memberof' >>"$work/copied/cn=config/cn=module{0}.ldif"
	for n in 1 2; do
		printf '%s\n' 'dn: olcOverlay={1}memberof' 'objectClass: olcOverlayConfig' \
			'objectClass: olcMemberOf' 'olcOverlay: {1}memberof' \
			>"$work/copied/$first/olcOverlay={$n}memberof.ldif"
	done
fi
for at in moved copied numbered; do
	for n in 1 2 3 4; do
		told_by_both "$at: -n $n" -F $at -n $n
	done
	told_by_both "$at: no database is named" -F $at
done

finish
