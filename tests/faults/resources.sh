#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Less than a tool needs: file size, open files, address space, stack, memory of a cgroup, a
# directory that can only be read; and others at work on the same database. Each run ends
# with a message and exit status 1, or it gets by. The database is the old one or the new
# one, and sound.
. "${0%/*}/faults_lib.sh"
. "${0%/*}/../oracle/slapd_lib.sh"
: "${DITCAT:?}"
tool=$DITADD

# attempt NAME TOOL COMMAND...: in a shell of its own, over the old database
attempt() {
	local name=$1 status
	shift
	put_back
	"$@" >"$work/out" 2>"$work/said" </dev/null
	status=$?
	check "$name: old or new" examine
	check "$name: no file is left" no_leftovers
	if [ $status -eq 0 ]; then
		nborne=$((nborne + 1))
		return
	fi
	nended=$((nended + 1))
	check "$name: exit status $status" test $status -eq 1
	check "$name: it is the old one" test "$state" = old
	check "$name: one message" one_message
}

one_message() {
	cat "$work/said"
	[ "$(wc -l <"$work/said")" -eq 1 ]
}

# limited LIMIT VALUE ARGUMENT...: the tool under ulimit
limited() {
	local limit=$1 value=$2
	shift 2
	(ulimit "$limit" "$value" && exec "$tool" -q -T 2 --memory 16M --tmpdir "$work/tmp" \
		--openldap 2.5 -f "$work/dit/slapd.conf" "$@")
}

# sweep NAME ARGUMENT...: the limits, from too little to enough
sweep() {
	local name=$1 value nended=0 nborne=0
	shift
	for value in 1 16 100 400; do
		attempt "$name, ulimit -f $value" limited -f $value "$@"
	done
	for value in 6 8 10 12 14 16 20 24 28 40; do
		attempt "$name, ulimit -n $value" limited -n $value "$@"
	done
	# Less than the C library needs to begin is not ditkit's to tell.
	for value in 40000 60000 80000 120000 200000 400000 900000; do
		attempt "$name, ulimit -v $value" limited -v $value "$@"
	done
	# The hard limit, and the soft one alone, which the tool raises.
	for value in 64 128 300; do
		attempt "$name, ulimit -s $value" limited -s $value "$@"
		attempt "$name, ulimit -Ss $value" limited -Ss $value "$@"
		check "$name, ulimit -Ss $value: it goes on" test "$state" = new
	done
	# The environment takes its part of the stack before the tool can raise it.
	FILL=$(printf '%012000d' 0) attempt "$name, ulimit -Ss 64, a large environment" \
		limited -Ss 64 "$@"
	check "$name, ulimit -Ss 64, a large environment: it goes on" test "$state" = new
	echo "$name: $nended ended, $nborne went on"
	check "$name: some ended, some did not" test $nended -gt 5 -a $nborne -gt 3
}

# with_arenas NAME ARGUMENT...: address space for the work, but not always for an arena of
# malloc's own (64 MiB) for each thread
with_arenas() {
	local name=$1 value nended=0 nborne=0
	shift
	for value in {136000..184000..2000}; do
		attempt "$name, 8 threads, ulimit -v $value" limited -v $value -T 8 "$@"
		check "$name, 8 threads, ulimit -v $value: it goes on" test "$state" = new
	done
}

make_input 400
for_some() {
	make_conf "$work/dit"
	make_files "$work/dit"
	save old
	with_new sweep "new" -l "$work/input.ldif"
	with_new with_arenas "new" -l "$work/input.ldif"
	put_back
	load -l "$work/first.ldif"
	save old
	with_new sweep "more entries" -l "$work/second.ldif"
	put_back
	tool=$DITINDEX
	"$SPOIL" "$work/dit/files/db" stale
	save old
	with_new sweep "reindex"
	tool=$DITADD
}
for_some

# ---- a cgroup's memory ----

# in_cgroup ARGUMENT...: the tool
in_cgroup() {
	(echo $BASHPID >"$group/cgroup.procs" && exec "$tool" -q -T 2 --memory 16M \
		--tmpdir "$work/tmp" -f "$work/dit/slapd.conf" "$@")
}

# cgroup_sweep NAME ARGUMENT...: from too little to enough; who is killed leaves the old
# database, and the next run succeeds
cgroup_sweep() {
	local name="cgroup, $1" mib status nkilled=0 nended=0
	shift
	for mib in 1 2 4 8 64; do
		echo $((mib << 20)) >"$limit"
		put_back
		in_cgroup "$@" >"$work/out" 2>"$work/said"
		status=$?
		check "$name, $mib MiB: old or new" examine
		case $status in
		0) check "$name, $mib MiB: new" test "$state" = new ;;
		137) nkilled=$((nkilled + 1)) ;;
		*)
			nended=$((nended + 1))
			check "$name, $mib MiB: exit status $status" test $status -eq 1
			check "$name, $mib MiB: one message" one_message
			;;
		esac
		[ "$state" = old ] || continue
		load "$@"
		check "$name, $mib MiB: the next run" test $? -eq 0
		examine >/dev/null
		check "$name, $mib MiB: the next run makes the new one" test "$state" = new
		check "$name, $mib MiB: no file is left" no_leftovers
	done
	echo "$name: $nkilled killed, $nended ended with a message"
	check "$name: the limit is felt" test $((nkilled + nended)) -gt 0
	check "$name: 64 MiB are enough" test "$status" -eq 0
}

group=
for place in /sys/fs/cgroup /sys/fs/cgroup/memory; do
	for name in memory.max memory.limit_in_bytes; do
		if [ -z "$group" ] && mkdir "$place/ditkit-$$" 2>/dev/null; then
			group=$place/ditkit-$$
			limit=$group/$name
			[ -w "$limit" ] && break 2
			rmdir "$group"
			group=
		fi
	done
done
if [ -z "$group" ]; then
	echo "SKIPPED: memory of a cgroup: none can be made here"
else
	remove_group() { rmdir "$group"; }
	atexit+=(remove_group)
	make_conf "$work/dit"
	make_files "$work/dit"
	save old
	with_new cgroup_sweep "new" -l "$work/input.ldif"
	put_back
	load -l "$work/first.ldif"
	save old
	with_new cgroup_sweep "more entries" -l "$work/second.ldif"
	"$SPOIL" "$work/dit/files/db" stale
	save old
	tool=$DITINDEX
	with_new cgroup_sweep "reindex"
	tool=$DITADD
fi

# ---- a file system that can only be read ----

make_conf "$work/dit"
make_files "$work/dit"
load -l "$work/first.ldif"
save old
mkdir "$work/disk"
unmount() { umount "$work/dit/files" 2>/dev/null; }
if [ "$(id -u)" -ne 0 ] || ! mount -t tmpfs -o size=64m,mode=755 tmpfs "$work/disk" 2>/dev/null; then
	echo "SKIPPED: a file system that can only be read: none can be mounted here"
else
	cp -r "$work/old/db" "$work/disk/db"
	mkdir -p "$work/dit/files"
	mount --move "$work/disk" "$work/dit/files" 2>/dev/null || {
		umount "$work/disk"
		mount -t tmpfs -o size=64m,mode=755 tmpfs "$work/dit/files"
		cp -r "$work/old/db" "$work/dit/files/db"
	}
	atexit+=(unmount)
	mount -o remount,ro "$work/dit/files"
	for tool in "$DITADD" "$DITINDEX"; do
		options=()
		[ "$tool" = "$DITINDEX" ] || options=(-l "$work/second.ldif")
		"$tool" -q -f "$work/dit/slapd.conf" --tmpdir "$work/tmp" "${options[@]}" \
			>"$work/out" 2>"$work/said"
		check "read-only, ${tool##*/}: exit status" test $? -eq 1
		check "read-only, ${tool##*/}: message" grep -q 'Read-only file system' "$work/said"
		check "read-only, ${tool##*/}: as it was" cmp "$work/old/db/data.mdb" \
			"$work/dit/files/db/data.mdb"
	done
	# With the configuration slapd's tools do not start either: they make a file there.
	"$DITCHECK" --quick --database "$work/dit/files/db" >"$work/out" 2>&1
	check "read-only: ditcheck reads it" test $? -eq 0
	unmount
	tool=$DITADD
fi

# ---- two at once, and slapd in between ----

# begin_load: a load that waits for the rest of its input, of which it has a part
begin_load() {
	rm -f "$work/pipe"
	mkfifo "$work/pipe"
	"$DITADD" -q --tmpdir "$work/tmp" -f "$work/dit/slapd.conf" -l - <"$work/pipe" \
		>"$work/out" 2>"$work/first.said" &
	first=$!
	exec 3>"$work/pipe"
	head -c 50000 "$work/input.ldif" >&3
	for ((i = 0; i < 600; i++)); do
		[ ! -e "$work/dit/files/db/ditkit-staging/data.mdb" ] || return
		sleep 0.05
	done
}

end_load() {
	tail -c +50001 "$work/input.ldif" >&3
	exec 3>&-
	wait $first
	check "$1: the first load ends well" test $? -eq 0
	check "$1: the new one" examine
	check "$1: it is new" test "$state" = new
}

make_conf "$work/dit"
make_files "$work/dit"
save old
with_new : "two at once" -l "$work/input.ldif"
put_back
begin_load
load -l "$work/first.ldif"
check "two at once: exit status" test $? -eq 1
check "two at once: message" grep -q 'in use' "$work/load.out"
tool=$DITINDEX
load
check "ditindex during a load: exit status" test $? -eq 1
tool=$DITADD
end_load "two at once"

# answers: does slapd do so?
answers() {
	ldapsearch -x -H "${url[dit]}" -b "$base" -s sub '(uid=*)' 1.1 2>/dev/null |
		grep -c '^dn: ' >"$work/found"
	[ "$(cat "$work/found")" -gt 100 ]
}

put_back
begin_load
url[dit]=ldapi://$(sed 's,/,%2F,g' <<<"$work/slapd.socket")
slapd -d 0 -h "${url[dit]}" -f "$work/dit/slapd.conf" 2>"$work/slapd.err" 3>&- &
pid[dit]=$!
sleep 1
check "slapd waits" kill -0 "${pid[dit]}"
answers && fail "slapd serves a database that is being made"
end_load "slapd in between"
for ((i = 0; i < 600; i++)); do
	answers && break
	sleep 0.05
done
check "slapd serves the new entries" answers
stop_slapd
check "after slapd: sound" whole
finish
