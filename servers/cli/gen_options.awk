# SPDX-License-Identifier: BSD-2-Clause
#
# option_rows.tsv -> option_ids.h, an enumerator for each long name, and option_rows.c: the rows,
# and for each program a function that puts values into the options of its verb.
#
#	awk -v part=ids -f gen_options.awk option_rows.tsv > option_ids.h
#	awk -v part=rows -f gen_options.awk option_rows.tsv > option_rows.c
#
# Columns, of which "-" is empty (struct option_row in common_options.h): 1 programs, 2 letter,
# 3 long name, 4 argument, 5 kind of it, 6 least and 7 greatest number, 8 what a number is in
# words, 9 field of the options of the program's verb that gets the value, 10 help, with {NAME}
# for a macro of default_paths.h. Rows with a letter come first.

BEGIN {
	FS = "\t"
	all = "ditadd,ditcat,ditcheck,ditdiff,ditindex,ditmodify,ditsplit"
	nprograms = split(all, programs, ",")
	split("load,export,check,diff,reindex,modify,split", verbs, ",")
	print "/* Made by gen_options.awk from option_rows.tsv; edit those. */"
	if (part == "ids") {
		print "#ifndef DITKIT_OPTION_IDS_H\n#define DITKIT_OPTION_IDS_H\n"
		print "/** How the code names an option: its letter, or one of these. */"
		print "enum option_id {\n\tOPT_LONG = 127, /* no letter from here on */"
	} else {
		print "#include <limits.h>\n#include <stddef.h>\n\n#include \"default_paths.h\""
		print "#include \"common_options.h\""
		for (i = 1; i <= nprograms; i++) {
			printf "#include <ditkit/%s.h>\n", verbs[i]
		}
		print "\nconst struct option_row option_rows[] = {"
	}
}

FNR == 1 {
	next
}

NF != 10 || $5 !~ /^(text|number|size|word|-)$/ {
	printf "%s:%d: wrong row\n", FILENAME, FNR > "/dev/stderr"
	failed = 1
	exit 1
}

function string(text)
{
	gsub(/"/, "\\\"", text)
	gsub(/[{]/, "\" ", text)
	gsub(/[}]/, " \"", text)
	return text == "-" ? "NULL" : "\"" text "\""
}

# The value goes into the field of the verb of each of these programs, if it is given.
function take(list, field, value,	names, i, n)
{
	n = split(list, names, ",")
	for (i = 1; i <= n; i++) {
		taken[names[i]] = taken[names[i]] \
			sprintf("\tif (common_is_given(from, %s)) {\n\t\tto->%s = %s;\n\t}\n",
				id, field, value)
	}
}

{
	id = "OPT_" toupper($3)
	gsub(/-/, "_", id)
}

part == "ids" {
	if ($2 == "-" && !(id in told)) {
		print "\t" id ","
		told[id] = 1
	}
	next
}

{
	bits = toupper($1)
	gsub(/,/, " | ", bits)
	id = $2 == "-" ? id : "'" $2 "'"
	printf "\t{%s, %s, %s, %s, ", bits == "ALL" ? "DIT_ALL" : bits, id, string($3), string($4)
	printf "OPTION_%s, %s, %s, ", $5 == "-" ? "TEXT" : toupper($5), $6 == "-" ? "0" : $6,
		$7 == "-" ? "UINT64_MAX" : $7
	printf "%s,\n\t %s},\n", string($8), string($10)
	if ($9 != "-") {
		take($1 == "all" ? all : $1, $9, $5 == "-" ? "true" : $5 == "text" ? \
			"common_text(from, " id ")" : \
			"(__typeof__(to->" $9 "))common_number(from, " id ")")
	}
}

END {
	if (failed) {
		exit 1
	}
	print part == "ids" ? "\tOPT_END,\n};\n" : "\t{.programs = 0},\n};"
	if (part == "ids") {
		print "/* The given ones go into the options of a verb, where the rows say so. */"
		print "struct common_options;"
	}
	for (i = 1; i <= nprograms; i++) {
		options = "struct dit_" verbs[i] "_opts"
		heading = "void common_take_" verbs[i] "(" options " *to, " \
			"const struct common_options *from)"
		if (part == "ids") {
			print options ";\n" heading ";"
		} else {
			print "\n" heading "\n{\n" taken[programs[i]] "}"
		}
	}
	if (part == "ids") {
		print "\n#endif"
	}
}
