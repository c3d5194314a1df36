#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every fixture through slapadd and through ditadd: the same records in every named
# database, the same exit status, the same messages. Each fixture meets each combination
# of byte or integer keys and 1, 2, 3 or 8 threads once, half of them in quick mode, in
# batches of a few records. In "make check" a fixture meets one of four in each mode,
# in turn; DIT_LONG=yes: all.
. "${0%/*}/lib.sh"
. "${0%/*}/fixtures.sh"

# load_and_compare NAME KIND COMBINATIONS OPTION...: the reference once, then ditadd with
# each THREADS:KEYS:MEMORY of the combinations
load_and_compare() {
	local name=$1 kind=$2 combination keys threads memory what ignored
	local -a combinations
	read -ra combinations <<<"$3"
	shift 3
	empty_site "$work/ref"
	slapadd_site "$work/ref" "$@" -l "$work/input.ldif"
	turn 1 # so that each combination has its turns
	for combination in "${combinations[@]}"; do
		turn 4 || continue
		IFS=: read -r threads keys memory <<<"$combination"
		ignored=()
		[ "$kind" = generated ] && ignored+=(--generated)
		[ "$keys" = integer ] && ignored+=(--ignore-integerkey)
		what="$name $* --index-keys=$keys -T $threads --memory $memory"
		empty_site "$work/dit"
		ditadd_site "$work/dit" "$@" "--index-keys=$keys" -T "$threads" \
			--memory "$memory" -l "$work/input.ldif"
		check "$what: messages" same_messages "$work/ref" "$work/dit"
		if [ -n "$DIT_OPENLDAP" ] && grep -q "(line=" "$work/ref/stderr" &&
			[[ " $* " != *" -c "* ]]; then
			check "$what: nothing stored" untouched "$work/dit"
			continue
		fi
		check "$what: content" same_content "${ignored[@]}" "$work/ref" "$work/dit"
		check "$what: leftovers" only_database "$work/dit"
	done
}

# both_modes FIXTURE CONF KIND OPTION...
both_modes() {
	local name="$1/$2" kind=$3 conf=$2
	! lacks_module "$conf" || return 0
	fill_in "$work" <"$DIT_TEST_DATA/ldif/$1.ldif" >"$work/input.ldif"
	shift 3
	make_site "$work/ref" "$conf"
	make_site "$work/dit" "$conf"
	leave_out_mixed "$work/ref" "$work/input.ldif" "$@"
	load_and_compare "$name" "$kind" \
		'1:integer:8M 2:bytes:8M 3:integer:16M 8:bytes:8M' "$@"
	leave_out_mixed "$work/ref" "$work/input.ldif" -q "$@"
	load_and_compare "$name" "$kind" \
		'1:bytes:16M 2:integer:8M 3:bytes:8M 8:integer:8M' -q "$@"
}

while read -r fixture conf kind rest; do
	[ -n "$fixture" ] || continue
	[ $# -eq 0 ] || [ "$fixture" = "$1" ] || continue
	read -ra options <<<"$rest"
	both_modes "$fixture" "$conf" "$kind" "${options[@]}"
done <<<"$table"

finish
