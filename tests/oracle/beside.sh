#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Tools that read next to a slapd that takes changes. Changes are counted: number c
# writes c into entry c modulo NENTRIES, with a text whose length depends on c, and each
# tenth adds an entry and deletes one. So an export shows the numbers of one state only if
# they follow each other without a gap.
#
# Tools and slapd are killed, too. After that no reader is left that is gone, and no page
# is lost; and the file is not larger than with slapcat in the place of ditcat.
#
# From the environment: BESIDE_ROUNDS, BESIDE_KILLS (a slapd is killed each so many rounds),
# BESIDE_CHANGES (for the sizes).
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${DITCAT:?}"
mdb_stat=mdb_stat
# Debian's mdb_stat is of LMDB 0.9.
[ "$DIT_OPENLDAP" != 2.7 ] || mdb_stat=${OPENLDAP27:?}/bin/mdb_stat
if ! command -v "$mdb_stat" >/dev/null; then
	echo "SKIPPED: no $mdb_stat (Debian: lmdb-utils)" >&2
	exit 77
fi
release=${DIT_OPENLDAP:+--openldap=$DIT_OPENLDAP}
nentries=400
nrounds=${BESIDE_ROUNDS:-40}
kill_each=${BESIDE_KILLS:-20}
conf=$work/site/slapd.conf
db=$work/site/db
next=$nentries # the number of the first change of the next writer
writer=
sound=0 killed=0 restarted=0 changes=0 seconds=0

# ---- states ----

# shared text of the awk programs: what change c writes
awk_text='
function text(c,   n, s) {
	for (n = c * 37 % 1400; n > 0; n--)
		s = s "x"
	return c " " s "."
}'

initial() {
	awk -v base="$base" -v n=$nentries "$awk_text"'
	function entry(name, c) {
		print "dn: cn=" name ",ou=People," base "\nobjectClass: inetOrgPerson"
		print "cn: " name "\nsn: s" c % 7 "\ndescription: " text(c) "\nl: l" c "\n"
	}
	BEGIN {
		print "dn: " base "\nobjectClass: domain\ndc: example\n"
		print "dn: ou=People," base "\nobjectClass: organizationalUnit\nou: People\n"
		for (c = 0; c < n; c++)
			entry("e" c, c)
		for (x = int(n / 10) - 20; x < int(n / 10); x++)
			entry("x" x, x)
		while (length(ballast) < 5000)
			ballast = ballast "a text that fills a pipe, "
		for (b = 0; b < 200; b++)
			print "dn: cn=b" b ",ou=People," base \
				"\nobjectClass: inetOrgPerson\ncn: b" b \
				"\nsn: b\ntitle: " ballast b "\n"
	}'
}

# changes_from FIRST [LAST]: without end, if LAST is missing
changes_from() {
	awk -v people="ou=People,$base" -v n=$nentries -v c="$1" -v last="${2:-1e15}" \
		"$awk_text"'
	BEGIN {
		for (; c <= last; c++) {
			if (c % 10 == 0) {
				print "dn: cn=x" c / 10 "," people "\nchangetype: add"
				print "objectClass: inetOrgPerson\nsn: s\n"
				print "dn: cn=x" c / 10 - 20 "," people "\nchangetype: delete\n"
			}
			print "dn: cn=e" c % n "," people "\nchangetype: modify"
			print "replace: sn\nsn: s" c % 7 "\n-\nreplace: description"
			print "description: " text(c) "\n-\nreplace: l\nl: l" c "\n"
		}
	}'
}

# state_of FILE: the number of the last change in an export; fails if it is no state
state_of() {
	awk -v n=$nentries "$awk_text"'
	function fault(what) {
		print what ": " line >"/dev/stderr"
		bad = 1
	}
	function take(   word) {
		split(line, word, /[:,= ]+/)
		if (line ~ /^dn: cn=/) {
			kind = substr(word[3], 1, 1)
			number = substr(word[3], 2)
			if (kind == "x") {
				nx++
				xmax = number + 0 > xmax ? number + 0 : xmax
				xmin = nx == 1 || number + 0 < xmin ? number + 0 : xmin
			}
		} else if (kind == "e" && line ~ /^description: /) {
			c = word[2] + 0
			if (line != "description: " text(c) || c % n != number)
				fault("no such text")
			ne++
			cmax = c > cmax ? c : cmax
			cmin = ne == 1 || c < cmin ? c : cmin
		} else if (kind == "e" && line ~ /^l: / && line != "l: l" c ||
			   kind == "e" && line ~ /^sn: / && line !~ /^sn: s[0-6]$/) {
			fault("of another change")
		}
	}
	/^ / { line = line substr($0, 2); next }
	{ take(); line = $0 }
	END {
		take()
		line = ne " entries from " cmin " to " cmax ", " nx " from " xmin " to " xmax
		if (ne != n || cmax - cmin != n - 1)
			fault("no state")
		if (xmax - xmin != nx - 1 || nx < 20 || nx > 21 ||
		    xmax != int(cmax / 10) && xmax != int((cmax + 1) / 10))
			fault("no state of the added ones")
		print cmax
		exit bad
	}' "$1"
}

# ---- the writer ----

start_writer() {
	local line=$work/changes.$next # of its own: a former generator may still write
	rm -f "$line"
	mkfifo "$line"
	# -c: slapd may have been killed between an addition and the deletion after it.
	ldapmodify -c -x -H "${url[site]}" -D "cn=admin,$base" -w secret \
		<"$line" >"$work/writer.out" 2>&1 &
	writer=$!
	changes_from "$next" >"$line" &
	generator=$!
	began=$EPOCHREALTIME
	first=$next
}

# ldapmodify may survive SIGTERM, and go on with what the generator has left.
end_writer() {
	[ -n "$writer" ] || return 0
	kill -KILL "$writer" "$generator" 2>/dev/null
	wait "$writer" "$generator" 2>/dev/null
	writer=
	seconds=$(awk -v s="$seconds" -v a="$began" -v b="$EPOCHREALTIME" \
		'BEGIN { print s + b - a }')
}

atexit+=(end_writer)

# go_on: sets next from what is stored
go_on() {
	"$DITCAT" $release -f "$conf" -l "$work/last.ldif" || return
	next=$(($(state_of "$work/last.ldif") + 1)) || return
	changes=$((changes + (next - first) * 12 / 10))
}

stop_writer() {
	end_writer
	go_on
}

# ---- rounds ----

export_is_sound() {
	"$DITCAT" $release -f "$conf" >"$work/$1.ldif" &&
		state_of "$work/$1.ldif" >/dev/null
}

# two_at_once: their states may differ
two_at_once() {
	local one
	export_is_sound a &
	one=$!
	export_is_sound b && wait $one
}

# Entries whose index keys say so, all of one state: each seventh number.
filter_is_sound() {
	"$DITCAT" $release -f "$conf" -a '(&(sn=s3)(l=*))' -s "ou=People,$base" |
		awk '/^description: / { print $2 }' | sort -n |
		awk 'NR > 1 && $1 != last + 7 { exit 1 }
			{ last = $1 } END { exit !(NR >= 57 && NR <= 58) }'
}

# hold COMMAND...: an export stands in the middle; sets held, and leaves descriptor 8
hold() {
	rm -f "$work/pipe"
	mkfifo "$work/pipe"
	"$@" >"$work/pipe" 2>"$work/held.err" &
	held=$!
	exec 8<"$work/pipe"
	read -r held_line <&8
}

held_export() {
	hold "$DITCAT" $release -f "$conf"
}

reader_is_there() {
	"$mdb_stat" -r "$db" | grep -q "^ *$1 "
}

# kill_export: its slot in the table is taken by nobody, and free after the next export
kill_export() {
	held_export
	reader_is_there $held || echo "no reader"
	kill -KILL $held
	wait $held 2>/dev/null
	exec 8<&-
	killed=$((killed + 1))
	export_is_sound a && ! reader_is_there $held
}

# kill_slapd: while an export stands, which goes on next to the slapd that is started again
kill_slapd() {
	held_export
	kill -KILL "${pid[site]}"
	wait "${pid[site]}" 2>/dev/null
	end_writer
	restarted=$((restarted + 1))
	start_slapd site 8<&-
	{
		echo "$held_line"
		cat <&8
	} >"$work/held.ldif"
	exec 8<&-
	wait $held && state_of "$work/held.ldif" >/dev/null && go_on && start_writer
}

# round NUMBER
round() {
	case $(($1 % 5)) in
	0) export_is_sound a ;;
	1) two_at_once ;;
	2) "$DITCHECK" $release -f "$conf" ;;
	3) "$DITCHECK" --quick $release -f "$conf" ;;
	4) filter_is_sound ;;
	esac
}

rounds() {
	local i
	for ((i = 1; i <= nrounds; i++)); do
		round $i || {
			echo "round $i"
			return 1
		}
		sound=$((sound + 1))
		[ $((i % 10)) -ne 0 ] || kill_export || return
		[ $((i % kill_each)) -ne 0 ] || kill_slapd || return
	done
}

same_text() {
	slapcat -f "$conf" -l "$work/slapcat.ldif" 2>/dev/null &&
		"$DITCAT" $release -f "$conf" -l "$work/ditcat.ldif" &&
		cmp "$work/slapcat.ldif" "$work/ditcat.ldif"
}

# nightly_export: the script of the timer, next to changes
nightly_export() {
	local program
	mkdir -p "$work/sbin"
	for program in "$DITADD" "$DITCAT" "$DITCHECK"; do
		ln -sf "$program" "$work/sbin/"
	done
	sed "s,@sbindir@,$work/sbin,g" \
		"${0%/*}/../../doc/packaging/systemd/ditkit-export.in" >"$work/ditkit-export"
	DITKIT_DIR=$work/exports DITKIT_OPTIONS="$release -f $conf" \
		sh "$work/ditkit-export" 1 &&
		zstd -qdc "$work/exports/1-latest.ldif.zst" >"$work/nightly.ldif" &&
		state_of "$work/nightly.ldif" >/dev/null
}

# ---- sizes ----

# change FIRST LAST
change() {
	changes_from "$1" "$2" |
		ldapmodify -x -H "${url[site]}" -D "cn=admin,$base" -w secret 8<&- >/dev/null
}

# size_next_to COMMAND...: pages of a new database after changes, half of them while an
# export stands
size_next_to() {
	local step=$((${BESIDE_CHANGES:-2000} / 20)) i c=$nentries
	empty_site "$work/site"
	initial | slapadd -q -f "$conf" 2>/dev/null
	start_slapd site
	for ((i = 0; i < 10; i++, c += 2 * step)); do
		hold "$@"
		change $c $((c + step - 1))
		cat <&8 >/dev/null
		exec 8<&-
		wait $held
		change $((c + step)) $((c + 2 * step - 1))
	done
	stop_slapd
	"$mdb_stat" -e "$db" | awk '/pages used/ { print $NF }'
}

sizes() {
	with_slapcat=$(size_next_to slapcat -f "$conf")
	with_ditcat=$(size_next_to "$DITCAT" $release -f "$conf")
	[ "$with_ditcat" -le "$with_slapcat" ] ||
		echo "$with_ditcat pages, with slapcat $with_slapcat"
}

# ---- the run ----

make_site "$work/site" bench
sed -i 's/^database mdb/&\nlastmod off\ndbnosync/; $a index l eq\nrootpw secret' "$conf"
sed -i 's/,l,st/,st/; s/,description eq,sub/,description eq/' "$conf"
initial | slapadd -q -f "$conf" >/dev/null 2>&1
start_slapd site
check "before changes: ditcat" same_text
cp -r "$db" "$work/site/copy"
check "before changes: ditcheck --compare" \
	"$DITCHECK" --compare "$db" "$work/site/copy"
start_writer
check "the nightly export" nightly_export
check "rounds" rounds
check "the last state" stop_writer
check "after changes: ditcat" same_text
check "after changes: ditcheck" "$DITCHECK" $release -f "$conf"
check "no reader is left" [ "$("$mdb_stat" -r "$db" | grep -c "^ *[0-9]")" -le \
	"$("$mdb_stat" -r "$db" | grep -c "^ *${pid[site]} ")" ]
stop_slapd
check "after slapd: ditcheck" "$DITCHECK" $release -f "$conf"
check "after slapd: ditcat" same_text
sizes >"$work/sizes.out"
check "sizes" cat "$work/sizes.out"
check "sizes" [ ! -s "$work/sizes.out" ]
echo "$sound rounds, $killed exports and $restarted slapds killed, $changes changes in" \
	"$seconds s; $with_ditcat pages, with slapcat $with_slapcat"
finish
