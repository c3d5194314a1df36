#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# SIGINT and SIGTERM end a load in every phase: while input does not come, while one huge
# value is worked on, while indexes are written. It then says what is in the database, and
# leaves no file. A signal that was ignored at the start stays ignored.
#
# Other processes may slow the end down. The test therefore bounds the user time that
# ditadd takes between the signal and its end: half of what the same load, or the load of
# one huge value, takes when it is left alone; the dearest of three. System time does not
# count: a virtual machine gives memory at prices that differ by far.
. "${0%/*}/lib.sh"
: "${DITGEN:?}"

hang_s=600 # a load that still runs then does not end
tick_ms=$((1000 / $(getconf CLK_TCK)))

# look: sets now_ms, the user time that the load has used so far; 0 when it has gone. No
# process is started
look() {
	local stat fields
	{ read -r stat <"/proc/$pid/stat"; } 2>/dev/null || stat=
	read -ra fields <<<"${stat##*)}"
	now_ms=$((${fields[11]:-0} * tick_ms))
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

# wait_cpu: wait for the load; sets status, and used, its user time in ms
wait_cpu() {
	local watch
	times >"$work/times.before"
	# A load that does not end must not keep the tests from their end.
	(read -rt $hang_s _ <>"$work/never"; kill -KILL "$pid") &
	watch=$!
	wait "$pid"
	status=$?
	kill -KILL "$watch"
	wait "$watch" 2>/dev/null
	times >"$work/times.after"
	used=$(awk 'function ms(t, p) { split(t, p, /[ms]/); return p[1] * 60000 + p[2] * 1000 }
		FNR == 2 { n = ms($1); if (NR == FNR) { before = n } else { print int(n - before) } }' \
		"$work/times.before" "$work/times.after")
}

# whole NAME ARGUMENT...: three loads that are left alone; sets whole_ms, the user time of the
# dearest
whole() {
	local turn name=$1
	shift
	whole_ms=0
	for turn in 1 2 3; do
		start /dev/null "$@"
		wait_cpu
		check "$name is stored" [ "$status" -eq 0 ]
		[ "$used" -le $whole_ms ] || whole_ms=$used
	done
}

# signal_load SIGNAL: end the load; false: it had ended by itself. Sets status and used,
# the user time in ms since the signal.
signal_load() {
	look
	kill -"$1" "$pid" 2>/dev/null
	wait_cpu
	used=$((used - now_ms))
	[ "$status" -ne 0 ]
}

# ended NAME: what a load that a signal has ended leaves
ended() {
	check "$1: exit status $status" [ "$status" -eq 1 ]
	check "$1: $used ms used after the signal" [ "$used" -lt $((whole_ms / 2)) ]
	check "$1: message" grep -qx \
		'ditadd: load ended: Interrupted; the database is what it was before' \
		"$work/stderr"
	check "$1: database" untouched "$work/dit"
	check "$1: temporary files" [ -z "$(ls -A "$work/tmp")" ]
}

# interrupt NAME SIGNAL: end a load that waits for input
interrupt() {
	check "$1: is running" signal_load "$2"
	ended "$1"
}

# interrupt_at SIXTHS NAME ARGUMENT...: end a load when it has used so many sixths of the
# user time of the whole one. On a busy machine the load may be over before the signal
# is sent: then once more, a little earlier.
interrupt_at() {
	local at=$((whole_ms * $1 / 6)) name="$2, at $1/6" try
	shift 2
	for ((try = 0; try < 12; try++)); do
		start /dev/null "$@"
		after_ms $at
		if signal_load TERM; then
			# Other processes make one end dear, not each of four.
			if [ "$used" -lt $((whole_ms / 2)) ] || [ $try -ge 3 ]; then
				ended "$name"
				return
			fi
			continue
		fi
		at=$((at * 8 / 10))
	done
	fail "$name: the load was over before each of $try signals"
}

# has_open FILE: wait until the load has that file open: it then knows what signals are for
has_open() {
	local fd
	while kill -0 "$pid" 2>/dev/null; do
		for fd in "/proc/$pid/fd"/*; do
			[ ! "$fd" -ef "$1" ] || return 0
		done
		pause 0.02
	done
}

# after_ms MS: wait until the load has used that much processor time
after_ms() {
	look
	while kill -0 "$pid" 2>/dev/null && [ $now_ms -lt "$1" ]; do
		pause 0.02
		look
	done
}

# Sizes of "make check"; "make check-long" has larger ones.
value_bytes=20000000 nentries=30000
[ -z "${DIT_LONG:-}" ] || value_bytes=120000000 nentries=100000
mkdir "$work/tmp"
make_site "$work/dit" bench
suffix=$(sed -n 's/^suffix *"\(.*\)"/\1/p' "$work/dit/slapd.conf" | head -n 1)
"$DITGEN" --entries 2000 --operational >"$work/input.ldif"
mkfifo "$work/idle"

# One large value that must be folded, and has a key at every place.
awk '{ print } /^$/ { exit }' "$work/input.ldif" >"$work/value.ldif"
printf 'dn: cn=huge,%s\nobjectClass: person\ncn: huge\nsn:< file://%s\n' \
	"$suffix" "$work/huge" >>"$work/value.ldif"
awk 'BEGIN { while (n++ < 6000) for (i = 0; i < 100; i++) printf "%s", "Привет, Мир, Привет, Мир, Привет, Мир, Привет, Мир, Привет, Мир, Привет, Мир, Привет, Мир, " }' |
	head -c $value_bytes >"$work/huge"
whole 'the huge value' -T 2 -l "$work/value.ldif"
for sixths in 1 2 3 4 5; do
	interrupt_at $sixths 'huge value' -T 2 -l "$work/value.ldif"
done
rm -f "$work/huge"

# A pipe that says nothing more; a named one that is never opened.
for threads in 1 2; do
	exec {hold}<>"$work/idle"
	head -n 200 "$work/input.ldif" >"$work/idle"
	start "$work/idle" -q -T $threads
	has_open "$work/dit/db"
	pause 0.3
	interrupt "idle pipe, -T $threads" TERM
	exec {hold}>&-

	start /dev/null -q -T $threads -l "$work/idle"
	has_open "$work/idle"
	pause 0.3
	interrupt "pipe without writer, -T $threads" INT

	head -n 60 "$work/input.ldif" | awk '{ print } /^$/ { exit }' >"$work/value.ldif"
	printf 'dn: ou=pipe,%s\nobjectClass: organizationalUnit\nou: pipe\ndescription:< file://%s\n' \
		"$suffix" "$work/idle" >>"$work/value.ldif"
	start /dev/null -T $threads --special-urls -l "$work/value.ldif"
	has_open "$work/idle"
	pause 0.3
	interrupt "pipe after attr:<, -T $threads" INT
done

# A refused record ends a load, too, while more input is to come.
exec {hold}<>"$work/idle"
printf 'dn: nonsense\n\n%0.sdn: x\n\n' $(seq 600) >"$work/idle"
start "$work/idle" -q -T 2
wait_cpu
check 'a refused record does not wait for input' [ $status -eq 1 ]
exec {hold}>&-

# Every other phase, with temporary files.
"$DITGEN" --entries $nentries --operational >"$work/input.ldif"
whole 'the whole load' -q -T 2 --memory 16M -l "$work/input.ldif"
for sixths in 1 2 3 4 5; do
	interrupt_at $sixths 'temporary files' -q -T 2 --memory 16M -l "$work/input.ldif"
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
	pause 0.3
	kill -$signal $pid
	pause 0.3
	check "$signal stays ignored" kill -0 $pid
	exec {hold}>&-
	wait $pid
	check "$signal: the load ends with its input" [ $? -eq 0 ]
done

finish
