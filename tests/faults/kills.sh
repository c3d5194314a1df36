#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A tool is killed at a system call. After ditadd, ditindex and ditmodify each database is the old
# one or the new one, and whole. After ditcat and ditcheck nothing has changed. The next run succeeds
# and leaves no file, neither next to the databases nor in the directory for temporary files.
#
# strace kills ditcat and ditcheck at each call that changes files. It kills a run of ditadd, ditindex
# or ditmodify at three of these: one in the first quarter, one in the middle half, the last one. And
# it kills each at one of all calls. Each kind of run has others.
#
#   DIT_LONG=yes   at each call of all kinds
. "${0%/*}/faults_lib.sh"
: "${DITCAT:?}"
# shellcheck disable=SC2154 # lib.sh
export TMPDIR=$work/tmp # also for files that --tmpdir does not place
if ! strace -o /dev/null true 2>/dev/null; then
	skip "strace cannot trace here"
fi

changing='^write|pwrite|sync|rename|link|mkdir|rmdir|truncate|fallocate|chmod|chown|flock|fcntl'
turn=0 # of the kinds of runs

# traced OPTION... -- ARGUMENT...: the load under strace, with one thread
traced() {
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	strace -f -qq -o "$work/trace" "${options[@]}" "$tool" -q -T 1 --memory 16M \
		"${temporary[@]}" --openldap "$release" -f "$work/dit/slapd.conf" "$@" \
		>"$work/load.out" 2>&1
}

# reading COMMAND...: one of the tools that only read, under strace
reading() {
	strace -f -qq -o "$work/trace" "${injection[@]}" "$@" >"$work/load.out" 2>&1
}

# split_trace: $work/calls from the trace. strace counts the calls of each process by itself: as
# root ditcat has two, and ditindex --online has two for sealed databases: close_range() and recvfrom()
# are of the second one, which nobody waits for here. slapd, which tells its release, is another one
# that nothing depends on.
split_trace() {
	awk -v changing="$changing" 'NR == FNR {
		if (/ execve\(".*\/slapd"/) slapd[$1]
		next
	}
	!($1 in slapd) {
		call = $2
		sub(/\(.*/, "", call)
		if (call !~ /^[a-z]/ || call ~ /^exec|^exit|^close_range$|^recvfrom$/) {
			next
		}
		n = ++ncalls[$1, call]
		if (!seen[call, n]++) {
			print call, n, call ~ changing || $0 ~ /O_CREAT|O_TMPFILE/
		}
	}' "$work/trace" "$work/trace" >"$work/calls"
}

# sample [ALL]: the calls to be killed at; with ALL all that change files
sample() {
	turn=$((turn + 1))
	awk -v long="${DIT_LONG:-}" -v turn=$turn -v all="${1:-}" '
		{ line[NR] = $0 }
		$3 { changing[++n] = NR }
		$3 && all { wanted[NR] }
		END {
			wanted[changing[1 + turn * 5 % int((n + 3) / 4)]] # early: the old state
			wanted[changing[1 + int(n / 4) + turn * 11 % int((n + 1) / 2)]]
			wanted[changing[n]]
			wanted[1 + turn * 17 % NR]
			for (i = 1; i <= NR; i++) if (long == "yes" || i in wanted) print line[i]
		}' "$work/calls" >"$work/sample"
}

# list_calls ARGUMENT...: the calls of a load, each as CALL N KIND: its N-th one; KIND is 1
# if it changes files
list_calls() {
	put_back
	traced -- "$@"
	check "$name: under strace" test $? -eq 0
	split_trace
}

# kill_at CALL N COMMAND...: COMMAND, which uses $injection, is killed at its N-th CALL; $status is set.
# Chance says how often threads make some calls. If this run has fewer, it is killed at its last one.
kill_at() {
	local call=$1 n
	status=0
	for ((n = $2; n > 0 && status == 0; n--)); do
		injection=(-e trace="$call" -e inject="$call:signal=KILL:when=$n")
		put_back
		"${@:3}" 2>/dev/null
		status=$?
	done
}

# injected ARGUMENT...: a load
injected() {
	traced "${injection[@]}" -- "$@"
}

# kill_once CALL N ARGUMENT...: examine what is left, load again
kill_once() {
	local at="$1 $2" again=$(($2 % 5)) status injection
	kill_at "$1" "$2" injected "${@:3}"
	shift 2
	state=
	check "$name: $at: it is killed" test $status -eq 137
	nchecks=$((nchecks + 1))
	examine >"$work/check.out" 2>&1 || {
		fail "$name: killed at $at"
		sed 's/^/    /; 30q' "$work/check.out" >&2
	}
	nkills=$((nkills + 1))
	[ -z "${after:-}" ] || [ $(((nkills + turn) % 4)) -ne 0 ] || $after "$name: $at"
	[ "$state" = old ] || return
	nold=$((nold + 1))
	[ $nold -eq 1 ] || [ $again -eq 0 ] || return
	load "$@"
	check "$name: the run after the kill at $at" test $? -eq 0
	examine >/dev/null 2>&1
	check "$name: content after the kill at $at" test "$state" = new
	check "$name: leftovers after the kill at $at" no_leftovers
}

# goes_on WHEN: whatever was killed, --status names what is there, and of it each step works
# that can
goes_on() {
	local step status
	rm -rf "$work/killed"
	cp -r "$work/dit/files" "$work/killed"
	for step in "--prepare -l $work/first.ldif" --publish --abandon; do
		load --status
		check "$1: its status" test $? -eq 0
		check "$1: is not damaged" test "$(grep -c ': damaged' "$work/load.out")" -eq 0
		cp "$work/load.out" "$work/status"
		# shellcheck disable=SC2086 # words
		load $step
		status=$?
		case $step in
		--prepare*) grep -q ': published' "$work/status" && ((status = !status)) ;;
		--publish) grep -Eqv ': (prepared|published)' "$work/status" && ((status = !status)) ;;
		--abandon) check "$1: $step" test -z "$(find "$work/dit/files" -name 'ditkit-*')" ;;
		esac
		[ "$status $step" != "1 --publish" ] ||
			status=$((! $(grep -c 'not prepared together' "$work/load.out")))
		check "$1: $step" test $status -eq 0
		rm -rf "$work/dit/files"
		cp -r "$work/killed" "$work/dit/files"
	done
}

# kill_prepared NAME ARGUMENT...: the same as kill_all, and more
kill_prepared() {
	after=goes_on kill_all "$@"
}

# without_exchange: a file system that cannot exchange two names
without_exchange() {
	databases=db
	make_conf "$work/dit"
	make_files "$work/dit"
	load --prepare -l "$work/first.ldif"
	traced -e inject=renameat2:error=EINVAL -- --prepare -l "$work/input.ldif"
	check "no exchange of names" test $? -eq 0
	load --status
	check "no exchange of names: content" grep -q ": prepared .* $1 entries" "$work/load.out"
	check "no exchange of names: leftovers" test ! -e "$work/dit/files/db/ditkit-staging"
}

kill_all() {
	local name=$1 call n nkills=0 nold=0
	shift
	list_calls "$@"
	sample
	while read -r call n _ <&3; do
		kill_once "$call" "$n" "$@"
	done 3<"$work/sample"
	echo "$name: killed at $nkills of $(wc -l <"$work/calls") calls: $nold left the old state"
	check "$name: old and new states" test $nold -gt 0 -a $nold -lt $nkills
}

# unchanged: are the databases what they were, to the byte?
unchanged() {
	local name
	for name in $databases; do
		cmp "$work/old/$name/data.mdb" "$work/dit/files/$name/data.mdb" || return
	done
	no_leftovers
}

# whole_export: is the file of ditcat the one that it was?
whole_export() {
	cmp "$work/whole.ldif" "$work/out.ldif"
}

# kill_readers: ditcat and ditcheck, over the old databases; ditcat replaces a file
kill_readers() {
	local name names call n status nkills nleft conf=(-f "$work/dit/slapd.conf" -T 1)
	local -A command=(
		[ditcat]="$DITCAT ${conf[*]} -l $work/out.ldif"
		[ditcheck]="$DITCHECK ${conf[*]} --memory 16M --tmpdir $work/tmp"
		[quick]="$DITCHECK ${conf[*]} --quick"
	)
	put_back
	# shellcheck disable=SC2086 # words
	${command[ditcat]}
	check "an export" test $? -eq 0
	cp "$work/out.ldif" "$work/whole.ldif"
	for name in ditcat ditcheck quick; do
		nkills=0 nleft=0
		put_back
		injection=()
		# shellcheck disable=SC2086 # words
		reading ${command[$name]}
		check "$name: under strace" test $? -eq 0
		split_trace
		sample all
		while read -r call n _ <&3; do
			# shellcheck disable=SC2086 # words
			kill_at "$call" "$n" reading ${command[$name]}
			# As root ditcat has a second process, which renames its file: 1.
			check "$name: $call $n: it is killed" test $status -ne 0
			check "$name: the export after the kill at $call $n" whole_export
			nkills=$((nkills + 1))
			names_in "$work/tmp"
			check "$name: no temporary file after the kill at $call $n" test -z "$names"
			[ -z "$(compgen -G "$work/.*.ldif.*")" ] || nleft=$((nleft + 1))
			${command[$name]} >"$work/load.out" 2>&1
			check "$name: the run after the kill at $call $n" test $? -eq 0
			check "$name: nothing has changed after the kill at $call $n" unchanged
			check "$name: nothing is left next to the export after $call $n" \
				test -z "$(compgen -G "$work/.*.ldif.*")"
		done 3<"$work/sample"
		echo "$name: killed at $nkills of $(wc -l <"$work/calls") calls:" \
			"$nleft left a file, which the next run removed"
		case $name in
		ditcat) check "$name: some left a file" test $nleft -gt 0 ;;
		*) check "$name: none left a file" test $nleft -eq 0 ;;
		esac
	done
}

make_input 60
for_all_loads kill_all
for_reindex kill_all
for_changes kill_all
for_2_7 kill_all
for_sealed kill_all
for_prepared kill_prepared
without_exchange 60
databases="db"
make_conf "$work/dit"
make_files "$work/dit"
load -l "$work/input.ldif"
save old
kill_readers
for_small_loads kill_all
finish
