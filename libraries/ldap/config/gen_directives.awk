# SPDX-License-Identifier: BSD-2-Clause
#
# directives.tsv -> directive_table.c (struct dit_directive in conf_parser.h)
#
#	awk -f gen_directives.awk directives.tsv > directive_table.c
#
# One row serves both notations: 2 the keyword of slapd.conf, 3 the attribute of cn=config. The
# first row that fits counts, so those of a section stand above the general ones.
# Columns, of which "-" is empty: 1 section, or an overlay of the database, 4 least and 5 most arguments (0: any number), 6 what
# slapd calls them, 7 flags, 8 function dit_conf_run_..., 9 value in place of a function: its
# type, "settings" or "database", and the member that is set, 10 releases, "from 2.6" or "to 2.5".

BEGIN {
	FS = "\t"
	split("any ANY mdb MDB back-mdb BACK_MDB", words, " ")
	table(section, "DIT_DIRECTIVE_OF_")
	split("prefix PREFIX raw RAW before-db BEFORE_DB one-word ONE_WORD secret SECRET " \
	      "db DB", words, " ")
	table(flag, "DIT_DIRECTIVE_")
	split("bool BOOL uint UINT count COUNT ulong ULONG text TEXT words WORDS", words, " ")
	table(type, "DIT_CONF_")
	split("settings SETTINGS database OF_DATABASE", words, " ")
	table(target, "DIT_CONF_")
	ctype["bool"] = "bool"
	ctype["uint"] = ctype["count"] = "unsigned"
	ctype["text"] = "const char *"
	ctype["ulong"] = "unsigned long"
	split("2.5 2_5 2.6 2_6 2.7 2_7", words, " ")
	table(release, "DIT_OPENLDAP_")
	split("from first to last", words, " ")
	table(bound, "")
	print "/* Made by gen_directives.awk from directives.tsv; edit those. */"
	print "#include \"config/conf_parser.h\"\n\nconst struct dit_directive dit_directives[] = {"
}

function table(map, prefix, i)
{
	for (i = 1; i in words; i += 2) {
		map[words[i]] = prefix words[i + 1]
		delete words[i]
		delete words[i + 1]
	}
}

function fail(why)
{
	printf "%s:%d: %s\n", FILENAME, FNR, why > "/dev/stderr"
	failed = 1
	exit 1
}

function word(map, key)
{
	if (!(key in map)) {
		fail("unknown word \"" key "\"")
	}
	return map[key]
}

function field(name, text, value)
{
	if (text != "-") {
		printf ", .%s = %s", name, value
	}
}

function flags(list, parts, n, i, out)
{
	n = list == "-" ? 0 : split(list, parts, ",")
	for (i = 1; i <= n; i++) {
		out = out (i > 1 ? " | " : "") word(flag, parts[i])
	}
	return out
}

FNR == 1 {
	next
}

NF != 10 {
	fail("expected 10 columns, got " NF)
}

{
	printf "\t{.section = %s, .name = \"%s\"",
		$1 in section ? section[$1] : "DIT_DIRECTIVE_OF_OVERLAY", $2
	field("overlay", $1 in section ? "-" : $1, "\"" $1 "\"")
	field("attribute", $3, "\"" $3 "\"")
	printf ", .min = %d, .max = %d", $4, $5
	field("args", $6, "\"" $6 "\"")
	field("flags", $7, flags($7))
	field("run", $8, "dit_conf_run_" $8)
	n = $9 == "-" ? 0 : split($9, part, " ")
	if (n > 0) {
		field("value", $9, word(type, part[1]))
	}
	if (n > 1) {
		printf ", .target = {%s, offsetof(struct dit_%s, %s)}", word(target, part[2]),
			part[2], part[3]
		# The value is copied as its type says, so the member has to be of that type.
		checks = checks sprintf("_Static_assert(_Generic(((struct dit_%s *)0)->%s, %s: 1, " \
			"default: 0), \"%s\");\n", part[2], part[3], ctype[part[1]], $2)
	}
	if ($10 != "-") {
		split($10, part, " ")
		printf ", .releases.%s = %s", word(bound, part[1]), word(release, part[2])
	}
	print "},"
}

END {
	if (failed) {
		exit 1
	}
	print "\t{.name = NULL},\n};\n"
	printf "%s", checks
}
