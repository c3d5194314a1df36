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
 * With integer keys on one side only there is no order, and each key is sought.
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

/* From the first record on. */
static int open_records(struct dit_compare_records *records)
{
	records->is_sought = false;
	dit_tree_cursor_close(records->cursor);
	records->cursor = NULL;
	return dit_snapshot_cursor_open(&records->cursor, records->snapshot, 0,
	                                records->name);
}

static int next_record(void *side)
{
	struct dit_compare_records *records = side;
	struct dit_span ids;
	int r = records->is_sought ? open_records(records) : 0;

	if (r < 0) {
		return r;
	}
	if (!records->is_index) {
		return dit_tree_cursor_next(records->cursor, &records->key,
		                            &records->value);
	}
	r = dit_tree_cursor_next_list(records->cursor, &records->key, &ids);
	return r > 0 ? take_ids(records, ids) : r;
}

static int seek_record(void *side, const void *other)
{
	const struct dit_compare_records *wanted = other;
	struct dit_compare_records *records = side;
	struct dit_span ids;
	int r = dit_tree_cursor_find_list(records->cursor, wanted->key, &records->key,
	                                  &ids);

	records->is_sought = true;
	return r > 0 ? take_ids(records, ids) : r;
}

/* Keys of a length that their database does not have are in the order of bytes. */
static int compare_keys(const struct dit_key_order *order, struct dit_span a,
                        struct dit_span b)
{
	if (dit_span_eq(a, b)) {
		return 0;
	}
	return dit_key_has_length(order, SIZE_MAX, a) &&
	                       dit_key_has_length(order, SIZE_MAX, b)
	               ? dit_key_compare(order, (struct dit_span){NULL, 0}, a, b)
	               : dit_span_compare(a, b);
}

static int order_of(const void *first, const void *second)
{
	const struct dit_compare_records *a = first;
	const struct dit_compare_records *b = second;
	int order = compare_keys(a->order, a->key, b->key);

	return order == 0 && a->has_many ? dit_span_compare(a->value, b->value) : order;
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

/* @param from  the first ID of both that is shown */
static void say(struct dit_compare *c, int which,
                const struct dit_compare_records sides[2], size_t from)
{
	dit_compare_line_begin(c);
	dit_compare_put(c, "key ");
	dit_compare_put_hex(c, sides[which == DIT_PAIR_SECOND].key);
	dit_compare_put(c, "%s",
	                which == DIT_PAIR_BOTH    ? ": "
	                : which == DIT_PAIR_FIRST ? ", only in the first: "
	                                          : ", only in the second: ");
	for (int i = 0; i < 2; i++) {
		if ((which & DIT_PAIR_FIRST << i) != 0) {
			dit_compare_put(c, "%s",
			                i == 1 && which == DIT_PAIR_BOTH ? " | " : "");
			if (sides[i].is_index) {
				put_ids(c, &sides[i], from);
			} else {
				dit_compare_put_value(c, c->db, sides[i].value);
			}
		}
	}
	dit_compare_line_end(c);
}

static void compare_lists(struct dit_compare *c,
                          const struct dit_compare_records sides[2])
{
	const struct dit_compare_records *a = &sides[0];
	const struct dit_compare_records *b = &sides[1];
	size_t n = a->nids < b->nids ? a->nids : b->nids;
	size_t i = 0;

	if (a->nids == b->nids && memcmp(a->ids, b->ids, n * sizeof(*a->ids)) == 0) {
		return;
	}
	while (i < n && a->ids[i] == b->ids[i]) {
		i++;
	}
	say(c, DIT_PAIR_BOTH, sides, i);
}

/* Both have one key. Where a key can have several records, they are equal as well. */
static void tell_record(void *ctx, int which, struct dit_compare_records sides[2])
{
	const struct dit_span values[2] = {sides[0].value, sides[1].value};
	struct dit_compare *c = ctx;

	if (which != DIT_PAIR_BOTH) {
		say(c, which, sides, 0);
	} else if (sides[0].is_index) {
		compare_lists(c, sides);
	} else if (!dit_span_eq(values[0], values[1]) &&
	           !(strcmp(c->db, "id2e") == 0 &&
	             dit_compare_stored(c, sides[0].key, values))) {
		say(c, which, sides, 0);
	}
}

/* ---- both sides ---- */

int dit_compare_each(struct dit_compare *c, const struct dit_stored_db *const dbs[2],
                     dit_compare_records_fn take, void *ctx)
{
	struct dit_compare_records sides[2] = {{.cursor = NULL}, {.cursor = NULL}};
	bool are_indexes = dit_compare_are_indexes(dbs);
	bool is_ordered = !are_indexes ||
	                  ((dbs[0]->flags ^ dbs[1]->flags) & DIT_DB_INTEGERKEY) == 0;
	struct dit_pairs pairs = {.next = next_record,
	                          .order = is_ordered ? order_of : NULL,
	                          .seek = seek_record,
	                          .sides = {&sides[0], &sides[1]}};
	struct dit_key_orders orders;
	int which = 0;
	int r = 0;

	dit_stored_orders(c->db, dbs[0]->flags, &orders);
	for (int i = 0; i < 2; i++) {
		sides[i] = (struct dit_compare_records){
			.snapshot = c->sides[i].snapshot,
			.name = dbs[i]->name,
			.order = &orders.keys,
			.is_index = are_indexes,
			.has_many =
				!are_indexes && (dbs[0]->flags & DIT_DB_DUPSORT) != 0};
		r = r ?: open_records(&sides[i]);
	}
	while (r == 0 && (which = dit_pairs_next(&pairs)) > 0) {
		uint64_t npassed = (which & DIT_PAIR_FIRST) == 0 ? 0
		                   : are_indexes                 ? sides[0].nids
		                                                 : 1;

		take(ctx, which, sides);
		r = dit_compare_step(c, npassed);
	}
	for (int i = 0; i < 2; i++) {
		dit_tree_cursor_close(sides[i].cursor);
		free(sides[i].ids);
	}
	return r ?: which;
}

int dit_compare_pair(struct dit_compare *c, const struct dit_stored_db *const dbs[2])
{
	return dit_compare_each(c, dbs, tell_record, c);
}
