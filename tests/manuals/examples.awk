# SPDX-License-Identifier: BSD-2-Clause
# The examples of a document, each in a file DIR/NNN.SETUP; for examples.sh.
#
#   awk -v dir=DIR -f examples.awk DOCUMENT
#
# In a man page an example is a literal display or a .Dl line after the comment
# '.\" example: SETUP'; in Markdown a fenced block after '<!-- example: SETUP -->'. Other
# blocks need a comment that says why they do not run: 'no example: REASON'. A block without
# a comment is an error, and so is a comment without a block.
function fail(text) {
	printf "%s:%d: %s\n", FILENAME, FNR, text >"/dev/stderr"
	nfailed++
}
function begin(	name) {
	if (said == "") {
		fail("a block without a comment: example: SETUP, or no example: REASON")
	}
	on = 1
	file = ""
	if (setup != "") {
		file = sprintf("%s/%03d.%s", dir, ++n, setup)
		printf "" >file
	}
	said = setup = ""
}
function finish() {
	if (file != "") {
		close(file)
	}
	on = 0
}
function unroff(text) {
	gsub(/\\&/, "", text)
	gsub(/\\-/, "-", text)
	gsub(/\\e/, "\\", text)
	gsub(/\\\(dq/, "\"", text)
	return text
}
BEGIN { is_man = ARGV[1] ~ /\.[1-9]$/ }
match($0, /^(<!--|\.\\") (no )?example: /) {
	if (said != "") {
		fail("a comment without a block")
	}
	said = $0
	setup = ""
	if (said !~ /no example: /) {
		setup = substr($0, RLENGTH + 1)
		sub(/ *(-->)?$/, "", setup)
		if (setup !~ /^[-a-z0-9]+$/) {
			fail("no name of a setup: " setup)
		}
	}
	next
}
is_man && /^\.Bd -literal/ { begin(); next }
is_man && /^\.Ed/ { if (on) finish(); next }
is_man && /^\.Dl / && setup != "" {
	begin()
	print unroff(substr($0, 5)) >file
	finish()
	next
}
!is_man && /^```/ { if (on) finish(); else begin(); next }
on && file != "" { print is_man ? unroff($0) : $0 >file }
END {
	if (on) {
		fail("a block without an end")
	}
	if (said != "") {
		fail("a comment without a block")
	}
	exit nfailed > 0
}
