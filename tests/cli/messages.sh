#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every kind of refusal is provoked, and explained: the line of ours names the very line of
# the file, and has the text of its kind. doc/messages.md shows the same.
#
#   messages.sh            compare
#   messages.sh --accept   write the table of doc/messages.md; review the diff
#
# tests/data/messages/cases has the cases of ditadd:
#
#   == KIND [CONF] [-- OPTION...]
#   LDIF, whose line that is meant begins with ">>"
#
# tests/data/messages/changes has those of ditmodify, which finds the entries of base.ldif.
. "${0%/*}/../checks_lib.sh"
: "${DITADD:?}" "${DITMODIFY:?}" "${DIT_SRCDIR:?}" "${DIT_TEST_DATA:?}"
schema=${DIT_SCHEMA_DIR:-/etc/ldap/schema}
doc=$DIT_SRCDIR/doc/messages.md
accept=${1:-}

[ -d "$schema" ] || skip "no $schema (Debian: slapd)"
cd "$work" || exit 1
sed 1d "$DIT_SRCDIR/libraries/ldap/entry/refusals.tsv" | cut -f1,7,8 >kinds
ncases=0

# conf NAME: slapd.conf from a fixture of the cases, or of all tests
conf() {
	local file=$DIT_TEST_DATA/messages/$1.conf
	[ -e "$file" ] || file=$DIT_TEST_DATA/conf/$1.conf
	mkdir -p db
	rm -rf db/*
	sed "s,@SCHEMA@,$schema,g; s,@DB@,$work/db,g" "$file" >slapd.conf
}

# text_of KIND COLUMN
text_of() {
	awk -F '\t' -v kind="$1" -v column="$2" '$1 == kind { print $column }' kinds
}

# pattern_of KIND: a regular expression for "WHAT; ADVICE"
pattern_of() {
	printf '%s; %s' "$(text_of "$1" 2)" "$(text_of "$1" 3)" |
		sed 's/[].[*^$\\]/\\&/g; s/{[avd]}/.*/g'
}

# prepare KIND: an empty database, or one that holds the entries of the case
prepare() {
	rm -rf db/*
	[ "$tool" = "$DITADD" ] || "$DITADD" -d 0 -f slapd.conf -l "$DIT_TEST_DATA/messages/base.ldif"
	[ "$1" != stored ] || "$DITADD" --openldap 2.5 -f slapd.conf -l people.ldif
}

# one_case KIND CONF OPTION...: the LDIF is in the file "case"
one_case() {
	local kind=$1 line told
	ncases=$((ncases + 1))
	conf "$2"
	shift 2
	[ "${1:-}" != -- ] || shift
	line=$(grep -n '^>>' case | head -1 | cut -d: -f1)
	sed 's/^>>//; s/@NUL@/\x00/' case >people.ldif
	prepare "$kind"
	"$tool" --openldap 2.5 -c -f slapd.conf -l people.ldif "$@" >out 2>err
	told=$(grep '^people\.ldif:' err)
	if [ -z "$(text_of "$kind" 1)" ]; then
		fail "$kind: there is no such kind"
	elif [ "$(printf '%s\n' "$told" | wc -l)" -ne 1 ] || [ -z "$told" ]; then
		fail "$kind: one explanation expected, got:" && cat err >&2
	elif [ "${told%%: *}" != "people.ldif:$line" ]; then
		fail "$kind: line $line expected: $told"
	elif ! printf '%s\n' "${told#*: }" | grep -qx -- "$(pattern_of "$kind")"; then
		fail "$kind: another explanation: $told"
	fi
	printf '%s\n' "$kind" >>provoked
	printf '| %s | %s | %s |\n' "$kind" "$(head -1 err | shorten)" \
		"$(printf '%s' "$told" | shorten)" >>rows
	[ "$tool" = "$DITADD" ] || return 0
	# With "no" nothing of ours is said.
	prepare "$kind"
	"$DITADD" --openldap 2.5 -c --explain=no -f slapd.conf -l people.ldif "$@" >out 2>silent
	grep -v '^people\.ldif:' err | cmp -s - silent || fail "$kind: other messages with --explain=no"
}

shorten() {
	tr -d '\0' | sed 's/|/\\|/g; s/x\{20,\}/xxx.../g; s,/[^ "]*/ditkit-test-[^/]*,DIR,g' |
		cut -c1-300
}

: >provoked
# all_cases TOOL FILE: a row of the document for each case
all_cases() {
	local tool=$1 kind='' options='' text
	: >rows
	while IFS= read -r text || [ -n "$text" ]; do
		case $text in
		'== '*)
			# shellcheck disable=SC2086 # several words
			[ -z "$kind" ] || one_case $kind $options
			read -r kind options <<<"${text#== }"
			options=${options:-default}
			: >case
			;;
		*) printf '%s\n' "$text" >>case ;;
		esac
	done <"$DIT_TEST_DATA/messages/$2"
	# shellcheck disable=SC2086
	[ -z "$kind" ] || one_case $kind $options
	awk '!seen[$2]++' rows
}
all_cases "$DITMODIFY" changes >of_changes
all_cases "$DITADD" cases >of_loads

# Nothing is refused without an explanation, wherever the reason is found.
for file in "$DIT_TEST_DATA"/errors/*.ldif; do
	case ${file##*/} in
	rules-*) conf rules ;;
	too-long-suffix*) conf too-long-suffix ;;
	entry-size*) conf entry-size ;;
	root-entry*) conf empty-suffix ;;
	sorted-order*) conf sorted ;;
	*) conf default ;;
	esac
	for options in '' -q -s '-o value-check=yes'; do
		rm -rf db/*
		# shellcheck disable=SC2086 # several words
		"$DITADD" -c $options -f slapd.conf -l "$file" --rejects rejects >out 2>err
		nrefused=$(grep -c '^# reason: ' rejects)
		ntold=$(grep -F "$file:" err | grep -vc '" has damaged base64, ')
		[ "$nrefused" -eq "$ntold" ] ||
			fail "${file##*/} $options: $nrefused records refused, $ntold explained"
		nrecords=$((${nrecords:-0} + nrefused))
	done
done
[ "${nrecords:-0}" -gt 500 ] || fail "only ${nrecords:-0} records of the fixtures were refused"

sort provoked | uniq >have
cut -f1 kinds | sort | comm -13 have - | sed 's/^/no case for /' >missing
cat missing
nfailed=$((nfailed + $(wc -l <missing)))

# The tables of the document: the texts from the source, the messages from the cases. Before
# each stands what the document has there.
awk -v files="of_loads of_changes" '
	BEGIN { split(files, file, " ") }
	!/^[|]/ { is_in = 0 }
	is_in { next }
	{ print }
	/^[|] kind [|]/ {
		print "|---|---|---|"
		for (n++; (getline row <file[n]) > 0;) print row
		is_in = 1
	}' "$doc" >table
if [ "$accept" = --accept ]; then
	cp table "$doc"
elif ! diff "$doc" table; then
	fail "doc/messages.md is not what ditadd says; run messages.sh --accept"
fi
echo "${0##*/}: $ncases cases, $nrecords other records, $nfailed failed"
[ "$nfailed" -eq 0 ] && [ "$ncases" -gt 0 ]
