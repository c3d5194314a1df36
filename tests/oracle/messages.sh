#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Records broken at random (brokengen.c): slapadd and ditadd refuse the same ones, in the
# same words, in the same order, at the same lines, end with the same status, and store the
# others alike; whatever the options.
#
#   messages.sh [FIRST [LAST]]    seeds to run
#
# DIT_LONG=yes: many seeds.
. "${0%/*}/lib.sh"
: "${BROKENGEN:?}"

first=${1:-1}
last=${2:-$([ "${DIT_LONG:-no}" = yes ] && echo 60 || echo 1)}
records=$([ "${DIT_LONG:-no}" = yes ] && echo 2000 || echo 400)

# comparable DIR: the messages without the list of missing entries, on which slapadd keeps
# parents of refused entries
comparable() {
	sed -i '/^Error, entries missing!$/d; /^  entry [0-9]*: /d' "$1/stderr"
}

# leave_out_parts OPTION...: with multival, slapadd stores parts of an attribute under one key
# (oracle/apart.sh)
leave_out_parts() {
	local DIT_OPENLDAP=$DIT_OPENLDAP
	! grep -q '^multival' "$work/ref/slapd.conf" || DIT_OPENLDAP=${DIT_OPENLDAP:-2.5}
	leave_out_mixed "$work/ref" "$work/input.ldif" "$@"
}

# compare SEED RECORDS OPTION...
compare() {
	local seed=$1 n=$2 rules=()
	shift 2
	# Store errors cost slapadd -q other entries (storage.md 6.6).
	[[ " $* " = *' -q '* ]] && rules=(once known)
	"$BROKENGEN" "$seed" "$n" "${rules[@]}" >"$work/input.ldif"
	leave_out_parts "$@"
	empty_site "$work/ref"
	empty_site "$work/dit"
	slapadd_site "$work/ref" "$@" -v -l "$work/input.ldif"
	ditadd_site "$work/dit" "$@" -v --strict -T $((seed % 3 + 1)) --memory 8M \
		-l "$work/input.ldif"
	comparable "$work/ref"
	comparable "$work/dit"
	check "brokengen $seed $n ${rules[*]}, $*: messages" same_messages "$work/ref" \
		"$work/dit"
	case " $* " in
	*' -u '*)
		check "brokengen $seed $n, $*: untouched" untouched "$work/dit"
		;;
	*' -c '*)
		check "brokengen $seed $n ${rules[*]}, $*: content" same_content \
			--generated --ignore-integerkey "$work/ref" "$work/dit"
		;;
	esac
}

make_site "$work/ref"
make_site "$work/dit"
for seed in $(seq "$first" "$last"); do
	compare "$seed" "$records" -c
	compare "$seed" "$records" -c -q
	compare "$seed" "$records" -c -s
	compare "$seed" "$records" -c -q -s
	compare "$seed" "$records" -c -o value-check=yes
	compare "$seed" "$records" -c -d 0
	compare "$seed" "$records" -c -u
	compare "$seed" "$records" -c -j $((records * 3))
	# Up to the first refused record.
	for i in 1 2 3 4 5; do
		compare $((seed * 1000 + i)) 3 -o value-check=yes
	done
done
make_site "$work/ref" apart
make_site "$work/dit" apart
for seed in $(seq "$first" "$last"); do
	compare "$seed" "$records" -c
	compare "$seed" "$records" -c -s
	compare "$seed" "$records" -c -q
done

finish
