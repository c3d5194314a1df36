#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Sorted values (sortvals), values in a database of their own (multival), the limit of an
# entry's size (maxentrysize): stored, and refused, as slapadd does. The numbers told for
# values that are there twice, under sortvals and by the value check, in lists of all sizes.
. "${0%/*}/lib.sh"

# load_both CONF FILE REFERENCE-OPTIONS OPTION...: messages and content
load_both() {
	local conf=$1 file=$2 reference=$3 ignored=(--ignore-integerkey)
	shift 3
	[ "$conf" = apart-all ] || ignored+=(--generated)
	empty_site "$work/ref"
	empty_site "$work/dit"
	cp "$file" "$work/sound.ldif"
	leave_out_mixed "$work/ref" "$work/sound.ldif" "$@"
	for_slapadd "$work/sound.ldif" "$@"
	# shellcheck disable=SC2086 # several words
	slapadd_site "$work/ref" $reference -v -l "$work/ref.ldif"
	ditadd_site "$work/dit" "$@" -v -l "$work/sound.ldif"
	check "$conf ${file##*/} $*: messages" same_messages "$work/ref" "$work/dit"
	check "$conf ${file##*/} $*: content" same_content "${ignored[@]}" "$work/ref" \
		"$work/dit"
}

# lists SEED N: N entries with a list of values each, some of which are equal
lists() {
	awk -v seed="$1" -v n="$2" '
	function random(below) {
		seed = (seed * 1103515245 + 12345) % 2147483648
		return int(seed / 65536) % below
	}
	BEGIN {
		print "dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n"
		for (e = 0; e < n; e++) {
			printf "dn: cn=%d,dc=example,dc=com\nobjectClass: person\n", e
			print "sn: x"
			len = random(3) == 0 ? 2 + random(8) : 9 + random(60)
			for (i = 0; i < len; i++)
				value[i] = i
			for (i = len - 1; i > 0; i--) {
				j = random(i + 1)
				t = value[i]; value[i] = value[j]; value[j] = t
			}
			for (i = random(4); i > 0; i--)
				value[random(len)] = value[random(len)]
			for (i = 0; i < len; i++)
				printf "description: %s%d\n",
					random(2) == 0 ? "v" : "V", value[i]
			print ""
		}
	}'
}

# load_more OPTION...: some entries, then others into the same database: one below a parent
# that is missing, in the second load the parent, with values apart for both
load_more() {
	local part site
	awk -v RS= -v ORS='\n\n' '/(^|\n)dn: (cn=deep|dc=|cn=group)/' \
		"$DIT_TEST_DATA/apart/values.ldif" >"$work/part1.ldif"
	awk -v RS= -v ORS='\n\n' '!/(^|\n)dn: (cn=deep|dc=|cn=group)/' \
		"$DIT_TEST_DATA/apart/values.ldif" >"$work/part2.ldif"
	for site in ref dit; do
		empty_site "$work/$site"
	done
	for part in 1 2; do
		leave_out_mixed "$work/ref" "$work/part$part.ldif" "$@"
		for_slapadd "$work/part$part.ldif" "$@"
		slapadd_site "$work/ref" "$@" -v -l "$work/ref.ldif"
		ditadd_site "$work/dit" "$@" -v -l "$work/part$part.ldif"
		check "part $part $*: messages" same_messages "$work/ref" "$work/dit"
		check "part $part $*: content" same_content --generated \
			--ignore-integerkey "$work/ref" "$work/dit"
	done
}

for conf in apart apart-all; do
	make_site "$work/ref" $conf
	make_site "$work/dit" $conf
	if [ $conf = apart ]; then
		for threads in 1 3; do
			load_both $conf "$DIT_TEST_DATA/apart/values.ldif" '' -T $threads
			load_both $conf "$DIT_TEST_DATA/apart/values.ldif" -q -q \
				-T $threads
		done
		load_both $conf "$DIT_TEST_DATA/apart/values.ldif" -s -s
		load_more
		load_more -q
		load_both $conf "$DIT_TEST_DATA/apart/refused.ldif" -c -c
		load_both $conf "$DIT_TEST_DATA/apart/refused.ldif" '-q -c' -q -c
		load_both $conf "$DIT_TEST_DATA/apart/refused.ldif" '-s -c' -s -c
		# Store errors cost slapadd -q the whole batch (storage.md 6.6).
		load_both $conf "$DIT_TEST_DATA/apart/too-long.ldif" -c -c
		load_both $conf "$DIT_TEST_DATA/apart/too-long.ldif" -c -q -c
		load_both $conf "$DIT_TEST_DATA/apart/too-long.ldif" '-s -c' -s -c -T 2
	else
		load_both $conf "$DIT_TEST_DATA/ldif/operational.ldif" '' -T 2
		load_both $conf "$DIT_TEST_DATA/ldif/operational.ldif" -q -q -T 3
	fi
done

make_site "$work/ref" apart
make_site "$work/dit" apart
slapadd_site "$work/ref" -q -l "$DIT_TEST_DATA/apart/values.ldif"
ditadd_site "$work/dit" -q -l "$DIT_TEST_DATA/apart/values.ldif"
for site in ref dit; do
	"$DITCHECK" -f "$work/$site/slapd.conf" >"$work/$site/found"
done
[ -n "$DIT_OPENLDAP" ] || check 'parts of one key: ditcheck finds those of slapadd' \
	grep -q 'cn=blocks.*split-count: the entry has the attribute in 2 parts' \
	"$work/ref/found"
check 'parts of one key: ditadd makes none' grep -q ': 0 findings' "$work/dit/found"
make_site "$work/ref" apart
make_site "$work/dit" apart
lists 1 300 >"$work/lists.ldif"
load_both apart "$work/lists.ldif" -c -c
check 'lists: some are refused' grep -q 'provided more than once' "$work/ref/stderr"
check 'lists: some are stored' grep -q '^added: "cn=' "$work/ref/stderr"
make_site "$work/ref"
make_site "$work/dit"
lists 2 300 >"$work/lists.ldif"
load_both default "$work/lists.ldif" '-c -o value-check=yes' -c -o value-check=yes
check 'value check: some are refused' grep -q 'provided more than once' "$work/ref/stderr"

finish
