#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A damaged database gets more entries: ditadd never dies of a signal. It refuses with a
# message, and the file is what it was, or the damage lies where the load does not look.
#
#   DIT_LONG=yes   4,000 damaged files, not 100
#   DIT_SEED=N     the first seed of the damages; else by the clock
. "${0%/*}/faults_lib.sh"
damage=$DIT_BUILDDIR/tests/faults/damage

nfiles=100
[ "${DIT_LONG:-}" != yes ] || nfiles=4000
seed=${DIT_SEED:-$(date +%s)}
echo "seed $seed"

# load_into_damaged SEED ARGUMENT...
load_into_damaged() {
	local file=$work/dit/files/db/data.mdb at=$1 status
	shift
	put_back
	"$damage" "$file" "$at" >"$work/damage"
	check "seed $at: it is damaged" test $? -eq 0
	cp "$file" "$work/damaged.mdb"
	timeout -s KILL 300 "$DITADD" -q --memory 16M --tmpdir "$work/tmp" \
		-f "$work/dit/slapd.conf" "$@" >"$work/load.out" 2>&1
	status=$?
	# The older meta page may have become the newer one: its state may lack the parents of
	# what is loaded, which are holes then, as slapadd makes them, with exit status 1.
	if [ $status -eq 1 ] && grep -q '^Error, entries missing!' "$work/load.out"; then
		status=0
	fi
	case $status in
	0)
		nloaded=$((nloaded + 1))
		;;
	1)
		nrefused=$((nrefused + 1))
		grep -q 'ditcheck' "$work/load.out" && nhints=$((nhints + 1))
		check "seed $at: a message" test -s "$work/load.out"
		check "seed $at: the file is as it was" cmp "$file" "$work/damaged.mdb"
		;;
	*)
		fail "seed $at: status $status; $(tr '\n' ';' <"$work/damage")"
		;;
	esac
	nchecks=$((nchecks + 1))
}

# damage_all NAME ARGUMENT...
damage_all() {
	local name=$1 i nloaded=0 nrefused=0 nhints=0
	shift
	for ((i = 0; i < nfiles; i++)); do
		load_into_damaged $((seed + i)) -T $((i % 2 + 1)) "$@"
	done
	echo "$name: $nfiles damaged files: $nrefused refused, $nhints of them by the look" \
		"before liblmdb; $nloaded loaded"
	check "$name: some are refused, some not" test $nhints -gt 3 -a $nloaded -gt 10
}

# A database of ditadd's, and one that slapadd has made and changed, with free pages.
make_input 300
make_conf "$work/dit"
make_files "$work/dit"
load -l "$work/first.ldif"
check "the first part" test $? -eq 0
save old
damage_all "by ditadd" -l "$work/second.ldif"

make_files "$work/dit"
slapadd -q -f "$work/dit/slapd.conf" -l "$work/first.ldif" >/dev/null 2>&1
check "slapadd" test $? -eq 0
sed -n '/^$/q;p' "$work/second.ldif" >"$work/one.ldif"
slapadd -f "$work/dit/slapd.conf" -l "$work/one.ldif" >/dev/null 2>&1
check "slapadd again" test $? -eq 0
awk 'BEGIN { RS = ""; ORS = "\n\n" } NR > 1' "$work/second.ldif" >"$work/rest.ldif"
save old
damage_all "by slapadd" -l "$work/rest.ldif"
finish
