# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the scripts here that load a directory and look at figures: the scratch directory
# of checks_lib.sh becomes the current one. bash.
. "${0%/*}/../checks_lib.sh"
: "${DIT_SRCDIR:?}"
schema=${DIT_SCHEMA_DIR:-/etc/ldap/schema}

[ -d "$schema" ] || skip "no $schema (Debian: slapd)"
cd "$work" || exit 1

# is WHAT GOT EXPECTED
is() {
	nchecks=$((nchecks + 1))
	[ "$2" = "$3" ] || fail "$1 is \"$2\", not \"$3\""
}

# flat FILE: JSON as lines, "PATH VALUE"
flat() {
	awk -f "$DIT_SRCDIR/tests/cli/json_flat.awk" "$1"
}

# documented FIRST UNTIL: the fields in doc/stats.md, from a heading to another one ("", the end)
documented() {
	awk -F '|' -v first="## $1" -v until="## $2" '$0 == first { is_it = 1 }
		$0 == until { exit }
		is_it && /^\| `/ { name = $2; gsub(/[` ]/, "", name); print name }' \
		"$DIT_SRCDIR/doc/stats.md" | sort -u
}

# on_terminal COMMAND: what it leaves there, of 80 columns: a line is what was last written on it
on_terminal() {
	script -qec "stty cols 80; $1" /dev/null </dev/null | sed 's/\r$//; s/.*\r//' >out
}
