#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A damaged or forged database gets more entries, or is read by another tool: none dies of a
# signal or runs for ever. A load refuses with a message, and the file is what it was, or the
# damage lies where the load does not look.
#
# Each kind of file is damaged 20 times, twice for each tool and way to load, the same each time.
#
#   DIT_LONG=yes   4,000 damaged files of each kind
#   DIT_SEED=N     the first seed of the damages; else 1, and in a long run by the clock
. "${0%/*}/faults_lib.sh"
damage=$DIT_BUILDDIR/tests/faults/damage

nfiles=20
seed=1
[ "${DIT_LONG:-}" != yes ] || nfiles=4000 seed=$(date +%s)
seed=${DIT_SEED:-$seed}
echo "seed $seed"

# run_tool NUMBER: a tool works on the damaged file. Loads bring many entries, and few
# (output/claimed_output.c).
run_tool() {
	local some=(--tmpdir "$work/tmp" -f "$work/dit/slapd.conf" -T $(($1 / 10 % 2 + 1)))
	local all=(--openldap "$release" "${some[@]}")
	case $(($1 % 10)) in
	0 | 1 | 2) set -- "$DITADD" -q --memory 16M "${all[@]}" -l "$work/second.ldif" ;;
	3 | 4) set -- "$DITADD" -q --memory 16M "${all[@]}" -l "$work/few.ldif" ;;
	5) set -- "$DITADD" -q --memory 16M "${all[@]}" -l "$work/two.ldif" ;;
	6) set -- "$DITINDEX" -q "${all[@]}" ;;
	7) set -- "$DITINDEX" --online "${some[@]}" ;;
	8) set -- "$DITCAT" -c --openldap "$release" -f "$work/dit/slapd.conf" -l /dev/null ;;
	9) set -- "$DITCHECK" "${sealed[@]}" --compare "$work/old/db" "$work/dit/files/db" ;;
	esac
	timeout -s KILL 300 "$@" >"$work/load.out" 2>&1
}

# is_as_it_was FILE: but for pages that were free before the damage
is_as_it_was() {
	[ "$(stat -c %s "$1")" = "$(stat -c %s "$work/damaged.mdb")" ] || return
	cmp -s "$1" "$work/damaged.mdb" && return
	cmp -l "$1" "$work/damaged.mdb" | awk -v free="$free" '
		BEGIN { n = split(free, pages); for (i = 1; i <= n; i++) is_free[pages[i]] }
		!(int(($1 - 1) / 4096) in is_free) { print "page " int(($1 - 1) / 4096); exit 1 }'
}

# judge SEED NUMBER STATUS
judge() {
	local at=$1 status=$3 file=$work/dit/files/db/data.mdb
	# The older meta page may have become the newer one: its state may lack the parents of
	# what is loaded, which are holes then, as slapadd makes them, with exit status 1.
	if [ "$status" -eq 1 ] && grep -q '^Error, entries missing!' "$work/load.out"; then
		status=0
	fi
	case $(($2 % 10))$status in
	[0-5]0)
		nloaded=$((nloaded + 1))
		;;
	[0-5]1)
		nrefused=$((nrefused + 1))
		grep -q 'ditcheck' "$work/load.out" && nhints=$((nhints + 1))
		check "seed $at: a message" test -s "$work/load.out"
		check "seed $at: the file is as it was" is_as_it_was "$file"
		;;
	[6-8]1 | 92)
		check "seed $at: a message" test -s "$work/load.out"
		;;
	[6-9]0 | 91) ;;
	*)
		fail "seed $at: $2: status $status; $(tr '\n' ';' <"$work/damage")"
		;;
	esac
	nchecks=$((nchecks + 1))
}

# damage_all NAME
damage_all() {
	local name=$1 i file=$work/dit/files/db/data.mdb nloaded=0 nrefused=0 nhints=0
	nkinds=$((nkinds + 1))
	free=
	[ "$release" = 2.7 ] || read -r _ _ _ free < <(numbers_of old db)
	for ((i = 0; i < nfiles; i++)); do
		put_back
		"$damage" "$file" $((seed + i)) >"$work/damage"
		check "seed $((seed + i)): it is damaged" test $? -eq 0
		cp "$file" "$work/damaged.mdb"
		run_tool $i
		judge $((seed + i)) $i $?
	done
	echo "$name: $nfiles damaged files: $nrefused loads refused, $nhints of them with a" \
		"hint; $nloaded loaded"
	all_hints=$((all_hints + nhints))
	all_loaded=$((all_loaded + nloaded))
}
nkinds=0 all_hints=0 all_loaded=0

# A database of ditadd's, and one that slapadd has made and changed, with free pages.
make_input 900 600
awk 'BEGIN { RS = ""; ORS = "\n\n" } NR <= 14' "$work/second.ldif" >"$work/few.ldif"
awk 'BEGIN { RS = ""; ORS = "\n\n" } NR <= 2' "$work/second.ldif" >"$work/two.ldif"
make_conf "$work/dit"
make_files "$work/dit"
load -l "$work/first.ldif"
check "the first part" test $? -eq 0
save old
damage_all "by ditadd"

rm -r "$work/old"
make_files "$work/dit"
slapadd -q -f "$work/dit/slapd.conf" -l "$work/first.ldif" >/dev/null 2>&1
check "slapadd" test $? -eq 0
printf 'dn: cn=%s,dc=example,dc=com\nobjectClass: device\ncn: %s\n' more more |
	slapadd -f "$work/dit/slapd.conf" >/dev/null 2>&1
check "slapadd again" test $? -eq 0
save made
mkdir -p "$work/old/db" # slapd's file is as long as its map
mdb_copy "$work/made/db" "$work/old/db"
check "mdb_copy" test $? -eq 0
damage_all "by slapadd"

release=2.7
for page_bytes in 4096 512 65536; do
	sed -i "/^dbpagesize/d; /^database/a dbpagesize $page_bytes" "$work/dit/slapd.conf"
	make_files "$work/dit"
	load -l "$work/first.ldif"
	check "the first part, 2.7, pages of $page_bytes bytes" test $? -eq 0
	save old
	damage_all "of 2.7, pages of $page_bytes bytes"
done

# Encrypted pages, with a MAC and without one, where each key opens each page.
sed -i '/^dbpagesize/d' "$work/dit/slapd.conf"
seal
for XOR_MODULE in '' bare; do
	export XOR_MODULE
	make_conf "$work/dit"
	make_files "$work/dit"
	load -l "$work/first.ldif"
	check "the first part, sealed${XOR_MODULE:+, $XOR_MODULE}" test $? -eq 0
	save old
	damage_all "sealed${XOR_MODULE:+, $XOR_MODULE}"
done
check "some are refused with a hint, some not" \
	test $all_hints -gt $((nkinds / 2)) -a $all_loaded -gt $((5 * nkinds))
finish
