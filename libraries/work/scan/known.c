/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries lie in buckets by the high bits of their sums, which are as good as random:
 *
 *   starts   0    3    4    8 ...     of each bucket, in all
 *   all      eee  e    eeee ...
 */
#include "scan/known.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/object.h"

#define BUCKET_FILL 4 /* entries, at most, on average */

/* The entries of one member. */
struct known_part {
	struct dit_known_entry *list;
	size_t n;
	size_t size;
};

struct dit_known {
	struct dit_entry_sum_rule rule;
	struct known_part *parts; /* NULL after dit_known_seal() */
	unsigned nparts;
	struct dit_known_entry *all;
	size_t *starts;  /* one more than there are buckets */
	unsigned nshift; /* of the high word, to the number of a bucket; 1 to 63 */
	uint64_t *twins; /* by the own ID; 0: none */
	size_t ntwins;
};

static size_t bucket_of(const struct dit_known *known, const struct dit_sum128 *sum)
{
	return (size_t)(sum->high >> known->nshift);
}

/* ---- from nothing to the end ---- */

int dit_known_new(struct dit_known **ret, unsigned nmembers,
                  const struct dit_entry_sum_rule *rule)
{
	struct dit_known *known = calloc(1, sizeof(*known));
	int r = 0;

	if (known == NULL) {
		return -ENOMEM;
	}
	known->rule = *rule;
	known->nparts = nmembers;
	known->parts = calloc(nmembers, sizeof(*known->parts));
	r = known->parts == NULL ? -ENOMEM : 0;
	return DIT_HAND_OVER(r, ret, known, dit_known_free);
}

static void free_parts(struct dit_known *known)
{
	for (unsigned i = 0; known->parts != NULL && i < known->nparts; i++) {
		free(known->parts[i].list);
	}
	free(known->parts);
	known->parts = NULL;
}

void dit_known_free(struct dit_known *known)
{
	if (known != NULL) {
		free_parts(known);
		free(known->all);
		free(known->starts);
		free(known->twins);
		free(known);
	}
}

uint64_t dit_known_bytes(uint64_t nentries)
{
	/* The parts, a half of which may be free, are there until all entries have moved;
	 * twins come later. */
	return nentries * (5 * sizeof(struct dit_known_entry) / 2 + sizeof(size_t));
}

int dit_known_push(struct dit_known *known, unsigned member,
                   const struct dit_known_entry *entry)
{
	struct known_part *part = &known->parts[member];

	return DIT_APPEND(part->list, part->size, part->n, *entry);
}

/* Each bucket starts where the one before it ends. */
static void put_all(struct dit_known *known, size_t nbuckets)
{
	for (unsigned i = 0; i < known->nparts; i++) {
		for (size_t k = 0; k < known->parts[i].n; k++) {
			known->starts[bucket_of(known, &known->parts[i].list[k].sum)]++;
		}
	}
	for (size_t i = 1; i <= nbuckets; i++) {
		known->starts[i] += known->starts[i - 1];
	}
	for (unsigned i = 0; i < known->nparts; i++) {
		for (size_t k = 0; k < known->parts[i].n; k++) {
			const struct dit_known_entry *entry = &known->parts[i].list[k];

			known->all[--known->starts[bucket_of(known, &entry->sum)]] =
				*entry;
		}
	}
}

int dit_known_seal(struct dit_known *known)
{
	size_t nbuckets = 2;
	size_t n = 0;

	for (unsigned i = 0; i < known->nparts; i++) {
		n += known->parts[i].n;
	}
	known->nshift = 63;
	while (nbuckets * BUCKET_FILL < n) {
		nbuckets *= 2;
		known->nshift--;
	}
	known->all = malloc((n + 1) * sizeof(*known->all));
	known->starts = calloc(nbuckets + 1, sizeof(*known->starts));
	if (known->all == NULL || known->starts == NULL) {
		return -ENOMEM;
	}
	put_all(known, nbuckets);
	free_parts(known);
	return 0;
}

const struct dit_entry_sum_rule *dit_known_rule(const struct dit_known *known)
{
	return &known->rule;
}

uint64_t dit_known_find(const struct dit_known *known, const struct dit_sum128 *sum,
                        uint64_t uuid)
{
	size_t bucket = bucket_of(known, sum);

	for (size_t i = known->starts[bucket]; i < known->starts[bucket + 1]; i++) {
		const struct dit_known_entry *entry = &known->all[i];

		if (entry->sum.high == sum->high && entry->sum.low == sum->low) {
			return uuid == 0 || uuid == entry->uuid ? entry->id : 0;
		}
	}
	return 0;
}

int dit_known_note(struct dit_known *known, uint64_t own_id, uint64_t id)
{
	int r = DIT_GROW_CLEARED(known->twins, known->ntwins, (size_t)own_id + 1);

	if (r == 0) {
		known->twins[own_id] = id;
	}
	return r;
}

uint64_t dit_known_twin(const struct dit_known *known, uint64_t own_id)
{
	return own_id < known->ntwins ? known->twins[own_id] : 0;
}
