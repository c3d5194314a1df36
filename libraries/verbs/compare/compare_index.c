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

#include "base/ids.h"

/* In place of the number of a pair: the ID that follows has no entry. */
#define STALE ((uint64_t)1 << 63)

/* What an index has on one side and not on the other. */
struct dit_compare_lists {
	struct dit_compare *c;
	bool *has_more[2]; /* by number of the pair */
	uint64_t nmore;
	uint64_t nstale[2];
	uint64_t stale[2];     /* one of them */
	uint64_t widest[2][2]; /* lowest and highest ID of all ranges of a side */
};

/* ---- lists ---- */

/* They become numbers of pairs; those of entries alone are left out. */
static void map(const struct dit_compare *c, struct dit_compare_records *records)
{
	uint64_t *ids = records->ids;
	bool is_sorted = true;
	size_t n = 0;

	for (size_t i = 0; i < records->nids; i++) {
		size_t number = dit_entry_pairs_number(c->pairs, records->side, ids[i]);

		if (number != DIT_PAIR_ALONE) {
			ids[n] = number == DIT_PAIR_NONE ? STALE | ids[i] : number;
			is_sorted = is_sorted && (n == 0 || ids[n - 1] < ids[n]);
			n++;
		}
	}
	records->nids = n;
	if (!is_sorted) {
		qsort(ids, n, sizeof(*ids), dit_compare_ids);
	}
}

static void note(struct dit_compare_lists *lists, int side, uint64_t number)
{
	lists->nmore++;
	if ((number & STALE) == 0) {
		lists->has_more[side][number] = true;
	} else {
		lists->nstale[side]++;
		lists->stale[side] = number & ~STALE;
	}
}

static bool is_within(const struct dit_compare *c, uint64_t number,
                      const struct dit_compare_records *range)
{
	uint64_t id = dit_entry_pairs_id(c->pairs, number, range->side);

	return id >= range->ids[1] && id <= range->ids[2];
}

static void note_outside(struct dit_compare_lists *lists,
                         const struct dit_compare_records *list,
                         const struct dit_compare_records *range)
{
	for (size_t i = 0; i < list->nids; i++) {
		if ((list->ids[i] & STALE) == 0 &&
		    !is_within(lists->c, list->ids[i], range)) {
			note(lists, list->side, list->ids[i]);
		}
	}
}

void dit_compare_lists_note(struct dit_compare_lists *lists,
                            struct dit_compare_records *a, struct dit_compare_records *b)
{
	struct dit_compare_records *sides[2] = {a, b};
	bool are_ranges[2] = {false, false};
	size_t at[2] = {0, 0};

	for (int i = 0; i < 2; i++) {
		are_ranges[i] = sides[i] != NULL && dit_compare_is_range(sides[i]);
		if (sides[i] != NULL && !are_ranges[i]) {
			map(lists->c, sides[i]);
		}
	}
	if (are_ranges[0] || are_ranges[1]) {
		if (a != NULL && b != NULL && are_ranges[0] != are_ranges[1]) {
			note_outside(lists, sides[are_ranges[0]], sides[are_ranges[1]]);
		}
		return;
	}
	while ((a != NULL && at[0] < a->nids) || (b != NULL && at[1] < b->nids)) {
		bool has_a = a != NULL && at[0] < a->nids;
		bool has_b = b != NULL && at[1] < b->nids;
		int order = !has_a   ? 1
		            : !has_b ? -1
		                     : dit_compare_ids(&a->ids[at[0]], &b->ids[at[1]]);

		if (order != 0) {
			note(lists, order > 0, sides[order > 0]->ids[at[order > 0]]);
		}
		at[0] += order <= 0;
		at[1] += order >= 0;
	}
}

/* ---- hashes of two lengths ---- */

static const struct dit_span presence = {"\0\0\0\0", 4};

/* Which entries of one side have any key. */
static int read_any(struct dit_compare_lists *lists, const struct dit_compare_pair *pair,
                    int side)
{
	struct dit_compare_records list = {.cursor = NULL};
	int r = dit_compare_records_open(&list, lists->c, pair, side);

	while (r == 0 && (r = dit_compare_records_next(&list)) > 0) {
		r = dit_compare_step(lists->c, side == 0 ? list.nids : 0);
		if (dit_compare_is_range(&list)) {
			uint64_t *widest = lists->widest[side];

			widest[0] = list.ids[1] < widest[0] ? list.ids[1] : widest[0];
			widest[1] = list.ids[2] > widest[1] ? list.ids[2] : widest[1];
			continue;
		}
		map(lists->c, &list);
		for (size_t i = 0; i < list.nids && (list.ids[i] & STALE) == 0; i++) {
			lists->has_more[side][list.ids[i]] = true;
		}
	}
	dit_compare_records_close(&list);
	return r;
}

static bool is_in_range(const struct dit_compare_lists *lists, size_t number, int side)
{
	uint64_t id = dit_entry_pairs_id(lists->c->pairs, number, side);

	return id >= lists->widest[side][0] && id <= lists->widest[side][1];
}

/* The key that all formats share. A database may have none. */
static int compare_presence(struct dit_compare_lists *lists,
                            const struct dit_compare_pair *pair)
{
	struct dit_compare_records both[2] = {{.cursor = NULL}, {.cursor = NULL}};
	int found[2] = {0, 0};
	int r = 0;

	for (int i = 0; i < 2 && r >= 0; i++) {
		r = dit_compare_records_open(&both[i], lists->c, pair, i);
		if (r == 0) {
			r = found[i] = dit_compare_records_seek(&both[i], presence);
		}
	}
	if (r >= 0) {
		dit_compare_lists_note(lists, found[0] > 0 ? &both[0] : NULL,
		                       found[1] > 0 ? &both[1] : NULL);
	}
	dit_compare_records_close(&both[0]);
	dit_compare_records_close(&both[1]);
	return r < 0 ? r : 0;
}

static int compare_hashed(struct dit_compare_lists *lists,
                          const struct dit_compare_pair *pair)
{
	bool **has = lists->has_more;
	int r = 0;

	for (int side = 0; side < 2 && r == 0; side++) {
		memset(has[side], 0, dit_entry_pairs_end(lists->c->pairs));
		lists->nstale[side] = 0;
		lists->widest[side][0] = UINT64_MAX;
		r = read_any(lists, pair, side);
	}
	for (size_t i = 0; i < dit_entry_pairs_end(lists->c->pairs) && r == 0; i++) {
		if (has[0][i] == has[1][i] || is_in_range(lists, i, 0) ||
		    is_in_range(lists, i, 1)) {
			has[0][i] = has[1][i] = false;
		}
	}
	return r == 0 ? compare_presence(lists, pair) : r;
}

/* 1: it has keys of 8 bytes, as hashes of 64 bits; 0; error */
static int has_long_keys(struct dit_compare *c, const struct dit_compare_pair *pair,
                         int side)
{
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span value;
	struct dit_span key;
	int r = dit_snapshot_cursor_open(&cursor, c->sides[side].snapshot, 0,
	                                 pair->names[side]);

	while (r == 0 && (r = dit_tree_cursor_next_key(cursor, &key, &value)) > 0) {
		if (key.len == 8) {
			break;
		}
		r = 0;
	}
	dit_tree_cursor_close(cursor);
	return r;
}

/* ---- differences ---- */

static int say_pair(struct dit_compare_lists *lists, size_t number)
{
	struct dit_compare *c = lists->c;
	struct dit_entry_view entry;
	int r = 0;

	dit_compare_line_begin(c);
	if (c->line == NULL) {
		return 0;
	}
	r = dit_entry_reader_seek(c->sides[1].reader,
	                          dit_entry_pairs_id(c->pairs, number, 1), &entry);
	if (r > 0) {
		dit_compare_put_entry(c, &entry);
	}
	dit_compare_put(c, ", %s",
	                !lists->has_more[1][number]   ? "keys only in the first"
	                : !lists->has_more[0][number] ? "keys only in the second"
	                                              : "other keys");
	dit_compare_line_end(c);
	return r < 0 ? r : 0;
}

static int say_lists(struct dit_compare_lists *lists)
{
	int r = 0;

	for (size_t i = 0; i < dit_entry_pairs_end(lists->c->pairs) && r == 0; i++) {
		if ((lists->has_more[0][i] || lists->has_more[1][i]) &&
		    !dit_entry_pairs_is_marked(lists->c->pairs, i)) {
			r = say_pair(lists, i);
		}
	}
	for (int side = 0; side < 2; side++) {
		if (lists->nstale[side] > 0) {
			dit_compare_say(lists->c,
			                "%" PRIu64 " IDs without an entry, as %" PRIu64
			                ", only in the %s",
			                lists->nstale[side], lists->stale[side],
			                side == 0 ? "first" : "second");
		}
	}
	return r;
}

/* ---- an index ---- */

/* Only where something differs: is it the length of the hashes? */
static int compare_lists(struct dit_compare_lists *lists, struct dit_compare_pair *pair)
{
	struct dit_compare *c = lists->c;
	int are_long[2] = {0, 0};
	int r = 0;

	pair->lists = lists;
	r = dit_compare_pair(c, pair);
	for (int side = 0; side < 2 && r == 0 && lists->nmore > 0; side++) {
		are_long[side] = has_long_keys(c, pair, side);
		r = are_long[side] < 0 ? are_long[side] : 0;
	}
	if (r == 0 && are_long[0] != are_long[1]) {
		r = compare_hashed(lists, pair);
	}
	return r < 0 ? r : say_lists(lists);
}

int dit_compare_index(struct dit_compare *c, struct dit_compare_pair *pair)
{
	struct dit_compare_lists lists = {.c = c};
	int r = 0;

	for (int side = 0; side < 2; side++) {
		lists.has_more[side] =
			calloc(dit_entry_pairs_end(c->pairs) + 1, sizeof(bool));
	}
	r = lists.has_more[0] == NULL || lists.has_more[1] == NULL
	            ? -ENOMEM
	            : compare_lists(&lists, pair);
	free(lists.has_more[0]);
	free(lists.has_more[1]);
	return r;
}
