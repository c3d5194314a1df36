# SPDX-License-Identifier: BSD-2-Clause
# Tables from the figures that bench.sh --tsv keeps, as Markdown.
#
#   awk -v mode=tables|targets [-v small=N -v large=N] -f bench_report.awk FILE
#
# A case is what runs of all rounds have in common: program, entries, indexes, threads,
# memory. Every figure is a median over its rounds. Lines of FILE are in the order of the
# runs, which is what pairs a run of ditadd with one of slapadd.

BEGIN {
	FS = "\t"
	none = -1
}

NR == 1 {
	for (i = 1; i <= NF; i++) {
		column[$i] = i
	}
	next
}

{
	key = $1 FS $2 FS $3 FS $4 FS $5
	if (!(key in nruns)) {
		cases[++ncases] = key
	}
	n = ++nruns[key]
	split("wall_s cpu_s anon_bytes db_bytes index_bytes rows temp_bytes", names, " ")
	for (i in names) {
		value[key, names[i], n] = $column[names[i]]
	}
	if ($1 == "slapadd") {
		slapadd_wall[$2, $3] = $column["wall_s"]
		is_given[$2, $3] = $column["round"] == "given"
	} else if ((($2, $3) in slapadd_wall) && $column["wall_s"] > 0) {
		value[key, "ratio", ++nratios[key]] = \
			slapadd_wall[$2, $3] / $column["wall_s"]
	}
}

# The median of a figure of a case, or none.
function median(key, name, n, i, j, v, sorted) {
	n = name == "ratio" ? nratios[key] : nruns[key]
	for (i = 1; i <= n; i++) {
		v = value[key, name, i] + 0
		for (j = i - 1; j > 0 && sorted[j] > v; j--) {
			sorted[j + 1] = sorted[j]
		}
		sorted[j + 1] = v
	}
	if (n == 0) {
		return none
	}
	return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
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
			shown(median(key, "anon_bytes"), "%.0f", 1 / 1048576),
			shown(median(key, "temp_bytes"), "%.0f", 1 / 1048576),
			shown(median(key, "db_bytes"), "%.0f", 1 / 1048576),
			shown(median(key, "ratio"), "%.1f")
	}
}

# Over all threads of one group; the first number of threads is what others compare with.
function print_scaling(i, j, key, first, part, other, n) {
	for (i = 1; i <= ncases; i++) {
		first = cases[i]
		split(first, part, FS)
		if (part[1] != "ditadd" || ((part[2], part[3], part[5]) in scaled)) {
			continue
		}
		scaled[part[2], part[3], part[5]] = 1
		n = 0
		for (j = i; j <= ncases; j++) {
			key = cases[j]
			split(key, other, FS)
			if (other[1] != "ditadd" || other[2] != part[2] ||
			    other[3] != part[3] || other[5] != part[5]) {
				continue
			}
			if (++n == 2) {
				printf "\nThreads: %d entries, indexes %s, memory %s\n\n",
					part[2], part[3], part[5]
				print "| threads | wall, s | times as fast as with " \
					part[4] " | CPU, s | CPU / (wall x threads) |"
				print "|---|---|---|---|---|"
				print_threads(first, first)
			}
			if (n > 1) {
				print_threads(key, first)
			}
		}
	}
}

function print_threads(key, first, part) {
	split(key, part, FS)
	printf "| %d | %s | %s | %s | %s |\n", part[4],
		shown(median(key, "wall_s"), "%.2f"),
		shown(over(median(first, "wall_s"), median(key, "wall_s")), "%.2f"),
		shown(median(key, "cpu_s"), "%.2f"), shown(busy(key), "%.2f")
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
			shown(median(key, "anon_bytes"), "%.0f", 1 / 1048576),
			shown(anon_max(part[5], part[2]), "%.0f", 1 / 1048576),
			shown(median(key, "temp_bytes"), "%.0f", 1 / 1048576),
			shown(median(key, "index_bytes"), "%.0f", 1 / 1048576)
	}
}

# target TEXT OP LIMIT VALUE FORMAT: one line; OP is "<=" or ">="
function target(text, op, limit, v, format, verdict) {
	verdict = (op == "<=" ? v <= limit : v >= limit) ? "pass" : "FAIL"
	if (v == none || limit == none) {
		verdict = "not measured"
	}
	printf "| %s | %s %s | %s | %s |\n", text,
		(op == "<=" ? "at most" : "at least"), shown(limit, format),
		shown(v, format), verdict
}

function figure(key, name) {
	return is_measured(key) ? median(key, name) : none
}

function print_targets(with, without, most, limited, unlimited, hour) {
	with = case_of("ditadd", small, "yes", 2, "default")
	without = case_of("ditadd", small, "no", 2, "default")
	most = case_of("ditadd", large, "yes", 2, "default")
	limited = case_of("ditadd", large, "yes", 2, "256M")
	unlimited = case_of("ditadd", large, "yes", 2, "8G")
	hour = is_given[large, "yes"] ? " (its time is an earlier run's)" : ""

	print "\nTargets, 2 threads; medians" ((small == 100000 && large == 1000000) ? "" : \
		"; NOT the sizes the targets are meant for") ":\n"
	print "| what | target | measured | |"
	print "|---|---|---|---|"
	target(small " entries, 27 indexes: times as fast as slapadd -q", ">=", 15,
	       figure(with, "ratio"), "%.1f")
	target(large " entries, 27 indexes: times as fast as slapadd -q" hour, ">=", 100,
	       figure(most, "ratio"), "%.1f")
	target(small " entries, 27 indexes: CPU seconds", "<=", 4.5,
	       figure(with, "cpu_s"), "%.2f")
	target(small " entries: the indexes' share of wall time", "<=", 1.5,
	       share(with, without, "wall_s"), "%.2f")
	target(small " entries without indexes: times as fast as slapadd -q", ">=", 3,
	       figure(without, "ratio"), "%.1f")
	target("CPU per entry, " large " against " small, "<=", 1.15,
	       over(per_entry(most), per_entry(with)), "%.2f")
	target(large " entries, --memory 256M: anonymous memory, MiB", "<=",
	       anon_max("256M", large) / 1048576,
	       over(figure(limited, "anon_bytes"), 1048576), "%.0f")
	target(large " entries: time with --memory 256M against unlimited", "<=", 1.35,
	       over(figure(limited, "wall_s"), figure(unlimited, "wall_s")), "%.2f")
	target(large " entries, --memory 256M: temporary files, MiB, against the index" \
	       " databases", "<=", over(figure(limited, "index_bytes"), 1048576),
	       over(figure(limited, "temp_bytes"), 1048576), "%.0f")
	target(small " entries: CPU seconds / (wall x threads)", ">=", 0.85,
	       is_measured(with) ? busy(with) : none, "%.2f")
}

END {
	if (mode == "targets") {
		print_targets()
	} else {
		print_cases()
		print_scaling()
		print_shares()
		print_growth()
		print_memory()
	}
}
