#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A slapd 2.7 that is started while a tool holds the database waits, and starts at once
# when the tool ends: it serves what is there then, and takes changes. The tool loads,
# replaces an empty database, builds indexes, or gives up. So do the slapd that is
# started after the tool, and slapcat.
#
# A tool is stopped by a signal while it holds the database.
#
# For openldap27.sh. From the environment: READ_ENTRIES.
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${DITGEN:?}" "${DITINDEX:?}"
if [ "$DIT_OPENLDAP" != 2.7 ]; then
	echo "SKIPPED: no OpenLDAP 2.7 (openldap27.sh runs this script)" >&2
	exit 77
fi
conf=$work/site/slapd.conf
db=$work/site/db
held=

let_go() {
	[ -z "$held" ] || kill -CONT "$held" 2>/dev/null
	exec 7>&-
}
atexit+=(let_go)

# has_lock: the tool keeps all others away
has_lock() {
	local inode
	inode=$(stat -c %i "$db/lock.mdb" 2>/dev/null) &&
		grep -q "OFDLCK .* WRITE .*:$inode " /proc/locks
}

# hold COMMAND...: start the command and stop it once it has the database
hold() {
	local try
	for ((try = 0; try < 20; try++)); do
		"$@" >"$work/held.out" 2>"$work/held.err" &
		held=$!
		while ! has_lock && kill -0 $held 2>/dev/null; do :; done
		kill -STOP $held 2>/dev/null
		has_lock && return
		kill -CONT $held 2>/dev/null
		wait $held
	done
	cat "$work/held.err"
	return 1
}

# lock_is_awaited: somebody waits for LMDB's lock
lock_is_awaited() {
	grep -q -e "-> .*POSIX .*:$(stat -c %i "$db/lock.mdb") " /proc/locks
}

# serves NAME STATUS: slapd waits for the tool that is held, and serves when it has ended
serves() {
	local name=$1 want=$2 try
	(
		for ((try = 0; try < 100; try++)); do
			lock_is_awaited && break
			sleep 0.1
		done
		lock_is_awaited && touch "$work/awaited"
		kill -${3:-CONT} $held
	) &
	rm -f "$work/awaited"
	start_slapd site
	wait $held
	check "$name: the tool ends" [ $? -eq "$want" ]
	held=
	check "$name: slapd has waited" [ -e "$work/awaited" ]
	check "$name: slapd serves" serves_all
	stop_slapd
	check "$name: ditcheck" "$DITCHECK" --openldap=2.7 -f "$conf"
	start_slapd site
	check "$name: the next slapd serves" serves_all
	stop_slapd
	check "$name: slapcat" slapcat -f "$conf" -l /dev/null
}

# serves_all: all entries are found, and a change is made
serves_all() {
	local n
	n=$(ldapsearch -x -LLL -H "${url[site]}" -b "$base" 1.1 | grep -c '^dn:')
	[ "$n" -ge "$nentries" ] || echo "$n entries"
	[ "$n" -ge "$nentries" ] &&
		printf 'dn: cn=late%s,ou=People,%s\nchangetype: add\nobjectClass: person\nsn: x\n' \
			$RANDOM$RANDOM "$base" |
		ldapmodify -x -H "${url[site]}" -D "cn=Admin,$base" -w secret
}

make_site "$work/site" bench
sed -i 's/^database mdb/sizelimit unlimited\n&/; $a rootpw secret' "$conf"
grep -q '^rootdn' "$conf" || echo "rootdn \"cn=Admin,$base\"" >>"$conf"
"$DITGEN" --entries "${READ_ENTRIES:-3000}" --operational >"$work/input.ldif"
nentries=$(grep -c '^dn:' "$work/input.ldif")

check "hold a load" hold "$DITADD" -q -f "$conf" -l "$work/input.ldif"
serves "a load" 0
check "hold ditindex" hold "$DITINDEX" -q --openldap=2.7 -f "$conf"
serves "ditindex" 0
check "hold ditindex again" hold "$DITINDEX" -q --openldap=2.7 -f "$conf"
kill -TERM "$held" # comes when it goes on
serves "ditindex that is ended" 1
check "hold ditindex once more" hold "$DITINDEX" -q --openldap=2.7 -f "$conf"
serves "ditindex that is killed" 137 KILL

empty_site "$work/site"
nentries=0
slapadd_site "$work/site" -l /dev/null
nentries=$(grep -c '^dn:' "$work/input.ldif")
check "hold a load into an empty database" \
	hold "$DITADD" -q -f "$conf" -l "$work/input.ldif"
serves "a load into an empty database" 0
empty_site "$work/site"
"$DITADD" -q -f "$conf" -l "$work/input.ldif"
check "after a load: lock.mdb" [ "$(stat -c %s "$db/lock.mdb")" -eq 8192 ]
start_slapd site
check "after a load: slapd serves" serves_all
stop_slapd
finish
