#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Larger inputs: a made-up directory with the benchmark's indexes, in one batch and in
# many, with and without spilling; and ID lists at the length where they become ranges.
. "${0%/*}/lib.sh"
: "${DITGEN:?}"

entries=${GENERATED_ENTRIES:-3000}
[ "${DIT_LONG:-}" != yes ] || entries=${GENERATED_ENTRIES:-20000}

# compare_with NAME COMPARE-OPTIONS DITADD-OPTION...: against $work/ref
compare_with() {
	local name=$1 how=$2
	shift 2
	empty_site "$work/dit"
	ditadd_site "$work/dit" "$@" -l "$work/input.ldif"
	check "$name $*: messages" same_messages "$work/ref" "$work/dit"
	# shellcheck disable=SC2086 # several words
	check "$name $*: content" same_content $how "$work/ref" "$work/dit"
	check "$name $*: leftovers" only_database "$work/dit"
}

make_site "$work/ref" bench
make_site "$work/dit" bench
"$DITGEN" --entries "$entries" --seed 1 --operational >"$work/input.ldif"
slapadd_site "$work/ref" -q -l "$work/input.ldif"
compare_with directory '' -q --index-keys=bytes -T 2
compare_with directory --ignore-integerkey -q -T 1 --memory 16M
compare_with directory --ignore-integerkey -T 3

# From a pipe, as slapadd reads it from its standard input.
empty_site "$work/dit"
# shellcheck disable=SC2002 # a pipe is the point
cat "$work/input.ldif" | ditadd_site "$work/dit" -q
check "directory from a pipe" same_content --ignore-integerkey "$work/ref" "$work/dit"

# The sixty-sixth thousand: LIMIT entries make a list, one more makes it a range, and so
# does the same key again in the entry that filled the list (storage.md 5.4).
#
#   l             one entry too many: range
#   ou            LIMIT entries, two equal values in the first: list
#   o             LIMIT entries, two equal values in the last: range
#   description   LIMIT entries, twice present in the last: range
#   serialNumber  too many, the last one fills a hole near the beginning: range
#   owner         LIMIT entries, two equal values in the one that fills the hole: range
#   seeAlso       LIMIT entries, two equal values in the one with the highest ID, which is
#                 not the last: list
#
# For the releases that mix up lines (doc/compatibility.md) the equal values stand together.
LIMIT=65535
awk -v limit=$LIMIT -v together="$DIT_OPENLDAP" 'BEGIN {
	print "dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n"
	print "dn: cn=child,cn=hole,dc=example,dc=com\nobjectClass: device\n"
	for (i = 1; i <= limit + 1; i++) {
		printf "dn: cn=%d,dc=example,dc=com\nobjectClass: device\nl: Here\n", i
		print "serialNumber: 1"
		if (i <= limit) {
			print "ou: Unit" (i == 1 && together ? "\nou: UNIT" : "")
			print "o: Org" (i == limit && together ? "\no: ORG" : "")
			print "description: x"
		}
		if (i < limit) {
			print "owner: cn=x\nseeAlso: cn=x"
		}
		if (i == limit - 1) {
			print "seeAlso: CN=X"
		}
		if (i == 1 && !together) {
			print "ou: UNIT"
		}
		if (i == limit) {
			print (together ? "" : "o: ORG\n") "description;lang-en: y"
		}
		print ""
	}
	print "dn: cn=hole,dc=example,dc=com\nobjectClass: device\nserialNumber: 1"
	print "owner: cn=x\nowner: CN=X\nseeAlso: cn=x"
}' >"$work/input.ldif"

for conf in lists lists-wide lists17; do
	make_site "$work/ref" $conf
	make_site "$work/dit" $conf
	slapadd_site "$work/ref" -q -l "$work/input.ldif"
	compare_with $conf --ignore-integerkey -q -T 2
	compare_with $conf --ignore-integerkey -q -T 1 --memory 8M
done

finish
