#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every C file is as clang-format 14 writes it, and no line has more than 90 columns (a tab
# ends at a multiple of 8). Longer are only strings, which are not cut so that they can be
# searched for, and tables between "clang-format off" and "on".
set -u
root=${DIT_SRCDIR-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# too_long FILE...: the lines with more than 90 columns
too_long() {
	LC_ALL=C awk '
		FNR == 1 { is_table = 0 }
		/clang-format off/ { is_table = 1 }
		/clang-format on/ { is_table = 0 }
		length($0) > 60 && !is_table {
			line = $0
			gsub(/[\200-\277]/, "", line) # a character of several bytes is one column
			columns = 0
			n = split(line, parts, "\t")
			for (i = 1; i < n; i++) {
				columns += length(parts[i])
				columns += 8 - columns % 8
			}
			columns += length(parts[n])
			if (columns > 90 && (line ~ /^[ \t]*(\/?\*|\/\/)/ || line !~ /"/)) {
				print FILENAME ":" FNR ": " columns " columns"
			}
		}' "$@"
}

# misshapen FILE...: what clang-format would change
misshapen() {
	local file
	"$clang_format" --style=file --dry-run -Werror "$@" 2>/dev/null && return
	for file; do
		"$clang_format" --style=file "$file" | diff -u --label "$file" \
			--label "$file as it should be" "$file" -
	done
	return 1
}

# The version decides about the result, so another one is no help.
clang_format=
for name in clang-format-14 clang-format; do
	if command -v $name >/dev/null && $name --version | grep -q 'version 14\.'; then
		clang_format=$name
		break
	fi
done

# --- does it find anything? -----------------------------------------------------

cp "$root/.clang-format" "$work"
long=$(printf 'x%.0s' {1..84})
printf '/*\n * %s\n * %sxxxx\n */\nint main(void)\n{\n\treturn 0;\n}\n' "$long" "$long" \
	>"$work/long.c"
printf '/* clang-format off */\nint a[] = {1,   %s};\n/* clang-format on */\n' "$long$long" \
	>"$work/table.c"
printf 'int main(void)\n{\n  return 0;\n}\n' >"$work/shape.c"
if [ "$(too_long "$work"/*.c)" != "$work/long.c:3: 91 columns" ]; then
	echo "the check of columns is wrong:"
	too_long "$work"/*.c
	exit 1
fi

cd "$root" || exit 99
mapfile -t files < <(find libraries servers tests doc \( -name '*.c' -o -name '*.h' \) \
	-not -path 'tests/data/*' | sort)
failed=0
too_long "${files[@]}" >"$work/long"
if [ -s "$work/long" ]; then
	cat "$work/long"
	failed=1
fi

if [ -z "$clang_format" ]; then
	echo "SKIPPED: clang-format 14 is not installed (Debian 12: clang-format)" >&2
	# A Debian that has another one can install no better.
	[ -z "${CI:-}" ] || command -v clang-format >/dev/null || failed=1
	[ $failed -eq 0 ] && exit 77
	exit 1
fi
if misshapen "$work/shape.c" >/dev/null || ! misshapen "$work/table.c"; then
	echo "the check of the format is wrong"
	exit 1
fi
misshapen "${files[@]}" || failed=1
[ $failed -eq 0 ] && echo "${#files[@]} files are well-formed"
exit $failed
