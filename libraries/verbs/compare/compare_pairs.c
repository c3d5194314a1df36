/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs, by DN:
 *
 *   second   all entries: hash of the normal DN, ID; sorted by hash
 *   first    entry by entry: its twin is sought by hash, then by DN
 *   second   all entries again, now sorted by ID: those without a twin
 */
#include "compare/compare_pairs.h"

#include <errno.h>
#include <stdlib.h>

#include <xxhash.h>

#include "base/grow.h"
#include "base/ids.h"

/* An entry of the second database. */
struct twin {
	uint64_t second;
	uint64_t first; /* NOBODY: none has its DN */
	uint64_t hash;
	bool is_marked;
};

/* One of the first. */
struct first {
	uint64_t first;
	uint64_t second; /* NOBODY */
};

#define NOBODY UINT64_MAX

struct dit_entry_pairs {
	struct dit_entry_reader *readers[2];
	dit_entry_pairs_step_fn step;
	void *ctx;
	struct dit_entry_view views[2];
	bool has_begun[2]; /* to read this side */

	struct twin *twins; /* by hash; after the last of the first by `second` */
	size_t ntwins;
	size_t twins_size;
	size_t nfound;
	struct twin *last; /* that was found */
	struct first *firsts;
	size_t nfirsts;
	size_t firsts_size;
	bool is_sorted; /* twins, by `second` */
};

/* ---- what makes a pair ---- */

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

static bool are_twins(const struct dit_entry_view *a, const struct dit_entry_view *b)
{
	return (a->name_error < 0) == (b->name_error < 0) &&
	       dit_span_eq(key_of(a), key_of(b));
}

static int compare_hashes(const void *a, const void *b)
{
	const struct twin *x = a;
	const struct twin *y = b;

	return x->hash != y->hash ? (x->hash > y->hash ? 1 : -1)
	                          : (x->second > y->second) - (x->second < y->second);
}

static void sort(struct dit_entry_pairs *pairs, int (*order)(const void *, const void *))
{
	if (pairs->ntwins > 0) {
		qsort(pairs->twins, pairs->ntwins, sizeof(*pairs->twins), order);
	}
}

/* ---- reading ---- */

/* 1: the next entry that is no hole is in the view; 0: there is none; an error */
static int read_next(struct dit_entry_pairs *pairs, int side)
{
	struct dit_entry_reader *reader = pairs->readers[side];
	struct dit_entry_view *view = &pairs->views[side];
	int r = 0;

	do {
		r = pairs->has_begun[side] ? dit_entry_reader_next(reader, view)
		                           : dit_entry_reader_seek(reader, 0, view);
		pairs->has_begun[side] = true;
		if (r > 0) {
			int stepped = pairs->step(pairs->ctx, side);

			r = stepped < 0 ? stepped : r;
		}
	} while (r > 0 && view->is_hole);
	return r;
}

static int read_twins(struct dit_entry_pairs *pairs)
{
	int r = 0;

	while ((r = read_next(pairs, 1)) > 0) {
		if (DIT_GROW(pairs->twins, pairs->twins_size, pairs->ntwins + 1) < 0) {
			return -ENOMEM;
		}
		pairs->twins[pairs->ntwins++] =
			(struct twin){.second = pairs->views[1].id,
		                      .first = NOBODY,
		                      .hash = hash_of(&pairs->views[1])};
	}
	sort(pairs, compare_hashes);
	return r;
}

int dit_entry_pairs_new(struct dit_entry_pairs **ret,
                        struct dit_entry_reader *const readers[2],
                        dit_entry_pairs_step_fn step, void *ctx)
{
	struct dit_entry_pairs *pairs = calloc(1, sizeof(*pairs));
	int r = -ENOMEM;

	if (pairs != NULL) {
		memcpy(pairs->readers, readers, sizeof(pairs->readers));
		pairs->step = step;
		pairs->ctx = ctx;
		r = read_twins(pairs);
	}
	if (r < 0) {
		dit_entry_pairs_free(pairs);
		return r;
	}
	*ret = pairs;
	return 0;
}

void dit_entry_pairs_free(struct dit_entry_pairs *pairs)
{
	if (pairs != NULL) {
		free(pairs->twins);
		free(pairs->firsts);
		free(pairs);
	}
}

/* ---- pairs ---- */

/* The first of equal hashes, or above. */
static size_t find_hash(const struct dit_entry_pairs *pairs, uint64_t hash)
{
	size_t from = 0;
	size_t end = pairs->ntwins;

	while (from < end) {
		size_t middle = from + (end - from) / 2;

		if (pairs->twins[middle].hash < hash) {
			from = middle + 1;
		} else {
			end = middle;
		}
	}
	return from;
}

/* 1: last is the twin of the entry that is read, views[1] shows it; 0: none; an error */
static int find_twin(struct dit_entry_pairs *pairs)
{
	const struct dit_entry_view *first = &pairs->views[0];
	struct dit_entry_view *second = &pairs->views[1];
	uint64_t hash = hash_of(first);

	pairs->last = NULL;
	for (size_t i = find_hash(pairs, hash);
	     i < pairs->ntwins && pairs->twins[i].hash == hash; i++) {
		struct twin *twin = &pairs->twins[i];
		int r = dit_entry_reader_seek(pairs->readers[1], twin->second, second);

		if (r < 0) {
			return r;
		}
		if (r > 0 && second->id == twin->second && twin->first == NOBODY &&
		    are_twins(first, second)) {
			twin->first = first->id;
			pairs->nfound++;
			pairs->last = twin;
			return 1;
		}
	}
	return 0;
}

static int take_first(struct dit_entry_pairs *pairs, const struct dit_entry_view *ret[2])
{
	int r = find_twin(pairs);

	if (r < 0) {
		return r;
	}
	if (DIT_GROW(pairs->firsts, pairs->firsts_size, pairs->nfirsts + 1) < 0) {
		return -ENOMEM;
	}
	pairs->firsts[pairs->nfirsts++] =
		(struct first){.first = pairs->views[0].id,
	                       .second = r > 0 ? pairs->last->second : NOBODY};
	ret[0] = &pairs->views[0];
	ret[1] = r > 0 ? &pairs->views[1] : NULL;
	return 1;
}

static void end_first(struct dit_entry_pairs *pairs)
{
	sort(pairs, dit_compare_ids);
	pairs->is_sorted = true;
	pairs->has_begun[1] = false;
	pairs->last = NULL;
}

int dit_entry_pairs_next(struct dit_entry_pairs *pairs,
                         const struct dit_entry_view *ret[2])
{
	int r = 0;

	if (!pairs->is_sorted) {
		r = read_next(pairs, 0);
		if (r > 0) {
			return take_first(pairs, ret);
		}
		end_first(pairs);
	}
	while (r == 0 && pairs->nfound < pairs->ntwins && (r = read_next(pairs, 1)) > 0) {
		size_t number = dit_entry_pairs_number(pairs, 1, pairs->views[1].id);

		if (number == DIT_PAIR_ALONE) {
			ret[0] = NULL;
			ret[1] = &pairs->views[1];
			return 1;
		}
		r = 0;
	}
	return r;
}

void dit_entry_pairs_mark(struct dit_entry_pairs *pairs)
{
	if (pairs->last != NULL) {
		pairs->last->is_marked = true;
	}
}

/* ---- numbers ---- */

/*
 * The struct that begins with an ID, in a list of them. IDs are dense most often: then
 * the place is known.
 */
static const void *find(const void *list, size_t n, size_t size, uint64_t id)
{
	uint64_t lowest = 0;

	if (n > 0) {
		memcpy(&lowest, list, sizeof(lowest));
	}
	if (id >= lowest && id - lowest < n) {
		const char *at = (const char *)list + (id - lowest) * size;

		if (memcmp(at, &id, sizeof(id)) == 0) {
			return at;
		}
	}
	return n == 0 ? NULL : bsearch(&id, list, n, size, dit_compare_ids);
}

size_t dit_entry_pairs_number(const struct dit_entry_pairs *pairs, int side, uint64_t id)
{
	const struct twin *twin = NULL;

	if (side == 0) {
		const struct first *first =
			find(pairs->firsts, pairs->nfirsts, sizeof(*first), id);

		if (first == NULL || first->second == NOBODY) {
			return first == NULL ? DIT_PAIR_NONE : DIT_PAIR_ALONE;
		}
		id = first->second;
	}
	twin = find(pairs->twins, pairs->ntwins, sizeof(*twin), id);
	return twin == NULL            ? DIT_PAIR_NONE
	       : twin->first == NOBODY ? DIT_PAIR_ALONE
	                               : (size_t)(twin - pairs->twins);
}

size_t dit_entry_pairs_end(const struct dit_entry_pairs *pairs)
{
	return pairs->ntwins;
}

uint64_t dit_entry_pairs_id(const struct dit_entry_pairs *pairs, size_t number, int side)
{
	return side == 0 ? pairs->twins[number].first : pairs->twins[number].second;
}

bool dit_entry_pairs_is_marked(const struct dit_entry_pairs *pairs, size_t number)
{
	return pairs->twins[number].is_marked;
}
