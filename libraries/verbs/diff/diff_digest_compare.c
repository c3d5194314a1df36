/* SPDX-License-Identifier: BSD-2-Clause */
/* Two digests, and a database next to a digest: lines that tell the differences. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "diff/diff_digest.h"

/* ---- lines ---- */

static int write_words(struct dit_diff *diff, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int write_words(struct dit_diff *diff, const char *format, ...)
{
	va_list args;
	char *text = NULL;
	int r = 0;

	va_start(args, format);
	r = vasprintf(&text, format, args);
	va_end(args);
	if (r < 0) {
		return -ENOMEM;
	}
	r = dit_ldif_write_raw(&diff->text, dit_span_of(text));
	free(text);
	return r;
}

/* Is a byte part of a control character? Those of C1 have two bytes in UTF-8. */
static bool is_control(struct dit_span text, size_t i)
{
	const unsigned char *bytes = (const unsigned char *)text.data;
	size_t lead = i - (i > 0 && bytes[i - 1] == 0xc2);

	return bytes[i] < 0x20 || bytes[i] == 0x7f ||
	       (bytes[lead] == 0xc2 && lead + 1 < text.len && bytes[lead + 1] < 0xa0);
}

/* The end of a line. A name may have control characters: \0A, as DNs have them. */
static int write_name(struct dit_diff *diff, struct dit_span name)
{
	int r = 0;

	for (size_t i = 0; i < name.len && r == 0; i++) {
		r = is_control(name, i)
		            ? write_words(diff, "\\%02X", (unsigned char)name.data[i])
		            : dit_ldif_write_raw(&diff->text,
		                                 (struct dit_span){&name.data[i], 1});
	}
	return r ?: dit_ldif_write_raw(&diff->text, DIT_SPAN("\n"));
}

/* Fewer, larger buckets. */
static void fold(struct dit_diff_digest *digest, unsigned nbuckets)
{
	unsigned each = digest->nbuckets / nbuckets;

	for (unsigned i = 0; i < digest->nbuckets && each > 1; i++) {
		struct bucket from = digest->buckets[i];

		digest->buckets[i] = (struct bucket){.n = 0};
		digest->buckets[i / each].n += from.n;
		digest->buckets[i / each].sum += from.sum;
		digest->buckets[i / each].mixed += from.mixed;
	}
	digest->nbuckets = nbuckets;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct subtree *)a)->dn, ((const struct subtree *)b)->dn);
}

static const struct subtree *find_subtree(const struct dit_diff_digest *digest,
                                          const char *dn)
{
	const struct subtree wanted = {.dn = (char *)dn};

	return bsearch(&wanted, digest->subtrees, digest->nsubtrees, sizeof(wanted),
	               compare_names);
}

static int write_subtree(struct dit_diff *diff, const struct subtree *first,
                         const struct subtree *second)
{
	int r = 0;

	if (first != NULL && second != NULL && first->sum.low == second->sum.low &&
	    first->sum.high == second->sum.high) {
		return 0;
	}
	diff->stats.nsubtrees++;
	r = write_words(diff, "subtree\t%" PRIu64 "\t%" PRIu64 "\t",
	                first == NULL ? 0 : first->n, second == NULL ? 0 : second->n);
	return r ?: write_name(diff, dit_span_of(first == NULL ? second->dn : first->dn));
}

/* One that has as many subtrees as a digest takes may lack more. */
static int write_subtrees(struct dit_diff *diff, const struct dit_diff_digest digests[2])
{
	int r = 0;

	for (size_t i = 0; i < digests[0].nsubtrees && r == 0; i++) {
		const struct subtree *first = &digests[0].subtrees[i];
		const struct subtree *second = find_subtree(&digests[1], first->dn);

		if (second != NULL || digests[1].nsubtrees < DIT_DIGEST_SUBTREES_MAX) {
			r = write_subtree(diff, first, second);
		}
	}
	for (size_t i = 0; i < digests[1].nsubtrees && r == 0; i++) {
		const struct subtree *second = &digests[1].subtrees[i];

		if (digests[0].nsubtrees < DIT_DIGEST_SUBTREES_MAX &&
		    find_subtree(&digests[0], second->dn) == NULL) {
			r = write_subtree(diff, NULL, second);
		}
	}
	return r;
}

static int write_csns(struct dit_diff *diff, const struct dit_diff_digest digests[2])
{
	int r = 0;

	for (unsigned side = 0; side < 2 && r == 0; side++) {
		const json_t *csn = NULL;
		size_t i = 0;

		json_array_foreach(digests[side].csns, i, csn)
		{
			if (r == 0 && json_is_string(csn)) {
				r = write_words(diff, "contextCSN\t%s\t",
				                side == 0 ? "first" : "second");
				r = r
				            ?: write_name(diff,
				                          dit_span_of(json_string_value(
								  csn)));
			}
		}
	}
	return r;
}

/* ---- entries that differ ---- */

static int write_suspects(struct dit_diff *diff, unsigned side,
                          const struct dit_diff_digest *digest)
{
	struct dit_entry_view entry;
	int r = 0;

	diff->stats.nnamed += digest->nsuspects;
	for (size_t i = 0; i < digest->nsuspects && i < DIT_DIGEST_NAMES_MAX && r == 0;
	     i++) {
		const struct suspect *suspect = &digest->suspects[i];

		r = dit_diff_read(diff, side, suspect->id, &entry);
		r = r
		            ?: write_words(diff, "%s\t",
		                           suspect->is_found ? "entry" : "perhaps");
		r = r ?: write_name(diff, entry.dn);
	}
	return r;
}

static int write_missing(struct dit_diff *diff, const struct dit_diff_digest *digest,
                         const struct dit_diff_digest *more)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < digest->nbuckets; i++) {
		uint64_t own = digest->buckets[i].n;
		uint64_t other = more->buckets[i].n;

		n += other > own ? other - own : 0;
	}
	diff->stats.nmissing = n;
	return n == 0 ? 0 : write_words(diff, "missing\t%" PRIu64 "\n", n);
}

int dit_digest_compare(struct dit_diff *diff, struct dit_diff_digest digests[2])
{
	bool are_same = digests[0].nentries == digests[1].nentries &&
	                digests[0].sum.low == digests[1].sum.low &&
	                digests[0].sum.high == digests[1].sum.high;
	unsigned nbuckets = digests[0].nbuckets < digests[1].nbuckets
	                            ? digests[0].nbuckets
	                            : digests[1].nbuckets;
	int r = 0;

	diff->stats.differs = !are_same;
	r = write_words(diff, "%s\t%" PRIu64 "\t%" PRIu64 "\n",
	                are_same ? "equal" : "different", digests[0].nentries,
	                digests[1].nentries);
	r = r ?: write_csns(diff, digests);
	if (r < 0 || are_same) {
		return r;
	}
	for (unsigned side = 0; side < 2; side++) {
		fold(&digests[side], nbuckets);
		dit_sort_items(digests[side].subtrees, digests[side].nsubtrees,
		               sizeof(*digests[side].subtrees), compare_names);
	}
	r = write_subtrees(diff, digests);
	for (unsigned side = 0; side < 2 && r == 0; side++) {
		if (diff->opts.digests[side] == NULL) {
			r = write_suspects(diff, side, &digests[side]);
			r = r ?: write_missing(diff, &digests[side], &digests[1 - side]);
		}
	}
	return r;
}
