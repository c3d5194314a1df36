#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Random directories (random/randdit.c) through slapadd and ditadd: the same messages, exit
# status and records, for each seed with another number of threads, memory and kind of
# index keys.
#
#   random.sh [FIRST [LAST]]    these seeds; RANDOM_KEEP=DIR keeps the input of failed ones
#
# DIT_LONG=yes: thousands of seeds.
. "${0%/*}/lib.sh"
: "${RANDDIT:?}"

first=${1:-1}
last=${2:-$([ "${DIT_LONG:-no}" = yes ] && echo 4000 || echo 60)}

# without_lost_holes DIR: leave out the list of missing entries where it cannot agree. Holes
# made by an entry that could not be added stay in slapadd's memory when they are gone from
# the database (storage.md 3.4); and where slapadd stops at an error it lists the holes of
# what it has stored, of which we store nothing.
without_lost_holes() {
	if grep -q 'could not add entry' "$work/ref/stderr" || [ ! -e "$work/dit/db/data.mdb" ]; then
		sed -i '/^Error, entries missing!$/d; /^  entry [0-9]*: /d' "$1/stderr"
	fi
}

# load_both OPTION...: leaves messages and databases in the sites
load_both() {
	empty_site "$work/ref"
	empty_site "$work/dit"
	slapadd_site "$work/ref" "$@" -l "$work/input.ldif"
	ditadd_site "$work/dit" "$@" "${how[@]}" -l "$work/input.ldif"
}

# one_seed SEED
one_seed() {
	local threads=(1 2 3 8) memories=(8M 9M 16M 256M) keys=(bytes integer) options how ignored
	local failed_before=$nfailed
	for site in ref dit; do
		"$RANDDIT" "$1" conf | fill_in "$work/$site" >"$work/$site/slapd.conf"
	done
	"$RANDDIT" "$1" ldif >"$work/input.ldif"
	read -ra options < <("$RANDDIT" "$1" options)
	leave_out_mixed "$work/ref" "$work/input.ldif" "${options[@]}"
	how=(-T "${threads[$1 % 4]}" --memory "${memories[$1 / 4 % 4]}"
		"--index-keys=${keys[$1 / 16 % 2]}")
	ignored=(--generated)
	[ "${keys[$1 / 16 % 2]}" = integer ] && ignored+=(--ignore-integerkey)

	load_both "${options[@]}"
	# A store error costs slapadd -q its batch (storage.md 6.6): without -q, then.
	if [[ " ${options[*]} " = *' -q '* ]] &&
		grep -q 'could not add entry' "$work/ref/stderr"; then
		read -ra options <<<"${options[@]/#-q/}"
		load_both "${options[@]}"
	fi
	# Some values kill slapadd; what we make of those is told and tested elsewhere.
	if [ "$(cat "$work/ref/exit")" -ge 128 ]; then
		ndied=$((ndied + 1))
		check "seed $1: survived" test "$(cat "$work/dit/exit")" -lt 128
		return
	fi
	for site in ref dit; do
		without_lost_holes "$work/$site"
	done
	check "seed $1 ${options[*]} ${how[*]}: messages" same_messages "$work/ref" \
		"$work/dit"
	if [ -e "$work/dit/db/data.mdb" ]; then
		check "seed $1 ${options[*]} ${how[*]}: content" same_content "${ignored[@]}" \
			"$work/ref" "$work/dit"
		nstored=$((nstored + 1))
	else
		# All or nothing: slapadd keeps what came before the error.
		check "seed $1 ${options[*]}: refused" diff "$work/dit/exit" - <<<1
	fi
	if [ "$nfailed" -gt "$failed_before" ] && [ -n "${RANDOM_KEEP:-}" ]; then
		mkdir -p "$RANDOM_KEEP/$1"
		cp "$work/input.ldif" "$RANDOM_KEEP/$1"
		diff -a "$work"/{ref,dit}/stderr >"$RANDOM_KEEP/$1/messages"
	fi
}

make_site "$work/ref"
make_site "$work/dit"
nstored=0
ndied=0
for ((seed = first; seed <= last; seed++)); do
	one_seed "$seed"
done
echo "seeds $first to $last, $nstored stored; slapadd died of $ndied"
check "most seeds let slapadd live" test $((ndied * 10)) -le $((last - first + 10))
check "most seeds store something" test $((nstored * 2)) -gt $((last - first))
finish
