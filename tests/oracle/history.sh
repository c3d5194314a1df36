#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ditkit-history: each state of random histories is restored, and slapcat shows what it showed
# then. Nothing is lost by a kill at any moment; damage is told; next to a slapd that takes
# changes, each state is one that the directory had.
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${DITCAT:?}" "${DITDIFF:?}" "${DITMODIFY:?}" "${RANDCHANGES:?}" "${DIT_SRCDIR:?}"

if ! command -v zstd >/dev/null; then
	skip 'zstd is not installed'
fi
nseeds=1 ndatabases=1 nflips=8
[ "${DIT_LONG:-no}" = no ] || { nseeds=125 ndatabases=8 nflips=200; }

# The programs, which end all of the run at call number $KILL_AT: odd numbers come before a
# call, even ones after it.
mkdir "$work/sbin"
for program in "$DITADD" "$DITCAT" "$DITDIFF" "$DITMODIFY" mv sync zstd; do
	cat >"$work/sbin/${program##*/}" <<-END
		#!/bin/sh
		[ -n "\${KILL_AT:-}" ] || exec $(command -v "$program") "\$@"
		moment() {
			read -r n <"$work/moment"
			echo \$((n + 1)) >"$work/moment"
			[ \$((n + 1)) -ne \$KILL_AT ] || kill -KILL 0
		}
		moment
		$(command -v "$program") "\$@"
		status=\$?
		moment
		exit \$status
	END
	chmod +x "$work/sbin/${program##*/}"
done
# The clock goes on by a minute when it is asked for the time.
cat >"$work/sbin/date" <<'END'
#!/bin/sh
case $* in
'-d now +%s') set -- +%s ;;
*-d*) exec /bin/date "$@" ;;
esac
now=$(($(cat "$DITKIT_CLOCK") + 60))
echo $now >"$DITKIT_CLOCK"
exec /bin/date -d @$now "$@"
END
chmod +x "$work/sbin/date"
sed "s,@sbindir@,$work/sbin,g" "$DIT_SRCDIR/doc/packaging/systemd/ditkit-history.in" >"$work/history"
export DITKIT_CLOCK=$work/clock DITKIT_DIR=$work/files DITKIT_STATES=$work/states
release=${DIT_OPENLDAP:+--openldap=$DIT_OPENLDAP}
export DITKIT_OPTIONS="-f $work/ref/slapd.conf -T 1 $release"
echo 1767225600 >"$work/clock" # 2026-01-01

history() {
	sh "$work/history" "$@"
}

# shown DATABASE: lines of all entries, sorted
shown() {
	slapcat -f "$work/ref/slapd.conf" -n "$1" -o ldif-wrap=no 2>/dev/null |
		awk '/^dn:/ { dn = $0 } NF { print dn "\t" $0 }' | sort
}

newest() {
	history list "$1" | tail -n 1 | cut -c 1-20
}

# step DATABASE FILE: changes, and the state that they lead to
step() {
	"$DITMODIFY" -f "$work/ref/slapd.conf" -n "$1" -c -w -l "$2" >/dev/null 2>&1
	history take "$1" >"$work/said" 2>&1 || return
	shown "$1" >"$work/shown/$1.$(newest "$1")"
}

# steps DATABASE: a random history in some steps
steps() {
	local i=$1 file
	rm -rf "$work/parts"
	mkdir "$work/parts"
	"$RANDCHANGES" "$seed" changes "$i" | sed '/^control: /d' |
		awk -v dir="$work/parts" -v size=$((4 + (seed + i) % 9)) '
			BEGIN { RS = ""; ORS = "\n\n" }
			{ print >(dir "/" sprintf("%03d", int(NR / size))) }'
	mkdir -p "$DITKIT_STATES"
	touch "$DITKIT_STATES/$i.work.new" # of a restore that was killed
	check "seed $seed, $i: the first state" history take "$i"
	check "seed $seed, $i: it is gone" [ ! -e "$DITKIT_STATES/$i.work.new" ]
	shown "$i" >"$work/shown/$i.$(newest "$i")"
	for file in "$work"/parts/*; do
		check "seed $seed, $i: ${file##*/}" step "$i" "$file"
	done
}

# restored DATABASE TIME
restored() {
	history restore "$1" --at "$2" && shown "$1" | diff -a "$work/shown/$1.$2" - &&
		"$DITCHECK" -f "$work/ref/slapd.conf" -n "$1" --quick
}

# killed NUMBER: a run that ends at the moment of that number, and the next one. 1: it did
# not end there
killed() {
	local status
	echo 0 >"$work/moment"
	(KILL_AT=$1 setsid -w sh "$work/history" take 1; exit) >"$work/said" 2>&1
	status=$?
	flock "$DITKIT_DIR/.1.lock" flock "$DITKIT_STATES/1.lock" true # until the last of its processes has gone
	[ $status -eq 137 ]
}

# next_run: nothing is lost
next_run() {
	history take 1 && history prune 1 --keep 2 && history verify 1 &&
		"$DITDIFF" -f "$work/ref/slapd.conf" -n 1 --exact "$DITKIT_STATES/1" >/dev/null
}

# kills NAME COMMAND...: a kill at each moment of a run, after the command
kills() {
	local name=$1 n
	shift
	for ((n = 1; ; n++)); do
		check "$name, kill $n: a change" "$@" $n
		killed $n || break
		check "$name, kill $n: the next run" next_run
	done
	check "$name: runs are killed, $n times" [ $n -gt 6 ]
	check "$name: the last run" next_run
}

forget() {
	rm -rf "$DITKIT_DIR" "$DITKIT_STATES"
}

# change NUMBER: contextCSN makes each state another one
change() {
	printf 'dn: dc=h1\nchangetype: modify\nreplace: description\ndescription: %d\n' "$1" |
		"$DITMODIFY" -f "$work/ref/slapd.conf" -n 1 -w
}

# told STATUS TEXT ARGUMENT...: how it ends, and what it says
told() {
	local status=$1 text=$2 got
	shift 2
	history "$@" >"$work/said" 2>&1
	got=$?
	cat "$work/said"
	[ $got -eq "$status" ] && grep -qF -- "$text" "$work/said"
}

# flipped: one bit of one file is another one, and that is told, unless zstd reads the same
flipped() {
	local files file bytes at byte status
	rm -rf "$work/flipped"
	cp -r "$DITKIT_DIR" "$work/flipped"
	files=("$work"/flipped/1-*)
	file=${files[RANDOM % ${#files[@]}]}
	bytes=$(stat -c %s "$file")
	at=$(((RANDOM * 32768 + RANDOM) % bytes))
	byte=$(od -An -tu1 -j $at -N 1 "$file")
	printf '%b' "\\x$(printf %x $((byte ^ (1 << RANDOM % 8))))" |
		dd of="$file" bs=1 seek=$at conv=notrunc status=none
	DITKIT_DIR=$work/flipped history verify 1 >"$work/said" 2>&1
	status=$?
	if [ $status -eq 0 ]; then
		cmp <(zstd -qdc "$file") <(zstd -qdc "$DITKIT_DIR/${file##*/}") && return
	fi
	[ $status -eq 2 ] && grep -q '^ditkit-history: .*1-2026' "$work/said" || {
		echo "${file##*/}, byte $at"
		cat "$work/said"
		return 1
	}
}

for ((seed = 1; seed <= nseeds; seed++)); do
	rm -rf "$work"/{ref,files,states,shown}
	mkdir -p "$work/ref/db-"{1..8} "$work/shown"
	# Room for all that slapd writes while one run reads.
	"$RANDCHANGES" "$seed" conf 8 | fill_in "$work/ref" |
		sed 's/^maxsize .*/maxsize 268435456/' >"$work/ref/slapd.conf"
	for ((i = 1; i <= ndatabases; i++)); do
		"$RANDCHANGES" "$seed" ldif $i >"$work/input.ldif"
		ditadd_site "$work/ref" -c -n $i -l "$work/input.ldif"
		export DITKIT_BASE_DAYS=$((i % 2))
		steps $i
		check "seed $seed, $i: verified" history verify $i
		for state in "$work/shown/$i".*; do
			check "seed $seed, $i: restored ${state##*/}" restored $i "${state#*/shown/"$i".}"
		done
	done
done

echo '== damage'
RANDOM=1
for ((n = 1; n <= nflips; n++)); do
	check "bit $n" flipped
done

echo '== what is missing, and wrong calls'
cp -r "$DITKIT_DIR" "$work/whole"
mapfile -t files < <(cd "$DITKIT_DIR" && ls 1-*.changes.*)
check 'there are changes' [ ${#files[@]} -gt 2 ]
rm "$DITKIT_DIR/${files[1]}"
check 'a gap' told 2 'lead on from' verify 1
check 'a state after a gap' told 2 'lead on from' restore 1 --at "$(newest 1)"
check 'how to go on' told 2 'DITKIT_BASE_DAYS=0 ditkit-history take 1' verify 1
DITKIT_BASE_DAYS=0 check 'a full export after a gap' told 0 '' take 1
check 'it is the last gap' told 2 "sound up to $(newest 1)" verify 1
mv "$DITKIT_DIR/${files[2]}" "$DITKIT_DIR/${files[1]}"
check 'an exchanged name' told 2 'lead on from' verify 1
rm -r "$DITKIT_DIR"
mv "$work/whole" "$DITKIT_DIR"
check 'the first base is gone' told 2 "$DITKIT_DIR has no state of database 1 at 2025-12-31" \
	restore 1 --at 2025-12-31Z
check 'a time to come' told 2 '23:50:30 is in the future' undo 1 --from '9999-12-31 23:50:30'
check 'no time' told 2 'invalid date' restore 1 --at never
check 'no history' told 2 'no state of database 9' verify 9
check 'no such database' told 2 'cannot be' take 99
check 'nothing to list' told 2 "no state of database 9 in $DITKIT_DIR" list 9
for wrong in '' take 'take x' 'list 1 2' 'list ../files/1' 'restore 1' 'undo 1 --at now' 'prune 1 --keep 0' 'forget 1'; do
	# shellcheck disable=SC2086 # words
	check "wrong: $wrong" told 2 'usage: ditkit-history take' $wrong
done
DITKIT_BASE_DAYS=week check 'wrong days' told 2 'no number of days: week' take 1
DITKIT_BASE_DAYS=08 check 'a digit too many' told 2 'no number of days: 08' take 1
check 'undo of what' told 2 'usage: ' undo 1 --from now --subtree
exec 8>"$DITKIT_DIR/.1.lock"
flock 8
check 'two at a time' told 2 'is being worked on' take 1
exec 8>"$DITKIT_STATES/1.lock"
flock 8
DITKIT_DIR=$work/none check 'two with one place for states' told 2 'is being worked on' take 1
exec 8>&-
echo 1767225600 >"$work/clock.old"
DITKIT_CLOCK=$work/clock.old check 'the clock goes back' told 2 'the clock is wrong' take 1
DITKIT_CLOCK=$work/clock.old check 'restore with that clock' told 0 "of $(newest 1)" restore 1 --at "$(newest 1)"
to_come() { # a state that was taken then leads to no other one when its file is away
	local last DITKIT_DIR=$work/later DITKIT_STATES=$work/later/states
	cp -r "$work/files" "$DITKIT_DIR"
	last=$(newest 1)
	echo 4102444800 >"$work/clock.new"
	change 1 && DITKIT_CLOCK=$work/clock.new history take 1 &&
		told 2 'move the file away' take 1 && rm "$DITKIT_DIR"/1-2100-* &&
		told 0 'changes' take 1 && told 0 'sound up to' verify 1 && history restore 1 --at "$last"
}
check 'a file from the future' to_come
holes() { # entries whose parent was never added
	local with status DITKIT_DIR=$work/holes DITKIT_STATES=$work/holes/states
	cp -r "$work/ref/db-1" "$work/before"
	printf '%s\n' 'dn: ou=b,ou=hole,dc=h1' 'objectClass: organizationalUnit' 'ou: b' >"$work/below.ldif"
	ditadd_site "$work/ref" -c -q -n 1 -l "$work/below.ldif"
	told 0 'all entries' take 1 && with=$(newest 1) && shown 1 >"$work/shown/1.$with" &&
		printf '%s\n' 'dn: ou=b,ou=hole,dc=h1' 'changetype: modify' 'add: l' 'l: c' |
		"$DITMODIFY" -f "$work/ref/slapd.conf" -n 1 -w &&
		told 0 '2 changes' take 1 &&
		printf '%s\n' 'dn: ou=b,ou=hole,dc=h1' 'changetype: modify' 'replace: l' 'l: d' |
		"$DITMODIFY" -f "$work/ref/slapd.conf" -n 1 && history take 1 | grep -q ': 1 change$' &&
		history list 1 | grep -q '  1 change$' &&
		told 0 'sound up to' verify 1 && restored 1 "$with"
	status=$?
	rm -rf "$work/ref/db-1" && mv "$work/before" "$work/ref/db-1" && return $status
}
check 'holes' holes
exchanged() { # two full exports
	local bases DITKIT_DIR=$work/exchanged DITKIT_STATES=$work/exchanged/states
	cp -r "$work/files" "$DITKIT_DIR"
	change 3 && DITKIT_BASE_DAYS=0 history take 1
	bases=("$DITKIT_DIR"/1-????-??-??T??:??:??Z.ldif.zst)
	mv "${bases[0]}" "$work/base" && mv "${bases[-1]}" "${bases[0]}" && mv "$work/base" "${bases[-1]}" &&
		told 2 "${bases[-1]##*/} is another file: ${bases[0]##*/}" restore 1 --at "$(newest 1)" &&
		DITKIT_DIR=$work/files history restore 1 --at now
}
check 'exchanged full exports' exchanged
slowly() { # its time is that after the newest state was made again
	local last DITKIT_DIR=$work/slow DITKIT_STATES=$work/slow/states
	cp -r "$work/files" "$DITKIT_DIR"
	last=$(newest 1)
	mv "$work/sbin/ditadd" "$work/ditadd"
	printf '#!/bin/sh\ncp "$DITKIT_CLOCK" "%s/then"\nexec "%s/ditadd" "$@"\n' "$work" "$work" \
		>"$work/sbin/ditadd"
	chmod +x "$work/sbin/ditadd"
	change 2 && told 0 'changes' take 1 && mv "$work/ditadd" "$work/sbin" &&
		[ "$(/bin/date -d "$(newest 1)" +%s)" -gt "$(cat "$work/then")" ] && history restore 1 --at "$last"
}
check 'a slow run' slowly
metrics() {
	local DITKIT_DIR=files DITKIT_STATES=states DITKIT_METRICS=ditkit.prom
	export DITKIT_METRICS
	cd "$work" && echo secret >secret && ln -s "$work/secret" ditkit.prom.1.new &&
		told 0 'database 1 is as it was' take 1 && grep -qx secret secret &&
		[ "$(stat -c %a ditkit-1.prom)" = 644 ] &&
		grep -qx 'ditkit_history_files{database="1"} [0-9]*' ditkit-1.prom &&
		grep -qx "ditkit_history_bytes{database=\"1\"} $(cat files/1-* | wc -c)" ditkit-1.prom &&
		rm ditkit-1.prom && mkdir ditkit-1.prom && told 2 'ditkit.prom cannot be written' take 1
}
check 'metrics' metrics
first=$(history list 1 | head -n 1 | cut -c 1-20)
there=$(TZ=UTC-9 /bin/date -d "$first" '+%F %T')
TZ=UTC-9 check 'the time of the place' told 0 "in the state of $first" restore 1 --at "$there"
history restore 1 --at "$(newest 1)" >/dev/null
read_only() {
	cp -r "$DITKIT_DIR" "$work/still"
	rm "$work/still/.1.lock"
	DITKIT_DIR=$work/still unshare -rm sh -c '
		mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit
		sh "$2" verify 1 && sh "$2" restore 1 --at "$3" && sh "$2" undo 1 --from "$3" && ! sh "$2" take 1
	' sh "$work/still" "$work/history" "$(newest 1)"
}
! unshare -rm true 2>/dev/null || check 'files that cannot be written' read_only
check 'one of two fails' told 2 'database 1 is as it was' take 99 1
mkfifo "$DITKIT_DIR/1-2025-01-01T00:00:00Z.ldif.zst"
check 'a pipe is no state' timeout 60 sh "$work/history" list 1
rm "$DITKIT_DIR/1-2025-01-01T00:00:00Z.ldif.zst"
check 'an empty branch' told 2 'usage: ' undo 1 --from "$first" --subtree ''
check 'an empty time' told 2 'usage: ' restore 1 --at ''
relative() {
	cd "$work" && DITKIT_DIR=files DITKIT_STATES=states told 0 'sound up to' verify 1
}
check 'relative directories' relative
variable() {
	status=5 history verify 1
}
check 'a variable of the caller' variable
unwritten() {
	history "$@" >/dev/full
	[ $? -eq 2 ]
}
check 'a list without room' unwritten list 1
many() { # more than the arguments of one program
	local DITKIT_DIR=$work/many
	cp -r "$work/files" "$DITKIT_DIR"
	awk 'BEGIN {
		for (n = 0; n < 45000; n++)
			printf "1-2001-01-%02dT00:%02d:%02dZ.changes.ldif.zst\n", n / 3600 + 1, n / 60 % 60, n % 60
	}' | (cd "$DITKIT_DIR" && xargs touch)
	printf '#!/bin/sh\n[ "$1" != -rf ] || exec /bin/rm "$@"\nexit 1\n' >"$work/sbin/rm"
	chmod +x "$work/sbin/rm"
	told 2 'not all files older than 1-20' prune 1 --keep 1 && /bin/rm "$work/sbin/rm" &&
		told 0 'database 1 is as it was' take 1 && history prune 1 --keep 1 &&
		[ ! -e "$DITKIT_DIR/1-2001-01-01T00:00:00Z.changes.ldif.zst" ]
}
check 'many files' many
chain() { # the same, after one full export; a small stack has room for few arguments
	local digest DITKIT_DIR=$work/chain
	mkdir "$DITKIT_DIR"
	zstd -qdc "$work/files/1-$first.ldif.zst" | sed '/^# state: /d' |
		zstd -q -o "$DITKIT_DIR/1-2020-01-01T00:00:00Z.ldif.zst"
	digest=$(history list 1 | awk '{ print $4 }')
	awk 'BEGIN {
		for (n = 1; n < 3000; n++)
			printf "1-2020-01-01T00:%02d:%02dZ.changes.ldif.zst\n", n / 60, n % 60
	}' | (cd "$DITKIT_DIR" && xargs touch)
	printf '# ditdiff changes 1\n# before: %s\n# after: %s\n# end of changes\n' "$digest" "$digest" |
		zstd -q -o "$DITKIT_DIR/1-2020-01-01T01:00:00Z.changes.ldif.zst"
	(ulimit -Ss 256 && told 0 'sound up to 2020-01-01T01:00:00Z' verify 1)
}
check 'many changes' chain
same 'names with quotes' "$(history list 1)" "$(QUOTING_STYLE=c history list 1)"
only_way() { # the full export that prune would keep is of no use
	local DITKIT_DIR=$work/only
	cp -r "$work/files" "$DITKIT_DIR"
	head -c 200 "$DITKIT_DIR/1-$first.ldif.zst" >"$DITKIT_DIR/1-2026-01-02T00:00:00Z.ldif.zst"
	told 2 '1-2026-01-02T00:00:00Z.ldif.zst is damaged: nothing is removed' prune 1 --keep 1 &&
		[ -s "$DITKIT_DIR/1-$first.ldif.zst" ]
}
check 'the only way' only_way
head -c 40000 /dev/zero >"$DITKIT_STATES/1/data.mdb"
check 'a damaged state' told 0 'database 1 is as it was' take 1
mkdir "$work/aside"
mv "$DITKIT_DIR"/1-*Z.ldif.zst "$work/aside"
check 'no base is kept' told 2 'there is no state of database 1' prune 1 --keep 1
check 'nothing is removed' [ "$(history list 1 | wc -l)" = ${#files[@]} ]
check 'no base' told 2 "$DITKIT_DIR had no files of earlier states" take 1
check 'after no base' told 0 'database 1 is as it was' take 1
mv "$work"/aside/* "$DITKIT_DIR"
no_zstd() {
	mv "$work/sbin/zstd" "$work/aside"
	! PATH=/none /bin/sh "$work/history" list 1 2>"$work/said"
	mv "$work/aside/zstd" "$work/sbin"
	grep -qx 'ditkit-history: zstd is not installed' "$work/said"
}
check 'no zstd' no_zstd
lost() { # the directory of the database
	mv "$work/ref/db-1" "$work/aside"
	told 2 'make it' restore 1 --at "$first" &&
		mkdir "$work/ref/db-1" && told 0 "in the state of $first" restore 1 --at "$first"
}
check 'a lost directory' lost
full() { # no room for a base
	mv "$work/sbin/zstd" "$work/aside"
	printf '#!/bin/sh\nexit 1\n' >"$work/sbin/zstd"
	chmod +x "$work/sbin/zstd"
	DITKIT_DIR=$work/none told 2 'all entries of database 1 cannot be written' take 1
	local status=$?
	mv "$work/aside/zstd" "$work/sbin"
	return $status
}
check 'no room for a base' full
: >"$(ls "$DITKIT_DIR"/1-* | tail -n 1)"
check 'a list of a damaged file' told 0 '0 bytes    damaged' list 1
check 'the newest file is damaged' told 2 'the history begins again' take 1
check 'a new base' told 0 "database 1 is as it was at $(newest 1)" take 1
check 'it is verified' told 2 "sound up to $(newest 1)" verify 1

echo '== a glued database'
sed -n '/^include\|^module/p' "$work/ref/slapd.conf" >"$work/glued.conf"
cat >>"$work/glued.conf" <<-END
	database mdb
	suffix ou=below,dc=glued
	subordinate
	directory $work/glued/below
	database mdb
	suffix dc=glued
	directory $work/glued/above
END
mkdir -p "$work"/glued/{above,below}
printf 'dn: dc=glued\nobjectClass: domain\n' | "$DITADD" -f "$work/glued.conf" -g -b dc=glued
printf 'dn: ou=below,dc=glued\nobjectClass: organizationalUnit\n' |
	"$DITADD" -f "$work/glued.conf" -g -b ou=below,dc=glued
glued() {
	history take 2 && history restore 2 --at now &&
		[ "$("$DITCAT" -f "$work/glued.conf" | grep -c '^dn: ')" = 2 ]
}
DITKIT_DIR=$work/glued DITKIT_STATES=$work/glued DITKIT_OPTIONS="-f $work/glued.conf" \
	check 'the other one stays' glued

echo '== kills'
export DITKIT_BASE_DAYS=0
forget
kills 'the first base' forget
kills 'changes and a base' change

echo '== next to slapd'
forget
export DITKIT_BASE_DAYS=7
start_slapd ref
modify_ref() {
	ldapmodify -x -H "${url[ref]}" -D 'cn=Admin+sn=x,dc=h1' -w secret >/dev/null
}
for name in a b; do
	printf 'dn: cn=%s,dc=h1\nchangetype: add\nobjectClass: device\nobjectClass: extensibleObject\n' $name
	printf 'cn: %s\nuidNumber: 0\n\n' $name
done | modify_ref
for ((n = 0; n < 3000; n++)); do
	for name in a b; do
		printf 'dn: cn=%s,dc=h1\nchangetype: modify\nincrement: uidNumber\nuidNumber: 1\n\n' $name
	done
done | modify_ref &
changes=$!
for n in 1 2 3 4; do
	check "next to slapd, $n" history take 1
done
check 'slapd has taken all' wait $changes
check 'next to slapd, at the end' history take 1
stop_slapd
shown 1 >"$work/shown/last"
counted() {
	"$DITCAT" ${release:+"$release"} -f "$work/ref/slapd.conf" -n 1 -a "(cn=$1)" | sed -n 's/^uidNumber: //p'
}
one_state() {
	history restore 1 --at "$1" && a=$(counted a) && b=$(counted b) &&
		[ $((a - b)) -ge 0 ] && [ $((a - b)) -le 1 ]
}
for state in $(history list 1 | cut -c 1-20); do
	check "one state: $state" one_state "$state"
done
check 'the last state' diff -a "$work/shown/last" <(shown 1)
check 'it had all changes' [ "$(counted b)" = 3000 ]

echo '== undo'
start_slapd ref
printf 'dn: cn=%s,dc=h1\nchangetype: delete\n\n' a b | modify_ref
check 'the deletes are taken' history take 1
history undo 1 --from "$(history list 1 | head -n 1 | cut -c 1-20)" --subtree cn=a,dc=h1 >"$work/undo.ldif"
check 'one is undone' modify_ref <"$work/undo.ldif"
check 'it is there' [ "$(counted a)" -ge 0 ]
check 'the other one is not' [ -z "$(counted b)" ]
finish
