#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Generated values of every matching rule and syntax, and generated DNs: the same records,
# the same index keys, the same values refused in the same words. Values that slapadd
# dies of, and those whose keys it leaves to chance, are not among them; fatal.sh has the
# former.
#
#   VALUES_COUNT=100000 VALUES_RULES='dn tCIM' values.sh
#
# VALUES_COUNT  records for each rule, and for the DNs (100,000 in the long suite); without
#               it some 250 records of each in four loads. VALUES_RULES: which ones, as
#               "valgen --list" has them (all). VALUES_SEED: other values (1).
. "${0%/*}/lib.sh"
: "${VALGEN:?}" "${DIT_SRCDIR:?}"
! lacks_syntax values || exit 77

seed=${VALUES_SEED:-1}
[ -z "${DIT_LONG:-}" ] || VALUES_COUNT=${VALUES_COUNT:-100000}
unicode=$DIT_SRCDIR/libraries/ldap/values/unicode-tables.tsv

# without_long_messages DIR: slapadd's log messages end after 4095 bytes, the line end
# included, so that the next one follows at once; those of later releases after 4094, and
# the line end follows. The rest of ours is cut off, and of both so much that the question
# marks of ours make no difference. Messages may have several lines.
without_long_messages() {
	awk -v most=$([ "$slapd_release" = 2.5 ] && echo 4095 || echo 4094) '
	function put(message) {
		if (length(message) > most) {
			rest = substr(message, most + 1)
			message = substr(message, 1, most)
		} else {
			rest = ""
		}
		gsub(/\302[\200-\237]/, "?", message)
		print substr(message, 1, most - 200)
		sub(/^slapadd: /, "PROGRAM: ", rest)
		if (rest ~ start) print rest
	}
	BEGIN { start = "^(PROGRAM: |<= |str2entry: |Entry |entry_check_schema)" }
	$0 ~ start && NR > 1 { put(message); message = $0; next }
	{ message = NR == 1 ? $0 : message "\n" $0 }
	END { if (NR > 0) put(message) }' "$1/stderr" >"$1/stderr.short"
	mv "$1/stderr.short" "$1/stderr"
}

# without_broken_values: for the other OpenLDAP, records without DER. Since 2.6.14 slapadd steps
# into no element that is longer than the value; before, it did (doc/compatibility.md).
without_broken_values() {
	if [ -n "$DIT_OPENLDAP" ]; then
		awk 'BEGIN { RS = ""; ORS = "\n\n" } !/\nt(Cert|CertA|CRL|CRLA|AC)(;|:)/'
	else
		cat
	fi
}

# compare_rule RULE COUNT FIRST CONF-LINES OPTION...: one load by each
compare_rule() {
	local rule=$1 count=$2 first=$3 lines=$4 site
	shift 4
	"$VALGEN" --rule="$rule" --seed="$seed" --first="$first" --count="$count" \
		--unicode="$unicode" | without_broken_values >"$work/input.ldif"
	for site in ref dit; do
		make_site "$work/$site" values
		printf '%b' "$lines" >>"$work/$site/slapd.conf"
	done
	leave_out_mixed "$work/ref" "$work/input.ldif" "$@"
	slapadd_site "$work/ref" -c "$@" -l "$work/input.ldif"
	ditadd_site "$work/dit" -c "$@" -l "$work/input.ldif"
	# For filters in authorization URLs slapd also says which attributes it does not know.
	sed -i '/^get_\(ssa\|filter\): conn 0 unknown attribute type=/d' \
		"$work/ref/stderr"
	without_long_messages "$work/ref"
	without_long_messages "$work/dit"
	# slapadd's list of missing parents has some that it did not store (compatibility.md),
	# and is cut where it is too long for a message.
	sed -i '/^  entry [0-9]*: /d; /^ *$/d' "$work/ref/stderr" "$work/dit/stderr"
	echo "$rule $lines $*: $count records from $first on," \
		"$(grep -c . "$work/ref/stderr") lines of messages"
	check "$rule $lines $*: messages" same_messages "$work/ref" "$work/dit"
	check "$rule $lines $*: content" same_content --ignore-integerkey \
		"$work/ref" "$work/dit"
}

# DNs that cannot be stored cost slapadd -q a whole batch (storage.md 6.6), so loads that
# have such are in its normal mode.
if [ -z "${VALUES_COUNT:-}" ]; then
	pieces='index_substr_if_minlen 3\nindex_substr_if_maxlen 6\n'
	pieces+='index_substr_any_len 2\nindex_intlen 9\n'
	compare_rule all 6000 0 ''
	compare_rule all 2000 6000 'index_hash64 on\n'
	compare_rule all 2000 8000 "$pieces"
	compare_rule all 3000 10000 '' -o value-check=yes
	finish
fi

for rule in ${VALUES_RULES:-$("$VALGEN" --list)}; do
	mode=-q
	[[ $rule != *dn* ]] || mode='-n 1'
	# shellcheck disable=SC2086 # two words
	compare_rule "$rule" "$VALUES_COUNT" 0 '' $mode
	compare_rule "$rule" $((VALUES_COUNT / 10)) "$VALUES_COUNT" '' \
		-o value-check=yes
done
finish
