#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Root loads into a directory whose owner is hostile: he exchanges ditkit-staging, lock.mdb
# and data.mdb for links while the load runs, or ditkit-prepared during --publish, or a
# directory on the way to it, or to an export, a reject file, statistics, a report. No load may
# create, change or give away what a link leads to. Temporary files have no name.
#
#   HOSTILE_LOADS=N   loads against the staging directory (40); a quarter for the others, and
#                     for each kind of way
#   DIT_LONG=yes      400; 1,000 for each kind of way
#
# The loads become the owner of the directory. He can exchange a directory on the way for one
# of root's that lies there, too: then root must not work in it. A directory for temporary
# files is needed that this user reaches.
#
# A load that ends before the attack proves nothing. So the attacker counts: of the loads a
# part (nattacked) must have seen a name exchanged, and a load that fails must say that the
# entry is there already, that something in the directory is not what it was, that somebody
# else uses it: a lock.mdb has come while the load was about to make one; or that the parent
# is missing: the load came when there was no data.mdb.
#
# And an attack without a victim proves nothing. So at first a ditadd that trusts the
# owner (unprotected.c) is attacked in the same ways, until it has lost once to each. Where
# the moment is short in which a ditkit-staging is worth exchanging, it waits in that moment
# until the attacker has come. (Late attacks have no victim: data.mdb is opened by its name
# once, when it is made.)
. "${0%/*}/../checks_lib.sh"
: "${DITADD:?}" "${DITCAT:?}" "${HOSTILE:?}" "${DIT_BUILDDIR:?}"

loads=${HOSTILE_LOADS:-40}
ways=$((loads / 4))
[ "${DIT_LONG:-}" != yes ] || loads=400 ways=1000
user=65534 # nobody

if [ "$(id -u)" -ne 0 ]; then
	echo "only root can load into the directory of another user: skipped" >&2
	exit 77
fi
if ! command -v setpriv >/dev/null; then
	echo "setpriv is not installed (Debian: util-linux): skipped" >&2
	exit 77
fi

TMPDIR=${TMPDIR:-/tmp}
attacker=
# shellcheck disable=SC2317,SC2329 # called at the end
end_attacker() {
	[ -z "$attacker" ] || kill "$attacker" 2>/dev/null
}
atexit+=(end_attacker)

chmod 755 "$work"
mkdir -m 1777 "$work/tmp"
export TMPDIR=$work/tmp
if ! setpriv --reuid=$user --regid=$user --clear-groups test -w "$work/tmp"; then
	echo "user $user does not reach $work (TMPDIR): skipped" >&2
	exit 77
fi
mkdir "$work/precious" # root's own
echo "do not touch" >"$work/old"
cat >"$work/slapd.conf" <<CONF
objectclass ( 1.3.6.1.4.1.99999.1 NAME 'thing' SUP top STRUCTURAL MUST cn )
database mdb
suffix "cn=x"
rootdn "cn=x"
directory $work/db
maxsize 1048576
index objectClass eq
CONF
printf 'dn: cn=x\nobjectClass: thing\ncn: x\n' >"$work/x.ldif"
printf 'dn: cn=y,cn=x\nobjectClass: thing\ncn: y\n' >"$work/y.ldif"
mkdir "$work/db"
"$DITADD" -f "$work/slapd.conf" -l "$work/x.ldif" || exit 1
cp "$work/db/data.mdb" "$work/database" # to which y.ldif can be added
rm "$work/db"/*
"$DITADD" -f "$work/slapd.conf" --prepare -l "$work/x.ldif" || exit 1
mv "$work/db/ditkit-prepared" "$work/waiting"
rm -r "$work/db"

nwon=0
nloads=0
nattacked=0
nearly=0
head -c 8 /dev/zero >"$work/count"
chmod 666 "$work/count"

# count: exchanges so far
count() {
	od -An -t u8 "$work/count"
}

# The message of a load when he has exchanged the database or its directory for another.
gone='that was opened (is|was) |but the name data.mdb does not lead there'

# is_expected: what a load may say that fails
is_expected() {
	grep -Eq 'MDB_KEYEXIST|ditkit-staging in it |(lock|data).mdb is a symbolic link' \
		"$work/out" ||
		grep -Eq "$gone" "$work/out" ||
		grep -Eq 'is in use by (slapd or another tool|.*process [0-9]+)' "$work/out" ||
		grep -Eq "mdb belongs to user (0|$user) and user $user may not open it" "$work/out" ||
		{ [ $input = y ] && grep -q '^Error, entries missing!' "$work/out"; }
}

# is_won: did the load reach what does not belong to the directory's owner?
is_won() {
	local name
	[ ! -e "$work/precious/new" ] || return 0
	for name in old database; do
		cmp -s "$work/precious/$name" "$work/$name" &&
			[ "$(stat -c %u:%a "$work/precious/$name")" = 0:600 ] || return 0
	done
	[ "$(find "$work/precious/waiting" ! -user 0 2>&1)" = "" ] &&
		diff -r "$work/waiting" "$work/precious/waiting" >/dev/null || return 0
	return 1
}

# restore: for the next load
restore() {
	rm -rf "$work/precious/new" "$work/precious/waiting"
	cp -r "$work/waiting" "$work/precious"
	cp "$work/old" "$work/database" "$work/precious"
	chown 0:0 "$work/precious/old" "$work/precious/database"
	chmod 600 "$work/precious/old" "$work/precious/database"
}

# prepare TARGET I: the directory before load I; sets input
prepare() {
	input=x
	if [ "$1" = database ]; then
		# Each load adds to one that is there.
		input=y
		rm -f "$work/db/lock.mdb"
		cp "$work/database" "$work/own" && chown $user "$work/own" &&
			mv -f "$work/own" "$work/db/data.mdb"
	elif [ $(($2 % 4)) -ne 3 ]; then
		# The others find a database, and refuse to add the same entry again.
		rm -f "$work/db/data.mdb" "$work/db/lock.mdb"
	fi
}

# begin_attack WAY TARGET
begin_attack() {
	mkdir "$work/db"
	[ "$2" != waiting ] || cp -r "$work/waiting" "$work/db/ditkit-prepared"
	chown -R $user "$work/db"
	setpriv --reuid=$user --regid=$user --clear-groups \
		"$HOSTILE" "$1" "$work/db" "$work/precious/$2" "$work/count" &
	attacker=$!
}

end_attack() {
	kill "$attacker"
	wait "$attacker" 2>/dev/null
	attacker=
	rm -rf "$work/db"
}

# attack WAY TARGET LOADS
attack() {
	local way=$1 target=$2 nloads_here=$3 i won=0 done=0 attacked=0 before input
	begin_attack "$way" "$target"
	for ((i = 0; i < nloads_here; i++)); do
		prepare "$target" $i
		before=$(count)
		if "$DITADD" -f "$work/slapd.conf" -l "$work/$input.ldif" >"$work/out" 2>&1; then
			done=$((done + 1))
		elif ! is_expected; then
			nearly=$((nearly + 1))
			sed "s/^/$way, $target: /; 3q" "$work/out" >&2
		fi
		[ "$before" = "$(count)" ] || attacked=$((attacked + 1))
		if is_won; then
			won=$((won + 1))
			restore
		fi
	done
	end_attack
	echo "$way, $target: $nloads_here loads," \
		"$attacked of them attacked," \
		"$done ended well, $won won by the attacker"
	nwon=$((nwon + won))
	nloads=$((nloads + nloads_here))
	nattacked_here=$((nattacked_here + attacked))
}

# defeat WAY TARGET [MOMENT]: attack the ditadd that trusts the owner, until it has lost; each load in
# a new directory, so that what an earlier one left does not end it
defeat() {
	local i input
	for ((i = 0; i < 1000; i++)); do
		begin_attack "$1" "$2"
		prepare "$2" $i
		LD_PRELOAD=$unprotected WINDOW=${3:-} "$DITADD" \
			-f "$work/slapd.conf" -l "$work/$input.ldif" >"$work/out" 2>&1
		end_attack
		is_won && break
	done
	check_defeat $i "$1" "$2"
}

# check_defeat N WAY TARGET: after N loads it has not lost
check_defeat() {
	if [ "$1" -eq 1000 ]; then
		echo "$2, $3: an unprotected ditadd does not lose in 1,000 loads: no proof" >&2
		exit 1
	fi
	echo "$2, $3: an unprotected ditadd loses in load $(($1 + 1))"
	restore
}

# publish_once [COMMAND...]: under attack; sets status
publish_once() {
	begin_attack flip-prepared waiting
	"$@" "$DITADD" -f "$work/slapd.conf" --publish >"$work/out" 2>&1
	status=$?
	end_attack
}

# attack_publish TIMES: at least one of them ends well
attack_publish() {
	local n=$1 i before won=0 done=0 attacked=0 status
	for ((i = 0; i < 1000; i++)); do
		publish_once env LD_PRELOAD="$unprotected"
		is_won && break
	done
	check_defeat $i flip-prepared waiting
	for ((i = 0; i < n || (done == 0 && i < 1000); i++)); do
		before=$(count)
		publish_once
		if [ $status -eq 0 ]; then
			done=$((done + 1))
		elif ! grep -Eq 'ditkit-prepared in it is no directory|nothing is prepared' \
			"$work/out"; then
			nearly=$((nearly + 1))
			sed "s/^/flip-prepared: /; 3q" "$work/out" >&2
		fi
		[ "$before" = "$(count)" ] || attacked=$((attacked + 1))
		if is_won; then
			won=$((won + 1))
			restore
		fi
	done
	echo "flip-prepared, waiting: $i publications, $attacked of them attacked," \
		"$done ended well, $won won by the attacker"
	nwon=$((nwon + won))
	nloads=$((nloads + i))
	nattacked=$((nattacked + attacked))
	if [ $attacked -eq 0 ] || [ $done -eq 0 ]; then
		echo "no proof: none was attacked, or none ended well" >&2
		exit 1
	fi
}

# attacks LOADS: a quarter of the loads must have been attacked
attacks() {
	local n=$1 before=$nloads nattacked_here=0
	attack staging new "$n"
	attack staging old $((n / 4))
	attack late old $((n / 4))
	attack blind new $((n / 4))
	attack lock new $((n / 4))
	attack lock old $((n / 4))
	attack data new $((n / 4))
	attack data old $((n / 4))
	attack flip-lock new $((n / 4))
	attack flip-lock old $((n / 4))
	attack flip-data database $((n / 4))
	nattacked=$((nattacked + nattacked_here))
	if [ $((4 * nattacked_here)) -lt $((nloads - before)) ]; then
		echo "only $nattacked_here of $((nloads - before)) loads were attacked: no proof" >&2
		exit 1
	fi
}

# ---- a directory on the way ----

# of_root: all that is root's and must not be touched
of_root() {
	find "$stake/" -printf '%P %u:%g %m %s %T@\n' | sort
}

# begin_way KIND: "site" in the user's directory; real leads to it whatever its name is. He
# exchanges it for a link to a directory of root's, or for one that lies next to it ("own")
begin_way() {
	mkdir -p "$work/home/site/db" "$work/precious/site/db"
	if [ "$1" = own ]; then
		mkdir -p "$work/home/evil/db"
		exec 9<"$work/home/evil"
		stake=/proc/$$/fd/9
	else
		ln -s "$work/precious/site" "$work/home/evil"
		chown -h $user "$work/home/evil"
		stake=$work/precious/site
	fi
	chown -R $user "$work/home/site"
	chown $user "$work/home"
	exec 8<"$work/home/site"
	real=/proc/$$/fd/8
	clean=$(of_root)
	setpriv --reuid=$user --regid=$user --clear-groups \
		"$HOSTILE" way "$work/home" - "$work/count" &
	attacker=$!
}

end_way() {
	kill "$attacker"
	wait "$attacker" 2>/dev/null
	attacker=
	exec 8<&- 9<&-
	rm -rf "$work/home" "$work/precious/site"
}

# run_way KIND: one load or export by this way
run_way() {
	local site=$work/home/site dry_run
	dry_run=("$DITADD" -u -f "$work/real.conf" -l "$work/x.ldif")
	case $1 in
	database | own) "$DITADD" -f "$work/way.conf" -l "$work/x.ldif" ;;
	export) "$DITCAT" -f "$work/real.conf" -l "$site/out" ;;
	rejects) "${dry_run[@]}" --rejects "$site/out" ;;
	stats) "${dry_run[@]}" --stats="$site/out" ;;
	report) "${dry_run[@]}" --report="$site/out" ;;
	esac >"$work/out" 2>&1
}

# is_way_won: then all is put right again
is_way_won() {
	[ "$(of_root)" != "$clean" ] || return 1
	rm -rf "$stake"/*
	mkdir "$stake/db"
	clean=$(of_root)
}

words='is a symbolic link and not followed|root does not work there'
words+="|KEYEXIST|Permission denied|$gone"

# attack_way LOADS KIND
attack_way() {
	local n=$1 kind=$2 i won=0 done=0 before attacked=0
	begin_way "$kind"
	# At least one of them by the real directory.
	for ((i = 0; i < n || (done == 0 && i < 1000); i++)); do
		before=$(count)
		if run_way "$kind"; then
			done=$((done + 1))
		elif ! grep -Eq "$words" "$work/out"; then
			nearly=$((nearly + 1))
			sed "s/^/way, $kind: /; 3q" "$work/out" >&2
		fi
		[ "$before" = "$(count)" ] || attacked=$((attacked + 1))
		is_way_won && won=$((won + 1))
		rm -rf "$real"/* && mkdir "$real/db" && chown $user "$real/db"
	done
	end_way
	echo "way, $kind: $i loads, $attacked of them attacked," \
		"$done ended well, $won won by the attacker"
	nwon=$((nwon + won))
	nloads=$((nloads + i))
	nattacked=$((nattacked + attacked))
	if [ $attacked -eq 0 ] || [ $done -eq 0 ]; then
		echo "no proof: none was attacked, or none ended well" >&2
		exit 1
	fi
}

# defeat_way KIND
defeat_way() {
	local i
	begin_way "$1"
	for ((i = 0; i < 1000; i++)); do
		LD_PRELOAD=$unprotected run_way "$1"
		is_way_won && break
		rm -rf "$real"/* && mkdir "$real/db"
	done
	end_way
	if [ $i -eq 1000 ]; then
		echo "way, $1: an unprotected ditadd does not lose in 1,000 loads: no proof" >&2
		exit 1
	fi
	echo "way, $1: an unprotected ditadd loses in load $((i + 1))"
}

attack_ways() {
	local kind
	sed "s,$work/db,$work/home/site/db," "$work/slapd.conf" >"$work/way.conf"
	sed "s,$work/db,$work/real," "$work/slapd.conf" >"$work/real.conf"
	mkdir "$work/real" && chown $user "$work/real"
	"$DITADD" -f "$work/real.conf" -l "$work/x.ldif" || exit 1
	for kind in database own export rejects stats report; do
		defeat_way $kind
		attack_way "$ways" $kind
	done
}

unprotected=$DIT_BUILDDIR/tests/cli/unprotected.so
restore
attack_ways
defeat staging new opened
defeat flip-lock new
defeat flip-lock old
defeat flip-data database
attacks "$loads"
attack_publish "$ways"
echo "${0##*/}: $nloads loads, $nattacked of them attacked, $nwon won by the attacker," \
	"$nearly ended for another reason, $SECONDS s"
[ "$nwon" -eq 0 ] && [ "$nearly" -eq 0 ]
