# SPDX-License-Identifier: BSD-2-Clause
#
# modules.tsv -> module_table.c (struct dit_conf_part in conf_parser.h)
#
#	awk -f gen_modules.awk modules.tsv > module_table.c
#
# One row is one overlay or one type of databases. A part that a release adds keywords to has a
# row for each form; the rows together say what is known.
# Columns, of which "-" is empty: 1 module that brings the part, 2 "overlay" or "database", 3 its
# name, 4 "single": slapd refuses it twice in a database, 5 slapd's message where it is an overlay
# of the front end, 6 keywords, with "*" for more that begin like that, 7 releases, "from 2.6" or
# "to 2.5". A module without parts has a row with "-" in the second column.

BEGIN {
	FS = "\t"
	kind["-"] = "NOTHING"
	kind["overlay"] = "OVERLAY"
	kind["database"] = "DATABASE_TYPE"
	split("from first to last", words, " ")
	bound[words[1]] = words[2]
	bound[words[3]] = words[4]
	print "/* Made by gen_modules.awk from modules.tsv; edit those. */"
	print "#include \"config/conf_parser.h\"\n\nconst struct dit_conf_part dit_conf_parts[] = {"
}

function field(name, text)
{
	if (text != "-") {
		printf ", .%s = \"%s\"", name, text
	}
}

FNR == 1 {
	next
}

NF != 7 || !($2 in kind) || ($4 != "-" && $4 != "single") {
	printf "%s:%d: wrong row\n", FILENAME, FNR > "/dev/stderr"
	failed = 1
	exit 1
}

{
	printf "\t{.kind = DIT_CONF_%s", kind[$2]
	field("module", $1)
	field("name", $3)
	if ($4 == "single") {
		printf ", .is_single = true"
	}
	field("global", $5)
	field("keywords", $6)
	if ($7 != "-") {
		split($7, part, " ")
		sub(/[.]/, "_", part[2])
		printf ", .releases.%s = DIT_OPENLDAP_%s", bound[part[1]], part[2]
	}
	print "},"
}

END {
	if (failed) {
		exit 1
	}
	print "\t{.kind = DIT_CONF_END},\n};"
}
