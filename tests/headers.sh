#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every header compiles alone, and the installed ones without our own include path, in
# strict C99 and in C++11 where a C++ compiler is at hand, pedantically, and with a use of
# each DIT_..._INIT.
set -u
failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# initials HEADER: an object for each macro DIT_NAME_INIT, a struct dit_name
initials() {
	sed -n 's/^#define \(DIT_[A-Z_]*_INIT\) .*/\1/p' "$1" | while read -r macro; do
		name=${macro,,}
		echo "void use_${name}(void); void use_${name}(void)"
		echo "{ struct ${name%_init} one = $macro; (void)one; }"
	done
}

compile() { # compile COMPILER HEADER FLAGS...
	compiler=$1
	header=$2
	shift 2
	{
		printf '#include "%s"\nint headers_unused;\n' "$header"
		[ "$pedantic" = '' ] || initials "$header"
	} >"$work/one.$suffix"
	if ! $compiler -Wall -Wextra -Werror $pedantic -fsyntax-only "$@" \
		"$work/one.$suffix"; then
		echo "does not compile alone: $header" >&2
		failed=1
	fi
}

suffix=c
pedantic=
floors=()
for floor in "$DIT_SRCDIR"/libraries/*/; do
	floors+=(-I"$floor" -I"$DIT_BUILDDIR/libraries/$(basename "$floor")")
done
while read -r header; do
	compile "${CC:-cc} -std=gnu11" "$header" -D_GNU_SOURCE "${floors[@]}" \
		-I"$DIT_BUILDDIR/include"
done < <(find "$DIT_SRCDIR/libraries" -name '*.h' | sort)
pedantic=-pedantic
for header in "$DIT_BUILDDIR"/include/ditkit/*.h; do
	suffix=c
	compile "${CC:-cc} -std=c99" "$header" -D_POSIX_C_SOURCE=200112L \
		-I"$DIT_BUILDDIR/include"
	if command -v c++ >/dev/null; then
		suffix=cc
		compile 'c++ -std=c++11' "$header" -I"$DIT_BUILDDIR/include"
	fi
done
if ! command -v c++ >/dev/null; then
	echo "SKIPPED: no C++ compiler, so the installed headers are not tried with one" >&2
	[ -n "${CI:-}" ] && exit 1
fi
exit "$failed"
