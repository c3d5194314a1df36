#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Killed at any moment, ditadd leaves the database as it was or complete, never between;
# the next run clears away what was left and succeeds. Eight moments, spread over the
# whole run; half of them with no database there, half with an empty one of slapadd's. Then
# four moments of a load with --writer=append.
#
#   DIT_LONG=yes   20 and 8 moments, 20,000 entries; faults/kills.sh kills at each system call
. "${0%/*}/lib.sh"
: "${DITGEN:?}"

entries=${KILLED_ENTRIES:-6000}
[ "${DIT_LONG:-}" != yes ] || entries=${KILLED_ENTRIES:-20000}
writer=pages

# load: the command that is killed; small memory, so that there are temporary files
load() {
	exec "$DITADD" -q -T 2 --writer=$writer --memory 16M --tmpdir "$work/tmp" \
		-f "$work/dit/slapd.conf" -l "$work/input.ldif" >/dev/null \
		2>"$work/load.stderr"
}

# now_ms
now_ms() {
	local t=$EPOCHREALTIME
	echo $((${t/[.,]/} / 1000))
}

# old_or_complete: the data file is the old one byte by byte, or absent if it was, or the
# finished one; sets state for the summary
old_or_complete() {
	if [ -f "$work/old.mdb" ] && cmp -s "$work/old.mdb" "$work/dit/db/data.mdb"; then
		state=old
	elif [ ! -f "$work/old.mdb" ] && [ ! -e "$work/dit/db/data.mdb" ]; then
		state=old
	else
		state=complete
		same_content "$work/ref" "$work/dit"
	fi
}

# no_leftovers: neither next to the database nor in the directory for temporary files
# shellcheck disable=SC2317 # called by check
no_leftovers() {
	only_database "$work/dit" || return 1
	if [ -n "$(ls -A "$work/tmp")" ]; then
		ls -lA "$work/tmp"
		return 1
	fi
}

# prepare N: an absent database for even N, an empty one of slapadd's for odd N
prepare() {
	empty_site "$work/dit"
	rm -f "$work/old.mdb"
	if [ $(($1 % 2)) -eq 1 ]; then
		slapadd_site "$work/dit" -l /dev/null
		cp "$work/dit/db/data.mdb" "$work/old.mdb"
	fi
}

mkdir "$work/tmp"
make_site "$work/ref" bench
make_site "$work/dit" bench
"$DITGEN" --entries "$entries" --operational >"$work/input.ldif"

# kill_loads WRITER N: N kills
kill_loads() {
	local kills=$2 duration start took noldstates i delay pid
	writer=$1
	# Runs to the end, for the time they take (the shorter one) and as the content to
	# expect.
	duration=
	for _ in 1 2; do
		empty_site "$work/dit"
		start=$(now_ms)
		(load)
		check "uninterrupted load" test $? -eq 0
		took=$(($(now_ms) - start))
		[ -n "$duration" ] && [ "$duration" -lt "$took" ] || duration=$took
	done
	mv "$work/dit/db" "$work/complete"
	rm -rf "$work/ref/db"
	mv "$work/complete" "$work/ref/db"

	noldstates=0
	for ((i = 0; i < kills; i++)); do
		prepare "$i"
		# Somewhere in the i-th piece of the run; the last ones come after it.
		delay=$(((duration * i + RANDOM % (duration + 1)) / (kills - 2)))
		(load) &
		pid=$!
		sleep "$((delay / 1000)).$(printf '%03d' $((delay % 1000)))"
		kill -9 "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null

		state=
		nchecks=$((nchecks + 1))
		old_or_complete >"$work/check.out" 2>&1 || {
			fail "killed after $delay of $duration ms"
			sed 's/^/    /; 30q' "$work/check.out" >&2
		}
		if [ "$state" = old ]; then
			noldstates=$((noldstates + 1))
			(load)
			check "the run after the kill at $delay ms" test $? -eq 0
			check "content after the kill at $delay ms" \
				same_content "$work/ref" "$work/dit"
			check "leftovers after the kill at $delay ms" no_leftovers
		fi
	done
	echo "$kills kills over $duration ms: $noldstates times the old state"
	check "kills that came in time" test "$noldstates" -ge $((kills / 3))
}

if [ "${DIT_LONG:-}" = yes ]; then
	kill_loads pages 20
	kill_loads append 8
else
	kill_loads pages 8
	kill_loads append 4
fi

finish
