#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# doc/packaging/container/oci_image.sh: an image with our package, unpacked and run as a root that
# one changes into. Its first start loads LDIF and serves it, its second one serves it. In
# check-long, for it makes the package and takes Debian's from a mirror.
. "${0%/*}/../checks_lib.sh"
: "${DIT_SRCDIR:?}" "${DIT_BUILDDIR:?}"

for program in mmdebstrap umoci dpkg-buildpackage dh; do
	command -v $program >/dev/null || CI='' skip "no $program (Debian: mmdebstrap, umoci," \
		'and what "./bootstrap package" installs)'
done
unshare -m -n true 2>/dev/null || CI='' skip 'only root can change into a root, and mount there'
cd "$work" || exit 1

# run NAME COMMAND...: a step that all others need
run() {
	"${@:2}" >log 2>&1 || {
		fail "$1"
		tail -n 30 log >&2
		exit 1
	}
}
run 'a release' make -C "$DIT_BUILDDIR" distdir distdir="$work/tree"
cp -r tree/doc/packaging/debian tree/
run 'a package' env -C tree DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage --no-sign -b
run 'an image' sh "$DIT_SRCDIR/doc/packaging/container/oci_image.sh" image "$(ls "$PWD"/ditkit_*.deb)"
run 'the image is unpacked' umoci unpack --image image:latest bundle
root=bundle/rootfs
cp "$DIT_SRCDIR/doc/examples/people.ldif" $root/ldif/
mapfile -t start < <(python3 -c 'import json
print("\n".join(json.load(open("bundle/config.json"))["process"]["args"]))')
same 'what the image starts' 'first-start.sh /ldif' "${start[*]}"

# Each start has a network of its own, so it can have port 389.
slapd=
stop() {
	[ -z "$slapd" ] || { kill "$slapd" && wait "$slapd"; }
	slapd=
}
atexit+=(stop)
entries() { # entries FILTER
	chroot $root ldapsearch -LLL -x -H ldapi:/// -b dc=harbour,dc=example "$1" 1.1 2>&1 |
		grep -c '^dn:'
}
started() { # started NAME: the image starts, and serves all entries
	unshare -m -n sh -c 'mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/dev/shm" &&
		exec chroot "$0" "$@"' $root "${start[@]}" >log 2>&1 &
	slapd=$!
	for _ in {1..300}; do
		[ "$(entries '(objectClass=*)')" -eq 0 ] && kill -0 $slapd || break
		sleep 0.1
	done
	same "$1: entries" 24 "$(entries '(objectClass=*)')"
	same "$1: an index" 1 "$(entries '(uid=mbrandt)')"
	stop
}
started 'the first start'
same 'the owner of the database' "$(stat -c %u $root/var/lib/ldap)" \
	"$(stat -c %u $root/var/lib/ldap/data.mdb)"
started 'the second start'
same 'the second start loads nothing' 1 "$(grep -c 'nothing to do$' log)"
finish
