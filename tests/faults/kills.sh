#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ditadd or ditindex is killed at a system call: each database is the old one or the new one, and
# whole, and the next run succeeds and leaves nothing behind.
#
# strace kills at each call that changes files, and at a sample of all calls.
#
#   DIT_LONG=yes   at each call of all kinds
#   DIT_SEED=N     for the sample; else by the clock
. "${0%/*}/faults_lib.sh"
if ! strace -o /dev/null true 2>/dev/null; then
	echo "SKIPPED: strace cannot trace here"
	[ -n "${CI:-}" ] && exit 1
	exit 77
fi

changing='^write|pwrite|sync|rename|link|mkdir|rmdir|truncate|fallocate|chmod|chown|flock|fcntl'
nsampled=15
seed=${DIT_SEED:-$(($(date +%s) % 32768))}
RANDOM=$seed
echo "seed $seed"

# traced OPTION... -- ARGUMENT...: the load under strace, with one thread
traced() {
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	strace -f -qq -o "$work/trace" "${options[@]}" "$tool" -q -T 1 --memory 16M \
		--tmpdir "$work/tmp" --openldap "$release" -f "$work/dit/slapd.conf" "$@" \
		>"$work/load.out" 2>&1
}

# list_calls ARGUMENT...: the calls of a load, each as CALL N KIND: its N-th one; KIND is 1
# if it changes files
list_calls() {
	put_back
	traced -- "$@"
	check "$name: under strace" test $? -eq 0
	awk -v changing="$changing" '{
		call = $2
		sub(/\(.*/, "", call)
		if (call ~ /^[a-z]/ && call !~ /^exec|^exit/) {
			print call, ++n[call], call ~ changing || $0 ~ /O_CREAT|O_TMPFILE/
		}
	}' "$work/trace" >"$work/calls"
}

# kill_once CALL N ARGUMENT...: examine what is left, load again
kill_once() {
	local at="$1 $2" again=$(($2 % 5)) status
	put_back
	traced -e trace="$1" -e inject="$1:signal=KILL:when=$2" -- "${@:3}" 2>/dev/null
	status=$?
	shift 2
	state=
	check "$name: $at: it is killed" test $status -eq 137
	nchecks=$((nchecks + 1))
	examine >"$work/check.out" 2>&1 || {
		fail "$name: killed at $at"
		sed 's/^/    /; 30q' "$work/check.out" >&2
	}
	nkills=$((nkills + 1))
	[ "$state" = old ] || return
	nold=$((nold + 1))
	[ $again -eq 0 ] || return
	load "$@"
	check "$name: the run after the kill at $at" test $? -eq 0
	examine >/dev/null 2>&1
	check "$name: content after the kill at $at" test "$state" = new
	check "$name: leftovers after the kill at $at" no_leftovers
}

kill_all() {
	local name=$1 call n nkills=0 nold=0
	shift
	list_calls "$@"
	step=$(($(wc -l <"$work/calls") / nsampled))
	[ "${DIT_LONG:-}" != yes ] || step=1
	while read -r call n _ <&3; do
		kill_once "$call" "$n" "$@"
	done 3< <(awk -v step=$step -v first=$((RANDOM % step)) '$3 || NR % step == first' \
		"$work/calls")
	echo "$name: killed at $nkills of $(wc -l <"$work/calls") calls: $nold left the old state"
	check "$name: old and new states" test $nold -gt 0 -a $nold -lt $nkills
}

make_input 40
for_all_loads kill_all
for_reindex kill_all
for_2_7 kill_all
finish
