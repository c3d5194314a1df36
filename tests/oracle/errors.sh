#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ditadd refuses what slapadd refuses: in the same words, at the same line, with the same
# exit status. With -c the rest is stored alike; without it our database stays as it was.
# With -c "make check" has three threads, and one in quick mode, and each file is loaded with one
# or two of the three value checks, in turn. DIT_LONG=yes: all.
. "${0%/*}/lib.sh"

# Store errors cost slapadd -q the whole batch (storage.md 6.6), so its normal mode is the
# reference for these fixtures in both modes.
store_errors=' duplicates entry-size root-entry too-long-rdn too-long-suffix mixed '

# conf_of NAME: the configuration of a fixture
conf_of() {
	case $1 in
	rules-*) echo rules ;;
	too-long-suffix) echo too-long-suffix ;;
	entry-size) echo entry-size ;;
	root-entry) echo empty-suffix ;;
	sorted-order) echo sorted ;;
	*) echo default ;;
	esac
}

# one_fixture NAME
one_fixture() {
	local name=$1 mode reference threads strict=
	# Records that ditadd takes, and slapadd does not.
	[ "$name" = version-first ] && strict=--strict
	cp "$DIT_TEST_DATA/errors/$name.ldif" "$work/input.ldif"
	make_site "$work/ref" "$(conf_of "$name")"
	make_site "$work/dit" "$(conf_of "$name")"
	for mode in '' -q; do
		leave_out_mixed "$work/ref" "$work/input.ldif" "$mode"
		reference=$mode
		[[ $store_errors = *" $name "* ]] && reference=

		empty_site "$work/ref"
		slapadd_site "$work/ref" ${reference:+"$reference"} -v \
			-l "$work/input.ldif"
		! died "$work/ref" "$name $mode" || continue
		empty_site "$work/dit"
		ditadd_site "$work/dit" ${mode:+"$mode"} $strict -v -T 2 -l "$work/input.ldif"
		check "$name $mode: messages" same_messages "$work/ref" "$work/dit"
		# The longest RDN of 2.7 is longer: there are missing parents alone.
		if [ "$(<"$work/ref/exit")" -ne 0 ] && { [ -z "$DIT_OPENLDAP" ] ||
			grep -q '(line=\|could not' "$work/ref/stderr"; }; then
			check "$name $mode: nothing stored" untouched "$work/dit"
		fi

		empty_site "$work/ref"
		slapadd_site "$work/ref" ${reference:+"$reference"} -c -v \
			-l "$work/input.ldif"
		! died "$work/ref" "$name $mode -c" || continue
		for threads in 1 3; do
			[ "${DIT_LONG:-}" = yes ] || [[ $mode$threads = @(3|-q1) ]] || continue
			empty_site "$work/dit"
			ditadd_site "$work/dit" ${mode:+"$mode"} $strict -c -v \
				-T "$threads" -l "$work/input.ldif"
			check "$name $mode -c -T $threads: messages" \
				same_messages "$work/ref" "$work/dit"
			# Where the input itself ends in an error nothing is published.
			[[ $name = include-* && $name != include-inside ]] && continue
			check "$name $mode -c -T $threads: content" same_content \
				--generated --ignore-integerkey "$work/ref" "$work/dit"
		done
	done
}

# no_schema_check NAME: with -s
no_schema_check() {
	make_site "$work/ref" "$(conf_of "$1")"
	make_site "$work/dit" "$(conf_of "$1")"
	cp "$DIT_TEST_DATA/errors/$1.ldif" "$work/input.ldif"
	leave_out_mixed "$work/ref" "$work/input.ldif" -s
	slapadd_site "$work/ref" -s -c -v -l "$work/input.ldif"
	ditadd_site "$work/dit" -s -c -v -T 2 --memory 8M -l "$work/input.ldif"
	check "$1 -s: messages" same_messages "$work/ref" "$work/dit"
	check "$1 -s: content" same_content --generated --ignore-integerkey "$work/ref" \
		"$work/dit"
}

# value_check FILE [CONF]: -o value-check=yes, and that it is off in quick mode
value_check() {
	local options yes='-o value-check=yes'
	make_site "$work/ref" "${2:-default}"
	make_site "$work/dit" "${2:-default}"
	cp "$1" "$work/input.ldif"
	leave_out_mixed "$work/ref" "$work/input.ldif" -q
	for options in "$yes" "$yes -q" '-o value-check=no'; do
		turn 2 || continue
		empty_site "$work/ref"
		empty_site "$work/dit"
		# shellcheck disable=SC2086 # several words
		slapadd_site "$work/ref" -c $options -l "$work/input.ldif"
		# shellcheck disable=SC2086
		ditadd_site "$work/dit" -c $options -l "$work/input.ldif"
		check "${1##*/} $options: messages" same_messages "$work/ref" "$work/dit"
		check "${1##*/} $options: content" same_content --generated \
			--ignore-integerkey "$work/ref" "$work/dit"
	done
}

# option_error OPTION...: same exit status and messages
option_error() {
	empty_site "$work/ref"
	empty_site "$work/dit"
	slapadd_site "$work/ref" "$@" </dev/null
	ditadd_site "$work/dit" "$@" </dev/null
	check "options $*" same_messages "$work/ref" "$work/dit"
}

# usage_error OPTION...: both exit with 1; slapadd prints its usage, ditadd names --help
usage_error() {
	slapadd_site "$work/ref" "$@" </dev/null
	ditadd_site "$work/dit" "$@" </dev/null
	check "options $*" ended "$work/dit" "$(<"$work/ref/exit")"
	check "options $*: usage" grep -q -e "--help says more" "$work/dit/stderr"
}

for file in "$DIT_TEST_DATA"/errors/*.ldif; do
	name=${file##*/}
	one_fixture "${name%.ldif}"
done
value_check "$DIT_TEST_DATA/ldif/loose.ldif"
value_check "$DIT_TEST_DATA/errors/value-check.ldif"
lacks_syntax values || value_check "$DIT_TEST_DATA/ldif/rules-in-dns.ldif" values
for name in bits booleans csn-forms first-integer first-oid ia5-exact ia5-fold lists numeric \
	octets oids ordered telephones times uuids; do
	value_check "$DIT_TEST_DATA/ldif/$name.ldif" schema
done
for name in certs more-rules; do
	value_check "$DIT_TEST_DATA/ldif/$name.ldif" certs
done
value_check "$DIT_TEST_DATA/ldif/dn-attribute.ldif"
value_check "$DIT_TEST_DATA/ldif/utf8-odd.ldif"
for name in parse-lines parse-names rules-classes rules-content rules-naming root-entry schema-attributes \
	schema-naming schema-objectclass unknown-names; do
	no_schema_check "$name"
done

# Without diagnostic lines.
make_site "$work/ref"
make_site "$work/dit"
slapadd_site "$work/ref" -d 0 -c -l "$DIT_TEST_DATA/errors/mixed.ldif"
ditadd_site "$work/dit" -d 0 -c -l "$DIT_TEST_DATA/errors/mixed.ldif"
check "-d 0" same_messages "$work/ref" "$work/dit"

option_error -n 9
option_error -n 0
option_error -b dc=unknown
option_error -b foo=bar
option_error -l /nonexistent/input.ldif
option_error -d nosuchlevel
option_error -d 0 -n 9
option_error -d 0 -b dc=unknown
option_error -d 0 -l /nonexistent/input.ldif
option_error -q -o value-check=yes -l /nonexistent/input.ldif
option_error -o value-check=yes -q -n 9
option_error -q -o value-check=yes
usage_error -S 4096
usage_error -S -1
usage_error -S abc
usage_error -S 0x5
usage_error -n 1 -b dc=example,dc=com
usage_error -n x
usage_error -X

sed '/^suffix/d' "$work/ref/slapd.conf" >"$work/ref/new"
mv "$work/ref/new" "$work/ref/slapd.conf"
sed '/^suffix/d' "$work/dit/slapd.conf" >"$work/dit/new"
mv "$work/dit/new" "$work/dit/slapd.conf"
option_error -l /dev/null

for site in ref dit; do
	rm "$work/$site/slapd.conf"
done
option_error -l /dev/null
for site in ref dit; do
	mkdir "$work/$site/slapd.conf"
done
option_error -l /dev/null

finish
