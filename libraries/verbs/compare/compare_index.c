/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An index of two databases whose entries are pairs: IDs become numbers of pairs, and a
 * pair must be under the same keys on both sides. It is told by its DN, once:
 *
 *   cn: "cn=a,dc=x", keys only in the first
 *
 * Entries that differ, or that one side alone has, are told with the entries, and not
 * again here. IDs that no entry has are counted.
 *
 *   ranges   A range is wider than its entries when some were deleted, and the other side
 *            has a list where few are left, or nothing where none is. So a range is right
 *            if it has all entries of the other side's list.
 *   hashes   of 4 and of 8 bytes have nothing in common. Then the lists of presence are
 *            compared, and which entries have any key at all. ditcheck of each database
 *            compares the keys with the entries.
 */
#include "compare/compare_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* In place of the number of a pair: the ID that follows has no entry. */
#define STALE ((uint64_t)1 << 63)

/* By number of a pair, shifted by the side. */
#define HAS_MORE     1u  /* it has a key that the other side does not have */
#define HAS_ANY      4u  /* it has a key */
#define HAS_PRESENCE 16u /* as HAS_MORE, of the key of presence */

/* IDs without an entry, on one side alone. */
struct stale {
	uint64_t n;
	uint64_t id; /* one of them */
};

/* The findings in an index. */
struct index {
	struct dit_compare *c;
	unsigned char *found; /* by number of the pair */
	bool is_presence;     /* the key at hand is that of presence */
	bool has_long[2];     /* keys of 8 bytes, as hashes of 64 bits */
	uint64_t nmore;
	struct stale stale[2][2]; /* under any key; under that of presence. By side */
	uint64_t widest[2][2];    /* lowest and highest ID of all ranges of a side */
};

static const struct dit_span presence = {"\0\0\0\0", 4};

/* ---- lists ---- */

/* They become numbers of pairs; those of entries alone are left out. */
static void map(const struct index *index, struct dit_compare_records *records, int side)
{
	uint64_t *ids = records->ids;
	bool is_sorted = true;
	size_t n = 0;

	for (size_t i = 0; i < records->nids; i++) {
		size_t number = dit_compare_number(index->c, side, ids[i]);

		if (number < DIT_COMPARE_ALONE) {
			index->found[number] |= HAS_ANY << side;
		}
		if (number != DIT_COMPARE_ALONE) {
			ids[n] = number == DIT_COMPARE_NOBODY ? STALE | ids[i] : number;
			is_sorted = is_sorted && (n == 0 || ids[n - 1] < ids[n]);
			n++;
		}
	}
	records->nids = n;
	if (!is_sorted) {
		qsort(ids, n, sizeof(*ids), dit_compare_ids);
	}
}

static uint64_t id_of(const struct index *index, size_t number, int side)
{
	const struct dit_compare_entry *entry = &index->c->sides[1].entries[number];

	return side == 0 ? entry->other : entry->id;
}

static void note(struct index *index, int side, uint64_t number)
{
	index->nmore++;
	if ((number & STALE) == 0) {
		index->found[number] |= (index->is_presence ? HAS_PRESENCE : HAS_MORE)
		                        << side;
		return;
	}
	for (int i = 0; i <= index->is_presence; i++) {
		index->stale[i][side].n++;
		index->stale[i][side].id = number & ~STALE;
	}
}

static void note_range(struct index *index, const struct dit_compare_records *records,
                       int side)
{
	uint64_t *widest = index->widest[side];
	const uint64_t *ids = records->ids;

	widest[0] = ids[1] < widest[0] ? ids[1] : widest[0];
	widest[1] = ids[2] > widest[1] ? ids[2] : widest[1];
}

/* @param range  the side that has one */
static void note_outside(struct index *index, const struct dit_compare_records sides[2],
                         int range)
{
	const struct dit_compare_records *list = &sides[1 - range];

	for (size_t i = 0; i < list->nids && (list->ids[i] & STALE) == 0; i++) {
		uint64_t id = id_of(index, list->ids[i], range);

		if (id < sides[range].ids[1] || id > sides[range].ids[2]) {
			note(index, 1 - range, list->ids[i]);
		}
	}
}

/* @param which  the sides that have a list; not a range */
static void note_lists(struct index *index, int which,
                       const struct dit_compare_records sides[2])
{
	size_t n[2] = {sides[0].nids, sides[1].nids};

	if (which == DIT_PAIR_BOTH && n[0] == n[1] &&
	    memcmp(sides[0].ids, sides[1].ids, n[0] * sizeof(uint64_t)) == 0) {
		return;
	}
	if (which == DIT_PAIR_BOTH) {
		dit_pairs_subtract((void *const[]){sides[0].ids, sides[1].ids}, n,
		                   sizeof(uint64_t), dit_compare_ids);
	}
	for (int i = 0; i < 2; i++) {
		for (size_t k = 0; k < n[i] && (which & DIT_PAIR_FIRST << i) != 0; k++) {
			note(index, i, sides[i].ids[k]);
		}
	}
}

/* A dit_compare_records_fn. */
static void take_lists(void *ctx, int which, struct dit_compare_records sides[2])
{
	struct index *index = ctx;
	bool are_ranges[2] = {false, false};

	for (int i = 0; i < 2; i++) {
		if ((which & DIT_PAIR_FIRST << i) != 0) {
			index->has_long[i] = index->has_long[i] || sides[i].key.len == 8;
			index->is_presence = dit_span_eq(sides[i].key, presence);
			are_ranges[i] = dit_compare_is_range(&sides[i]);
			if (are_ranges[i]) {
				note_range(index, &sides[i], i);
			} else {
				map(index, &sides[i], i);
			}
		}
	}
	if (!are_ranges[0] && !are_ranges[1]) {
		note_lists(index, which, sides);
	} else if (which == DIT_PAIR_BOTH && are_ranges[0] != are_ranges[1]) {
		note_outside(index, sides, are_ranges[1]);
	}
}

/* ---- hashes of two lengths ---- */

static bool is_in_range(const struct index *index, size_t number, int side)
{
	uint64_t id = id_of(index, number, side);

	return id >= index->widest[side][0] && id <= index->widest[side][1];
}

/* HAS_MORE of what can be compared is left: the key of presence is all that hashes of two
 * lengths share. */
static void settle(struct index *index, bool is_hashed)
{
	for (size_t i = 0; i < index->c->sides[1].nentries; i++) {
		unsigned found = index->found[i];
		unsigned more = found / HAS_PRESENCE | (is_hashed ? 0 : found);
		bool has_first = (found & HAS_ANY) != 0;
		bool has_second = (found & HAS_ANY << 1) != 0;

		if (is_hashed && has_first != has_second && !is_in_range(index, i, 0) &&
		    !is_in_range(index, i, 1)) {
			more |= HAS_MORE << has_second;
		}
		index->found[i] = more & (HAS_MORE | HAS_MORE << 1);
	}
	if (is_hashed) {
		memcpy(index->stale[0], index->stale[1], sizeof(index->stale[0]));
	}
}

/* ---- differences ---- */

static int say_pair(struct index *index, size_t number)
{
	struct dit_compare *c = index->c;
	bool has_first = (index->found[number] & HAS_MORE) != 0;
	bool has_second = (index->found[number] & HAS_MORE << 1) != 0;
	struct dit_entry_view entry;
	int r = 0;

	dit_compare_line_begin(c);
	if (c->line == NULL) {
		return 0;
	}
	r = dit_entry_reader_seek(c->sides[1].reader, id_of(index, number, 1), &entry);
	if (r > 0) {
		dit_compare_put_entry(c, &entry);
	}
	dit_compare_put(c, ", %s",
	                !has_second  ? "keys only in the first"
	                : !has_first ? "keys only in the second"
	                             : "other keys");
	dit_compare_line_end(c);
	return r < 0 ? r : 0;
}

static int say_all(struct index *index)
{
	int r = 0;

	for (size_t i = 0; i < index->c->sides[1].nentries && r == 0; i++) {
		if (index->found[i] != 0 && !index->c->is_told[i]) {
			r = say_pair(index, i);
		}
	}
	for (int side = 0; side < 2; side++) {
		const struct stale *stale = &index->stale[0][side];

		if (stale->n > 0) {
			dit_compare_say(index->c,
			                "%" PRIu64 " IDs without an entry, as %" PRIu64
			                ", only in the %s",
			                stale->n, stale->id,
			                side == 0 ? "first" : "second");
		}
	}
	return r;
}

int dit_compare_index(struct dit_compare *c, const struct dit_stored_db *const dbs[2])
{
	struct index index = {.c = c,
	                      .found = calloc(c->sides[1].nentries + 1, 1),
	                      .widest = {{UINT64_MAX}, {UINT64_MAX}}};
	int r = index.found == NULL ? -ENOMEM
	                            : dit_compare_each(c, dbs, take_lists, &index);

	if (r == 0) {
		settle(&index, index.nmore > 0 && index.has_long[0] != index.has_long[1]);
		r = say_all(&index);
	}
	free(index.found);
	return r;
}
