#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Restore a directory from LDIF: what a script with slapadd does, with ditadd.
#
#   restore.sh LDIF DATABASE-DIRECTORY [OPTION...]
#
#   restore.sh /var/backups/ditkit/1-latest.ldif.zst /var/lib/ldap -n 1
#
# OPTIONs are ditadd's, such as -F, -f, -n, -w and --memory. The new database is made and
# checked next to the old one, and takes its place with one rename. After a failure, a kill or
# a loss of power the old one is in place, or the new one; then run the script again.
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
shift 2

# Before slapd stops: can all of the LDIF be read, and does the schema know it? Has it entries?
said=$(ditadd "$@" --replace -u -q --stats -l "$ldif") || exit 1
case $said in
'0 records read'*)
	echo "restore.sh: $ldif has no entry: nothing is replaced" >&2
	exit 1
	;;
esac
$stop || exit 1
status=0
ditadd "$@" --replace --prepare -q -l "$ldif" &&
	ditcheck --quick --database "$dir/ditkit-prepared" &&
	ditadd "$@" --replace --publish || {
	status=1
	echo "restore.sh: the new database is not in place; the old one is as it was" >&2
}
# Its manifest is left; after a failure all of it is.
ditadd "$@" --abandon >/dev/null || status=1
$start || exit 1
exit $status
