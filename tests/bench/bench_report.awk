# SPDX-License-Identifier: BSD-2-Clause
# Tables from the files of figures that begin_notes and note of bench_lib.sh write.
#
#   awk -v mode=MODE -f bench_report.awk FILE
#
#   tables   loads: all that follows from them
#   threads  loads with several numbers of threads alone
#   pairs    other work; with -v bytes=N, what each run writes, MB/s as well
#   none     no table: for a second program that is read after this one
#
# A case is what runs of all rounds have in common: program, entries, kind, threads, memory.
# The kind of a load is whether there are indexes. Every figure is a median over the rounds.
# Lines of FILE are in the order of the runs, which is what pairs a run of ditkit with one of
# slapd's tool.

BEGIN {
	FS = "\t"
	none = -1
	nstages = split("tool main reader dit-write", stage, " ")
	split("members main reader writer", stage_title, " ")
}

FNR == 1 {
	for (i = 1; i <= NF; i++) {
		column[i] = $i
	}
	next
}

{
	key = $1 FS $2 FS $3 FS $4 FS $5
	if (!(key in nruns)) {
		cases[++ncases] = key
	}
	n = ++nruns[key]
	for (i = 7; i <= NF; i++) {
		value[key, column[i], n] = $i
	}
	pair = $2 FS $3
	if ($1 ~ /^slap/) {
		slap[pair] = key
	} else if (pair in slap) {
		last = nruns[slap[pair]]
		value[key, "ratio", n] = over(value[slap[pair], "wall_s", last], $7)
		value[key, "cpu_ratio", n] = over(value[slap[pair], "cpu_s", last], $8)
	}
}

# The figures of a case, in order, to sorted; returns how many.
function sort_figures(key, name, sorted, i, j, v, n) {
	for (i = 1; i <= nruns[key]; i++) {
		if (!((key, name, i) in value)) {
			continue
		}
		v = value[key, name, i] + 0
		for (j = n++; j > 0 && sorted[j] > v; j--) {
			sorted[j + 1] = sorted[j]
		}
		sorted[j + 1] = v
	}
	return n + 0
}

# The median of a figure of a case, or none.
function median(key, name, sorted, n) {
	n = sort_figures(key, name, sorted)
	if (n == 0) {
		return none
	}
	return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

# The median of a figure, and the least and the most of several: "36.6 (35.1 to 37.0)".
function spread(key, name, format, sorted, n) {
	n = sort_figures(key, name, sorted)
	return shown(median(key, name), format) (n < 2 ? "" : \
		sprintf(" (" format " to " format ")", sorted[1], sorted[n]))
}

function case_of(program, entries, indexes, threads, memory) {
	return program FS entries FS indexes FS threads FS memory
}

function is_measured(key) {
	return key in nruns
}

# a / b; none if there is none of them
function over(a, b) {
	return a == none || b == none || b == 0 ? none : a / b
}

function shown(v, format, factor) {
	return v == none ? "-" : sprintf(format, v * (factor ? factor : 1))
}

function busy(key, part) {
	split(key, part, FS)
	return over(median(key, "cpu_s"), median(key, "wall_s") * part[4])
}

function print_cases(i, key, part) {
	print "\nMedians:\n"
	print "| program | entries | indexes | threads | memory | runs | wall, s | CPU, s |" \
		" entries/s | anonymous, MiB | temporary, MiB | database, MiB |" \
		" times as fast as slapadd |"
	print "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
	for (i = 1; i <= ncases; i++) {
		key = cases[i]
		split(key, part, FS)
		printf "| %s | %d | %s | %d | %s | %d | %s | %s | %s | %s | %s | %s | %s |\n",
			part[1], part[2], part[3], part[4], part[5], nruns[key],
			shown(median(key, "wall_s"), "%.2f"),
			shown(median(key, "cpu_s"), "%.2f"),
			shown(over(part[2], median(key, "wall_s")), "%.0f"),
			shown(median(key, "anon_kib"), "%.0f", 1 / 1024),
			shown(median(key, "temp_kib"), "%.0f", 1 / 1024),
			shown(median(key, "db_bytes"), "%.0f", 1 / 1048576),
			shown(median(key, "ratio"), "%.1f")
	}
}

# For each group of loads that differ in the number of threads: the tables of threads.
function print_scaling(i, j, first, part, other, n, group) {
	for (i = 1; i <= ncases; i++) {
		first = cases[i]
		split(first, part, FS)
		if (part[1] != "ditadd" || ((part[2], part[3], part[5]) in scaled)) {
			continue
		}
		scaled[part[2], part[3], part[5]] = 1
		n = 0
		for (j = i; j <= ncases; j++) {
			split(cases[j], other, FS)
			if (other[1] == "ditadd" && other[2] == part[2] &&
			    other[3] == part[3] && other[5] == part[5]) {
				group[++n] = cases[j]
			}
		}
		if (n > 1) {
			printf "\nThreads: %d entries, indexes %s, memory %s\n\n", part[2],
				part[3], part[5]
			print_threads(group, n)
			print_stages(group, n)
			print_waits(group, n)
		}
	}
}

# The first number of threads is what others compare with.
function print_threads(group, n, i, key, part) {
	split(group[1], part, FS)
	print "| threads | wall, s | times as fast as with " part[4] \
		" | CPU, s | CPU / (wall x threads) |"
	print "|---|---|---|---|---|"
	for (i = 1; i <= n; i++) {
		key = group[i]
		split(key, part, FS)
		printf "| %d | %s | %s | %s | %s |\n", part[4],
			shown(median(key, "wall_s"), "%.2f"),
			shown(over(median(group[1], "wall_s"), median(key, "wall_s")), "%.2f"),
			shown(median(key, "cpu_s"), "%.2f"), shown(busy(key), "%.2f")
	}
}

# Entries a second with 16 cores: main has one, the members share 15, reader and writer need
# little and share cores with others. The slowest stage sets the pace. With one thread, main
# does the work of the members.
function computed_speed(key, part, i, s, most) {
	split(key, part, FS)
	if (median(key, "tool_cpu_s") <= 0) {
		return none
	}
	for (i = 1; i <= nstages; i++) {
		s = median(key, stage[i] "_cpu_s") / (stage[i] == "tool" ? 15 : 1)
		most = s > most ? s : most
	}
	return part[2] / most
}

function print_stages(group, n, i, j, key, part) {
	print "\nStages, measured: CPU seconds of the threads of each, and microseconds an" \
		" entry. Computed: the last column.\n"
	printf "| threads | wall, s | CPU, s |"
	for (j = 1; j <= nstages; j++) {
		printf " %s, s |", stage_title[j]
	}
	for (j = 1; j <= nstages; j++) {
		printf " %s, us |", stage_title[j]
	}
	print " computed: entries/s with 16 cores |"
	print "|---|---|---|---|---|---|---|---|---|---|---|---|"
	for (i = 1; i <= n; i++) {
		key = group[i]
		split(key, part, FS)
		printf "| %d | %s | %s |", part[4], shown(median(key, "wall_s"), "%.2f"),
			shown(median(key, "cpu_s"), "%.2f")
		for (j = 1; j <= nstages; j++) {
			printf " %s |", shown(median(key, stage[j] "_cpu_s"), "%.3f")
		}
		for (j = 1; j <= nstages; j++) {
			printf " %s |", shown(median(key, stage[j] "_cpu_s"), "%.2f",
					      1e6 / part[2])
		}
		printf " %s |\n", shown(computed_speed(key), "%.0f")
	}
}

function print_waits(group, n, i, j, part) {
	print "\nWaits, measured: seconds that the threads of a stage waited for a processor" \
		" / for another thread or a disk\n"
	printf "| threads |"
	for (j = 1; j <= nstages; j++) {
		printf " %s |", stage_title[j]
	}
	print "\n|---|---|---|---|---|"
	for (i = 1; i <= n; i++) {
		split(group[i], part, FS)
		printf "| %d |", part[4]
		for (j = 1; j <= nstages; j++) {
			printf " %s / %s |", shown(median(group[i], stage[j] "_queue_s"), "%.2f"),
				shown(median(group[i], stage[j] "_sleep_s"), "%.2f")
		}
		printf "\n"
	}
}

# (with indexes - without) / without
function share(with, without, figure) {
	if (!is_measured(with) || !is_measured(without)) {
		return none
	}
	return over(median(with, figure) - median(without, figure),
		    median(without, figure))
}

function print_shares(i, part, without, n) {
	for (i = 1; i <= ncases; i++) {
		split(cases[i], part, FS)
		without = case_of(part[1], part[2], "no", part[4], part[5])
		if (part[3] != "yes" || !is_measured(without)) {
			continue
		}
		if (++n == 1) {
			print "\nThe indexes' share: (with - without) / without\n"
			print "| program | entries | threads | memory | with, s |" \
				" without, s | share, wall | share, CPU |"
			print "|---|---|---|---|---|---|---|---|"
		}
		printf "| %s | %d | %d | %s | %s | %s | %s | %s |\n", part[1], part[2],
			part[4], part[5], shown(median(cases[i], "wall_s"), "%.2f"),
			shown(median(without, "wall_s"), "%.2f"),
			shown(share(cases[i], without, "wall_s"), "%.2f"),
			shown(share(cases[i], without, "cpu_s"), "%.2f")
	}
}

function per_entry(key, part) {
	split(key, part, FS)
	return is_measured(key) ? over(median(key, "cpu_s"), part[2]) : none
}

# Each size against the first one of its group.
function print_growth(i, part, group, first, n) {
	for (i = 1; i <= ncases; i++) {
		split(cases[i], part, FS)
		group = part[1] FS part[3] FS part[4] FS part[5]
		if (!(group in first)) {
			first[group] = cases[i]
			continue
		}
		if (++n == 1) {
			print "\nGrowth: CPU per entry, against the first size of the same" \
				" kind\n"
			print "| program | indexes | threads | memory | entries |" \
				" wall per entry, us | CPU per entry, us | CPU, times |"
			print "|---|---|---|---|---|---|---|---|"
		}
		if (!(group in grown)) {
			grown[group] = 1
			print_size(first[group], first[group])
		}
		print_size(cases[i], first[group])
	}
}

function print_size(key, first, part) {
	split(key, part, FS)
	printf "| %s | %s | %d | %s | %d | %s | %s | %s |\n", part[1], part[3], part[4],
		part[5], part[2],
		shown(over(median(key, "wall_s"), part[2]), "%.2f", 1e6),
		shown(per_entry(key), "%.2f", 1e6),
		shown(over(per_entry(key), per_entry(first)), "%.2f")
}

function bytes_of(size, n) {
	n = size + 0
	if (size ~ /K$/) {
		n *= 1024
	} else if (size ~ /M$/) {
		n *= 1048576
	} else if (size ~ /G$/) {
		n *= 1073741824
	}
	return n
}

function anon_max(memory, entries) {
	return bytes_of(memory) + 32 * entries
}

# With a limit against the same without.
function print_memory(i, key, part, free, n) {
	for (i = 1; i <= ncases; i++) {
		key = cases[i]
		split(key, part, FS)
		free = case_of(part[1], part[2], part[3], part[4], "default")
		if (part[1] != "ditadd" || part[5] == "default" || !is_measured(free)) {
			continue
		}
		if (++n == 1) {
			print "\nMemory:\n"
			print "| entries | indexes | threads | memory | wall, times the" \
				" default's | CPU, times | anonymous, MiB | memory + 32 B per" \
				" entry, MiB | temporary, MiB | index databases, MiB |"
			print "|---|---|---|---|---|---|---|---|---|---|"
		}
		printf "| %d | %s | %d | %s | %s | %s | %s | %s | %s | %s |\n", part[2],
			part[3], part[4], part[5],
			shown(over(median(key, "wall_s"), median(free, "wall_s")), "%.2f"),
			shown(over(median(key, "cpu_s"), median(free, "cpu_s")), "%.2f"),
			shown(median(key, "anon_kib"), "%.0f", 1 / 1024),
			shown(anon_max(part[5], part[2]), "%.0f", 1 / 1048576),
			shown(median(key, "temp_kib"), "%.0f", 1 / 1024),
			shown(median(key, "index_bytes"), "%.0f", 1 / 1048576)
	}
}

function print_pairs(i, key, part) {
	print "\n| program | kind | threads | runs | wall, s | CPU, s |" \
		(bytes ? " MB/s |" : "") " anonymous, MiB | times as fast | times less CPU |"
	print "|---|---|---|---|---|---|---|---|---|" (bytes ? "---|" : "")
	for (i = 1; i <= ncases; i++) {
		key = cases[i]
		split(key, part, FS)
		printf "| %s | %s | %d | %d | %s | %s |", part[1], part[3], part[4],
			nruns[key], spread(key, "wall_s", "%.3f"),
			shown(median(key, "cpu_s"), "%.3f")
		if (bytes) {
			printf " %s |", shown(over(bytes, median(key, "wall_s")), "%.0f", 1e-6)
		}
		printf " %s | %s | %s |\n", shown(median(key, "anon_kib"), "%.0f", 1 / 1024),
			spread(key, "ratio", "%.1f"), shown(median(key, "cpu_ratio"), "%.1f")
	}
}

END {
	if (mode == "tables") {
		print_cases()
		print_scaling()
		print_shares()
		print_growth()
		print_memory()
	} else if (mode == "threads") {
		print_scaling()
	} else if (mode == "pairs") {
		print_pairs()
	}
}
