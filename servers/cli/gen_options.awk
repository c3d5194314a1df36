# SPDX-License-Identifier: BSD-2-Clause
#
# option_rows.tsv -> option_ids.h, an enumerator for each long name, and option_rows.c.
#
#	awk -v part=ids -f gen_options.awk option_rows.tsv > option_ids.h
#	awk -v part=rows -f gen_options.awk option_rows.tsv > option_rows.c
#
# Columns, of which "-" is empty (struct option_row in option_table.h): 1 programs, 2 letter,
# 3 long name, 4 argument, 5 kind of it, 6 least and 7 greatest number, 8 what a number is in
# words, 9 help, with {NAME} for a macro of default_paths.h. Rows with a letter come first.

BEGIN {
	FS = "\t"
	print "/* Made by gen_options.awk from option_rows.tsv; edit those. */"
	if (part == "ids") {
		print "#ifndef DITKIT_OPTION_IDS_H\n#define DITKIT_OPTION_IDS_H\n"
		print "/** How the code names an option: its letter, or one of these. */"
		print "enum option_id {\n\tOPT_LONG = 127, /* no letter from here on */"
	} else {
		print "#include <limits.h>\n#include <stddef.h>\n\n#include \"default_paths.h\""
		print "#include \"option_table.h\"\n#include <ditkit/load.h>\n"
		print "const struct option_row option_rows[] = {"
	}
}

FNR == 1 {
	next
}

NF != 9 || $5 !~ /^(text|number|size|word|-)$/ {
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
	programs = toupper($1)
	gsub(/,/, " | ", programs)
	printf "\t{%s, %s, %s, %s, ", programs == "ALL" ? "DIT_ALL" : programs,
		$2 == "-" ? id : "'" $2 "'", string($3), string($4)
	printf "OPTION_%s, %s, %s, ", $5 == "-" ? "TEXT" : toupper($5), $6 == "-" ? "0" : $6,
		$7 == "-" ? "UINT64_MAX" : $7
	printf "%s,\n\t %s},\n", string($8), string($9)
}

END {
	if (failed) {
		exit 1
	}
	print part == "ids" ? "\tOPT_END,\n};\n\n#endif" : "\t{.programs = 0},\n};"
}
