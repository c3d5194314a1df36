#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# All citations of comments and documents exist: sections of doc/spec/ ("storage.md 5.4"), titled
# sections of documents ("design.md, "Rooms""), figures of documents that end a row, files ("radix.[ch]", "tests/oracle").
# Prints "FILE:LINE: what is missing" for each citation that leads nowhere.
set -u
root=${DIT_SRCDIR-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# names ROOT: all files and folders that can be cited, without ROOT
names() {
	(cd "$1" && find libraries servers tests doc .ci bootstrap README.md COPYING CHANGELOG.md CONTRIBUTING.md \
		SECURITY.md Makefile.am \
		configure.ac -name autom4te.cache -prune -o -print 2>/dev/null)
}

# texts ROOT: files whose citations are looked at
texts() {
	names "$1" | grep -E '(^bootstrap|\.(c|h|cc|md|sh|mk|am|ac|awk|8))$' | grep -v '^tests/data/'
}

# missing ROOT: one line for each citation that leads nowhere; silence is success
missing() {
	names "$1" >"$work/names"
	(cd "$1" && texts . | sed 's#^\./##' | sort |
		xargs awk -v names="$work/names" -f "$work/citations.awk")
}

cat >"$work/citations.awk" <<'AWK'
function complain(text) {
	print FILENAME ":" FNR ": " text
}

# Is there a file or folder of that name: as it is, in one of the folders that names leave
# out, next to the text, or, without a folder, anywhere?
function exists(name, folder) {
	sub(/^\.\//, "", name)
	sub(/\/$/, "", name)
	if (name in tree || ("libraries/" name) in tree || ("tests/" name) in tree ||
	    ("servers/" name) in tree || ("doc/" name) in tree) {
		return 1
	}
	while (sub(/^\.\.\//, "", name)) {
		if (name in tree) {
			return 1
		}
		sub(/\/[^\/]*$/, "", folder)
	}
	if ((folder "/" name) in tree || (name ".c") in tree) { # programs are named, too
		return 1
	}
	return index(name, "/") == 0 && (name in bases)
}

# The same for names with a "*": does any match?
function matches(name, pattern, one) {
	pattern = name
	gsub(/\./, "\\.", pattern)
	gsub(/\*/, "[^/]*", pattern)
	pattern = "(^|/)" pattern "$"
	for (one in tree) {
		if (one ~ pattern) {
			return 1
		}
	}
	return 0
}

function check_file(name, folder, stem) {
	sub(/[.,:;-]+$/, "", name)
	if (name ~ /[A-Z][A-Z]/ && name !~ /(README\.md|COPYING|CHANGELOG\.md|CONTRIBUTING\.md|SECURITY\.md)$/) {
		return # "tests/ROOM/test_MODULE.c"
	}
	if (name ~ /^ditkit-bench\//) {
		return # what bundle.sh packs
	}
	if (name ~ /\.\[ch\]$/) {
		stem = substr(name, 1, length(name) - 4)
		check_file(stem "c", folder)
		check_file(stem "h", folder)
	} else if (index(name, "*") > 0 ? !matches(name) : !exists(name, folder)) {
		complain("there is no file " name)
	}
}

# Files: names that end like a source, and paths that begin at one of our folders.
function check_files(text, folder, name) {
	gsub(/<[^<> ]*>/, " ", text) # headers of the system
	gsub(/\$[A-Za-z_({][^ ]*/, " ", text)
	gsub(/[a-z]+:\/\/[^ ]*/, " ", text)
	while (match(text, /[A-Za-z0-9_.\/*-]*(\.(\[ch\]|c|h|md|sh|awk|tsv)|\/[A-Za-z0-9_.*-]*)/)) {
		name = substr(text, RSTART, RLENGTH)
		before = RSTART > 1 ? substr(text, RSTART - 1, 1) : " "
		text = substr(text, RSTART + RLENGTH)
		after = substr(text, 1, 1)
		if (after ~ /[A-Za-z0-9_=]/ || before ~ /[A-Za-z0-9_=$~%{}]/) {
			continue # part of something else
		}
		if (name ~ /^(libraries|servers|tests|doc)\/./ ||
		    name ~ /[A-Za-z0-9_*]\.(\[ch\]|c|h|md|sh|awk)$/) {
			if (name !~ /^\// && name !~ /^\*\./) {
				check_file(name, folder)
			}
		}
	}
}

# Sections: "values.md 1.4, 1.5", "values.md 3.2 - 3.5", "values.md section 3".
function check_sections(text, spec, number) {
	while (match(text, /(storage-2\.7|storage|values|config)\.md`?,?( section| appendix)? [0-9A-D]/)) {
		spec = substr(text, RSTART, RLENGTH)
		text = substr(text, RSTART + RLENGTH - 1)
		sub(/\.md.*/, "", spec)
		while (match(text, /^([0-9]+|[A-D])(\.[0-9]+)*/)) {
			number = substr(text, RSTART, RLENGTH)
			text = substr(text, RSTART + RLENGTH)
			if (number ~ /^[A-D]/ && text ~ /^[A-Za-z]/) {
				break
			}
			if (!((spec " " number) in sections)) {
				complain(spec ".md has no section " number)
			}
			if (!sub(/^(,| and| -|-|,? [A-G],) ?/, "", text)) {
				break
			}
		}
	}
}

# Within a document of doc/spec: "section 7".
function check_own_sections(text, spec, number) {
	spec = FILENAME
	if (!sub(/^doc\/spec\//, "", spec)) {
		return
	}
	sub(/\.md$/, "", spec)
	gsub(/RFC [0-9]+ section [0-9.]+/, "", text)
	gsub(/section [0-9.]+ of `?(storage|values|config)/, "", text)
	gsub(/\.md`? section [0-9.]+/, "", text)
	while (match(text, /[Ss]ection [0-9]+(\.[0-9]+)*/)) {
		number = substr(text, RSTART + 8, RLENGTH - 8)
		text = substr(text, RSTART + RLENGTH)
		if (!((spec " " number) in sections)) {
			complain("there is no section " number)
		}
	}
}

# Titles: 'design.md, "Rooms"'.
function check_titles(text, file, title) {
	while (match(text, /[a-z_]+\.md`?,? "[^"]+"/)) {
		file = substr(text, RSTART, RLENGTH)
		text = substr(text, RSTART + RLENGTH)
		title = file
		sub(/\.md.*/, ".md", file)
		sub(/^[^"]*"/, "", title)
		sub(/"$/, "", title)
		if (!((file " " title) in titles)) {
			complain(file " has no section \"" title "\"")
		}
	}
}

# Figures: "51 GiB for 100,000,000 entries, guide.md" at the end of a row.
function check_figures(text, file) {
	if (!match(text, /[a-z]+\.md(\))? \|$/)) {
		return
	}
	file = substr(text, RSTART)
	sub(/\.md.*/, ".md", file)
	text = substr(text, 1, RSTART - 1)
	sub(/^.*\| /, "", text)
	while (match(text, /[0-9][0-9.,]* (GiB|GB\/s|bytes|minutes|s )/)) {
		if (index(contents[file], substr(text, RSTART, RLENGTH)) == 0) {
			complain(file " has no figure " substr(text, RSTART, RLENGTH))
		}
		text = substr(text, RSTART + RLENGTH)
	}
}

# The part of a line that is comment or document; may be empty.
function comment_of(line, begin, end) {
	if (FILENAME ~ /\.(md|8)$/) {
		return line
	}
	if (FILENAME !~ /\.(c|h|cc)$/) {
		return match(line, /(^|[ \t])#.*/) ? substr(line, RSTART) : ""
	}
	if (!is_inside) {
		begin = index(line, "/*")
		if (begin == 0) {
			return ""
		}
		line = substr(line, begin)
		is_inside = 1
	}
	end = index(line, "*/")
	if (end > 0) {
		is_inside = 0
		return substr(line, 1, end - 1)
	}
	return line
}

BEGIN {
	while ((getline name <names) > 0) {
		tree[name] = 1
		# Rooms are cited without their floor.
		if (sub(/^libraries\/[a-z]+\//, "", name)) {
			tree[name] = 1
		}
		base = name
		sub(/.*\//, "", base)
		bases[base] = 1
	}
	for (name in tree) {
		if (name ~ /^doc\/.*\.md$/ || name == "README.md") {
			file = name
			sub(/.*\//, "", file)
			while ((getline line <name) > 0) {
				contents[file] = contents[file] line "\n"
				if (line !~ /^#+ /) {
					continue
				}
				sub(/^#+ /, "", line)
				titles[file " " line] = 1
				if (name ~ /^doc\/spec\// && match(line, /^([0-9]+|[A-D])(\.[0-9]+)*/)) {
					spec = file
					sub(/\.md$/, "", spec)
					sections[spec " " substr(line, RSTART, RLENGTH)] = 1
				}
			}
			close(name)
		} else if (name ~ /\.[ch]$/) {
			# Headers of the system, with or without their folder.
			while ((getline line <name) > 0) {
				if (match(line, /^# *include <[^>]*>/)) {
					sub(/^[^<]*</, "", line)
					sub(/>.*/, "", line)
					bases[line] = 1
					sub(/.*\//, "", line)
					bases[line] = 1
				}
			}
			close(name)
		} else if (name ~ /(local\.mk|Makefile\.am|configure\.ac)$/) {
			# Files that the build makes can be cited, too.
			while ((getline line <name) > 0) {
				if (match(line, /[A-Za-z0-9_]+\.[ch]( |:|\]|$)/)) {
					base = substr(line, RSTART, RLENGTH)
					sub(/[ :\]]$/, "", base)
					bases[base] = 1
				}
			}
			close(name)
		}
	}
}

# A citation may go on in the next line: "values.md" there, "3.6" here.
{
	if (FNR == 1) {
		is_inside = 0
		held = ""
	}
	text = comment_of($0)
	folder = FILENAME
	if (!sub(/\/[^\/]*$/, "", folder)) {
		folder = "."
	}
	check_files(text, folder)
	check_titles(text)
	check_figures(text)
	check_own_sections(text)
	if (held != "") {
		sub(/^[ \t]*(\*|#)?[ \t]*/, "", text)
		text = held " " text
		held = ""
	}
	check_sections(text)
	if (match(text, /(storage|values|config)\.md`?,?( section)?$/)) {
		held = substr(text, RSTART)
	}
}
AWK

# --- does it find anything? -----------------------------------------------------

small=$work/small
mkdir -p "$small/libraries/room" "$small/doc/spec" "$small/tests/room"
printf '## 1. One\n### 1.1 Deep\n' >"$small/doc/spec/values.md"
printf '# Design\n## Rooms\n| 3 GiB | 4 |\n' >"$small/doc/design.md"
printf '| size | 3 GiB for 4 entries, design.md |\n' >"$small/doc/size.md"
: >"$small/tests/room/test_good.c"
: >"$small/libraries/room/good.h"
cat >"$small/libraries/room/good.c" <<'END'
/* See values.md 1, values.md 1.1, good.[ch], tests/room, design.md, "Rooms", good*.c. */
int x; /* values.md
	* 1.1 */
char y[] = "values.md 8 is no comment, nor is gone.c";
END
good=$(missing "$small")
cat >"$small/libraries/room/bad.c" <<'END'
/*
 * values.md 1.2, and values.md 1.1, 1.3; values.md
 * 4.5; gone.h; room/gone.c; tests/room/gone;
 * good.[ch] bad.[ch] gone*.c design.md, "Floors"
 */
END
printf '| size | 9 GiB for 4 entries, design.md |\n' >>"$small/doc/size.md"
printf '\nSection 1.1 is there, section 9.1 is not.\n' >>"$small/doc/spec/values.md"
bad=$(missing "$small")
expected='doc/size.md:2: design.md has no figure 9 GiB
doc/spec/values.md:4: there is no section 9.1
libraries/room/bad.c:2: values.md has no section 1.2
libraries/room/bad.c:2: values.md has no section 1.3
libraries/room/bad.c:3: there is no file gone.h
libraries/room/bad.c:3: there is no file room/gone.c
libraries/room/bad.c:3: there is no file tests/room/gone
libraries/room/bad.c:3: values.md has no section 4.5
libraries/room/bad.c:4: there is no file bad.h
libraries/room/bad.c:4: there is no file gone*.c
libraries/room/bad.c:4: design.md has no section "Floors"'
if [ -n "$good" ] || [ "$bad" != "$expected" ]; then
	echo "the check itself is wrong; it told of good citations:"
	echo "$good"
	echo "and of broken ones:"
	diff <(echo "$expected") <(echo "$bad")
	exit 1
fi

# --- the tree -------------------------------------------------------------------

found=$(missing "$root")
if [ -n "$found" ]; then
	echo "$found"
	echo "$(echo "$found" | wc -l) citations lead nowhere"
	exit 1
fi
echo "all citations lead somewhere"
