#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The table of doc/design.md, "Rooms", is true: each folder of libraries/FLOOR is a room of
# the table, and a room includes only rooms that stand to its left or on a floor below it. A
# verb includes no verb. The floor lmdb includes no room of ldap. Only the room files
# includes <lmdb.h>. An installed header counts for the room that its file is in; no room
# includes one that is in none.
set -u
root=${DIT_SRCDIR-.}

# rules ROOT: "ROOM FLOOR PLACE" of each room of the table, the lowest place first
rules() {
	sed -n '/^## Rooms/,/^##/p' "$1/doc/design.md" | awk '
		$1 ~ /^(verbs|work|directory|lmdb|ldap|ground)$/ { line[n++] = $0 }
		END {
			while (n-- > 0) {
				nrooms = split(line[n], room, " ")
				for (i = 2; i <= nrooms; i++) {
					print room[i], room[1], room[1] == "verbs" ? 999 : ++place
				}
			}
		}'
}

# wrong ROOT: a line for each folder without a row, and for each include that goes up
wrong() {
	local folder
	rules "$1" | sort >"$work/rules"
	(cd "$1/libraries" && ls -d */*/) | awk -F/ '{ print $2, $1 }' | sort >"$work/folders"
	cut -d' ' -f1,2 "$work/rules" | diff - "$work/folders" |
		sed -n 's/^[<>] \(.*\) \(.*\)/\2\/\1 is not in the table, or no folder/p'
	while read -r folder; do
		grep -EHn '^#include ("|<ditkit/)' "$1/libraries/${folder#* }/${folder% *}/"*.[ch]
	done <"$work/folders" >"$work/includes"
	(cd "$1/libraries" && find . -name '*.h') |
		awk -F/ '{ print $NF, NF == 4 ? $3 : "-" }' >"$work/headers"
	grep -Hn '^#include <lmdb.h>' "$1"/libraries/*/*/*.[ch] | sed "s#^$1/##" |
		grep -Ev '^libraries/directory/files/.*\.c:'
	sed "s#^$1/##" "$work/includes" | awk -v rules="$work/rules" -v headers="$work/headers" '
		BEGIN {
			while ((getline line <rules) > 0) {
				split(line, word, " ")
				floor[word[1]] = word[2]
				place[word[1]] = word[3]
			}
			while ((getline line <headers) > 0) {
				split(line, word, " ")
				room[word[1]] = word[2]
			}
		}
		{
			split($0, path, "/")
			split($0, name, /["<>]/)
			from = path[3]
			to = name[2]
			if (sub(/^ditkit\//, "", to)) {
				to = room[to]
			}
			sub(/\/.*/, "", to)
			if ((!(to in place) && to != "-") || from == to) {
				next
			}
			if (to == "-" || place[to] >= place[from] ||
			    (floor[from] == "lmdb" && floor[to] == "ldap")) {
				print $0
			}
		}'
}

# grown ROOT: the rooms that have more lines than the table of doc/design.md, "Sizes", says
grown() {
	sed -n '/^### Sizes/,/^## /p' "$1/doc/design.md" | awk '
		$1 ~ /^(verbs|work|directory|lmdb|ldap|ground|servers)$/ {
			for (i = 2; i < NF; i += 2) {
				print $1 == "servers" ? $1 : "libraries/" $1, $i, $(i + 1)
			}
		}' | while read -r floor room lines; do
		now=$(cat "$1/$floor/$room"/*.[ch] | wc -l)
		[ "$now" -le "$lines" ] || echo "$floor/$room has grown from $lines lines to $now"
	done
}

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
found=$(wrong "$root")
nrooms=$(wc -l <"$work/folders")
if [ -n "$found" ]; then
	echo "$found"
	exit 1
fi
grown "$root"
echo "$nrooms rooms, no include goes up or to another verb"
[ "$nrooms" -gt 20 ]
