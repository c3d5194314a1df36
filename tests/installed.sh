# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Sourced first by the scripts that use the library as others do: they start again in a
# namespace where it lies in its prefix and ldconfig has run, so no variable names its place.
# Where there are no namespaces, or the linker does not look into the prefix, variables do.
: "${DIT_BUILDDIR:?}"

if [ -z "${DIT_INSTALLED-}" ]; then
	DIT_INSTALLED=$(mktemp -d "${TMPDIR:-/tmp}/ditkit-installed-XXXXXX") || exit 1
	trap 'rm -rf "$DIT_INSTALLED"' EXIT
	make -C "$DIT_BUILDDIR" MAKEFLAGS= DESTDIR="$DIT_INSTALLED/root" install-library \
		>"$DIT_INSTALLED/log" 2>&1 || {
		cat "$DIT_INSTALLED/log" >&2
		exit 1
	}
	prefix=$(sed -n 's/^prefix = //p' "$DIT_BUILDDIR/Makefile")
	export DIT_INSTALLED prefix
	unshare=(unshare --mount)
	[ "$(id -u)" -eq 0 ] || unshare+=(--user --map-root-user)
	# shellcheck disable=SC2016 # for the other shell
	place='mount -t overlay overlay -o "lowerdir=$DIT_INSTALLED/root$prefix:$prefix" "$prefix" &&
		/sbin/ldconfig -C "$DIT_INSTALLED/cache" &&
		mount --bind "$DIT_INSTALLED/cache" /etc/ld.so.cache &&
		/sbin/ldconfig -p | grep -qF "=> $prefix/lib/libditkit.so"'
	if "${unshare[@]}" bash -c "$place" 2>/dev/null; then
		"${unshare[@]}" bash -c "$place"' && exec bash "$@"' bash "$0" "$@"
	else
		echo 'no namespaces, so variables name the place of the library' >&2
		libdir=$DIT_INSTALLED/root$prefix/lib
		LD_LIBRARY_PATH=$libdir PKG_CONFIG_PATH=$libdir/pkgconfig \
			PKG_CONFIG_SYSROOT_DIR=$DIT_INSTALLED/root bash "$0" "$@"
	fi
	exit
fi
