#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A directory of extremes (torture/torture.c) loaded by slapadd and by ditadd with several
# numbers of threads and memory limits: the same records. Then both served by
# slapd: searches find the same entries, before and after the same additions, changes,
# renames and removals. With 2.7, too: openldap27.sh.
#
# DIT_LONG=yes: 100,000 children, 10,000 values, values of 1 MiB.
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${TORTURE:?}"

scale=(--children 500 --values 400 --bytes 70000)
step=5 # of the filters, which are sorted by attribute: some of all attributes and kinds
if [ "${DIT_LONG:-no}" = yes ]; then
	scale=(--children 100000 --values 10000 --bytes 1048576)
	step=1
fi

# 2.7 refuses the attributes of glue that is in the LDIF, and LMDB 1.0 stores longer names.
ntoolong=2
nrefused=0
keep_going=
if [ "$DIT_OPENLDAP" = 2.7 ]; then
	ntoolong=0
	nrefused=1
	keep_going=-c
fi

for site in ref dit; do
	make_site "$work/$site" torture
	sed -i 's/^database mdb/sizelimit unlimited\n&/; $a rootpw secret' \
		"$work/$site/slapd.conf"
done

# compare_with OPTION...: ditadd with these against $work/ref
compare_with() {
	empty_site "$work/dit"
	ditadd_site "$work/dit" "$@" -l "$work/input.ldif"
	check "$*: messages" same_messages "$work/ref" "$work/dit"
	check "$*: content" same_content --generated --ignore-integerkey "$work/ref" \
		"$work/dit"
	check "$*: leftovers" only_database "$work/dit"
}

# Names that are too long are store errors, which quick mode of slapadd does not survive.
"$TORTURE" --children 200 --values 100 --bytes 5000 --over >"$work/input.ldif"
slapadd_site "$work/ref" -c -l "$work/input.ldif"
check "names are too long" \
	test "$(grep -c 'could not add' "$work/ref/stderr")" -eq $ntoolong
compare_with -c -T 1 --memory 8M
compare_with -c -T 3
compare_with -q -c -T 2

"$TORTURE" "${scale[@]}" >"$work/input.ldif"
empty_site "$work/ref"
slapadd_site "$work/ref" $keep_going -q -l "$work/input.ldif"
check "loaded but for the holes" grep -q 'ou=never,ou=holes' "$work/ref/stderr"
check "refused" test "$(grep -c ^PROGRAM "$work/ref/stderr")" -eq $nrefused
compare_with $keep_going -q -T 1 --index-keys=bytes
compare_with $keep_going -q -T 2 --memory 32M
compare_with $keep_going -q -T 8 --memory 64M
compare_with $keep_going -q -T 3 --memory 8M

# found SITE: what each filter finds below the suffix and below one branch; values that the
# loaders make up are not looked for
found() {
	local where
	for where in "$base" "ou=wide,$base" "ou=syntaxes,$base"; do
		search "$1" "$where" sub "$work/filters"
	done
}

# search_both WHEN
search_both() {
	local site
	slapcat_or_export ref | make_filters |
		grep -v -i -e '^[&(]*\(entryUUID\|entryCSN\|createTimestamp\)[<>]*=\\' \
			-e '^[&(]*modifyTimestamp[<>]*=\\' |
		awk -v step=$step 'NR % step == 0' >"$work/filters"
	for site in ref dit; do
		found $site >"$work/$site/found"
	done
	check "$1: the same entries are found" diff -a "$work/ref/found" "$work/dit/found"
	check "$1: some are" test "$(grep -c ' dn:' "$work/ref/found")" -gt 1000
	echo "$1: $(wc -l <"$work/filters") filters," \
		"$(grep -c ' dn:' "$work/ref/found") names found"
}

for site in ref dit; do
	start_slapd $site
done
search_both 'as loaded'
"$TORTURE" --changes >"$work/changes.ldif"
for site in ref dit; do
	ldapmodify -c -x -H "${url[$site]}" -D "cn=Admin,$base" -w secret \
		-f "$work/changes.ldif" >"$work/$site/modify" 2>&1
	echo "$?" >>"$work/$site/modify"
done
check "results of the changes" diff "$work/ref/modify" "$work/dit/modify"
search_both 'after changes'
stop_slapd
check "content after changes" same_content --generated --ignore-integerkey "$work/ref" \
	"$work/dit"
for site in ref dit; do
	slapcat -f "$work/$site/slapd.conf" 2>&1 | without_stamps >"$work/$site/slapcat"
done
check "slapcat after changes" cmp "$work/ref/slapcat" "$work/dit/slapcat"

finish
