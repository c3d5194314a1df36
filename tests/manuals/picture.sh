#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The picture of README.md: its points are where their figures say, and the figures are those
# of README.md's section "Speed" or of doc/figures.md.
set -u
export LC_ALL=C
: "${DIT_SRCDIR:?}"

awk '
	function near(a, b) { return a - b < 0.6 && b - a < 0.6 }
	function fail(text) { print "FAILED: speed.svg: " text; nfailed++ }
	function field(name,	text) {
		if (!match($0, name "=\"[^\"]*\"")) return ""
		text = substr($0, RSTART, RLENGTH)
		gsub(/^[^"]*"|"$/, "", text)
		return text
	}
	FILENAME !~ /svg$/ { known = known $0 "\n"; next }
	/<circle/ {
		n++
		entries = field("data-entries")
		seconds = field("data-seconds")
		if (!near(field("cx"), 90 + 200 * (log(entries) / log(10) - 5)))
			fail(entries " entries are not at " field("cx"))
		if (!near(field("cy"), 270 - 50 * (log(seconds) / log(10) + 1)))
			fail(seconds " s are not at " field("cy"))
		if (index($0, ">" seconds " s</text>") == 0)
			fail("the label is not " seconds " s")
		if (index(known, " " seconds " s") == 0)
			fail("no document has " seconds " s")
	}
	END {
		if (n != 4) fail(n " points")
		exit nfailed > 0
	}' "$DIT_SRCDIR/README.md" "$DIT_SRCDIR/doc/figures.md" "$DIT_SRCDIR/doc/speed.svg"
