#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The Debian packages, from nothing: in a bare root of each Debian "./bootstrap package" makes
# them, twice, and the second ones are the same, byte for byte; in another bare root they are
# installed, tried (try.sh) and removed. In a third root the commands of doc/guide.md are
# typed (try_guide.sh). Not a part of "make check": packages come from a mirror, and a Debian
# takes some ten minutes. As root.
#
#   roots.sh [--keep DIR [--again]] [--base SUITE=DIR]... [--earlier SUITE=DIR]...
#            [--mirror URL] [SUITE...]
#
#   --keep DIR           roots and packages stay there; bare roots there are used again
#   --again              packages that are there are tried and not made
#   --base SUITE=DIR     a bare root of this Debian, which is copied and not changed
#   --earlier SUITE=DIR  packages of an earlier release, which are installed first; abipkgdiff
#                        compares the libraries
#   --mirror URL         where debootstrap takes packages from
#   SUITE                bookworm trixie
#
# The last line is "N passed, N failed"; the status is 0 if none failed. Where roots cannot
# be made, the script says why and ends with status 77.
set -eu
top=$(cd "${0%/*}/../.." && pwd)
work=
keep=
again=no
mirror=
declare -A base=() earlier=()

usage() {
	echo "usage: roots.sh [--keep DIR [--again]] [--base SUITE=DIR]..." \
		"[--earlier SUITE=DIR]... [--mirror URL] [SUITE...]" >&2
	exit 2
}

cannot() {
	echo "SKIPPED: roots.sh: $*" >&2
	exit 77
}

while [ $# -gt 0 ]; do
	case $1 in
	--keep | --base | --earlier | --mirror)
		[ $# -gt 1 ] || usage
		case $1 in
		--keep) keep=$2 ;;
		--mirror) mirror=$2 ;;
		--base) base[${2%%=*}]=${2#*=} ;;
		--earlier) earlier[${2%%=*}]=${2#*=} ;;
		esac
		shift 2
		;;
	--again)
		again=yes
		shift
		;;
	-*) usage ;;
	*) break ;;
	esac
done
[ $# -gt 0 ] || set -- bookworm trixie
[ "$(id -u)" -eq 0 ] || cannot 'only root can make a root and change into it'
command -v debootstrap >/dev/null || cannot 'no debootstrap (Debian: debootstrap)'

# The mounts of this script are unmounted, so that nothing outside is ever removed.
mounts=()
unmount_all() {
	local at
	for at in "${mounts[@]}"; do
		umount "$at" || return 1
	done
	mounts=()
}
cleanup() {
	unmount_all && { [ -n "$keep" ] || rm -rf --one-file-system "$work"; }
}
if [ -n "$keep" ]; then
	mkdir -p "$keep"
	work=$(cd "$keep" && pwd)
else
	work=$(mktemp -d "${TMPDIR:-/tmp}/ditkit-packages-XXXXXX")
fi
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

mount_in() { # mount_in ROOT
	mount -t proc proc "$1/proc"
	mounts=("$1/proc" "${mounts[@]}")
	mount --bind /dev "$1/dev"
	mounts=("$1/dev" "${mounts[@]}")
	mount -t tmpfs tmpfs "$1/dev/shm"
	mounts=("$1/dev/shm" "${mounts[@]}")
}

in_root() { # in_root ROOT COMMAND
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 CI=yes \
		DEBIAN_FRONTEND=noninteractive \
		${http_proxy:+http_proxy="$http_proxy"} \
		${https_proxy:+https_proxy="$https_proxy"} chroot "$1" /bin/bash -c "$2"
}

# bare SUITE: a root with nothing of ours in it
bare() {
	local at=$work/$1-bare
	[ -z "${base[$1]-}" ] || at=${base[$1]}
	if [ ! -x "$at/usr/bin/apt-get" ]; then
		debootstrap --variant=minbase "$1" "$at" ${mirror:+"$mirror"} \
			>"$work/$1-debootstrap.log" 2>&1 || {
			tail -n 5 "$work/$1-debootstrap.log" >&2
			return 1
		}
	fi
	echo "$at"
}

# copy_of ROOT NAME: a copy that can be worked in
copy_of() {
	local at=$work/$2
	rm -rf --one-file-system "$at"
	cp -a "$1" "$at"
	cp -L /etc/resolv.conf "$at/etc/resolv.conf"
	# The package slapd must start no server.
	printf '#!/bin/sh\nexit 101\n' >"$at/usr/sbin/policy-rc.d"
	chmod +x "$at/usr/sbin/policy-rc.d"
	mount_in "$at"
}

# make_packages SUITE ROOT: the packages, in $work/SUITE-debs
make_packages() {
	local at=$work/$1-build package
	if [ $again = yes ] && [ -d "$work/$1-debs" ]; then
		ls "$work/$1-debs"
		return 0
	fi
	copy_of "$2" "$1-build"
	mkdir "$at/ditkit"
	(cd "$top" && git ls-files -z --cached --others --exclude-standard |
		tar --null -T - --ignore-failed-read -cf -) |
		tar -C "$at/ditkit" --no-same-owner -xf -
	in_root "$at" 'cd /ditkit && ./bootstrap package' >"$work/$1-build.log" 2>&1 || {
		tail -n 30 "$work/$1-build.log" >&2
		return 1
	}
	rm -rf "$work/$1-debs"
	mkdir "$work/$1-debs"
	cp "$at"/ditkit/build-deb/*.deb "$work/$1-debs/"
	# Again, at another time and place: the packages are the same.
	in_root "$at" 'mv /ditkit /srv/other && cd /srv/other && umask 077 && export TZ=UTC+12 &&
		./bootstrap package' >>"$work/$1-build.log" 2>&1 || {
		tail -n 30 "$work/$1-build.log" >&2
		return 1
	}
	for package in "$work/$1-debs"/*; do
		cmp "$package" "$at/srv/other/build-deb/${package##*/}" || return 1
	done
	tac "$at/srv/other/build/bootstrap.log" | sed '/^== lintian/q'
}

# try_packages SUITE ROOT
try_packages() {
	local at=$work/$1-try
	copy_of "$2" "$1-try"
	mkdir "$at/try"
	cp "$work/$1-debs"/*.deb "$top/tests/packaging/try.sh" "$at/try/"
	[ -z "${earlier[$1]-}" ] || cp -r "${earlier[$1]}" "$at/try/earlier"
	in_root "$at" 'bash /try/try.sh'
}

# try_guide SUITE ROOT
try_guide() {
	local at=$work/$1-guide
	copy_of "$2" "$1-guide"
	mkdir "$at/try"
	cp "$work/$1-debs"/*.deb "$top/tests/packaging/try_guide.sh" "$top/doc/guide.md" \
		"$top/tests/manuals/"{examples,search_log}.awk "$at/try/"
	in_root "$at" 'apt-get update -qq && bash /try/try_guide.sh'
}

npassed=0
nfailed=0
for suite; do
	for step in make_packages try_packages try_guide; do
		echo "== $suite: $step"
		# Not after "if" alone: a step has to end at its first failure.
		set +e
		(
			set -e
			trap unmount_all EXIT
			root=$(bare "$suite")
			$step "$suite" "$root"
		)
		status=$?
		set -e
		if [ $status -ne 0 ]; then
			nfailed=$((nfailed + 1))
			echo "FAILED: $suite: $step"
			break
		fi
		npassed=$((npassed + 1))
		[ -n "$keep" ] || rm -rf --one-file-system "$work/$suite-build"
	done
done
echo "$npassed passed, $nfailed failed"
[ "$nfailed" -eq 0 ]
