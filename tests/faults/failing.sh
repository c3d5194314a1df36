#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The n-th allocation, read, write, sync, rename, change of a file's length, open, map,
# thread or random number fails, n counting up until a load gets through without: it ends
# with exit status 1 and a message that says why, and the databases are what they were; or
# it can do without, and they are the new ones. Nothing is left behind, no memory is lost,
# and nothing waits for ever.
#
#   DIT_LONG=yes   each n for all kinds, with one thread and with two, and all later calls
#                  failing, too; else a sample of calls that are many
#   DIT_SEED=N     for the sample; else by the clock
. "${0%/*}/faults_lib.sh"

shim=$DIT_BUILDDIR/tests/faults/fail.so
turn=0
read_step=1
seed=${DIT_SEED:-$(($(date +%s) % 32768))}
RANDOM=$seed
echo "seed $seed"

# fail_at KIND N ARGUMENT...: a load whose N-th call of KIND fails; status 124 if it hangs
fail_at() {
	local kind=$1 n=$2
	shift 2
	put_back
	rm -f "$work/mark" "$work/leaks"
	timeout -s KILL 300 env LD_PRELOAD="$shim" DIT_FAIL_KIND="$kind" DIT_FAIL_AT="$n" \
		DIT_FAIL_MARK="$work/mark" DIT_FAIL_LEAKS="$work/leaks" $later \
		"$tool" -q --memory 16M --tmpdir "$work/tmp" --openldap "$release" \
		-f "$work/dit/slapd.conf" "$@" >"$work/load.out" 2>"$work/load.err"
}

# judge_end STATUS: what must be true after a call has failed
judge_end() {
	examine || return 1
	case $1 in
	0)
		[ "$state" = new ] || echo "success, and the state is $state"
		[ "$state" = new ] || return 1
		;;
	1)
		# Where each rename fails, none can be taken back, and that is told. Beside
		# slapd no commit can be taken back.
		if [ "$state" != old ] &&
			! { [ -n "$later" ] && grep -q 'could not be taken back' "$work/load.err"; } &&
			! { [ "$state" = mixed ] &&
				grep -q 'the new indexes are in place' "$work/load.err"; }; then
			echo "failure, and the state is $state"
			return 1
		fi
		[ -s "$work/load.err" ] || echo "no message"
		[ -s "$work/load.err" ] || return 1
		;;
	*)
		echo "exit status $1"
		return 1
		;;
	esac
	no_leftovers || return 1
	[ "$(cat "$work/leaks")" = 0 ] || echo "$(cat "$work/leaks") blocks are lost"
	[ "$(cat "$work/leaks")" = 0 ]
}

# fail_once NAME KIND N ARGUMENT...: false when there is no N-th call
fail_once() {
	local name="$1: $2 $3" status
	shift
	fail_at "$@" 2>/dev/null
	status=$?
	[ -e "$work/mark" ] || return 1
	state=
	nfailing=$((nfailing + 1))
	nchecks=$((nchecks + 1))
	judge_end $status >"$work/check.out" 2>&1 || {
		fail "$name: status $status"
		cat "$work/load.err" >>"$work/check.out"
		sed 's/^/    /; 12q' "$work/check.out" >&2
	}
	if [ $status -eq 0 ]; then
		nborne=$((nborne + 1))
	fi
	sed 's/[0-9][0-9]*/N/g' "$work/load.err" >>"$work/messages"
}

# fail_kinds THREADS ARGUMENT...: calls of each kind
fail_kinds() {
	local threads=$1 kind n step
	shift
	for kind in read write sync rename length open map thread random alloc; do
		step=1
		if [ "${DIT_LONG:-}" != yes ]; then
			case $kind in
			alloc) step=120 ;;
			write) step=14 ;;
			map | open) step=4 ;;
			read) step=$read_step ;;
			esac
		fi
		n=$((1 + RANDOM % step))
		while fail_once "$name, -T $threads $later" "$kind" $n -T "$threads" "$@"; do
			n=$((n + step))
		done
	done
}

fail_all() {
	local name=$1 nfailing=0 nborne=0
	shift
	turn=$((turn + 1))
	if [ "${DIT_LONG:-}" != yes ]; then
		later=
		fail_kinds $((turn % 2 + 1)) "$@"
	else
		for later in "" DIT_FAIL_LATER=yes; do
			fail_kinds 1 "$@"
			fail_kinds 2 "$@"
		done
	fi
	echo "$name: $nfailing calls failed, $nborne loads went on"
	check "$name: calls that failed" test $nfailing -gt 25 -a $nborne -lt $nfailing
}

check "all calls are seen" sees_calls "$shim" open openat creat read pread write pwrite \
	writev pwritev fsync fdatasync msync rename renameat ftruncate fallocate mmap
make_input 60
for_all_loads fail_all
for_reindex fail_all
for_2_7 fail_all
read_step=8 # pages are read one by one
for_small_loads fail_all
finish
