#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The comparisons with slapadd and slapd, and the unit tests, against the OpenLDAP of another
# Debian: this tree is copied into a root of that Debian, built there with its compiler, and
# tested there with its slapd. Not a part of "make check": it takes packages from a mirror
# and half an hour. As root.
#
#   other-openldap.sh [--root DIR] [--suite NAME] [--mirror URL] [SCRIPT...]
#
#   --root DIR    a root that is there already, or is made there and stays; without it a
#                 root is made below TMPDIR and removed
#   --suite NAME  Debian to make [trixie]: OpenLDAP 2.6, gcc 14
#   --mirror URL  where debootstrap takes packages from
#   SCRIPT        names below tests/oracle, and "unit" [modules tree content served existing
#                 unit]
#
# The last line is "N passed, N failed"; the status is 0 if none failed.
set -eu
top=$(cd "${0%/*}/../.." && pwd)
root=
suite=trixie
mirror=
made=
# One list, bootstrap's: lines "NAME WHY..." of two variables.
packages=$(sed -n "/^\(build\|test\)_packages='/,/^'/p" "$top/bootstrap" |
	awk 'NF > 1 { printf "%s ", $1 }')

usage() {
	echo "usage: other-openldap.sh [--root DIR] [--suite NAME] [--mirror URL] [SCRIPT...]" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	--root | --suite | --mirror)
		[ $# -gt 1 ] || usage
		declare "${1#--}=$2"
		shift 2
		;;
	-*) usage ;;
	*) break ;;
	esac
done
[ $# -gt 0 ] || set -- modules tree content served existing unit
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
mount_in tmpfs dev/shm
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
# slapd's package must start no server.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"

echo "== packages"
in_root "dpkg-query -W $packages >/dev/null 2>&1 || {
	apt-get update -qq && apt-get install -y -qq --no-install-recommends \
		$packages >/dev/null; }"
in_root 'slapd -VV 2>&1 | head -n 1; gcc --version | head -n 1'

echo "== build"
in_root 'rm -rf /ditkit && mkdir /ditkit'
(cd "$top" && git ls-files -z --cached --others --exclude-standard |
	tar --null -T - --ignore-failed-read -cf -) | tar -C "$root/ditkit" --no-same-owner -xf -
in_root 'cd /ditkit && autoreconf --install --force >/dev/null 2>&1 && mkdir build &&
	cd build && ../configure --quiet --enable-werror && make -j "$(nproc)" V=0 &&
	make -j "$(nproc)" V=0 check TESTS=' >"$root/ditkit-build.log" 2>&1 || {
	tail -n 30 "$root/ditkit-build.log"
	echo "other-openldap.sh: the build failed" >&2
	exit 1
}

npassed=0
nfailed=0
for name; do
	target="check TESTS=tests/oracle/$name.sh"
	[ "$name" != unit ] || target=check-unit
	echo "== $name"
	if in_root "cd /ditkit/build && make $target" >"$root/ditkit-$name.log" 2>&1; then
		npassed=$((npassed + 1))
	else
		nfailed=$((nfailed + 1))
		grep -E '^(FAIL|FAILED|ERROR)[: ]' "$root/ditkit-$name.log" || true
		[ "$name" = unit ] || grep -A 8 FAILED "$root/ditkit/build/tests/oracle/$name.log" ||
			tail -n 20 "$root/ditkit-$name.log"
	fi
done
echo "$npassed passed, $nfailed failed"
[ "$nfailed" -eq 0 ]
