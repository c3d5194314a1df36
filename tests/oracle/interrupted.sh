#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# SIGINT and SIGTERM end a load in every phase: while input does not come, while one huge
# value is worked on, while indexes are written. It then says what is in the database, and
# leaves nothing behind. A signal that was ignored at the start stays ignored.
#
# The other processes of a machine may slow the end down; what must be short is the
# processor time that ditadd uses between the signal and its end.
. "${0%/*}/lib.sh"
: "${DITGEN:?}"

most_ms=1000      # of processor time
most_wall_s=20    # for everything else
tick_ms=$((1000 / $(getconf CLK_TCK)))

# cpu_ms PID: what a process has used so far; 0 when it has gone
cpu_ms() {
	local stat fields
	stat=$(cat "/proc/$1/stat" 2>/dev/null) || stat=
	read -ra fields <<<"${stat##*)}"
	echo $(((${fields[11]:-0} + ${fields[12]:-0}) * tick_ms))
}

# start INPUT ARGUMENT...: a load in the background, with its input from INPUT
start() {
	local input=$1
	shift
	empty_site "$work/dit"
	set -m # else the shell lets it ignore SIGINT
	# Whoever runs the tests may ignore signals, which a shell cannot change.
	env --default-signal=HUP,INT,TERM "$DITADD" -f "$work/dit/slapd.conf" --tmpdir "$work/tmp" "$@" <"$input" \
		>/dev/null 2>"$work/stderr" &
	pid=$!
	set +m
}

# interrupt NAME SIGNAL: end the load; it must be running
interrupt() {
	local used status watch begin=$SECONDS
	check "$1: is running" kill -0 "$pid"
	used=$(cpu_ms "$pid")
	times >"$work/times.before"
	kill -"$2" "$pid"
	# A load that does not end must not keep the tests from their end.
	(read -rt $((3 * most_wall_s)) _ <>"$work/never"; kill -KILL "$pid") &
	watch=$!
	wait "$pid"
	status=$?
	kill "$watch"
	times >"$work/times.after"
	used=$(awk -v used="$used" 'function ms(t, p) { split(t, p, /[ms]/); return p[1] * 60000 + p[2] * 1000 }
		FNR == 2 { n = ms($1) + ms($2); if (NR == FNR) { before = n } else { print int(n - before - used) } }' \
		"$work/times.before" "$work/times.after")
	check "$1: exit status $status" [ "$status" -eq 1 ]
	check "$1: $used ms used after the signal" [ "$used" -lt "$most_ms" ]
	check "$1: $((SECONDS - begin)) s" [ $((SECONDS - begin)) -lt $most_wall_s ]
	check "$1: message" grep -qx \
		'ditadd: load ended: Interrupted; the database is what it was before' \
		"$work/stderr"
	check "$1: database" untouched "$work/dit"
	check "$1: temporary files" [ -z "$(ls -A "$work/tmp")" ]
}

# has_open FILE: wait until the load has that file open: it then knows what signals are for
has_open() {
	local fd
	while kill -0 "$pid" 2>/dev/null; do
		for fd in "/proc/$pid/fd"/*; do
			[ ! "$fd" -ef "$1" ] || return 0
		done
		sleep 0.02
	done
}

# after_ms MS: wait until the load has used that much processor time
after_ms() {
	while kill -0 "$pid" 2>/dev/null && [ "$(cpu_ms "$pid")" -lt "$1" ]; do
		sleep 0.02
	done
}

mkdir "$work/tmp"
make_site "$work/dit" bench
suffix=$(sed -n 's/^suffix *"\(.*\)"/\1/p' "$work/dit/slapd.conf" | head -n 1)
"$DITGEN" --entries 20000 --operational >"$work/input.ldif"
mkfifo "$work/idle" "$work/never"

# A pipe that says nothing more; a named one that nobody ever opens.
for threads in 1 2; do
	exec {hold}<>"$work/idle"
	head -n 200 "$work/input.ldif" >"$work/idle"
	start "$work/idle" -q -T $threads
	has_open "$work/dit/db"
	sleep 0.3
	interrupt "idle pipe, -T $threads" TERM
	exec {hold}>&-

	start /dev/null -q -T $threads -l "$work/idle"
	has_open "$work/idle"
	sleep 0.3
	interrupt "pipe without writer, -T $threads" INT

	head -n 60 "$work/input.ldif" | awk '{ print } /^$/ { exit }' >"$work/value.ldif"
	printf 'dn: ou=pipe,%s\nobjectClass: organizationalUnit\nou: pipe\ndescription:< file://%s\n' \
		"$suffix" "$work/idle" >>"$work/value.ldif"
	start /dev/null -T $threads --special-urls -l "$work/value.ldif"
	has_open "$work/idle"
	sleep 0.3
	interrupt "pipe behind attr:<, -T $threads" INT
done

# A refused record ends a load, too, while more input is to come.
exec {hold}<>"$work/idle"
printf 'dn: nonsense\n\n%0.sdn: x\n\n' $(seq 600) >"$work/idle"
start "$work/idle" -q -T 2
begin=$SECONDS
wait "$pid"
check 'a refused record does not wait for input' [ $? -eq 1 ]
check 'a refused record: time' [ $((SECONDS - begin)) -lt $most_wall_s ]
exec {hold}>&-

# One value of 120 MB that must be folded, and has a key at every place.
awk '{ print } /^$/ { exit }' "$work/input.ldif" >"$work/value.ldif"
printf 'dn: cn=huge,%s\nobjectClass: person\ncn: huge\nsn:< file://%s\n' \
	"$suffix" "$work/huge" >>"$work/value.ldif"
awk 'BEGIN { while (n++ < 6000) for (i = 0; i < 100; i++) printf "%s", "Привет, Мир, Привет, Мир, Привет, Мир, Привет, Мир, Привет, Мир, Привет, Мир, Привет, Мир, " }' |
	head -c 120000000 >"$work/huge"
start /dev/null -T 2 -l "$work/value.ldif"
wait "$pid"
check 'the huge value can be stored' [ $? -eq 0 ]
for used in 300 700 1100 1500 1900; do
	start /dev/null -T 2 -l "$work/value.ldif"
	after_ms $used
	interrupt "huge value, at $used ms" TERM
done
rm -f "$work/huge"

# Every other phase, with temporary files.
"$DITGEN" --entries 100000 --operational >"$work/input.ldif"
start /dev/null -q -T 2 --memory 16M -l "$work/input.ldif"
wait "$pid"
check 'the whole load' [ $? -eq 0 ]
for used in 100 400 700 1000 1300 1600; do
	start /dev/null -q -T 2 --memory 16M -l "$work/input.ldif"
	after_ms $used
	kill -0 "$pid" 2>/dev/null || break
	interrupt "at $used ms" TERM
done

# Whoever starts it ignores the signal.
for signal in HUP INT TERM; do
	exec {hold}<>"$work/idle"
	empty_site "$work/dit"
	(
		exec {hold}>&-
		exec env --default-signal=HUP,INT,TERM --ignore-signal=$signal "$DITADD" -q -f "$work/dit/slapd.conf" -l "$work/idle"
	) 2>"$work/stderr" &
	pid=$!
	head -n 200 "$work/input.ldif" | awk '{ print } /^$/ { exit }' >"$work/idle"
	has_open "$work/idle"
	sleep 0.3
	kill -$signal $pid
	sleep 0.3
	check "$signal stays ignored" kill -0 $pid
	exec {hold}>&-
	wait $pid
	check "$signal: the load ends with its input" [ $? -eq 0 ]
done

finish
