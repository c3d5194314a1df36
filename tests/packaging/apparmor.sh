#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The profile in doc/packaging/apparmor.md: apparmor_parser takes it, and its paths cover what
# a load, an export, a check, a comparison, a reindexing, changes and a split open. No profile is loaded. In check-long, for
# apparmor_parser is seldom there; APPARMOR_ROOT names a folder with an unpacked package.
set -u
export LC_ALL=C
: "${DITADD:?}" "${DITCAT:?}" "${DITCHECK:?}" "${DITDIFF:?}" "${DITINDEX:?}" "${DITMODIFY:?}"
: "${DITSPLIT:?}" "${DIT_SRCDIR:?}"
root=${APPARMOR_ROOT:-}
parser=$root/sbin/apparmor_parser

if [ ! -x "$parser" ] || ! command -v strace >/dev/null || [ ! -d /etc/ldap/schema ]; then
	echo "SKIPPED: no $parser, strace or schema (Debian: apparmor, strace, slapd)" >&2
	exit 77
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/ditkit-apparmor-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
nchecks=0
nfailed=0

check() { # check WHAT COMMAND...
	nchecks=$((nchecks + 1))
	"${@:2}" || {
		echo "FAILED: $1" >&2
		nfailed=$((nfailed + 1))
	}
}

# --- syntax ---------------------------------------------------------------------

parse() {
	"$parser" -Q -K -b "$root/etc/apparmor.d" -I "$root/etc/apparmor.d" "$1" 2>parse.err
}
awk '/^```/ { inside = !inside; next } inside' "$DIT_SRCDIR/doc/packaging/apparmor.md" >profile
check "the profile: $(cat parse.err 2>/dev/null)" parse profile
sed 's/rwkl,/rwq,/' profile >wrong
check "a profile with a wrong letter is taken" eval '! parse wrong'

# --- paths ----------------------------------------------------------------------

mkdir db tmp
sed "s,^directory.*,directory $work/db," "$DIT_SRCDIR/doc/examples/slapd.conf" >conf
export TMPDIR=$work/tmp
trace() { # trace COMMAND...: what it opens
	check "$*" strace -f -qq -e trace=open,openat,mkdir,mkdirat,linkat,renameat -o trace "$@"
	grep -v ' = -1 ' trace | grep -o '"/[^"]*"' | tr -d '"' >>opened
}
trace "$DITADD" -q -d 0 -f conf -l "$DIT_SRCDIR/doc/examples/people.ldif"
trace "$DITCAT" -f conf -l out.ldif
trace "$DITCHECK" -f conf
trace "$DITDIFF" -f conf out.ldif "$work/db"
trace "$DITINDEX" -d 0 -f conf
printf '%s\n' 'dn: ou=People,dc=harbour,dc=example' 'changetype: modify' 'replace: description' \
	'description: people' >changes
trace "$DITMODIFY" -d 0 -f conf -l changes
trace "$DITSPLIT" -f conf --map "$DIT_SRCDIR/doc/examples/shards.map" --output out.parts out.ldif

# Rules as regular expressions. The abstractions allow libraries, locales, users and groups.
sed -n 's/^ *\(owner \)\?\([/@][^ ]*\) [a-z]*,$/\2/p' profile |
	sed -e 's/[.+]/\\&/g' -e 's,@{PROC},/proc,; s,@{pid},(self|[0-9]+),' \
		-e 's/\*\*/#/g; s/\*/[^\/]*/g; s/#/.*/g' -e 's/{/(/g; s/}/)/g; s/,/|/g' \
		-e 's/.*/^&$/' >rules
printf '%s\n' '^/usr/lib/(x86_64|aarch64)-' '^/$' '^/lib/' '^/etc/(ld\.so|nsswitch|passwd|group|gnutls)' \
	'^/etc/(host|resolv|localtime)' '^/usr/(lib/locale|share/locale)' \
	'^/dev/(null|urandom)$' '^/run/systemd/userdb' >>rules
check "there are rules" [ "$(wc -l <rules)" -gt 15 ]
# The example's places are those of the profile. A folder ends with a slash. Links in /proc/self/fd
# lead to files that were opened by another name.
sed -e "s,^$work/db,/var/lib/ldap," -e "s,^$work/tmp,/tmp," -e "s,^$work/conf,/etc/ldap/conf," \
	-e "s,^$work/out,/var/backups/out,;s,^$DIT_SRCDIR/doc/examples,/var/backups," opened |
	grep -v "^$work\$\|^/proc/self/fd/" |
	sed 's,^\(/var/lib/ldap\|/tmp\|/proc/self/task\|/proc/self/fd\|/etc/ldap\|/\)$,&/,; s,^//$,/,' |
	sort -u >paths
check "something is opened" [ "$(wc -l <paths)" -gt 8 ]
grep -Ev -f rules paths >uncovered
check "the profile does not cover: $(paste -sd ' ' uncovered)" [ ! -s uncovered ]

echo "${0##*/}: $nchecks checks, $nfailed failed"
[ $nchecks -gt 0 ] && [ $nfailed -eq 0 ]
