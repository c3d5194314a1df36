# SPDX-License-Identifier: BSD-2-Clause
# A man page of the library, from its frame, the headers and a program.
#
#   awk -f doc/man/page.awk doc/man/dit_load.3      in the top directory of the source
#
# The frame is a page with comments that are replaced. Other pages stay as they are.
#
#   .\" names HEADER...          the functions, for NAME; HEADER:PREFIX: those whose names
#                                begin with it; likewise below, types too
#   .\" synopsis HEADER...       the functions, for SYNOPSIS
#   .\" head HEADER              the comment at its top
#   .\" functions HEADER...      arguments, results and errors of each
#   .\" types HEADER...          types with each field, callbacks, macros
#   .\" program FILE             a program of doc/examples
#
# The headers follow doc/style.md and .clang-format: declarations begin in column 1, and a
# comment stands before what it explains or at the end of its line.

# --- text of a comment -------------------------------------------------------------

function literal(line) {
	gsub(/\\/, "\\e", line)
	gsub(/-/, "\\-", line)
	gsub(/'/, "\\(aq", line)
	gsub(/`/, "\\(ga", line)
	gsub(/\^/, "\\(ha", line)
	gsub(/~/, "\\(ti", line)
	return (line ~ /^[.]/ ? "\\&" : "") line
}
# A paragraph: a sentence begins a line, no line is longer than 78 bytes.
function fill(text,	words, n, i, line) {
	gsub(/\\/, "\\e", text)
	gsub(/@(p|param) +/, "", text)
	gsub(/\(\)/, "\\\\\\&()", text)
	gsub(/[.][.] /, "..\\\\\\& ", text)
	n = split(text, words, / +/)
	for (i = 1; i <= n; i++) {
		if (line != "" && length(line) + length(words[i]) > 77) {
			print line
			line = ""
		}
		line = line == "" ? words[i] : line " " words[i]
		if (line ~ /^[.']/) line = "\\&" line
		if (line ~ /[.?!][)"]?$/) {
			print line
			line = ""
		}
	}
	if (line != "") print line
}
function flush_text() {
	if (buffer != "") fill(buffer)
	buffer = ""
}
function end_list() {
	flush_text()
	if (list != "") print ".El"
	list = ""
}
function begin_item(kind, term) {
	flush_text()
	if (list != kind) {
		if (list != "") print ".El"
		print ".Bl -tag -width Ds -compact"
		list = kind
	}
	print ".It " term
}
# The lines of a comment. Lines that are indented are shown as they are, but those of
# @param and @return, and those that begin with a code.
function tell(text,	lines, n, i, line, mode, wants_pp, term) {
	n = split(text, lines, "\n")
	mode = ""
	wants_pp = 0
	for (i = 1; i <= n; i++) {
		line = lines[i]
		if (line ~ /^ *$/) {
			flush_text()
			if (mode == "display") print ".Ed"
			if (mode == "display" || mode == "tag") mode = ""
			wants_pp = 1
			continue
		}
		if (line ~ /^ *@(param|return)/) {
			flush_text()
			term = line ~ /@return/ ? "Returns" : "Fa"
			sub(/^ *@(param|return) */, "", line)
			if (term == "Fa") {
				match(line, /^[a-z_0-9]+(, [a-z_0-9]+)*/)
				term = "Fa " substr(line, 1, RLENGTH)
				gsub(/,/, " ,", term)
				sub(/^[a-z_0-9]+(, [a-z_0-9]+)* */, "", line)
			} else {
				term = "Em returns"
			}
			begin_item("param", term)
			mode = "tag"
			wants_pp = 0
		} else if (mode == "tag" || (line !~ /^  / && mode != "display")) {
			sub(/^ +/, "", line)
		} else if (line ~ /^  /) {
			if (mode != "display") {
				end_list()
				print ".Bd -literal"
				mode = "display"
			}
			print literal(line)
			continue
		} else {
			print ".Ed"
			mode = ""
		}
		if (mode == "tag" && match(line, /^(DIT_E_[A-Z]+|-E[A-Z]+):/)) {
			begin_item("param", "Dv \\&" substr(line, 1, RLENGTH - 1))
			line = substr(line, RLENGTH + 2)
		}
		if (wants_pp && mode == "") {
			end_list()
			print ".Pp"
		}
		wants_pp = 0
		buffer = buffer == "" ? line : buffer " " line
	}
	flush_text()
	if (mode == "display") print ".Ed"
	end_list()
}

# --- parts of a header ---------------------------------------------------------------

function next_line(	line) {
	if ((getline line < header) <= 0) return 0
	text = line
	return 1
}
# The comment that begins in `text`; the rest of the file goes on after it.
function read_comment(	line, all) {
	line = text
	sub(/^[ \t]*[/][*][*]? ?/, "", line)
	all = ""
	while (line !~ /[*][/][ \t]*$/) {
		all = all line "\n"
		if (!next_line()) break
		line = text
		sub(/^[ \t]*[*] ?/, "", line)
		if (text ~ /^[ \t]*[*][/]/) line = "*/"
	}
	sub(/ *[*][/][ \t]*$/, "", line)
	all = all line
	sub(/^\n+/, "", all)
	return all
}
function squeeze(code) {
	gsub(/[ \t\n]+/, " ", code)
	gsub(/^ | $/, "", code)
	return code
}
function flat(comment) {
	gsub(/\n[ \t]*/, " ", comment)
	gsub(/ +/, " ", comment)
	gsub(/^ | $/, "", comment)
	return comment
}
# The comment that stands before fields comes after the last of them: at a blank line, at
# another comment. If each of them has its own, it stands before them.
function tell_held() {
	if (held != "") fill(held)
	held = ""
}
# One field or constant in `code`, with its comment.
function tell_field(code, comment) {
	if (comment != "" && held != "") {
		if (nfields == 0) print ".El\n.Pp"
		tell_held()
		if (nfields == 0) print ".Bl -tag -width Ds -compact"
	}
	print ".It Vt \"" code "\""
	nfields++
	if (comment != "") fill(comment)
}
# A struct or an enum, from its first line in `text`.
function read_type(doc,	name, code, comment, end) {
	name = text
	sub(/ \{.*/, "", name)
	end = name ~ /^enum/ ? "," : ";"
	print ".Ss " name
	tell(doc)
	print ".Bl -tag -width Ds -compact"
	held = code = ""
	nfields = 0
	while (next_line() && text !~ /^\}/) {
		if (code == "" && text ~ /^[ \t]*[/][*]/) {
			tell_held()
			held = flat(read_comment())
			nfields = 0
			continue
		}
		if (text ~ /^[ \t]*$/) {
			tell_held()
			continue
		}
		comment = ""
		if (match(text, /[/][*]/)) {
			code = code " " substr(text, 1, RSTART - 1)
			text = substr(text, RSTART)
			comment = flat(read_comment())
		} else {
			code = code " " text
		}
		code = squeeze(code)
		if (code !~ (end "$") && !(end == "," && code ~ /^[A-Z_0-9]+( = .*)?$/)) continue
		sub(/[;,]$/, "", code)
		tell_field(code, comment)
		code = ""
	}
	tell_held()
	print ".El"
}
# A declaration until its end, in one line.
function read_code(end,	code) {
	code = text
	while (text !~ end && next_line()) code = code " " text
	return squeeze(code)
}
# Type, name and arguments of a function in `code`: print it as the synopsis does.
function tell_function(code,	name, args, n, i, list) {
	sub(/^(DIT_PUBLIC|static inline) /, "", code)
	sub(/( \{|;)$/, "", code)
	name = code
	if (code ~ /^typedef/) {
		match(code, /\(\*[a-z_0-9]+\)\(/)
		name = substr(code, RSTART, RLENGTH - 1)
	} else {
		match(code, /[a-z_0-9]+\(/)
		name = substr(code, RSTART, RLENGTH - 1)
	}
	args = substr(code, RSTART + RLENGTH)
	code = substr(code, 1, RSTART - 1)
	sub(/ +$/, "", code)
	sub(/\)$/, "", args)
	print ".Ft \"" code "\""
	print ".Fo " name
	n = split(args, list, /, */)
	for (i = 1; i <= n; i++) print ".Fa \"" list[i] "\""
	print ".Fc"
}
function name_of(code) {
	match(code, /[a-z_0-9]+\(/)
	return substr(code, RSTART, RLENGTH - 1)
}
function is_wanted(name) {
	return index(name, wanted) == 1
}
# Read a header, and print the wanted part.
function read_header(file, part,	doc, code, nheads) {
	wanted = file
	sub(/:.*/, "", file)
	wanted = substr(wanted, length(file) + 2)
	("find libraries -name " file) | getline header
	close("find libraries -name " file)
	doc = ""
	nheads = 0
	while (next_line()) {
		if (text ~ /^[/][*] (SPDX|----)/) {
			continue
		} else if (text ~ /^[/][*]/) {
			doc = read_comment()
			if (part == "head" && nheads++ == 0) {
				tell(doc)
			}
			if (nheads++ == 0) doc = ""
			continue
		} else if (text ~ /^# ?define DITKIT_|^# ?(if|el|en)|^#include|^DIT_OPTS[(]|^[ \t]*$/) {
			if (text !~ /^#/) doc = text ~ /^$/ ? doc : ""
			continue
		}
		read_declaration(part, doc)
		doc = ""
	}
	close(header)
	header = ""
}
function read_declaration(part, doc,	code) {
	if (text ~ /^# ?define/) {
		code = text
		while (text ~ /\\$/ && next_line()) code = code " " text
		gsub(/\\/, "", code)
		sub(/^# ?define +/, "", code)
		if (part != "types" || code ~ /^DIT_(PUBLIC|OPTS)/ || !is_wanted(tolower(code))) return
		# The body of a macro is no matter, but the value of a number.
		if (code ~ /^[A-Z_0-9]+[(]/) sub(/[)].*/, ")", code)
		else if (code !~ /^[A-Z_0-9]+ +[(0-9]/) sub(/ .*/, "", code)
		code = squeeze(code)
		if (code in seen) return
		seen[code] = 1
		print ".Ss \"" code "\""
		tell(doc)
	} else if (text ~ /^(struct|enum) [a-z_0-9]+ \{/) {
		split(text, word, " ")
		if (part == "types" && is_wanted(word[2])) {
			read_type(doc)
		} else {
			while (next_line() && text !~ /^\}/) {}
		}
	} else if (text ~ /^(DIT_PUBLIC|static inline) / || text ~ /^typedef/) {
		code = read_code(text ~ /^static/ ? "[{]$" : ";$")
		if (text ~ /[{]$/) while (next_line() && text !~ /^\}/) {}
		if (code ~ /_opts_init\(void\)/ || (code !~ /^typedef/ && !is_wanted(name_of(code)))) return
		if (part == "names" && code !~ /^typedef/) names[++nnames] = name_of(code)
		if (part == "synopsis" && code !~ /^typedef/) tell_function(code)
		if (part == "types" && code ~ /^typedef/) {
			match(code, /\(\*[a-z_0-9]+/)
			print ".Ss " substr(code, RSTART + 2, RLENGTH - 2)
			tell_function(code)
			if (doc != "" && doc !~ /^[ \n]*@/) print ".Pp"
			tell(doc)
		}
		if (part == "functions" && code !~ /^typedef/ && doc != "") {
			print ".Ss " name_of(code)
			tell(doc)
		}
	} else if (text ~ /^struct [a-z_0-9]+;/) {
		if (part == "types" && doc != "") {
			sub(/;.*/, "", text)
			print ".Ss " text
			tell(doc)
		}
	} else {
		read_code(";")
	}
}
function put_program(file,	line) {
	file = "doc/examples/" file
	print ".Bd -literal"
	while ((getline line < file) > 0) {
		if (line ~ /SPDX/) continue
		gsub(/\t/, "    ", line)
		print literal(line)
	}
	close(file)
	print ".Ed"
}

# --- the frame -------------------------------------------------------------------------

/^\.\\" (names|synopsis|head|functions|types) / {
	nnames = 0
	for (f = 3; f <= NF; f++) {
		if ($2 == "synopsis" && $f !~ /:/) print ".In ditkit/" $f
		read_header($f, $2)
	}
	for (i = 1; i <= nnames; i++) print ".Nm " names[i] (i < nnames ? " ," : "")
	next
}
/^\.\\" program / { put_program($3); next }
{ print }
