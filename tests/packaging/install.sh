#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# "make install" puts everything below the prefix, the installed script names the installed
# programs, and "make uninstall" takes everything away. A release has all files of git.
. "${0%/*}/../checks_lib.sh"
: "${DIT_SRCDIR:?}" "${DIT_BUILDDIR:?}"


make_in() { # make_in TARGET [VARIABLE=VALUE]
	make -C "$DIT_BUILDDIR" DESTDIR="$work/root" "$@" >"$work/log" 2>&1 || {
		cat "$work/log" >&2
		fail "make $1"
	}
}

make_in install
prefix=$(sed -n 's/^prefix = //p' "$DIT_BUILDDIR/Makefile")
at=$work/root$prefix
[ -z "$(find "$work/root" ! -type d ! -path "$at/*")" ] ||
	fail "something is installed outside of $prefix"
for file in sbin/ditadd sbin/ditcat sbin/ditcheck sbin/ditdiff sbin/ditindex sbin/ditmodify sbin/ditsplit sbin/ditkit-history \
	share/man/man8/ditadd.8 share/man/man8/ditcat.8 share/man/man8/ditcheck.8 share/man/man8/ditdiff.8 \
	share/man/man8/ditindex.8 share/man/man8/ditmodify.8 share/man/man8/ditsplit.8 include/ditkit/load.h lib/pkgconfig/ditkit.pc \
	share/bash-completion/completions/ditadd share/bash-completion/completions/ditindex \
	share/zsh/site-functions/_ditkit lib/systemd/system/ditkit-export@.service \
	lib/systemd/system/ditkit-export@.timer lib/systemd/system/ditkit-history@.service \
	lib/systemd/system/ditkit-history@.timer share/man/man8/ditkit-history.8 libexec/ditkit/ditkit-export; do
	[ -s "$at/$file" ] || fail "there is no $file"
done
for file in "$at"/sbin/* "$at/libexec/ditkit/ditkit-export"; do
	[ -x "$file" ] || fail "$file is no program"
done
"$at/sbin/ditadd" --version >"$work/log" 2>&1 || fail 'ditadd does not run'
! grep -r '@[a-z]*dir@' "$at/lib/systemd" "$at/libexec" ||
	fail 'names of directories were not put in'

make_in uninstall
left=$(cd "$work/root" && find . ! -type d)
[ -z "$left" ] || fail "make uninstall leaves: $left"

if files=$(git -C "$DIT_SRCDIR" ls-files 2>/dev/null); then
	make_in distdir distdir="$work/release"
	missing=$(cd "$work/release" && printf '%s\n' "$files" | grep -vx .gitignore |
		while read -r file; do [ -e "$file" ] || echo "$file"; done)
	[ -z "$missing" ] || fail "make dist leaves out: $missing"
fi

echo "${0##*/}: $nfailed failed"
[ $nfailed -eq 0 ]
