# SPDX-License-Identifier: BSD-2-Clause
# The table of long.sh: what ditadd --stats printed, then the looks of long.sh --tsv.
#
#   awk -v total=SECONDS -v entries=N -v has_index=yes|no -f long_report.awk FS='\t' \
#       OUTPUT LOOKS
#
# Each of the long phases in ten parts of equal time, figures between two looks
# interpolated; then, for each, the slowest part against the median one.

# "0.31 s", "5 min 28 s", "2 h 05 min", and what is after them
function seconds(text, n, i, sum) {
	n = split(text, word, " ")
	for (i = 1; i < n && word[i + 1] ~ /^(h|min|s)$/; i += 2) {
		sum += word[i] * (word[i + 1] == "h" ? 3600 : word[i + 1] == "min" ? 60 : 1)
	}
	return sum
}

BEGIN {
	split("entries,tree,indexes,sync and put in place", name, ",")
}

# Phases follow each other to the end; what comes before the first is set up.
FNR == NR {
	for (i = 1; i <= 4; i++) {
		if (index($0, "  " name[i] " ") == 1) {
			length_of[i] = seconds(substr($0, length(name[i]) + 3))
		}
	}
	next
}

FNR > 1 {
	n++
	for (i = 1; i <= 8; i++) {
		sample[n, i] = $i
	}
}

# The figure i at a time, between the two samples around it.
function at(t, i, lo, hi, mid) {
	lo = 1
	hi = n
	if (t <= sample[1, 1]) {
		return sample[1, i]
	}
	if (t >= sample[n, 1]) {
		return sample[n, i]
	}
	while (hi - lo > 1) {
		mid = int((lo + hi) / 2)
		if (sample[mid, 1] <= t) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return sample[lo, i] + (sample[hi, i] - sample[lo, i]) * \
		(t - sample[lo, 1]) / (sample[hi, 1] - sample[lo, 1])
}

# The most of it in a stretch of time.
function most(from, to, i, k, v, m) {
	m = at(to, i)
	for (k = 1; k <= n; k++) {
		v = sample[k, 1] >= from && sample[k, 1] <= to ? sample[k, i] : 0
		if (v + 0 > m + 0) {
			m = v
		}
	}
	return m / 1048576
}

# A second's worth of a growing figure; a phase may have taken no time.
function rate(i, from, to) {
	return to > from ? (at(to, i) - at(from, i)) / (to - from) : 0
}

function part(phase, from, to, speed, unit) {
	printf "| %s | %.1f | %.1f | %s %s | %.2f | %.0f | %.0f | %.0f | %.0f | %.0f |\n",
		name[phase], from, to, speed, unit,
		rate(3, from, to), most(from, to, 4),
		most(from, to, 5), most(from, to, 6), most(from, to, 7),
		rate(8, from, to) / 1048576
}

function judge(phase, nparts, i, j, v, sorted, middle) {
	for (i = 1; i <= nparts; i++) {
		v = rates[i]
		for (j = i - 1; j > 0 && sorted[j] > v; j--) {
			sorted[j + 1] = sorted[j]
		}
		sorted[j + 1] = v
	}
	middle = sorted[int((nparts + 1) / 2)]
	verdict[++nverdicts] = sprintf("%s: slowest part %.0f%% of the median part," \
		" last part %.0f%% of the first: %s", name[phase],
		(middle > 0 ? 100 * sorted[1] / middle : 0),
		(rates[1] > 0 ? 100 * rates[nparts] / rates[1] : 0),
		(sorted[1] < middle / 2 ? "CLIFF" : "no cliff"))
}

function show(phase, figure, scale, format, unit, nparts, i, from, to) {
	nparts = length_of[phase] > 20 * gap ? 10 : 1
	for (i = 1; i <= nparts; i++) {
		from = begin[phase] + length_of[phase] * (i - 1) / nparts
		to = begin[phase] + length_of[phase] * i / nparts
		rates[i] = figure ? rate(figure, from, to) / scale : 0
		part(phase, from, to, figure ? sprintf(format, rates[i]) : "-", unit)
	}
	if (nparts > 1 && figure) {
		judge(phase, nparts)
	} else if (figure && length_of[phase] > 0.0005 && (phase != 3 || has_index == "yes")) {
		verdict[++nverdicts] = name[phase] ": too short for parts"
	}
}

END {
	t = total
	for (i = 4; i >= 1; i--) {
		begin[i] = t -= length_of[i]
	}
	gap = n > 1 ? (sample[n, 1] - sample[1, 1]) / (n - 1) : total
	print "\n| phase | from, s | to, s | speed | processors busy | anonymous, MiB |" \
		" temporary, MiB | database, MiB | dirty, MiB | written, MiB/s |"
	print "|---|---|---|---|---|---|---|---|---|---|"
	show(1, 2, 1, "%.0f", "entries/s")
	show(2, 0, 1, "", "")
	show(3, 6, 1048576, "%.0f", "MiB/s")
	show(4, 0, 1, "", "")
	printf "\n%.0f s in all, %.0f entries/s, %d looks\n", total, entries / total, n
	for (i = 1; i <= nverdicts; i++) {
		print verdict[i]
	}
}
