# SPDX-License-Identifier: BSD-2-Clause
# The tables of figures.sh, from the files of figures of its parts; bench_report.awk reads them
# first, with mode=none. figures.sh sets the sizes, the speed of the disk and the instructions.

# row WHAT SLAPD DITKIT RATIO TARGET VALUE: a line. TARGET: "at least 5" or "at most 8 s".
function row(what, slapd, ditkit, ratio, target, v, word, is_met) {
	split(target, word, " ")
	is_met = word[2] == "least" ? v >= word[3] : v <= word[3]
	printf "| %s | %s | %s | %s | %s | %s |\n", what, slapd, ditkit, ratio, target,
		v == none ? "not measured" : is_met ? "met" : "missed"
}

# Both tools in turn.
function row_of_pairs(what, own, least, part) {
	split(own, part, FS)
	row(what, spread(slap[part[2] FS part[3]], "wall_s", "%.2f") " s",
	    spread(own, "wall_s", "%.2f") " s", spread(own, "ratio", "%.1f"),
	    "at least " least, median(own, "ratio"))
}

# ditkit alone.
function row_of_seconds(what, own, most) {
	row(what, "-", spread(own, "wall_s", "%.2f") " s", "-", "at most " most " s",
	    median(own, "wall_s"))
}

# CPU time of an entry of two loads; the rows above name the first one.
function row_of_growth(what, first, own, ratio) {
	ratio = over(per_entry(own), per_entry(first))
	row(what, "-", shown(per_entry(first), "%.2f", 1e6) " and " \
	    shown(per_entry(own), "%.2f", 1e6) " us", shown(ratio, "%.2f"), "at most 1.1", ratio)
}

function load_of(entries, indexes) {
	return case_of("ditadd", entries, indexes, 2, "default")
}

function print_disk() {
	print "\n## The disk\n\nDirect, " mib " MiB of zeros in pieces of 512 KiB.\n"
	print "| | MB/s |\n|---|---|"
	printf "| written by one program | %.0f |\n", write_kib_s * 1.024e-3
	printf "| written by two at once, together | %.0f |\n", two_kib_s * 1.024e-3
	printf "| read by one program | %.0f |\n", read_kib_s * 1.024e-3
}

function print_targets() {
	print "\n## Targets\n\nMedians, with the lowest and the highest figure. 2 threads.\n"
	print "| | slapd's tool | ditkit | times as fast, in pairs | target | |"
	print "|---|---|---|---|---|---|"
	row_of_pairs("`ditadd -q`, " small " entries, 27 indexes", load_of(small, "yes"), 50)
	row_of_pairs("`ditadd -q`, " small " entries, no indexes", load_of(small, "no"), 6)
	row_of_seconds("`ditadd -q`, " large " entries, 27 indexes", load_of(large, "yes"), 8)
	row_of_pairs("`ditcat`, " large " entries, to a pipe",
		     case_of("ditcat", large, "pipe", 2, "-"), 5)
	row_of_pairs("`ditcat`, " large " entries, to a file",
		     case_of("ditcat", large, "file", 2, "-"), 5)
	row_of_pairs("`ditindex mail`, " small " entries",
		     case_of("ditindex", small, "mail", 2, "-"), 15)
	row_of_pairs("`ditadd -q`, " added " entries to " present,
		     case_of("ditadd", present, added, 2, "-"), 12)
	row_of_seconds("`ditcheck`, " large " entries, 27 indexes",
		       case_of("ditcheck", large, "check", 2, "-"), 6)
	row_of_growth("CPU an entry, " large " against " small, load_of(small, "yes"),
		      load_of(large, "yes"))
	if (huge > 0) {
		row_of_growth("CPU an entry, " huge " against " small,
			      load_of(small, "yes"), load_of(huge, "yes"))
	}
	row("million instructions, " added " entries, 1 thread", "-",
	    instructions < 0 ? "valgrind is missing" : shown(instructions, "%.0f", 1e-6), "-",
	    "at most 1500", instructions < 0 ? none : instructions / 1e6)
}

# Time in which the disk alone moves the bytes that a case read and wrote.
function disk_s(key) {
	return median(key, "read_kib") / read_kib_s + median(key, "written_kib") / write_kib_s
}

function print_huge(i, n, memory, key) {
	print "\n## A large load\n\n" huge " entries, 27 indexes, 2 threads, once each. The" \
		" last column is computed: the bytes read and written, at the speed of one" \
		" program in the first table.\n"
	print "| `--memory` | wall, s | CPU, s | temporary files, MiB | database, MiB |" \
		" read from disk, MiB | written to disk, MiB | computed: the disk alone, s |"
	print "|---|---|---|---|---|---|---|---|"
	n = split("256M 1G default", memory, " ")
	for (i = 1; i <= n; i++) {
		key = case_of("ditadd", huge, "yes", 2, memory[i])
		printf "| %s | %s | %s | %s | %s | %s | %s | %.1f |\n", memory[i],
			shown(median(key, "wall_s"), "%.1f"),
			shown(median(key, "cpu_s"), "%.1f"),
			shown(median(key, "temp_kib"), "%.0f", 1 / 1024),
			shown(median(key, "db_bytes"), "%.0f", 1 / 1048576),
			shown(median(key, "read_kib"), "%.0f", 1 / 1024),
			shown(median(key, "written_kib"), "%.0f", 1 / 1024), disk_s(key)
	}
}

END {
	print_disk()
	print_targets()
	if (huge > 0) {
		print_huge()
	}
	print "\n## Threads"
}
