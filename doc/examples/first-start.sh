#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The first start of a container: load LDIF into an empty database, then become slapd.
#
#   first-start.sh LDIF [OPTION...]
#
# LDIF is a file, or a directory with files *.ldif*. OPTIONs are ditadd's, such as -F, -f and
# -n. When the database has entries already, nothing is loaded. After a failure slapd does
# not start, and the database is what it was.
#
#   SLAPD   command [slapd -d 0 -u openldap -g openldap -h "ldap:/// ldapi:///"]
set -u

[ $# -ge 1 ] || {
	echo "usage: first-start.sh LDIF [OPTION...]" >&2
	exit 1
}
ldif=$1
shift
ditadd --if-empty -q "$@" -l "$ldif" || exit
if [ -n "${SLAPD-}" ]; then
	# shellcheck disable=SC2086 # several words
	exec $SLAPD
fi
install -d -o openldap -g openldap /run/slapd # for ldapi:///
exec slapd -d 0 -u openldap -g openldap -h 'ldap:/// ldapi:///'
