/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs of entries, by DN:
 *
 *   second   all entries: hash of the normal DN, number; sorted by hash
 *   first    entry by entry: its pair is sought by hash, then by DN
 *   second   all entries again: those without a pair
 *
 * Holes are passed over. An entry whose DN cannot be read is the pair of such a one that
 * has its ID.
 *
 * Memory: 33 bytes for each entry of the second, 16 for each of the first.
 */
#include "compare/compare_impl.h"

#include <errno.h>
#include <stdlib.h>

#include <xxhash.h>

#include "base/grow.h"
#include "base/ids.h"

#define NOBODY UINT64_MAX

/* An entry of the second side. */
struct dit_compare_hash {
	uint64_t hash;   /* the first field: dit_first_id() */
	uint64_t number; /* in its entries; the second: dit_compare_id_pairs() */
};

/* ---- the sides ---- */

/* A dit_pairs.next: the next entry that is no hole is in the view. On the first time
 * through a side its entries are written down. */
static int next_entry(void *ctx)
{
	struct dit_compare_side *side = ctx;
	struct dit_compare *c = side->compare;
	int r = 0;

	if (side->is_known && c->npairs == side->nentries) {
		return 0; /* nobody is alone */
	}
	do {
		r = side->has_begun ? dit_entry_reader_next(side->reader, &side->view)
		                    : dit_entry_reader_seek(side->reader, 0, &side->view);
		side->has_begun = true;
		if (r > 0) {
			int stepped = dit_compare_step(c, side == &c->sides[0]);

			r = stepped < 0 ? stepped : r;
		}
	} while (r > 0 && side->view.is_hole);
	if (r > 0 && !side->is_known) {
		r = DIT_APPEND(side->entries, side->entries_size, side->nentries,
		               (struct dit_compare_entry){side->view.id, NOBODY})
		            ?: 1;
	}
	if (r > 0) {
		return r;
	}
	side->is_known = true;
	side->has_begun = false;
	return r;
}

/* IDs are dense most often: then the position is known. */
static struct dit_compare_entry *find_id(const struct dit_compare_side *side, uint64_t id)
{
	struct dit_compare_entry *list = side->entries;
	size_t n = side->nentries;

	if (n == 0) {
		return NULL;
	}
	if (id >= list[0].id && id - list[0].id < n && list[id - list[0].id].id == id) {
		return &list[id - list[0].id];
	}
	return bsearch(&id, list, n, sizeof(*list), dit_compare_ids);
}

/* ---- the hashes of one ---- */

static struct dit_span key_of(const struct dit_entry_view *entry)
{
	return entry->name_error < 0
	               ? (struct dit_span){(const char *)&entry->id, sizeof(entry->id)}
	       : entry->norm_dn.data == NULL ? DIT_SPAN("")
	                                     : entry->norm_dn;
}

static uint64_t hash_of(const struct dit_entry_view *entry)
{
	struct dit_span key = key_of(entry);

	return XXH3_64bits(key.data, key.len);
}

/* ---- pairs ---- */

static bool are_pair(const struct dit_entry_view *a, const struct dit_entry_view *b)
{
	return (a->name_error < 0) == (b->name_error < 0) &&
	       dit_span_eq(key_of(a), key_of(b));
}

/* The first's entry at hand: 1: the view of the second is its pair; 0: none; error */
static int seek_pair(struct dit_compare *c)
{
	struct dit_compare_side *second = &c->sides[1];
	struct dit_compare_entry *first = &c->sides[0].entries[c->sides[0].nentries - 1];
	uint64_t hash = hash_of(&c->sides[0].view);

	for (size_t i =
	             dit_first_id(c->hashes, second->nentries, sizeof(*c->hashes), hash);
	     i < second->nentries && c->hashes[i].hash == hash; i++) {
		struct dit_compare_entry *entry = &second->entries[c->hashes[i].number];
		int r = dit_entry_reader_seek(second->reader, entry->id, &second->view);

		if (r < 0) {
			return r;
		}
		if (r > 0 && second->view.id == entry->id && entry->other == NOBODY &&
		    are_pair(&c->sides[0].view, &second->view)) {
			entry->other = first->id;
			first->other = entry->id;
			c->npairs++;
			return 1;
		}
	}
	return 0;
}

/* A dit_pairs.seek. All pairs are known when the second side is read. */
static int seek_entry(void *ctx, const void *other)
{
	const struct dit_compare_side *from = other;
	struct dit_compare_side *side = ctx;
	struct dit_compare *c = side->compare;

	return side == &c->sides[1]
	               ? seek_pair(c)
	               : dit_compare_number(c, 1, from->view.id) != DIT_COMPARE_ALONE;
}

static int read_second(struct dit_compare *c)
{
	struct dit_compare_side *second = &c->sides[1];
	size_t size = 0;
	int r = 0;

	while ((r = next_entry(second)) > 0) {
		size_t number = second->nentries - 1;

		if (DIT_GROW(c->hashes, size, number + 1) < 0) {
			return -ENOMEM;
		}
		c->hashes[number] =
			(struct dit_compare_hash){hash_of(&second->view), number};
	}
	if (r == 0 && second->nentries > 0) {
		qsort(c->hashes, second->nentries, sizeof(*c->hashes),
		      dit_compare_id_pairs);
	}
	c->is_told = calloc(second->nentries + 1, sizeof(*c->is_told));
	return r == 0 && c->is_told == NULL ? -ENOMEM : r;
}

int dit_compare_pairs_begin(struct dit_compare *c, struct dit_pairs *ret)
{
	*ret = (struct dit_pairs){.next = next_entry,
	                          .seek = seek_entry,
	                          .sides = {&c->sides[0], &c->sides[1]}};
	c->are_paired = true;
	return read_second(c);
}

size_t dit_compare_number(const struct dit_compare *c, int side, uint64_t id)
{
	const struct dit_compare_entry *entry = find_id(&c->sides[side], id);

	if (entry == NULL || entry->other == NOBODY) {
		return entry == NULL ? DIT_COMPARE_NOBODY : DIT_COMPARE_ALONE;
	}
	entry = side == 1 ? entry : find_id(&c->sides[1], entry->other);
	return (size_t)(entry - c->sides[1].entries);
}
