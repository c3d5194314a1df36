#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# "./bootstrap check" in a root of another Debian: with its compiler, its LMDB, and its OpenLDAP
# as the reference. Not a part of "make check": it takes packages from a mirror and half an
# hour. As root.
#
#   other-openldap.sh [--root DIR] [--suite NAME] [--mirror URL]
#
#   --root DIR    a root that is there already, or is made there and stays; without it a
#                 root is made below TMPDIR and removed
#   --suite NAME  Debian to make [trixie]: OpenLDAP 2.6, gcc 14
#   --mirror URL  where debootstrap takes packages from
#
# The output and the status are those of the check.
set -eu
top=$(cd "${0%/*}/../.." && pwd)
root=
suite=trixie
mirror=
made=

usage() {
	echo "usage: other-openldap.sh [--root DIR] [--suite NAME] [--mirror URL]" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	--root | --suite | --mirror)
		[ $# -gt 1 ] || usage
		declare "${1#--}=$2"
		shift 2
		;;
	*) usage ;;
	esac
done
[ "$(id -u)" -eq 0 ] || {
	echo "other-openldap.sh: only root can make a root and change into it" >&2
	exit 1
}

# The mounts of this script are unmounted, so that nothing outside is ever removed.
mounts=()
cleanup() {
	local at
	for at in "${mounts[@]}"; do
		umount "$at" || made=
	done
	[ -z "$made" ] || rm -rf --one-file-system "$made"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

mount_in() { # mount_in TYPE PLACE OPTION...
	mountpoint -q "$root/$2" && return
	mount "${@:3}" -t "$1" "$1" "$root/$2"
	mounts=("$root/$2" "${mounts[@]}")
}

in_root() {
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C CI=yes \
		DEBIAN_FRONTEND=noninteractive chroot "$root" /bin/bash -c "$1"
}

if [ -z "$root" ]; then
	made=$(mktemp -d "${TMPDIR:-/tmp}/ditkit-root-XXXXXX")
	root=$made
fi
if [ ! -x "$root/usr/bin/apt-get" ]; then
	echo "== $suite in $root"
	debootstrap --variant=minbase "$suite" "$root" ${mirror:+"$mirror"}
fi
root=$(cd "$root" && pwd)
mount_in proc proc
if ! mountpoint -q "$root/dev"; then
	mount --bind /dev "$root/dev"
	mounts=("$root/dev" "${mounts[@]}")
fi
mount_in devpts dev/pts
mount_in tmpfs dev/shm
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
# slapd's package must start no server.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"

# slapd looks up the name of the host each time that it starts.
echo "127.0.0.1 localhost $(hostname)" >"$root/etc/hosts"

rm -rf --one-file-system "$root/srv/ditkit"
mkdir "$root/srv/ditkit"
(cd "$top" && git ls-files -z --cached --others --exclude-standard |
	tar --null -T - --ignore-failed-read -cf -) |
	tar -C "$root/srv/ditkit" --no-same-owner -xf -
in_root 'cd /srv/ditkit && ./bootstrap check'
