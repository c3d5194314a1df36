# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the scripts here that load a directory and look at figures: a scratch directory,
# which becomes the current one, and a count of what went wrong. bash.
set -u
export LC_ALL=C
: "${DIT_SRCDIR:?}"
schema=${DIT_SCHEMA_DIR:-/etc/ldap/schema}

if [ ! -d "$schema" ]; then
	echo "SKIPPED: no $schema (Debian: slapd)" >&2
	[ -n "${CI:-}" ] && exit 1
	exit 77
fi
name=${0##*/}
work=$(mktemp -d "${TMPDIR:-/tmp}/ditkit-${name%.sh}-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
cd "$work" || exit 1
nchecks=0
nfailed=0

fail() {
	echo "FAILED: $*"
	nfailed=$((nfailed + 1))
}

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

# finish: the script's last line
finish() {
	echo "$name: $nchecks checks, $nfailed failed"
	[ "$nchecks" -gt 0 ] && [ "$nfailed" -eq 0 ]
	exit
}
