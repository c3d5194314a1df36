#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The results of slapadd 2.7.0 for 47 loads (tests/data/golden-2.7), and ours:
# the same records in every named database, the same exit status, the same messages.
#
#   golden.sh [NAME...]      all loads, or these
#
# With DIT_GOLDEN_KEEP=DIR the dumps stay there, to be compared with full ones. With
# DIT_GOLDEN_FILES=yes (files.sh) ditadd writes data files of LMDB 1.0, and those are read.
. "${0%/*}/../checks_lib.sh"
: "${DIT_TEST_DATA:?}" "${DIT_BUILDDIR:?}"
data=$DIT_TEST_DATA/golden-2.7
dump=$DIT_BUILDDIR/tests/golden/golden_dump
pagedump=$DIT_BUILDDIR/tests/oracle/pagedump
page_bytes=
add=

# load, input, options of slapadd, and where we differ on purpose:
#   -            nowhere
#   first=N      nowhere; the input is the first N lines of the file
#   part=N       slapadd ends at a record, and keeps what stands before it; we keep nothing.
#                The content is that of the first N lines
#   db=A,B       these databases differ, since slapadd gives values to other attributes than
#                those of their lines; ours are those of NAME.grouped.ldif, where it does not
table='
people               people           -   -
people-q             people           -q  -
people-hash32        people           -   -
people-noindex       people           -   -
operational          operational      -   -
operational-hash32   operational      -   -
operational-kinds    operational      -   -
operational-ps16k    operational      -   -
unicode              unicode          -   -
holes                holes            -   -
children-first       children-first   -   -
grown-suffix         grown-suffix     -   -
empty-suffix         empty-suffix     -   -
long-suffix          long-suffix      -   -
certs                certs            -   part=4
tags                 tags             -c  -
schema               schema           -   db=ad2i,id2e
numbers              numbers          -   -
long-dn              long-dn          -c  -
sizes                sizes            -   -
lists                lists            -   -
bits                 bits             -c  -
times                times            -c  -
telephones           telephones       -   -
more-rules           more-rules       -c  -
single-twice         single-twice     -c  db=cn,id2e
ordered              ordered          -c  -
dn-values            dn-values        -   -
interleaved          interleaved      -   db=all
bare                 bare             -s  -
options              options          -c  -
gen2000              g2000            -   -
gen2000-bars         g2000            -q  -
gen2000-bars-hash32  g2000            -q  -
gen100               g100             -q  -
big-ps1024           big              -   -
big-ps4096           big              -   -
big-ps65536          big              -   -
lists66k             lists66k         -q  -
multival             multi            -   -
sorted               multi            -   -
modules              modules          -c  -
module-values        module-values    -c  first=138
contextcsn           operational      -w  -
rdn979               rdn979           -   -
operational-noschema operational      -s  -
index-default-oc     operational      -   -
'

keep=${DIT_GOLDEN_KEEP:-$work}

# lists66k: 65536 entries below the suffix; all have one value in common, every third has
# another one, all but the last a third one.
make_lists() {
	awk 'BEGIN {
		print "dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n"
		for (i = 0; i < 65536; i++) {
			printf "dn: cn=%d,dc=example,dc=com\nobjectClass: device\n", i
			printf "cn: %d\ndescription: same\n", i
			printf "%s", i % 3 == 0 ? "description: third\n" : ""
			print i < 65535 ? "l: most\n" : ""
		}
	}'
}

# find_input NAME: sets input to the file, unpacked where it is packed; tests run in a build
# directory
find_input() {
	if [ "$1" = people ]; then
		input=$DIT_TEST_DATA/../../doc/examples/people.ldif
		return
	fi
	for input in "$DIT_TEST_DATA/ldif/$1.ldif" "$data/ldif/$1.ldif" "$work/$1.ldif"; do
		[ ! -f "$input" ] || return
	done
	if [ "$1" = lists66k ]; then
		make_lists >"$input"
	else
		gzip -dc "$data/ldif/$1.ldif.gz" >"$input"
	fi
}

# load_file OUT OPTION...: ditadd makes a data file, or with "add" adds to it; ditcheck finds
# nothing wrong in it; its dump is printed
load_file() {
	local out=$1 status
	shift
	[ -n "$add" ] || rm -f "$work/db"/*
	[ -z "$page_bytes" ] || echo "dbpagesize $page_bytes" >>"$work/slapd.conf"
	"${DITADD:?}" --openldap=2.7 --index-keys=bytes --explain=no "$@"
	status=$?
	if [ -e "$work/db/data.mdb" ]; then
		"$pagedump" <"$work/db/data.mdb"
		# With -s slapadd stores entries without the values that name them.
		if [[ " $* " == *" -s "* ]]; then
			set -- --quick
		else
			set --
		fi
		check "$out: ditcheck" "${DITCHECK:?}" "$@" --openldap=2.7 \
			-f "$work/slapd.conf" >&2
	fi
	return $status
}

# load NAME INPUT OUT OPTION...: OUT.dump, and OUT.messages with the exit status in front
load() {
	local name=$1 input=$2 out=$3
	shift 3
	sed "s,@SCHEMA@,$data/schema,g; s,@DB@,$work/db,g" "$data/conf/$name.conf" \
		>"$work/slapd.conf"
	if [ -n "${DIT_GOLDEN_FILES:-}" ]; then
		load_file "$out" "$@" -f "$work/slapd.conf" -l "$input"
	else
		"$dump" "$@" -f "$work/slapd.conf" -l "$input"
	fi >"$out.dump" 2>"$out.stderr"
	{
		echo $?
		sed "s,$work,SITE,g; s/^ditadd: /slapadd: /" "$out.stderr"
	} >"$out.messages"
}

# sums DUMP: a line for each database: name, flags, number of records, SHA-256 of the lines
sums() {
	local heads digests i
	rm -rf "$work/parts"
	mkdir "$work/parts"
	awk -v dir="$work/parts/" '
		/^DB / { close(file); file = dir $2; printf "" >file; print $2, $3, $4; next }
		{ print >file }' "$1" >"$work/heads"
	mapfile -t heads <"$work/heads"
	[ ${#heads[@]} -gt 0 ] || return
	set -- "${heads[@]%% *}"
	sha256sum "${@/#/$work/parts/}" >"$work/digests"
	mapfile -t digests <"$work/digests"
	for i in "${!heads[@]}"; do
		echo "${heads[i]} ${digests[i]%% *}"
	done
}

# same_messages NAME OUT: long ones were cut when they were kept
same_messages() {
	local want=$data/exit/$1 text got
	[ -f "$data/exit/$1.ours" ] && want=$data/exit/$1.ours
	[ -f "$want" ] || want=$work/silence
	IFS= read -rd '' text <"$want"
	if [[ $text == *$'\n[...]\n'* ]]; then
		text=${text%%$'\n[...]\n'*}
		IFS= read -rd '' got <"$2.messages"
		diff <(echo "$text") <(echo "${got:0:${#text}}")
	else
		diff "$want" "$2.messages"
	fi
}

# same_sums NAME OUT DIFFERENT: all databases but those in the list, which do differ
same_sums() {
	sums "$2.dump" >"$2.sum"
	if [ -n "$3" ]; then
		diff "$data/sum/$1" "$2.sum" | sed -n 's/^[<>] \([^ ]*\) .*/\1/p' | sort -u |
			diff <(tr , '\n' <<<"$3" | sort) -
	else
		diff "$data/sum/$1" "$2.sum"
	fi && [ -s "$2.sum" ]
}

# run NAME INPUT OPTIONS DIFFERENCE
run() {
	local name=$1 input options=() out=$keep/$1
	find_input "$2"
	[ "$3" = - ] || options=("$3")
	if [[ $4 == first=* ]]; then
		head -n "${4#first=}" "$input" >"$work/first.ldif"
		input=$work/first.ldif
	fi
	load "$name" "$input" "$out" "${options[@]}"
	check "$name: exit status and messages" same_messages "$name" "$out"
	case $4 in
	part=*)
		check "$name: nothing is kept" test ! -s "$out.dump"
		head -n "${4#part=}" "$input" >"$work/part.ldif"
		load "$name" "$work/part.ldif" "$out" "${options[@]}"
		check "$name: content" same_sums "$name" "$out" ""
		;;
	db=*)
		load "$name" "$data/ldif/$2.grouped.ldif" "$out.grouped" "${options[@]}"
		check "$name: values stay with their attributes" \
			cmp "$out.grouped.dump" "$out.dump"
		if [ "$4" != db=all ]; then
			check "$name: content" same_sums "$name" "$out" "${4#db=}"
		fi
		;;
	*)
		check "$name: content" same_sums "$name" "$out" ""
		;;
	esac
}

# run_in_two NAME INPUT OPTIONS: the second half of the entries is added to the first;
# slapadd 2.7.0 stores the same in two loads as in one
run_in_two() {
	local name=$1 out=$keep/$1.two options=() nfirst input
	[ "$3" = - ] || options=("$3")
	find_input "$2"
	awk -v first="$work/first.ldif" -v second="$work/second.ldif" '
		BEGIN { RS = ""; ORS = "\n\n" }
		{ entry[NR] = $0 }
		END { for (i = 1; i <= NR; i++) print entry[i] >(i <= NR / 2 ? first : second) }
	' "$input"
	load "$name" "$work/first.ldif" "$out" "${options[@]}"
	nfirst=$(sed -n 's/^DB id2e .* entries=//p' "$out.dump")
	add=yes load "$name" "$work/second.ldif" "$out" "${options[@]}"
	check "$name in two loads: the first stores entries" test "$nfirst" -gt 0
	check "$name in two loads: messages" same_messages "$name" "$out"
	check "$name in two loads: content" same_sums "$name" "$out" ""
}

# cat_raw NAME INPUT: ditcat prints of slapadd's own data file what it prints of ours
cat_raw() {
	local input
	find_input "$2"
	rm -rf "$work/db"
	mkdir "$work/db"
	sed "s,@SCHEMA@,$data/schema,g; s,@DB@,$work/db,g" "$data/conf/$1.conf" \
		>"$work/slapd.conf"
	"${DITADD:?}" --openldap=2.7 -q -f "$work/slapd.conf" -l "$input"
	"${DITCAT:?}" --openldap=2.7 -f "$work/slapd.conf" -l "$work/ours.ldif"
	gzip -dc "$data/raw/$1.mdb.gz" >"$work/db/data.mdb"
	"$DITCAT" --openldap=2.7 -f "$work/slapd.conf" -l "$work/raw.ldif"
	check "$1: ditcat of slapadd's file" cmp "$work/ours.ldif" "$work/raw.ldif"
	check "$1: there are entries" grep -q '^dn: ' "$work/raw.ldif"
	check "$1: content of slapadd's file" "${DITCHECK:?}" --openldap=2.7 \
		-f "$work/slapd.conf"
}

echo 0 >"$work/silence"
mkdir "$work/db"
while read -r name input options difference; do
	if [ -n "$name" ] && { [ $# -eq 0 ] || [[ " $* " == *" $name "* ]]; }; then
		run "$name" "$input" "$options" "$difference"
	fi
done <<<"$table"
# The content does not depend on the size of the pages.
sizes='256 1024 65536'
[ "${DIT_LONG:-}" != yes ] || sizes='256 512 1024 2048 8192 16384 32768 65536'
if [ -n "${DIT_GOLDEN_FILES:-}" ] && [ $# -eq 0 ]; then
	for page_bytes in $sizes; do
		run children-first children-first - -
		run gen2000 g2000 - -
		run_in_two gen2000 g2000 -
		if [ $page_bytes -gt 256 ]; then # long RDNs
			run people people - -
			run contextcsn operational -w -
		fi
	done
	page_bytes=
	for load in people operational operational-hash32 children-first lists sizes numbers \
		options gen2000 dn-values big-ps1024 big-ps65536 multival sorted; do
		read -r name input options _ < <(grep "^$load " <<<"$table")
		run_in_two "$name" "$input" "$options"
	done
	cat_raw people people
	cat_raw big-ps1024 big
	cat_raw gen100 g100
fi
finish
