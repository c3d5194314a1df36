# SPDX-License-Identifier: BSD-2-Clause
# Indented JSON, one value in a line, as lines of PATH VALUE: databases.0.indexes.2.keys 17
# Strings keep their quotes and escapes.
function push(is_array) {
	depth++
	number[depth] = 0
	array[depth] = is_array
}
function path(    i, text) {
	text = ""
	for (i = 1; i <= depth; i++)
		text = text (i > 1 ? "." : "") (array[i] ? number[i] : name[i])
	return text
}
{
	line = $0
	sub(/^ +/, "", line)
	sub(/,$/, "", line)
	if (line == "}" || line == "]") {
		depth--
		number[depth]++
		next
	}
	if (depth > 0 && !array[depth]) {
		match(line, /^"[^"]*": /)
		name[depth] = substr(line, 2, RLENGTH - 4)
		line = substr(line, RLENGTH + 1)
	}
	if (line == "{" || line == "[") {
		push(line == "[")
		next
	}
	print path(), line
	number[depth]++
}
