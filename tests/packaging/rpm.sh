#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# doc/packaging/rpm/ditkit.spec.in: rpmbuild makes packages of the release as "make dist" packs
# it; installed in a root with the places and the user of EL they load, write and check a
# directory there, and name no place of Debian's. In check-long, for it compiles everything.
. "${0%/*}/../checks_lib.sh"
: "${DIT_SRCDIR:?}" "${DIT_BUILDDIR:?}"

command -v rpmbuild >/dev/null || skip 'no rpmbuild (Debian: rpm)'
unshare -m true 2>/dev/null || CI='' skip 'only root can change into a root, and mount there'
[ -d /etc/ldap/schema ] || skip 'no schema files of slapd (Debian: slapd)'
cd "$work" || exit 1

version=$(sed -n 's/^PACKAGE_VERSION = //p' "$DIT_BUILDDIR/Makefile")
make -C "$DIT_BUILDDIR" distdir distdir="$work/ditkit-$version" >log 2>&1 &&
	tar -czf "ditkit-$version.tar.gz" "ditkit-$version" || {
	tail -n 20 log >&2
	exit 1
}
# --nodeps: the packages that are named there are EL's.
rpmbuild -ta --nodeps --define "_topdir $work/rpm" --define 'debug_package %{nil}' \
	"ditkit-$version.tar.gz" >log 2>&1 || {
	tail -n 30 log >&2
	exit 1
}
root=$work/root
mkdir root
check 'the packages are installed' rpm --root "$root" --nodeps -i rpm/RPMS/*/*.rpm
same 'packages' "$(printf 'ditkit\nditkit-devel\nditkit-libs')" \
	"$(rpm --root "$root" -qa --qf '%{name}\n' | sort)"
same 'files that name a place of Debian' '' "$(grep -rlE '/etc/ldap|/usr/lib/ldap' "$root/usr")"
modules=$(rpm --eval %_libdir)/openldap

# The rest of an EL: a user, a configuration, modules; and the shared libraries.
mkdir -p root/etc/openldap root/proc root/var/lib/ldap "root/$modules"
mkdir -m 1777 root/tmp
echo 'ldap:x:55:55::/var/lib/ldap:/sbin/nologin' >root/etc/passwd
chown 55:55 root/var/lib/ldap
cp -r /etc/ldap/schema root/etc/openldap/
cp "$DIT_SRCDIR/doc/examples/people.ldif" root/
: >"root/$modules/site.so"
sed -e 's,/etc/ldap/,/etc/openldap/,; s,^moduleload.*,moduleload site,' \
	-e '/^modulepath/d; /^directory/d' "$DIT_SRCDIR/doc/examples/slapd.conf" \
	>root/etc/openldap/slapd.conf
for program in root/usr/sbin/dit{add,cat,check}; do
	ldd $program | sed -n 's,^[^/]*\(/[^ ]*\).*,\1,p'
done | sort -u | xargs cp -L --parents -t root

in_root() {
	unshare -m sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" "$@"
}
in_root ditadd -q -l people.ldif --stats >log 2>&1
[ $? -eq 0 ] || fail "a load: $(cat log)"
same 'the release, without a slapd' 1 "$(grep -c '^as OpenLDAP 2\.6' log)"
same 'the owner of the database' 55 "$(stat -c %u root/var/lib/ldap/data.mdb)"
same 'entries' 24 "$(in_root ditcat | grep -c '^dn:')"
same 'a check' '/var/lib/ldap/data.mdb: 0 findings' "$(in_root ditcheck)"
rm "root/$modules/site.so"
check 'a module whose file is not there' eval '! in_root ditcat'

# Nothing of the packages stays.
check 'the packages are removed' rpm --root "$root" --nodeps -e ditkit ditkit-devel ditkit-libs
same 'files that stay' '' "$(find root/usr -name '*ditkit*' -o -name ditadd)"
finish
