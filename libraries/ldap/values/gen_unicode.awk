# SPDX-License-Identifier: BSD-2-Clause
#
# unicode-tables.tsv -> unicode_tables.c (structures: utf8_prep.h)
#
#     awk -f gen_unicode.awk unicode-tables.tsv > unicode_tables.c
#
# Input lines: kind TAB code point(s) in hex TAB result. Kinds: lower, decomp, ccc,
# compose. Plain POSIX awk: no hex numbers, no sorting, no bit operations.

BEGIN {
	FS = "\t"
	BLOCK = 64
	for (i = 0; i < 16; i++) {
		digit[substr("0123456789abcdef", i + 1, 1)] = i
	}
	ndecomp = 0
	max = 0
}

function number(hex,    i, n)
{
	n = 0
	hex = tolower(hex)
	for (i = 1; i <= length(hex); i++) {
		n = n * 16 + digit[substr(hex, i, 1)]
	}
	return n
}

function note(c)
{
	known[c] = 1
	if (c > max) {
		max = c
	}
	return c
}

$1 == "lower" {
	lower[note(number($2))] = number($3)
}

$1 == "ccc" {
	ccc[note(number($2))] = $3 + 0
}

$1 == "decomp" {
	c = note(number($2))
	n = split($3, part, " ")
	decomp_at[c] = ndecomp
	decomp_n[c] = n
	for (i = 1; i <= n; i++) {
		decomp[ndecomp++] = number(part[i])
	}
}

# Pairs are kept per second code point, first code points ascending.
$1 == "compose" {
	split($2, part, " ")
	first = number(part[1])
	second = note(number(part[2]))
	n = npairs[second]++
	for (i = n; i > 0 && pair_first[second, i - 1] > first; i--) {
		pair_first[second, i] = pair_first[second, i - 1]
		pair_to[second, i] = pair_to[second, i - 1]
	}
	pair_first[second, i] = first
	pair_to[second, i] = number($3)
}

# Number of the property record of c; equal records share one.
function record(c,    text)
{
	if (!(c in known)) {
		return 0
	}
	text = sprintf("0x%x, %d, %d, %d, %d, %d", lower[c], decomp_at[c],
		       npairs[c] > 0 ? compose_at[c] : 0, decomp_n[c], npairs[c], ccc[c])
	if (!(text in record_no)) {
		record_no[text] = nrecords
		record_text[nrecords++] = text
	}
	return record_no[text]
}

function print_list(type, name, list, n, format,    i)
{
	printf "\nconst %s %s[] = {", type, name
	for (i = 0; i < n; i++) {
		printf "%s" format ",", i % 8 == 0 ? "\n\t" : " ", list[i]
	}
	print "\n};"
}

END {
	npair = 0
	for (c = 0; c <= max; c++) {
		compose_at[c] = npair
		for (i = 0; i < npairs[c]; i++) {
			pairs[npair++] = sprintf("{0x%x, 0x%x}", pair_first[c, i], pair_to[c, i])
		}
	}

	nrecords = 1
	record_text[0] = "0, 0, 0, 0, 0, 0"
	nblocks = int(max / BLOCK) + 1
	nunique = 0
	for (b = 0; b < nblocks; b++) {
		text = ""
		for (i = 0; i < BLOCK; i++) {
			line[i] = record(b * BLOCK + i)
			text = text " " line[i]
		}
		if (!(text in block_no)) {
			block_no[text] = nunique
			for (i = 0; i < BLOCK; i++) {
				indexes[nunique * BLOCK + i] = line[i]
			}
			nunique++
		}
		blocks[b] = block_no[text]
	}
	if (nunique > 256 || nrecords > 65536 || ndecomp > 65536) {
		print "gen_unicode.awk: a table outgrew its index type" > "/dev/stderr"
		exit 1
	}

	print "/* Made by gen_unicode.awk from unicode-tables.tsv; do not edit. */"
	print "#include \"values/utf8_prep.h\""
	printf "\nconst uint32_t dit_unicode_nblocks = %d;\n", nblocks
	print_list("uint8_t", "dit_unicode_block", blocks, nblocks, "%d")
	print_list("uint16_t", "dit_unicode_index", indexes, nunique * BLOCK, "%d")
	for (i = 0; i < nrecords; i++) {
		record_text[i] = "{" record_text[i] "}"
	}
	print_list("struct dit_unicode", "dit_unicode_record", record_text, nrecords, "%s")
	print_list("uint32_t", "dit_unicode_decomp", decomp, ndecomp, "0x%x")
	print_list("struct dit_unicode_pair", "dit_unicode_compose", pairs, npair, "%s")
}
