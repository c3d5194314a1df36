#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# <ditkit/sort.h> as others see it: the library is installed, the examples of doc/sort.md
# are compiled against what was installed, and print what that page says; and what it quotes
# is in them. tests/manuals/programs.sh compiles them as C++.
. "${0%/*}/../checks_lib.sh"
. "${0%/*}/../installed.sh"
: "${DIT_SRCDIR:?}" "${DIT_BUILDDIR:?}"
page=$DIT_SRCDIR/doc/sort.md

block() { # block FIRST-LINE NUMBER: the fenced block that begins so, the NUMBERth
	awk -v first="\`\`\`$1" -v number="$2" '
		on && $0 == "```" { exit }
		on { print }
		$0 == first && ++n == number { on = 1 }' "$page"
}

static=--static
[ -e "$DIT_INSTALLED/root$prefix/lib/libditkit.so" ] && static=
flags=$(pkg-config $static --cflags --libs ditkit) || exit 1

for name in lines replace sum union; do
	source=$DIT_SRCDIR/doc/examples/sort_$name.c
	# shellcheck disable=SC2086 # lists of words
	${CC:-cc} -std=c11 -D_GNU_SOURCE "$source" -o "$work/sort_$name" $flags -lpthread || {
		fail "does not compile: $source"
		continue
	}
	block "text sort_$name" 1 >"$work/expected"
	"$work/sort_$name" <<<$'pear\nApple\npear\nfig' >"$work/printed" || fail "sort_$name: exit status $?"
	[ -s "$work/expected" ] || fail "doc/sort.md does not say what sort_$name prints"
	diff "$work/expected" "$work/printed" >&2 || fail "sort_$name prints something else"
	number=1
	while block "c sort_$name.c" "$number" >"$work/quote" && [ -s "$work/quote" ]; do
		awk 'FNR == NR { quote = quote $0 "\n"; next }
			{ source = source $0 "\n" }
			END { exit index(source, quote) == 0 }' "$work/quote" "$source" ||
			fail "doc/sort.md quotes what is not in sort_$name.c: number $number"
		number=$((number + 1))
	done
	[ "$number" -gt 1 ] || fail "doc/sort.md quotes nothing of sort_$name.c"
done

[ $nfailed -eq 0 ]
