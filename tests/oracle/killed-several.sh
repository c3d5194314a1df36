#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Killed at any moment: a load of several databases, and one into databases that hold
# entries. Each database is what it was or complete, never between; all of them agree,
# but for the moment between two renames or commits, when those that come later (the
# chosen one is the last) may still be the old ones. The next run succeeds.
. "${0%/*}/lib.sh"
: "${DITGEN:?}" "${DITCHECK:?}"

entries=${KILLED_ENTRIES:-6000}
kills=12
databases="db db-other"

# make_glued DIR: a superior database and one for ou=People
make_glued() {
	make_site "$1" bench
	sed -i '/^database/,$d' "$1/slapd.conf"
	cat >>"$1/slapd.conf" <<-CONF
		database mdb
		suffix "ou=people,dc=example,dc=com"
		subordinate
		directory $1/db-other
		maxsize 1073741824
		index uid,cn,sn,mail pres,eq,sub
		database mdb
		suffix "dc=example,dc=com"
		directory $1/db
		maxsize 1073741824
		index objectClass,entryUUID eq
		index cn eq,sub
	CONF
}

# load FILE: the command that is killed; small memory, so that there are temporary files
load() {
	exec "$DITADD" -q -T 2 --memory 16M --tmpdir "$work/tmp" \
		-f "$work/dit/slapd.conf" -l "$1" >/dev/null 2>"$work/load.stderr"
}

now_ms() {
	local t=$EPOCHREALTIME
	echo $((${t/[.,]/} / 1000))
}

# put_back STATE: databases as they were saved
put_back() {
	local name
	for name in $databases; do
		rm -rf "$work/dit/$name"
		cp -r "$work/$1/$name" "$work/dit/$name"
	done
}

save() {
	local name
	mkdir -p "$work/$1"
	for name in $databases; do
		cp -r "$work/dit/$name" "$work/$1/$name"
	done
}

# is_state STATE NAME: absent databases are states, too
is_state() {
	if [ ! -e "$work/$1/$2/data.mdb" ]; then
		[ ! -e "$work/dit/$2/data.mdb" ]
	else
		[ -e "$work/dit/$2/data.mdb" ] &&
			"$DITCHECK" --compare --exact "$work/$1/$2" "$work/dit/$2"
	fi
}

# examine: sets state to old, complete, or mixed; fails if anything is between. In a mixed
# state the chosen database is the old one.
examine() {
	local name found=
	for name in $databases; do
		if is_state old "$name" >"$work/old.diff" 2>&1; then
			found="$found old"
		elif is_state complete "$name" >"$work/complete.diff" 2>&1; then
			found="$found complete"
		else
			echo "$name is neither old nor complete:"
			head -5 "$work/old.diff" "$work/complete.diff"
			return 1
		fi
	done
	case $found in
	" old old") state=old ;;
	" complete complete") state=complete ;;
	" old complete") state=mixed ;;
	*)
		echo "the chosen database is complete, the other is not"
		return 1
		;;
	esac
}

# kill_all NAME FILE: from the saved state "old", again and again
kill_all() {
	local name=$1 input=$2 duration= start took delay pid i nold=0
	rm -rf "$work/complete"
	for _ in 1 2; do
		put_back old
		start=$(now_ms)
		(load "$input")
		check "$name: uninterrupted" test $? -eq 0
		took=$(($(now_ms) - start))
		[ -n "$duration" ] && [ "$duration" -lt "$took" ] || duration=$took
	done
	save complete
	for ((i = 0; i < kills; i++)); do
		put_back old
		delay=$(((duration * i + RANDOM % (duration + 1)) / (kills - 2)))
		(load "$input") &
		pid=$!
		sleep "$((delay / 1000)).$(printf '%03d' $((delay % 1000)))"
		kill -9 "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
		state=
		nchecks=$((nchecks + 1))
		examine >"$work/check.out" 2>&1 || {
			fail "$name: killed after $delay of $duration ms"
			sed 's/^/    /' "$work/check.out" >&2
		}
		[ "$state" = old ] || continue
		nold=$((nold + 1))
		(load "$input")
		check "$name: the run after the kill at $delay ms" test $? -eq 0
		examine >/dev/null 2>&1
		check "$name: state after the kill at $delay ms" test "$state" = complete
		check "$name: leftovers after the kill at $delay ms" test -z \
			"$(cd "$work/dit" && ls -A db db-other |
				grep -v -e '^$' -e '^db' -e data.mdb -e lock.mdb)"
	done
	echo "$name: $kills kills over $duration ms: $nold times the old state"
	check "$name: kills that came in time" test "$nold" -ge $((kills / 4))
}

mkdir "$work/tmp"
make_glued "$work/dit"
"$DITGEN" --entries "$entries" --operational >"$work/input.ldif"
awk -v n=$((entries / 2)) 'BEGIN { RS = ""; ORS = "\n\n" } NR <= n' "$work/input.ldif" \
	>"$work/first.ldif"
awk -v n=$((entries / 2)) 'BEGIN { RS = ""; ORS = "\n\n" } NR > n' "$work/input.ldif" \
	>"$work/second.ldif"
printf 'dn: cn=last,dc=example,dc=com\nobjectClass: device\ncn: last\n' \
	>"$work/last.ldif"
{
	cat "$work/second.ldif"
	cat "$work/last.ldif"
	echo "structuralObjectClass: device"
	echo "entryUUID: 11111111-1111-1111-1111-111111111111"
	echo "creatorsName: cn=x"
	echo "createTimestamp: 20260101000000Z"
	echo "entryCSN: 20260101000000.000000Z#000000#000#000000"
	echo "modifiersName: cn=x"
	echo "modifyTimestamp: 20260101000000Z"
} >"$work/more.ldif"

save old
kill_all "new databases" "$work/input.ldif"

rm -rf "$work/old"
put_back complete
for name in $databases; do
	rm -rf "${work:?}/dit/$name"
	mkdir "$work/dit/$name"
done
(load "$work/first.ldif")
check "the first part" test $? -eq 0
save old
kill_all "databases with entries" "$work/more.ldif"

finish
