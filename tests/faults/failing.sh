#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The n-th allocation, read, write, sync, rename, change of a file's length, open, map,
# thread or random number fails, n counting up until a load gets through without: it ends
# with exit status 1 and a message that says why, and the databases are what they were; or
# it can do without, and they are the new ones. No file is left, no memory is lost,
# and nothing waits for ever.
#
# One allocation of each kind of load fails, and one call each of four other kinds; the next kind
# of load has the next four, and another n.
#
#   DIT_LONG=yes    each n for all kinds
#   DIT_MODES=LIST  of a long run: numbers of threads, with a + where all later calls fail,
#                   too ("1 2 1+ 2+")
#   DIT_PART=K/N    of a long run: each N-th n only, from the K-th on, so N processors share it
. "${0%/*}/faults_lib.sh"

: "${DITCAT:?}"
shim=$DIT_BUILDDIR/tests/faults/fail.so
turn=0
few=no
part=${DIT_PART:-1/1}
read -ra modes <<<"${DIT_MODES:-1 2 1+ 2+}"

# fail_at KIND N ARGUMENT...: a load whose N-th call of KIND fails; status 124 if it hangs
fail_at() {
	local kind=$1 n=$2
	shift 2
	put_back "$work/mark" "$work/leaks"
	timeout -s KILL 300 env LD_PRELOAD="$shim" DIT_FAIL_KIND="$kind" DIT_FAIL_AT="$n" \
		DIT_FAIL_MARK="$work/mark" DIT_FAIL_LEAKS="$work/leaks" $later \
		"$tool" -q --memory 16M "${temporary[@]}" --openldap "$release" \
		-f "$work/dit/slapd.conf" "$@" >"$work/load.out" 2>"$work/load.err"
}

# is_new_with_loss: ditindex could not read old indexes, and told that their pages are lost to
# the file; nothing else is wrong, and the indexes agree with the entries
is_new_with_loss() {
	grep -q 'the pages of this one are lost to the file' "$work/load.err" || return
	"$DITCHECK" --tmpdir "$work/tmp" -f "$work/dit/slapd.conf" >"$work/kinds" 2>&1
	awk 'NF == 2 && $2 ~ /^[0-9]+$/ { n++; nothers += $1 != "page-lost" }
		END { exit n == 0 || nothers > 0 }' "$work/kinds"
}

# judge_end STATUS: what must be true after a call has failed
judge_end() {
	local nlost=none
	if [ "$1" -eq 0 ] && is_new_with_loss; then
		state=new
	else
		examine || return 1
	fi
	case $1 in
	0)
		[ "$state" = new ] || echo "success, and the state is $state"
		[ "$state" = new ] || return 1
		;;
	1)
		# Where each rename fails, none can be taken back, and that is told. While
		# slapd runs no commit can be taken back.
		if [ "$state" != old ] && [ $few = no ] &&
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
	# An older prepared database stays until the new one is there for sure.
	no_leftovers || [ $few = yes ] ||
		grep -q 'may bring the old one back' "$work/load.err" || return 1
	read -r nlost <"$work/leaks"
	[ "$nlost" = 0 ] || echo "$nlost blocks are lost"
	[ "$nlost" = 0 ]
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
}

kinds=(read write sync rename length open map thread random)
# The greatest n of a kind in a short run; n is halved until there is such a call.
declare -A most=([read]=30 [write]=40 [sync]=5 [rename]=3 [length]=4 [open]=90 [map]=40
	[thread]=3 [random]=3 [alloc]=1500)

# fail_some THREADS ARGUMENT...: one call each of five kinds that there are
fail_some() {
	local threads=$1 kind n i=$((turn * 4))
	shift
	for kind in alloc "${kinds[@]:i % 9}" "${kinds[@]:0:i % 9}"; do
		[ $nfailing -lt 5 ] || break
		n=$((1 + turn * 397 % most[$kind]))
		until fail_once "$name, -T $threads" "$kind" $n -T "$threads" "$@" || [ $n -eq 1 ]; do
			n=$((n / 2))
		done
	done
}

# fail_each THREADS ARGUMENT...: calls of each kind
fail_each() {
	local threads=$1 kind n
	shift
	for kind in "${kinds[@]}" alloc; do
		n=${part%/*}
		while fail_once "$name, -T $threads $later" "$kind" "$n" -T "$threads" "$@"; do
			n=$((n + ${part#*/}))
		done
	done
}

fail_all() {
	local name=$1 mode nfailing=0 nborne=0 least=5
	shift
	turn=$((turn + 1))
	later=
	if [ "${DIT_LONG:-}" != yes ]; then
		fail_some $((turn % 2 + 1)) "$@"
	else
		least=$((($([ $few = yes ] && echo 5 || echo 15)) / ${part#*/} + 1))
		for mode in "${modes[@]}"; do
			later=
			[ "$mode" = "${mode%+}" ] || later=DIT_FAIL_LATER=yes
			fail_each "${mode%+}" "$@"
		done
	fi
	echo "$name: $nfailing calls failed, $nborne loads went on"
	check "$name: calls that failed" test $nborne -lt $nfailing -a $nfailing -ge $least
}

# fail_prepared NAME ARGUMENT...: --abandon has few calls, and is not all or nothing
fail_prepared() {
	case $1 in
	abandoned*) few=yes ;;
	esac
	fail_all "$@"
	few=no
}

# is_told PATH ARGUMENT...: the tool cannot read a file or folder of its configuration, which
# it names with the reason. The library does not see libc's own calls; strace does.
is_told() {
	local path=$1
	shift
	! strace -o /dev/null -P "$path" -e trace=read,getdents64 \
		-e inject=read,getdents64:error=EIO "$DITCHECK" "$@" >"$work/load.err" 2>&1 &&
		grep -qF "$path" "$work/load.err" &&
		grep -q 'Input/output error' "$work/load.err"
}

# fail_configuration ARGUMENT...: none of $paths can be read
fail_configuration() {
	local path
	for path in "${paths[@]}"; do
		check "a configuration: $path" is_told "$path" "$@"
	done
	check "a configuration: paths" test ${#paths[@]} -gt 3
}

# for_configurations: a slapd.conf with its schema files, and a tree with its folders
for_configurations() {
	local conf=$work/dit/slapd.conf tree=$work/tree paths
	strace -o /dev/null true 2>/dev/null || return 0
	make_conf "$work/dit"
	make_files "$work/dit"
	mkdir "$tree"
	slaptest -f "$conf" -F "$tree" >/dev/null 2>&1
	mapfile -t paths < <(sed -n 's/^include[ \t]*//p' "$conf")
	paths+=("$conf")
	fail_configuration -f "$conf"
	mapfile -t paths < <(find "$tree"/*)
	fail_configuration -F "$tree"
}

# is_unreadable TOOL ARGUMENT...: no byte of the database can be read, and the tool says why
is_unreadable() {
	strace -f -o /dev/null -P "$work/dit/files/db/data.mdb" -e trace=pread64,read \
		-e inject=pread64,read:error=EIO "$@" -f "$work/dit/slapd.conf" \
		--openldap "$release" >"$work/load.err" 2>&1
	[ $? -ne 0 ] && ! grep 'OpenLDAP\|LMDB' "$work/load.err" &&
		grep -q 'Input/output error' "$work/load.err"
}

# for_unreadable: a file whose beginning cannot be read is not of another release
for_unreadable() {
	strace -o /dev/null true 2>/dev/null || return 0
	databases=db
	for release in 2.5 2.7; do
		make_conf "$work/dit"
		make_files "$work/dit"
		load -l "$work/first.ldif"
		check "unreadable, $release: ditadd" is_unreadable "$DITADD" -q -l "$work/second.ldif"
		check "unreadable, $release: ditmodify" is_unreadable "$DITMODIFY" -l /dev/null
		check "unreadable, $release: ditindex" is_unreadable "$DITINDEX" -q
		check "unreadable, $release: ditcat" is_unreadable "$DITCAT"
		check "unreadable, $release: ditcheck" is_unreadable "$DITCHECK"
	done
	release=2.5
}

# fail_each_read NAME ARGUMENT...: of a load on one thread
fail_each_read() {
	local name=$1 n=1 nfailing=0 nborne=0
	shift
	while fail_once "$name" read $n -T 1 "$@"; do
		n=$((n + 1))
	done
	check "$name: reads that failed" test $nfailing -ge 10
}

# for_memberships: --memberof reads the input twice
for_memberships() {
	databases=db later=
	make_conf "$work/dit"
	sed -i '/^moduleload back_mdb/a moduleload memberof' "$work/dit/slapd.conf"
	printf '%s\n' 'lastmod off' 'overlay memberof' >>"$work/dit/slapd.conf"
	make_files "$work/dit"
	save old
	{
		cat "$work/input.ldif"
		printf '%s\n' 'dn: cn=all,dc=example,dc=com' 'objectClass: groupOfNames' 'cn: all'
		sed -n 's/^dn: uid=/member: uid=/p' "$work/input.ldif"
	} >"$work/group.ldif"
	with_new fail_each_read "memberships" --memberof -l "$work/group.ldif"
	check "memberships: there are some" grep -q 'cn=all' \
		<("$DITCAT" -f "$work/dit/slapd.conf" -a '(memberOf=*)')
}

# for_checks: the n-th read of ditcheck fails: it says so, or finds what there is
for_checks() {
	local n=0 status
	databases=db
	make_conf "$work/dit"
	make_files "$work/dit"
	load -l "$work/input.ldif"
	"$SPOIL" "$work/dit/files/db" stale
	"$DITCHECK" -f "$work/dit/slapd.conf" >"$work/found" 2>&1
	check "a check: findings" test $? -eq 1
	while rm -f "$work/mark" && n=$((n + 1)) && [ $n -lt 1000 ]; do
		LD_PRELOAD=$shim DIT_FAIL_KIND=read DIT_FAIL_AT=$n DIT_FAIL_MARK=$work/mark \
			"$DITCHECK" -T 1 -f "$work/dit/slapd.conf" >"$work/check.all" 2>&1
		status=$?
		[ -e "$work/mark" ] || break
		[ $status -eq 2 ] || check "a check: read $n" cmp "$work/found" "$work/check.all"
	done
	check "a check: reads that failed" test $n -gt 10
}

# for_reports: memory ends while ditcheck prints what it has found
for_reports() {
	local what n status step=11
	[ "${DIT_LONG:-}" != yes ] || step=1
	databases=db
	make_conf "$work/dit"
	make_files "$work/dit"
	load -l "$work/first.ldif"
	save old
	make_files "$work/dit"
	load -l "$work/input.ldif"
	for what in "--compare $work/old/db $work/dit/files/db" --stats; do
		n=0
		while rm -f "$work/mark" && n=$((n + step)) && [ $n -lt 9999 ]; do
			# shellcheck disable=SC2086 # words
			LD_PRELOAD=$shim DIT_FAIL_KIND=alloc DIT_FAIL_AT=$n \
				DIT_FAIL_MARK=$work/mark "$DITCHECK" -T 1 \
				-f "$work/dit/slapd.conf" $what >"$work/load.out" 2>&1
			status=$?
			[ -e "$work/mark" ] || break
			[ $status -le 2 ] || fail "a report, $what: allocation $n: status $status"
		done
		check "a report, $what: allocations that failed" test $n -gt 100
	done
}

check "all calls are seen" sees_calls "$shim" open openat creat read pread write pwrite \
	writev pwritev fsync fdatasync msync rename renameat renameat2 ftruncate fallocate mmap
for_configurations
make_input 60
for_unreadable
for_memberships
for_checks
for_reports
for_all_loads fail_all
for_reindex fail_all
for_changes fail_all
for_2_7 fail_all
for_sealed fail_all
for_prepared fail_prepared
for_small_loads fail_all
finish
