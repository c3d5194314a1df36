# SPDX-License-Identifier: BSD-2-Clause
#
# Text files as C strings (patterns.h): summary.txt becomes summary_txt[].
#
#	awk -f gen_text.awk summary.txt report_page.html ... > texts.c
#
# A line that begins with a tab goes on with the line before it, without the tabs. A directive
# in a line of its own (patterns.h) makes no line. Comments in lines of their own are left out.

BEGIN {
	print "/* Made by gen_text.awk; edit the texts. */\n#include \"patterns.h\""
}

function end_text()
{
	print is_open ? "\\n\";" : "\t;"
}

FNR == 1 {
	if (NR > 1) {
		end_text()
	}
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\./, "_", name)
	print "\nconst char " name "[] ="
	is_open = 0
}

/^(<!-- .*-->|\/\*.*\*\/)$/ {
	next
}

{
	printf "%s", !is_open ? "" : /^\t/ ? "\"\n" : "\\n\"\n"
	is_open = !/^<!--.*-->$/
	sub(/^\t+/, "")
	gsub(/[\\"]/, "\\\\&")
	printf "\t\"%s%s", $0, is_open ? "" : "\"\n"
}

END {
	end_text()
}
