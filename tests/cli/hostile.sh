#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Root loads into a directory whose owner is hostile: he exchanges ditkit-staging, lock.mdb
# and data.mdb for links while the load runs. No load may create, change or give away what
# a link leads to.
#
#   HOSTILE_LOADS=N   loads against the staging directory (200); a quarter for the others
#
# First the loads stay root (--user root), so the rules for files alone protect root. Then a
# quarter as many loads become the owner of the directory, as they do by default.
set -u
export LC_ALL=C
: "${DITADD:?}" "${HOSTILE:?}"

loads=${HOSTILE_LOADS:-200}
user=65534 # nobody

if [ "$(id -u)" -ne 0 ]; then
	echo "only root can load into the directory of another user: skipped" >&2
	exit 77
fi
if ! command -v setpriv >/dev/null; then
	echo "setpriv is not installed (Debian: util-linux): skipped" >&2
	exit 77
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/ditkit-hostile-XXXXXX") || exit 1
attacker=
# shellcheck disable=SC2317,SC2329 # called by the trap
cleanup() {
	[ -z "$attacker" ] || kill "$attacker" 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

chmod 755 "$work"
mkdir "$work/precious" # root's own
echo "do not touch" >"$work/text"
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

nwon=0
nloads=0
ndone=0

# is_won: did the load reach what does not belong to the directory's owner?
is_won() {
	[ -e "$work/precious/new" ] ||
		! cmp -s "$work/precious/old" "$work/text" ||
		[ "$(stat -c %u:%a "$work/precious/old")" != 0:600 ]
}

# restore: for the next load
restore() {
	rm -f "$work/precious/new"
	cp "$work/text" "$work/precious/old"
	chown 0:0 "$work/precious/old"
	chmod 600 "$work/precious/old"
}

# attack WAY TARGET LOADS [OPTION...]
attack() {
	local way=$1 target=$2 nloads_here=$3 i won=0 done=0
	shift 3
	mkdir "$work/db"
	chown $user "$work/db"
	setpriv --reuid=$user --regid=$user --clear-groups \
		"$HOSTILE" "$way" "$work/db" "$work/precious/$target" &
	attacker=$!
	for ((i = 0; i < nloads_here; i++)); do
		# Some loads find a database, and refuse to add the same entry again.
		[ $((i % 4)) -eq 3 ] || rm -rf "$work/db/data.mdb" "$work/db/lock.mdb"
		"$DITADD" -f "$work/slapd.conf" -l "$work/x.ldif" "$@" \
			>"$work/out" 2>&1 && done=$((done + 1))
		if is_won; then
			won=$((won + 1))
			restore
		fi
	done
	kill "$attacker"
	wait "$attacker" 2>/dev/null
	attacker=
	rm -rf "$work/db"
	echo "$way, $target${1:+, $*}: $nloads_here loads, $done of them ended well," \
		"$won won by the attacker"
	nwon=$((nwon + won))
	nloads=$((nloads + nloads_here))
	ndone=$((ndone + done))
}

restore
# attacks LOADS [OPTION...]: at least one of the loads must end well
attacks() {
	local n=$1
	shift
	attack staging new "$n" "$@"
	attack staging old $((n / 4)) "$@"
	attack blind new $((n / 4)) "$@"
	attack lock new $((n / 4)) "$@"
	attack lock old $((n / 4)) "$@"
	attack data new $((n / 4)) "$@"
	attack data old $((n / 4)) "$@"
	[ "$ndone" -gt 0 ] || exit 1
	ndone=0
}

attacks "$loads" --user root
attacks $((loads / 4))
echo "${0##*/}: $nloads loads, $nwon won by the attacker, $SECONDS s"
[ "$nwon" -eq 0 ]
