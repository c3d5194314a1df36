# SPDX-License-Identifier: BSD-2-Clause
#
# A text file as a C string.
#
#	awk -v name=report_page -v header=html_report.h -f gen_text.awk report_page.html \
#		> report_page.c
#
# A line that begins with a tab goes on with the line before it, without the tabs. A directive
# in a line of its own (patterns.h) makes no line. Comments in lines of their own are left out.

BEGIN {
	print "/* Made by gen_text.awk; edit the text. */"
	print "#include \"" header "\"\n\nconst char " name "[] ="
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
	print is_open ? "\\n\";" : "\t;"
}
