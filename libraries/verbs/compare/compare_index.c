/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two index databases, key by key with all IDs; across formats the first's IDs are those
 * of the same entries in the second.
 *
 * With the same key order on both sides the keys are merged. With integer keys on one
 * side only, each key of the first is looked up in the second; then those of the second
 * that the first lacks are looked for in the same way.
 */
#include "compare/compare_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"

/* IDs shown of each list, from the first difference on. */
#define SHOWN_IDS 8

static int list_add(struct dit_compare_lists *reader, struct dit_span value)
{
	uint64_t *ids = NULL;

	if (value.len != sizeof(uint64_t)) {
		return DIT_E_CORRUPT;
	}
	ids = dit_grow(reader->ids, &reader->ids_size, reader->nids + 1, sizeof(*ids));
	if (ids == NULL) {
		return -ENOMEM;
	}
	reader->ids = ids;
	memcpy(&reader->ids[reader->nids], value.data, value.len);
	reader->nids++;
	return 0;
}

/* Go on with the key of the record that is ahead. 1; error */
static int list_collect(struct dit_compare_lists *reader)
{
	int r = 1;

	reader->key = reader->ahead_key;
	reader->nids = 0;
	while (r == 1 && dit_span_eq(reader->ahead_key, reader->key)) {
		r = list_add(reader, reader->ahead_value);
		if (r == 0) {
			r = dit_scan_next(reader->scan, &reader->ahead_key,
			                  &reader->ahead_value);
		}
	}
	reader->is_ahead = r == 1;
	if (r >= 0 && reader->across != NULL) {
		dit_across_map(reader->across, reader->ids, reader->nids);
	}
	return r < 0 ? r : 1;
}

int dit_compare_lists_next(struct dit_compare_lists *reader)
{
	int r = 1;

	if (!reader->is_ahead) {
		r = reader->scan == NULL ? 0
		                         : dit_scan_next(reader->scan, &reader->ahead_key,
		                                         &reader->ahead_value);
	}
	if (r == 1) {
		r = list_collect(reader);
	}
	if (r != 1) {
		reader->key = (struct dit_span){NULL, 0};
		reader->nids = 0;
	}
	return r;
}

int dit_compare_lists_seek(struct dit_compare_lists *reader, struct dit_span key)
{
	int r = dit_scan_seek(reader->scan, key, &reader->ahead_key,
	                      &reader->ahead_value);

	return r == 1 ? list_collect(reader) : r;
}

/* How many there are, and some from the first difference on. */
static void put_ids(struct dit_compare *c, const struct dit_compare_lists *reader,
                    size_t from)
{
	const uint64_t *ids = reader->ids;

	if (dit_compare_is_range(reader)) {
		dit_compare_put(c, " range %" PRIu64 "..%" PRIu64, ids[1], ids[2]);
		return;
	}
	dit_compare_put(c, " %zu IDs:", reader->nids);
	if (from > 0) {
		dit_compare_put(c, " ...");
	}
	for (size_t i = from; i < reader->nids && i < from + SHOWN_IDS; i++) {
		dit_compare_put(c,
		                (ids[i] & DIT_ACROSS_ALONE) == 0 ? " %" PRIu64
		                                                 : " first's %" PRIu64,
		                ids[i] & ~DIT_ACROSS_ALONE);
	}
	if (reader->nids > from + SHOWN_IDS) {
		dit_compare_put(c, " ...");
	}
}

static int say_only(struct dit_compare *c, const struct dit_compare_lists *reader,
                    bool is_second)
{
	int r = dit_compare_line_begin(c);

	if (r < 0) {
		return r;
	}
	dit_compare_put(c, "key ");
	dit_compare_put_hex(c, reader->key);
	dit_compare_put(c, ", only in the %s:", is_second ? "second" : "first");
	put_ids(c, reader, 0);
	return dit_compare_line_end(c);
}

/* Two lists of one key. */
int dit_compare_list(struct dit_compare *c, const struct dit_compare_lists *a,
                     const struct dit_compare_lists *b)
{
	size_t n = a->nids < b->nids ? a->nids : b->nids;
	size_t i = 0;
	int r = 0;

	if (a->across != NULL && (dit_compare_is_range(a) || dit_compare_is_range(b)) &&
	    dit_across_same_ranges(a->across, a, b)) {
		return 0;
	}
	while (i < n && a->ids[i] == b->ids[i]) {
		i++;
	}
	if (i == a->nids && i == b->nids) {
		return 0;
	}
	r = dit_compare_line_begin(c);
	if (r < 0) {
		return r;
	}
	dit_compare_put(c, "key ");
	dit_compare_put_hex(c, a->key);
	dit_compare_put(c, ":");
	put_ids(c, a, i);
	dit_compare_put(c, " |");
	put_ids(c, b, i);
	return dit_compare_line_end(c);
}

static int compare_merged(struct dit_compare *c, struct dit_compare_lists *a,
                          struct dit_compare_lists *b, unsigned flags)
{
	int ra = dit_compare_lists_next(a);
	int rb = dit_compare_lists_next(b);
	struct dit_key_orders orders;
	int r = 0;

	dit_key_default_orders(flags, &orders);
	while (r == 0 && ra >= 0 && rb >= 0 && ra + rb > 0) {
		int order = ra == 0   ? 1
		            : rb == 0 ? -1
		                      : dit_compare_keys(&orders.keys, a->key, b->key);
		uint64_t npassed = order <= 0 ? a->nids : 0;

		if (order == 0) {
			r = dit_compare_list(c, a, b);
		} else {
			r = say_only(c, order < 0 ? a : b, order > 0);
		}
		if (r == 0 && order <= 0) {
			ra = dit_compare_lists_next(a);
		}
		if (r == 0 && order >= 0) {
			rb = dit_compare_lists_next(b);
		}
		if (r == 0) {
			r = dit_compare_step(c, npassed);
		}
	}
	return r < 0 ? r : ra < 0 ? ra : rb < 0 ? rb : 0;
}

/* Look up each key of one side on the other; only the first pass compares lists. */
static int compare_by_lookup(struct dit_compare *c, struct dit_compare_lists *from,
                             struct dit_compare_lists *in, bool is_second)
{
	int r = dit_compare_lists_next(from);

	while (r == 1) {
		int found = dit_compare_lists_seek(in, from->key);

		if (found == 0) {
			r = say_only(c, from, is_second);
		} else if (found == 1) {
			r = is_second ? 0 : dit_compare_list(c, from, in);
		} else {
			r = found;
		}
		if (r == 0) {
			r = dit_compare_step(c, is_second ? 0 : from->nids);
		}
		if (r == 0) {
			r = dit_compare_lists_next(from);
		}
	}
	return r;
}

int dit_compare_lists_open(struct dit_compare_lists *lists, struct dit_compare *c,
                           const struct dit_compare_pair *pair, int side)
{
	dit_scan_close(lists->scan);
	lists->scan = NULL;
	lists->is_ahead = false;
	lists->across = side == 0 ? pair->across : NULL;
	return dit_scan_open(&lists->scan, c->sides[side].snapshot, pair->names[side]);
}

void dit_compare_lists_close(struct dit_compare_lists *lists)
{
	dit_scan_close(lists->scan);
	free(lists->ids);
}

int dit_compare_index(struct dit_compare *c, const struct dit_compare_pair *pair)
{
	struct dit_compare_lists lists[2] = {{.scan = NULL}, {.scan = NULL}};
	bool is_merged = ((pair->flags[0] ^ pair->flags[1]) & DIT_DB_INTEGERKEY) == 0;
	int r = dit_compare_lists_open(&lists[0], c, pair, 0);

	if (r == 0) {
		r = dit_compare_lists_open(&lists[1], c, pair, 1);
	}
	if (r == 0 && is_merged) {
		r = compare_merged(c, &lists[0], &lists[1], pair->flags[0]);
	} else if (r == 0) {
		r = compare_by_lookup(c, &lists[0], &lists[1], false);
		if (r == 0) {
			r = dit_compare_lists_open(&lists[0], c, pair, 0);
		}
		if (r == 0) {
			r = dit_compare_lists_open(&lists[1], c, pair, 1);
		}
		if (r == 0) {
			r = compare_by_lookup(c, &lists[1], &lists[0], true);
		}
	}
	dit_compare_lists_close(&lists[0]);
	dit_compare_lists_close(&lists[1]);
	return r;
}
