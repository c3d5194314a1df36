#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# For roots.sh, in a bare Debian whose /try holds the packages: they are installed, a
# directory is loaded, served, checked, written and exported as an administrator would do
# it, a C program is built, the example of the Python module runs, and the packages are
# removed. Packages of an earlier release in /try/earlier are installed first. It changes the
# system that it runs in.
set -eu

say() { echo "-- $*"; }
fail() {
	echo "FAILED: $*" >&2
	exit 1
}
# same NAME EXPECTED GOT
same() { [ "$2" = "$3" ] || fail "$1: expected \"$2\", got \"$3\""; }

[ -d /try ] && [ ! -e /usr/sbin/ditadd ] || fail 'this is no bare root'
slapd=
stop_slapd() {
	[ -z "$slapd" ] || { kill "$slapd" && wait "$slapd" || true; }
	slapd=
}
trap stop_slapd EXIT

say 'install'
apt-get update -qq
# netbase, which Python needs, leaves a file when it is removed.
# shellcheck disable=SC2046 # words
apt-get install -y -qq --no-install-recommends slapd ldap-utils gcc libc6-dev pkg-config \
	netbase zstd $([ ! -d /try/earlier ] || echo abigail-tools) >/try/log 2>&1 ||
	{ tail /try/log && exit 1; }
find / -xdev ! -path '/proc/*' ! -path '/try/*' ! -path '/var/*' ! -path '/tmp/*' | sort \
	>/try/before
for packages in /try/earlier /try; do
	[ -d $packages ] || continue
	apt-get install -y -qq --no-install-recommends $packages/*.deb >/try/log 2>&1 ||
		{ tail /try/log && exit 1; }
	ditadd --version
done
slapd -VV 2>&1 | head -n 1

# New functions are no difference. A new field at the end of a struct is one, though it is
# allowed (doc/stability.md): a person reads the report.
if [ -d /try/earlier ]; then
	say 'the library, compared with the earlier one'
	XDG_CACHE_HOME=/try abipkgdiff --no-added-syms \
		--d1 /try/earlier/libditkit?-dbgsym_*.deb --d2 /try/libditkit?-dbgsym_*.deb \
		--devel1 /try/earlier/libditkit-dev_*.deb --devel2 /try/libditkit-dev_*.deb \
		/try/earlier/libditkit?_*.deb /try/libditkit?_*.deb ||
		fail 'a program that was compiled with the earlier library may not run'
fi

[ -s /usr/share/doc/ditkit/html/guide.html ] || fail 'there is no guide'

say "Debian's own database"
slapcat >/try/own.ldif
ditcat | cmp - /try/own.ldif
ditcheck

say 'load'
examples=/usr/share/doc/ditkit/examples
mkdir /srv/ldap
chown openldap:openldap /srv/ldap
sed 's,\./demo-db,/srv/ldap,' $examples/slapd.conf >/etc/ldap/slapd.conf
ditadd -q -f /etc/ldap/slapd.conf -l $examples/people.ldif
same 'the owner' openldap "$(stat -c %U /srv/ldap/data.mdb)"
same 'ditcheck' '/srv/ldap/data.mdb: 0 findings' "$(ditcheck -f /etc/ldap/slapd.conf)"

say 'serve'
/usr/sbin/slapd -u openldap -g openldap -f /etc/ldap/slapd.conf -h ldapi://%2ftry%2fldapi \
	-d 0 &
slapd=$!
chmod 777 /try
entries() {
	ldapsearch -LLL -x -H ldapi://%2ftry%2fldapi -b dc=harbour,dc=example "$1" 1.1 |
		grep -c '^dn:' || true
}
for _ in $(seq 50); do
	[ "$(entries '(objectClass=*)' 2>/dev/null)" -gt 0 ] && break
	sleep 0.2
done
same 'all entries' 24 "$(entries '(objectClass=*)')"
same 'by an index' 1 "$(entries '(uid=mbrandt)')"
slapcat -f /etc/ldap/slapd.conf >/try/slapcat.ldif
ditcat -f /etc/ldap/slapd.conf | cmp - /try/slapcat.ldif
same 'ditcheck while slapd runs' '/srv/ldap/data.mdb: 0 findings' \
	"$(ditcheck -f /etc/ldap/slapd.conf)"
ditindex --online -f /etc/ldap/slapd.conf uid
same 'by the index that was built' 1 "$(entries '(uid=mbrandt)')"
stop_slapd

say 'nightly export'
DITKIT_OPTIONS='-f /etc/ldap/slapd.conf' /usr/libexec/ditkit/ditkit-export 1
zstd -qdc /var/backups/ditkit/1-latest.ldif.zst | cmp - /try/slapcat.ldif

say 'C program'
for name in scan_count sort_sum; do
	# shellcheck disable=SC2046 # words
	gcc -D_GNU_SOURCE -Wall -Wextra -Werror -o /try/$name $examples/$name.c \
		$(pkg-config --cflags --libs ditkit) -lpthread
done
/try/sort_sum
runuser -u openldap -- /try/scan_count /etc/ldap/slapd.conf objectClass
# The static library, with the shared ones of others: libldap-dev has not all that a program
# without any shared library needs.
# shellcheck disable=SC2046
gcc -D_GNU_SOURCE -o /try/static $examples/scan_count.c -l:libditkit.a \
	$(pkg-config --libs ldap lber lmdb libxxhash zlib libzstd liblzma) -lbz2 -lpthread
runuser -u openldap -- /try/static /etc/ldap/slapd.conf objectClass >/try/log

say 'Python module'
mkdir -p /try/python/demo-db
cp $examples/{slapd.conf,people.ldif} /try/python
(cd /try/python && python3 -c 'import doctest, sys, ditkit
sys.exit(doctest.testmod(ditkit) != (0, 5))') || fail 'the example of the module'
rm -r /srv/ldap /var/backups/ditkit /etc/ldap/slapd.conf

say 'remove'
apt-get purge -y -qq ditkit '^libditkit[0-9]+$' libditkit-dev python3-ditkit ditkit-doc \
	>/try/log 2>&1 || { tail /try/log && exit 1; }
apt-get autoremove --purge -y -qq >>/try/log 2>&1
left=$(find / -xdev -name '*ditkit*' ! -path '/proc/*' ! -path '/try/*')
same 'files left' '' "$left"
left=$(find / -xdev ! -path '/proc/*' ! -path '/try/*' ! -path '/var/*' ! -path '/tmp/*' |
	sort | comm -13 /try/before - | head -n 5)
same 'files left' '' "$left"
echo "all tried"
