#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# -w (storage.md 6.3): contextCSN in the suffix entry or in the subentry, in new databases
# and in those that hold entries, glued ones included; and when nothing is to be written.
. "${0%/*}/lib.sh"

top=dc=example,dc=com
number=0

# rest CSN: the operational attributes of an entry
rest() {
	number=$((number + 1))
	printf 'entryUUID: 00000000-0000-1000-8000-%012x\n' $number
	echo "creatorsName: cn=admin,$top"
	echo "createTimestamp: 20260101000000Z"
	echo "entryCSN: $1"
	echo "modifiersName: cn=admin,$top"
	echo "modifyTimestamp: 20260101000000Z"
	echo
}

# csn DAY SID
csn() {
	echo "202601${1}000000.000000Z#000000#$2#000000"
}

# domain CSN [LINE...]
domain() {
	local csn=$1
	shift
	printf 'dn: %s\nobjectClass: domain\ndc: example\n' $top
	[ $# -eq 0 ] || printf '%s\n' "$@"
	echo "structuralObjectClass: domain"
	rest "$csn"
}

# person CN CSN [PARENT]
person() {
	printf 'dn: cn=%s,%s\nobjectClass: person\ncn: %s\nsn: s\n' "$1" \
		"${3-$top}" "$1"
	echo "structuralObjectClass: person"
	rest "$2"
}

unit() {
	printf 'dn: %s\nobjectClass: organizationalUnit\nou: %s\n' "$1" "${3-x}"
	echo "structuralObjectClass: organizationalUnit"
	rest "$2"
}

subentry() {
	printf 'dn: cn=ldapsync,%s\nobjectClass: subentry\n' $top
	printf 'objectClass: syncProviderSubentry\ncn: ldapsync\n'
	printf 'subtreeSpecification: {}\n'
	[ $# -eq 0 ] || printf '%s\n' "$@"
	echo "structuralObjectClass: subentry"
	rest "$(csn 01 000)"
}

more_conf=
# fresh DIR [CONF]
fresh() {
	make_site "$1" "${2:-default}"
	mkdir -p "$1/db-apart"
	[ -z "$more_conf" ] || echo "$more_conf" >>"$1/slapd.conf"
	echo 'index contextCSN eq' >>"$1/slapd.conf"
}

# compare NAME COMPARE-OPTIONS OPTION...: $work/input.ldif into a new database
compare() {
	local name=$1 how=$2 threads
	shift 2
	fresh "$work/ref"
	slapadd_site "$work/ref" -v "$@" -l "$work/input.ldif"
	for threads in 1 3; do
		fresh "$work/dit"
		ditadd_site "$work/dit" -v "$@" -T $threads --memory 8M \
			-l "$work/input.ldif"
		check "$name $* -T $threads: messages" same_messages "$work/ref" \
			"$work/dit"
		# shellcheck disable=SC2086 # several words
		check "$name $* -T $threads: content" same_content $how \
			--ignore-integerkey "$work/ref" "$work/dit"
	done
}

# compare_second NAME: $work/second.ldif into the database that input.ldif made
compare_second() {
	local name=$1 first
	fresh "$work/ref"
	slapadd_site "$work/ref" -w -l "$work/input.ldif"
	slapadd_site "$work/ref" -w -v -l "$work/second.ldif"
	for first in slapadd ditadd; do
		fresh "$work/dit"
		${first}_site "$work/dit" -w -l "$work/input.ldif"
		ditadd_site "$work/dit" -w -v -l "$work/second.ldif"
		check "$name after $first: messages" same_messages "$work/ref" \
			"$work/dit"
		check "$name after $first: content" same_content \
			--ignore-integerkey "$work/ref" "$work/dit"
	done
}

# The highest of each server, ascending by server.
{
	domain "$(csn 01 000)"
	person a "$(csn 03 003)"
	person b "$(csn 02 003)"
	person c "$(csn 05 fff)"
	person d "$(csn 04 001)"
	person e "$(csn 06 00a)"
} >"$work/input.ldif"
compare "servers" '' -w
compare "servers" '' -w -q
compare "servers" '' -w -s
cp "$work/input.ldif" "$work/servers.ldif"

# Stored apart: slapadd says that the suffix entry is modified, and the values are lost.
more_conf='multival contextCSN 2,1'
fresh "$work/dit"
ditadd_site "$work/dit" -w -l "$work/input.ldif"
more_conf=
slapcat -f "$work/dit/slapd.conf" | grep '^contextCSN' | sort >"$work/csns"
check "stored apart" diff - "$work/csns" <<END
contextCSN: $(csn 01 000)
contextCSN: $(csn 03 003)
contextCSN: $(csn 04 001)
contextCSN: $(csn 05 fff)
contextCSN: $(csn 06 00a)
END

# More entries: higher and lower ones, of old and new servers.
{
	person f "$(csn 09 003)"
	person g "$(csn 02 001)"
	person h "$(csn 02 002)"
} >"$work/second.ldif"
compare_second "second part"
{
	person f "$(csn 01 003)"
	person g "$(csn 02 001)"
	person h "$(csn 02 002)"
} >"$work/second.ldif"
compare_second "nothing higher, but another server"
: >"$work/second.ldif"
compare_second "no entries"

# contextCSN in the LDIF: exceeded, or not and then left alone.
{
	domain "$(csn 01 000)" "contextCSN: $(csn 05 000)" \
		"contextCSN: $(csn 05 001)" "description: behind"
	person a "$(csn 09 001)"
	person b "$(csn 02 003)"
} >"$work/input.ldif"
compare "exceeded" '' -w
{
	domain "$(csn 01 000)" "contextCSN: $(csn 05 000)" "description: behind"
	person a "$(csn 04 000)"
	person b "$(csn 02 003)"
} >"$work/input.ldif"
compare "not exceeded" '' -w

# Holes, errors, nothing to write.
person a "$(csn 04 000)" >"$work/input.ldif"
compare "the suffix entry is a hole" '' -w
{
	domain "$(csn 01 000)"
	person a "$(csn 04 000)" "ou=x,$top"
} >"$work/input.ldif"
compare "another hole" '' -w
{
	domain "$(csn 01 000)"
	printf 'dn: cn=x,%s\nobjectClass: nothing\n\n' $top
	person a "$(csn 04 000)"
} >"$work/input.ldif"
compare "parse error" '' -w -c
{
	domain "$(csn 01 000)"
	person a "$(csn 04 000)"
	person a "$(csn 05 000)"
} >"$work/input.ldif"
compare "store error" '' -w -c
: >"$work/input.ldif"
compare "no entries" '' -w
{
	domain "$(csn 01 000)"
	person a "20260101000000.000000Z#000000#zzz#000000"
} >"$work/input.ldif"
compare "no server ID" '' -w
{
	domain "20260101000000Z#000000#00#000000"
	person a "20260101000000.000000Z#0000ff#01#000000"
} >"$work/input.ldif"
compare "old forms" '' -w -c
printf 'dn: %s\nobjectClass: domain\ndc: example\n' $top >"$work/input.ldif"
compare "generated" --generated -w -S 17
more_conf='lastmod off'
cp "$work/servers.ldif" "$work/input.ldif"
compare "lastmod off" '' -w

# The subentry: made, changed, left alone; on top of a hole; next to other entries.
more_conf='sync_use_subentry on'
compare "subentry" '' -w
{
	cat "$work/servers.ldif"
	subentry
} >"$work/input.ldif"
compare "subentry without contextCSN" '' -w
{
	cat "$work/servers.ldif"
	subentry "contextCSN: $(csn 02 001)"
} >"$work/input.ldif"
compare "subentry, exceeded" '' -w
{
	cat "$work/servers.ldif"
	subentry "contextCSN: $(csn 09 001)"
} >"$work/input.ldif"
compare "subentry, not exceeded" '' -w
person a "$(csn 04 000)" >"$work/input.ldif"
compare "subentry below a hole" '' -w
cp "$work/servers.ldif" "$work/input.ldif"
person f "$(csn 09 003)" >"$work/second.ldif"
compare_second "subentry, second part"
more_conf=

# An empty suffix: its entry has no place in the tree.
for input in "" "$(printf 'dn:\nobjectClass: extensibleObject\nobjectClass: device\ncn: r')"; do
	{
		[ -z "$input" ] || {
			echo "$input"
			echo "structuralObjectClass: device"
			rest "$(csn 01 000)"
		}
		unit "ou=x" "$(csn 02 000)"
	} >"$work/input.ldif"
	for dir in ref dit; do
		fresh "$work/$dir" empty-suffix
	done
	slapadd_site "$work/ref" -w -v -l "$work/input.ldif"
	ditadd_site "$work/dit" -w -v -l "$work/input.ldif"
	check "empty suffix ${input:+with its entry}: messages" same_messages \
		"$work/ref" "$work/dit"
	check "empty suffix ${input:+with its entry}: content" same_content \
		--ignore-integerkey "$work/ref" "$work/dit"
done

# Glued databases: all entries count, the superior database has the result. slapadd often
# crashes there, so the expectation is written down.
{
	domain "$(csn 01 000)"
	unit "ou=sub,$top" "$(csn 07 000)" sub
	person a "$(csn 04 001)"
} >"$work/input.ldif"
fresh "$work/dit" glue
ditadd_site "$work/dit" -b $top -w -v -l "$work/input.ldif"
check "glued: messages" diff - "$work/dit/stderr" <<END
added: "$top" (00000001)
added: "ou=sub,$top" (00000001)
added: "cn=a,$top" (00000002)
modified: "(null)" (00000001)
END
slapcat -g -f "$work/dit/slapd.conf" -b $top | grep '^contextCSN' >"$work/csns"
check "glued: superior" diff - "$work/csns" <<END
contextCSN: $(csn 07 000)
contextCSN: $(csn 04 001)
END
slapcat -f "$work/dit/slapd.conf" -n 2 >"$work/sub.ldif"
check "glued: subordinate" grep -q '^dn: ou=sub' "$work/sub.ldif"
check "glued: nothing in the subordinate" test \
	"$(grep -c '^contextCSN' "$work/sub.ldif")" -eq 0
unit "ou=sub,$top" "$(csn 07 000)" sub >"$work/input.ldif"
fresh "$work/dit" glue
ditadd_site "$work/dit" -b $top -w -l "$work/input.ldif"
check "glued, no suffix entry: exit" grep -qx 1 "$work/dit/exit"
check "glued, no suffix entry: message" diff - "$work/dit/stderr" <<END
PROGRAM: context entry is missing
END

finish
