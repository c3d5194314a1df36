# SPDX-License-Identifier: BSD-2-Clause
#
# advice_rules.tsv -> advice_rules.c (struct advice_rule in advice.h)
#
#	awk -f gen_advice.awk advice_rules.tsv > advice_rules.c
#
# Columns, of which "-" is empty: 1 kind, 2 "urgent", 3 of, 4 when and 5 then, expressions of C
# in which each word of small letters is a field of struct advice_facts, 6 title, 7 each,
# 8 between, 9 all, 10 figures, 11 why, 12 steps, 13 also.

BEGIN {
	FS = "\t"
	print "/* Made by gen_advice.awk from advice_rules.tsv; edit those. */"
	print "#include \"advice.h\"\n\n#include <stddef.h>"
}

FNR == 1 {
	next
}

NF != 13 {
	printf "%s:%d: expected 13 columns, got %d\n", FILENAME, FNR, NF > "/dev/stderr"
	failed = 1
	exit 1
}

# fn TYPE NAME EXPRESSION: prints a function. @return its name
function fn(type, name, expression)
{
	if (expression == "-") {
		return "NULL"
	}
	gsub(/[a-z_]+/, "f->&", expression)
	printf "\nstatic %s %s(const struct advice_facts *f)\n{\n", type, name
	printf "\treturn %s;\n}\n", expression
	return name
}

function string(text)
{
	gsub(/["\\]/, "\\\\&", text)
	return text == "-" ? "\"\"" : "\"" text "\""
}

{
	name = $1
	gsub(/-/, "_", name)
	rows = rows "\t{" string($1) ", " ($2 == "urgent") ", OF_" toupper($3) ", " \
		fn("bool", name "_when", $4) ", " fn("unsigned", name "_then", $5)
	for (i = 6; i <= NF; i++) {
		rows = rows ",\n\t " string($i)
	}
	rows = rows "},\n"
}

END {
	if (failed) {
		exit 1
	}
	print "\nconst struct advice_rule advice_rules[] = {"
	print rows "\t{.kind = NULL},\n};"
}
