/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs of entries, by DN:
 *
 *   second   all entries: hash of the normal DN, number; sorted by hash
 *   first    entry by entry: its pair is sought by hash, then by DN
 *   second   those without a pair
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

#define NOBODY UINT64_MAX

/* An entry of the second side. */
struct dit_compare_hash {
	uint64_t hash;   /* the first field: dit_first_id() */
	uint64_t number; /* in its entries; the second: dit_compare_id_pairs() */
};

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

static bool are_pair(const struct dit_entry_view *a, const struct dit_entry_view *b)
{
	return (a->name_error < 0) == (b->name_error < 0) &&
	       dit_span_eq(key_of(a), key_of(b));
}

/* ---- entries ---- */

/* All entries of a side that are no holes are written down, and taken from its view. */
static int each_entry(struct dit_compare *c, int number,
                      int (*take)(struct dit_compare *c))
{
	struct dit_compare_side *side = &c->sides[number];
	int r = dit_entry_reader_seek(side->reader, 0, &side->view);

	while (r > 0) {
		r = dit_compare_step(c, number == 0);
		if (r == 0 && !side->view.is_hole) {
			r = DIT_APPEND(side->entries, side->entries_size, side->nentries,
			               (struct dit_compare_entry){side->view.id, NOBODY});
			r = r ?: take(c);
		}
		r = r < 0 ? r : dit_entry_reader_next(side->reader, &side->view);
	}
	return r;
}

/* The entry in the view of the second side gets a hash. */
static int hash_entry(struct dit_compare *c)
{
	size_t number = c->sides[1].nentries - 1;

	if (DIT_GROW(c->hashes, c->hashes_size, number + 1) < 0) {
		return -ENOMEM;
	}
	c->hashes[number] = (struct dit_compare_hash){hash_of(&c->sides[1].view), number};
	return 0;
}

/* The number of the entry that is the pair of the first's, and in the view of the second.
 * 1; 0: there is none; error */
static int find_pair(struct dit_compare *c, uint64_t *ret)
{
	struct dit_compare_side *second = &c->sides[1];
	uint64_t hash = hash_of(&c->sides[0].view);

	for (size_t i =
	             dit_first_id(c->hashes, second->nentries, sizeof(*c->hashes), hash);
	     i < second->nentries && c->hashes[i].hash == hash; i++) {
		const struct dit_compare_entry *entry =
			&second->entries[c->hashes[i].number];
		int r = dit_entry_reader_seek(second->reader, entry->id, &second->view);

		*ret = c->hashes[i].number;
		if (r < 0) {
			return r;
		}
		if (r > 0 && second->view.id == entry->id && entry->other == NOBODY &&
		    are_pair(&c->sides[0].view, &second->view)) {
			return 1;
		}
	}
	return 0;
}

/* The entry in the view of the first side is compared with its pair. */
static int pair_entry(struct dit_compare *c)
{
	struct dit_compare_entry *first = &c->sides[0].entries[c->sides[0].nentries - 1];
	uint64_t before = c->ndb;
	uint64_t number = 0;
	int r = find_pair(c, &number);

	if (r < 0) {
		return r;
	}
	dit_compare_views(c, r > 0 ? DIT_PAIR_BOTH : DIT_PAIR_FIRST);
	if (r > 0) {
		first->other = c->sides[1].entries[number].id;
		c->sides[1].entries[number].other = first->id;
		c->is_told[number] = c->ndb > before;
	}
	return c->error;
}

/* Those of the second side that are alone. */
static int say_alone(struct dit_compare *c)
{
	struct dit_compare_side *second = &c->sides[1];
	int r = 0;

	for (size_t i = 0; i < second->nentries && r >= 0; i++) {
		const struct dit_compare_entry *entry = &second->entries[i];

		if (entry->other == NOBODY) {
			r = dit_entry_reader_seek(second->reader, entry->id,
			                          &second->view);
			if (r > 0) {
				dit_compare_views(c, DIT_PAIR_SECOND);
				r = dit_compare_step(c, 0);
			}
		}
	}
	return r;
}

int dit_compare_entries(struct dit_compare *c)
{
	int r = 0;

	c->db = "id2e";
	c->are_paired = true;
	r = each_entry(c, 1, hash_entry);
	if (r == 0) {
		dit_sort_items(c->hashes, c->sides[1].nentries, sizeof(*c->hashes),
		               dit_compare_id_pairs);
		c->is_told = calloc(c->sides[1].nentries + 1, sizeof(*c->is_told));
		r = c->is_told == NULL ? -ENOMEM : each_entry(c, 0, pair_entry);
	}
	return dit_compare_db_end(c, r ?: say_alone(c));
}

/* ---- their numbers ---- */

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

size_t dit_compare_number(const struct dit_compare *c, int side, uint64_t id)
{
	const struct dit_compare_entry *entry = find_id(&c->sides[side], id);

	if (entry == NULL || entry->other == NOBODY) {
		return entry == NULL ? DIT_COMPARE_NOBODY : DIT_COMPARE_ALONE;
	}
	entry = side == 1 ? entry : find_id(&c->sides[1], entry->other);
	return (size_t)(entry - c->sides[1].entries);
}
