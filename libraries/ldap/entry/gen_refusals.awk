# SPDX-License-Identifier: BSD-2-Clause
#
# refusals.tsv -> refusal_kinds.h, an enumerator for each row, and refusal_table.c, the texts.
#
#	awk -v part=kinds -f gen_refusals.awk refusals.tsv > refusal_kinds.h
#	awk -v part=table -f gen_refusals.awk refusals.tsv > refusal_table.c
#
# Columns, of which "-" is empty (struct dit_refusal in why.h):
#	1 kind: its name in doc/messages.md
#	2 report, 3 line: told as soon as the record is read, by a report of that kind
#	4 code: of ldap.h, without LDAP_; 5 note, 6 text: of the check of an entry
#	7 what, 8 advice: our own sentence
# {a} is the attribute, {v} the value, {d} a detail, {n} the number of the value.

BEGIN {
	FS = "\t"
	known["-"] = "0"
	known["diagnostic"] = "DIT_REPORT_DIAGNOSTIC"
	known["error"] = "DIT_REPORT_ERROR"
	known["comma"] = "DIT_NOTE_COMMA"
	known["colon"] = "DIT_NOTE_COLON"
	known["checked"] = "DIT_NOTE_CHECKED"
	known["checked-only"] = "DIT_NOTE_CHECKED_ONLY"
	print "/* Made by gen_refusals.awk from refusals.tsv; edit those. */"
	if (part == "kinds") {
		print "#ifndef DITKIT_REFUSAL_KINDS_H\n#define DITKIT_REFUSAL_KINDS_H\n"
		print "/** Why a record is refused. */\nenum dit_why_kind {\n\tDIT_WHY_NONE,"
	} else {
		print "#include <ldap.h>\n\n#include \"entry/why.h\"\n"
		print "const struct dit_refusal dit_refusals[DIT_WHY_NKINDS] = {"
	}
}

function fail(why)
{
	printf "%s:%d: %s\n", FILENAME, FNR, why > "/dev/stderr"
	failed = 1
	exit 1
}

function string(text)
{
	gsub(/["\\]/, "\\\\&", text)
	return text == "-" ? "NULL" : "\"" text "\""
}

FNR == 1 {
	next
}

NF != 8 {
	fail("expected 8 columns, got " NF)
}

!($2 in known) || !($5 in known) {
	fail("unknown word \"" $2 "\" or \"" $5 "\"")
}

{
	kind = "DIT_WHY_" toupper($1)
	gsub(/-/, "_", kind)
}

part == "kinds" {
	print "\t" kind ","
	next
}

{
	printf "\t[%s] = {%s, %s, %s,\n", kind, string($1), known[$2], string($3)
	printf "\t\t%s, %s, %s,\n", $4 == "-" ? "0" : "LDAP_" $4, known[$5], string($6)
	printf "\t\t%s,\n\t\t%s},\n", string($7), string($8)
}

END {
	if (failed) {
		exit 1
	}
	print part == "kinds" ? "\tDIT_WHY_NKINDS,\n};\n\n#endif" : "};"
}
