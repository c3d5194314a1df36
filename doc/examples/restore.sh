#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Restore a directory from LDIF: what a script with slapadd does, with ditadd.
#
#   restore.sh LDIF DATABASE-DIRECTORY [OPTION...]
#
#   restore.sh /var/backups/ditkit/1-latest.ldif.zst /var/lib/ldap -n 1
#
# OPTIONs are ditadd's, such as -F, -f, -n and --memory. The old database stays next to the
# new one until the new one is there and checked; after a failure it is put back.
#
# A script with slapadd does more: it calls slapindex and chown, and after a failure it
# cannot tell which entries are stored. ditadd fills the indexes, leaves files that belong
# to the owner of the directory, and stores all entries or none.
#
#   SLAPD_STOP, SLAPD_START   commands [systemctl stop slapd, systemctl start slapd]
set -u
stop=${SLAPD_STOP-systemctl stop slapd}
start=${SLAPD_START-systemctl start slapd}

[ $# -ge 2 ] || {
	echo "usage: restore.sh LDIF DATABASE-DIRECTORY [OPTION...]" >&2
	exit 2
}
ldif=$1
dir=$2
old=$dir/before-restore
shift 2

move() { # move FROM TO: the files of a database, those that are there
	for file in data.mdb lock.mdb; do
		[ ! -e "$1/$file" ] || mv "$1/$file" "$2/" || return 1
	done
}

# Before slapd stops: can all of the LDIF be read, and does the schema know it? -d 0: the
# entries that are there already are moved away.
ditadd "$@" -u -q -d 0 -l "$ldif" || exit 1
mkdir "$old" || exit 1
$stop || {
	rmdir "$old"
	exit 1
}
status=0
move "$dir" "$old" && ditadd "$@" -q -l "$ldif" && ditcheck --quick --database "$dir" ||
	status=1
if [ $status -eq 0 ]; then
	rm -r "$old"
else
	echo "restore.sh: the new database is not there; the old one is put back" >&2
	move "$old" "$dir" && rmdir "$old"
fi
$start || exit 1
exit $status
