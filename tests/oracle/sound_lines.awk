# SPDX-License-Identifier: BSD-2-Clause
# Which records slapadd 2.6.11 to 2.7.0 reads as they are written (storage-2.7.md 2.5).
# It gives values to other attributes where lines of one attribute are not together, and
# loses values around lines of attributes that slapd computes. Prints the records without
# such lines, or, with "-v left_out=1", the others alone.
#
#   awk -v names=builtin-schema.tsv -v schema="FILE..." [-v quick=1] -f sound_lines.awk
#
# quick=1: slapadd does not put lines of the same spelling together first (-q, -s).

# learn NAMES: words, separated by commas, that mean one attribute; the first stands for all
function learn(names,   word, n, i) {
	n = split(tolower(names), word, ",")
	for (i = 1; i <= n; i++)
		if (!(word[i] in first))
			first[word[i]] = word[1]
}

# definition TEXT: "attributetype ( OID NAME ( 'a' 'b' ) ..."
function definition(text,   oid, names) {
	if (tolower(text) !~ /^attributetypes?[ \t]/ ||
	    !match(text, /NAME[ \t]+(\([^)]*\)|\047[^\047]*\047)/))
		return
	names = substr(text, RSTART + 4, RLENGTH - 4)
	gsub(/[() \t]+/, "", names)
	gsub(/\047\047/, ",", names)
	gsub(/\047/, "", names)
	oid = text
	sub(/^[^(]*\([ \t]*/, "", oid)
	sub(/[ \t].*/, "", oid)
	learn(names "," oid)
}

# canon NAME: the attribute description, the same for all its spellings
function canon(name,   part, n, i, k, held, text) {
	n = split(tolower(name), part, ";")
	text = part[1] in first ? first[part[1]] : part[1]
	for (i = 3; i <= n; i++) {
		held = part[i]
		for (k = i - 1; k >= 2 && part[k] > held; k--)
			part[k + 1] = part[k]
		part[k + 1] = held
	}
	for (i = 2; i <= n; i++)
		if (i == 2 || part[i] != part[i - 1])
			text = text ";" part[i]
	return text
}

# take NAME: a line of the record
function take(name,   known) {
	sub(/[ \t]+$/, "", name)
	if (tolower(name) == "dn")
		return
	known = tolower(name)
	if (!quick && known in spelled)
		return
	spelled[known] = 1
	known = canon(name)
	if (known == last)
		return
	if (known in seen || known ~ /^(entrydn|hassubordinates|subschemasubentry)(;|$)/)
		is_mixed = 1
	seen[known] = 1
	last = known
}

function flush() {
	if (text != "" && is_mixed == (left_out + 0))
		printf "%s", text
	text = last = ""
	is_mixed = 0
	split("", spelled)
	split("", seen)
}

BEGIN {
	while ((getline line < names) > 0) {
		split(line, field, "\t")
		if (field[1] == "attributetype")
			learn(field[4] "," field[3])
	}
	n = split(schema, file, " ")
	for (i = 1; i <= n; i++) {
		held = ""
		while ((getline line < file[i]) > 0) {
			if (line ~ /^[ \t]/) {
				held = held " " line
			} else {
				definition(held)
				held = line
			}
		}
		definition(held)
	}
}

{
	bare = $0
	sub(/\r$/, "", bare)
	text = text $0 "\n"
	if (bare == "")
		flush()
	else if (bare !~ /^[ #]/)
		take(index(bare, ":") ? substr(bare, 1, index(bare, ":") - 1) : bare)
}

END { flush() }
