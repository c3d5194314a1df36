#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ditsplit is killed at each call that changes files, or a call fails, or it may open few
# files, or the same part runs twice at once, where an earlier run has split another input.
# Afterwards all parts that fit their digests are of one run, and the next run makes all of
# them. A failure is told and leaves no file under another name.
. "${0%/*}/faults_lib.sh"
: "${DITSPLIT:?}"
if ! strace -o /dev/null true 2>/dev/null; then
	skip "strace cannot trace here"
fi
shim=$DIT_BUILDDIR/tests/faults/fail.so
changing=openat,write,fsync,rename,renameat,renameat2,mkdir,unlinkat,exit_group

# split INPUT [COMMAND...]: part 0 of 2, under the command
split() {
	"${@:2}" "$DITSPLIT" -f "$work/dit/slapd.conf" --map "$work/map" --part 0/2 -T 1 \
		--compress none --progress none --output "$work/shards" -l "$work/$1.ldif" \
		>"$work/split.out" 2>&1
}

# begin: the result of the earlier run
begin() {
	rm -rf "$work/shards"
	cp -r "$work/old" "$work/shards"
}

# runs: the runs whose parts fit their digests
runs() {
	local shard
	for shard in a b c; do
		(cd "$work/shards/$shard" && xxh128sum -c part-0-of-2.ldif.xxh128) >/dev/null 2>&1 ||
			continue
		cmp -s "$work/old/$shard/part-0-of-2.ldif" "$work/shards/$shard/part-0-of-2.ldif" &&
			echo old
		cmp -s "$work/new/$shard/part-0-of-2.ldif" "$work/shards/$shard/part-0-of-2.ldif" &&
			echo new
	done | sort | uniq -c | awk '{ printf "%s%s %s", (NR > 1 ? ", " : ""), $1, $2 }'
}

# judge NAME STATUS: after a run; then the next one
judge() {
	local name=$1 status=$2 found
	found=$(runs)
	echo "$status: $found" >>"$work/found"
	case "$status: $found" in
	"0: 3 new" | [!0]*": "[123]" new" | [!0]*": "[123]" old" | [!0]*": ") ;;
	*) fail "$name: $status: $found" ;;
	esac
	nchecks=$((nchecks + 1))
	if [ "$status" -eq 1 ]; then
		check "$name: a message" test -s "$work/split.out"
		check "$name: no file is left" test -z "$(find "$work/shards" -name '.*')"
	fi
	split new
	check "$name: the run after it" test $? -eq 0
	check "$name: content after it" diff -r "$work/new" "$work/shards"
}

make_input 60
make_conf "$work/dit"
make_files "$work/dit"
mv "$work/first.ldif" "$work/old.ldif"
mv "$work/input.ldif" "$work/new.ldif"
printf 'shard a b c\nbelow "ou=people,dc=example,dc=com" hash 7 a b c\nbelow "" to all\n' \
	>"$work/map"
for run in new old; do
	rm -rf "$work/shards"
	split $run strace -f -qq -o "$work/trace" -e trace=$changing
	check "the $run run" test $? -eq 0
	cp -r "$work/shards" "$work/$run"
done

begin
split new strace -f -qq -o "$work/trace" -e trace=$changing
ncalls=0
while read -r call n <&3; do
	begin
	split new strace -f -qq -o "$work/trace" -e trace="$call" \
		-e inject="$call:signal=KILL:when=$n" 2>/dev/null
	status=$?
	check "$call $n: it is killed" test $status -eq 137
	judge "$call $n" $status
	ncalls=$((ncalls + 1))
done 3< <(awk 'NR == 1 { own = $1 } # not of slapd, which tells its release
	$1 != own || $2 == "---" { next }
	{ call = $2; sub(/\(.*/, "", call); n[call]++ }
	call != "openat" || /O_CREAT/ { print call, n[call] }' "$work/trace")
check "kills" test $ncalls -gt 20

for kind in write sync rename open; do
	n=1
	while
		begin
		rm -f "$work/mark"
		split new env LD_PRELOAD="$shim" DIT_FAIL_KIND=$kind DIT_FAIL_AT=$n \
			DIT_FAIL_MARK="$work/mark" DIT_FAIL_LEAKS="$work/leaks"
		status=$?
		[ -e "$work/mark" ]
	do
		judge "$kind $n fails" $status
		n=$((n + 1))
	done
	check "$kind: there are such calls" test $n -gt 1
done

for n in {4..12}; do
	begin
	split new bash -c 'ulimit -n "$0" && exec "$@"' $n
	status=$?
	check "$n open files: status" test $status -le 1
	judge "$n open files" $status
done
check "$n open files are enough" test $status -eq 0

for i in {1..10}; do
	begin
	split new &
	split new
	status=$?
	wait $!
	check "twice at once: status" test $status$? -eq 0
	check "twice at once: content" diff -r "$work/new" "$work/shards"
done
sort "$work/found" | uniq -c
for run in old new; do
	check "some runs leave $run parts" grep -q "[1-3] $run" "$work/found"
done
check "some runs leave none" grep -q ': $' "$work/found"
finish
