/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records of two databases. In an index database a key with all its IDs is one
 * record; where entries are pairs, compare_index.c compares the IDs.
 *
 * Both sides are read in stored order, and only pairs of equal records are passed over in
 * silence. So any difference in content or in order is found, whatever the order that
 * the merge assumes; the order only decides which side goes on alone, and with that how
 * readable the report is:
 *
 *   first    a b d        b and d are passed over together; a is "only in the first",
 *   second     b c d      c is "only in the second"
 *
 * Where a key has one value (ad2i, id2e) two values under one key are compared with each
 * other; where it has many (dn2i, id2v), key and value together are the record.
 *
 * With integer keys on one side only, each key of the first is looked up in the second;
 * then those of the second that the first lacks are looked for in the same way.
 */
#include "compare/compare_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "reader/stored_order.h"

/* IDs shown of each list, from the first difference on. */
#define SHOWN_IDS 8

/* ---- one side ---- */

int dit_compare_records_open(struct dit_compare_records *records, struct dit_compare *c,
                             const struct dit_compare_pair *pair, int side)
{
	dit_tree_cursor_close(records->cursor);
	records->cursor = NULL;
	records->is_index = pair->is_index;
	records->lists = pair->lists;
	records->side = side;
	return dit_snapshot_cursor_open(&records->cursor, c->sides[side].snapshot, 0,
	                                pair->names[side]);
}

void dit_compare_records_close(struct dit_compare_records *records)
{
	dit_tree_cursor_close(records->cursor);
	free(records->ids);
}

/* All IDs of a key. @param ids  the first of them */
static int take_ids(struct dit_compare_records *records, struct dit_span ids)
{
	int r = 1;

	records->nids = 0;
	while (r > 0) {
		size_t n = ids.len / sizeof(uint64_t);

		if (n == 0 || ids.len % sizeof(uint64_t) != 0) {
			return DIT_E_CORRUPT;
		}
		if (DIT_GROW(records->ids, records->ids_size, records->nids + n) < 0) {
			return -ENOMEM;
		}
		memcpy(records->ids + records->nids, ids.data, ids.len);
		records->nids += n;
		r = dit_tree_cursor_more_items(records->cursor, &ids);
	}
	return r < 0 ? r : 1;
}

int dit_compare_records_next(struct dit_compare_records *records)
{
	struct dit_span ids;

	if (records->is_index) {
		records->state =
			dit_tree_cursor_next_list(records->cursor, &records->key, &ids);
		if (records->state > 0) {
			records->state = take_ids(records, ids);
		}
	} else {
		records->state = dit_tree_cursor_next(records->cursor, &records->key,
		                                      &records->value);
	}
	return records->state;
}

int dit_compare_records_seek(struct dit_compare_records *records, struct dit_span key)
{
	struct dit_span ids;
	int r = dit_tree_cursor_find_list(records->cursor, key, &records->key, &ids);

	return r > 0 ? take_ids(records, ids) : r;
}

/* ---- differences ---- */

/* How many there are, and some from the first difference on. */
static void put_ids(struct dit_compare *c, const struct dit_compare_records *records,
                    size_t from)
{
	const uint64_t *ids = records->ids;

	if (dit_compare_is_range(records)) {
		dit_compare_put(c, "range %" PRIu64 "..%" PRIu64, ids[1], ids[2]);
		return;
	}
	dit_compare_put(c, "%zu IDs:", records->nids);
	if (from > 0) {
		dit_compare_put(c, " ...");
	}
	for (size_t i = from; i < records->nids && i < from + SHOWN_IDS; i++) {
		dit_compare_put(c, " %" PRIu64, ids[i]);
	}
	if (records->nids > from + SHOWN_IDS) {
		dit_compare_put(c, " ...");
	}
}

/* @param from  the first ID that is shown */
static void put_record(struct dit_compare *c, const struct dit_compare_records *records,
                       size_t from)
{
	if (records->is_index) {
		put_ids(c, records, from);
	} else {
		dit_compare_put_value(c, c->db, records->value);
	}
}

static void say_only(struct dit_compare *c, struct dit_compare_records *records,
                     bool is_second)
{
	if (records->lists != NULL) {
		dit_compare_lists_note(records->lists, is_second ? NULL : records,
		                       is_second ? records : NULL);
		return;
	}
	dit_compare_line_begin(c);
	dit_compare_put(c, "key ");
	dit_compare_put_hex(c, records->key);
	dit_compare_put(c, ", only in the %s: ", is_second ? "second" : "first");
	put_record(c, records, 0);
	dit_compare_line_end(c);
}

static void say_both(struct dit_compare *c, const struct dit_compare_records *a,
                     const struct dit_compare_records *b, size_t from)
{
	dit_compare_line_begin(c);
	dit_compare_put(c, "key ");
	dit_compare_put_hex(c, a->key);
	dit_compare_put(c, ": ");
	put_record(c, a, from);
	dit_compare_put(c, " | ");
	put_record(c, b, from);
	dit_compare_line_end(c);
}

static void compare_list(struct dit_compare *c, struct dit_compare_records *a,
                         struct dit_compare_records *b)
{
	size_t n = a->nids < b->nids ? a->nids : b->nids;
	size_t i = 0;

	if (a->lists != NULL) {
		dit_compare_lists_note(a->lists, a, b);
		return;
	}
	while (i < n && a->ids[i] == b->ids[i]) {
		i++;
	}
	if (i < a->nids || i < b->nids) {
		say_both(c, a, b, i);
	}
}

/* Two records of one key. Where there can be several for a key they are equal. */
static void compare_record(struct dit_compare *c, struct dit_compare_records *a,
                           struct dit_compare_records *b)
{
	const struct dit_span values[2] = {a->value, b->value};

	if (a->is_index) {
		compare_list(c, a, b);
	} else if (!dit_span_eq(values[0], values[1]) &&
	           !(strcmp(c->db, "id2e") == 0 &&
	             dit_compare_stored(c, a->key, values))) {
		say_both(c, a, b, 0);
	}
}

/* ---- both sides ---- */

/* Keys of a length that their database does not have are in the order of bytes. */
static int compare_keys(const struct dit_key_order *order, struct dit_span a,
                        struct dit_span b)
{
	bool has_order = dit_key_has_length(order, SIZE_MAX, a) &&
	                 dit_key_has_length(order, SIZE_MAX, b);

	return has_order ? dit_key_compare(order, (struct dit_span){NULL, 0}, a, b)
	                 : dit_span_compare(a, b);
}

static int order_of(const struct dit_compare_records *a,
                    const struct dit_compare_records *b, const struct dit_key_order *keys,
                    bool has_many)
{
	int order = 0;

	if (a->state == 0 || b->state == 0) {
		return b->state - a->state;
	}
	order = compare_keys(keys, a->key, b->key);
	return order == 0 && has_many ? dit_span_compare(a->value, b->value) : order;
}

static uint64_t count(const struct dit_compare_records *records)
{
	return records->is_index ? records->nids : 1;
}

static int merge(struct dit_compare *c, struct dit_compare_records *a,
                 struct dit_compare_records *b, unsigned flags)
{
	bool has_many = !a->is_index && (flags & DIT_DB_DUPSORT) != 0;
	struct dit_key_orders orders;
	int r = 0;

	dit_stored_orders(c->db, flags, &orders);
	(void)dit_compare_records_next(a);
	(void)dit_compare_records_next(b);
	while (r == 0 && a->state >= 0 && b->state >= 0 && a->state + b->state > 0) {
		int order = order_of(a, b, &orders.keys, has_many);
		uint64_t npassed = order <= 0 ? count(a) : 0;

		if (order == 0) {
			compare_record(c, a, b);
		} else {
			say_only(c, order < 0 ? a : b, order > 0);
		}
		if (order <= 0) {
			(void)dit_compare_records_next(a);
		}
		if (order >= 0) {
			(void)dit_compare_records_next(b);
		}
		r = dit_compare_step(c, npassed);
	}
	return r < 0 ? r : a->state < 0 ? a->state : b->state < 0 ? b->state : 0;
}

/* Look up each key of one side on the other; only the first pass compares lists. */
static int look_up(struct dit_compare *c, struct dit_compare_records *from,
                   struct dit_compare_records *in, bool is_second)
{
	int r = 0;

	while (r == 0 && (r = dit_compare_records_next(from)) > 0) {
		int found = dit_compare_records_seek(in, from->key);

		if (found < 0) {
			return found;
		}
		if (found == 0) {
			say_only(c, from, is_second);
		} else if (!is_second) {
			compare_list(c, from, in);
		}
		r = dit_compare_step(c, is_second ? 0 : from->nids);
	}
	return r;
}

static int open_both(struct dit_compare *c, const struct dit_compare_pair *pair,
                     struct dit_compare_records sides[2])
{
	int r = dit_compare_records_open(&sides[0], c, pair, 0);

	return r < 0 ? r : dit_compare_records_open(&sides[1], c, pair, 1);
}

int dit_compare_pair(struct dit_compare *c, const struct dit_compare_pair *pair)
{
	struct dit_compare_records sides[2] = {{.cursor = NULL}, {.cursor = NULL}};
	bool is_merged = !pair->is_index ||
	                 ((pair->flags[0] ^ pair->flags[1]) & DIT_DB_INTEGERKEY) == 0;
	int r = open_both(c, pair, sides);

	if (r == 0 && is_merged) {
		r = merge(c, &sides[0], &sides[1], pair->flags[0]);
	} else if (r == 0) {
		r = look_up(c, &sides[0], &sides[1], false);
		if (r == 0) {
			r = open_both(c, pair, sides);
		}
		if (r == 0) {
			r = look_up(c, &sides[1], &sides[0], true);
		}
	}
	dit_compare_records_close(&sides[0]);
	dit_compare_records_close(&sides[1]);
	return r;
}
