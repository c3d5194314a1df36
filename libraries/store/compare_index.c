/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two index databases, key by key with all IDs.
 *
 * With the same key order on both sides the keys are merged. With integer keys on one
 * side only, each key of the first is looked up in the second; then those of the second
 * that the first lacks are looked for in the same way.
 */
#include "store/compare_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"

/* IDs shown of each list, from the first difference on. */
#define SHOWN_IDS 8

/* Reads one key with all its IDs at a time. */
struct list_reader {
	struct dit_scan *scan;
	bool is_ahead; /* the first record of the next key has been read */
	struct dit_span ahead_key;
	struct dit_span ahead_value;

	struct dit_span key; /* the current one */
	uint64_t *ids;       /* its IDs; malloc'ed */
	size_t nids;
	size_t ids_size;
};

static int list_add(struct list_reader *reader, struct dit_span value)
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
static int list_collect(struct list_reader *reader)
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
	return r < 0 ? r : 1;
}

/* 1; 0 end; error */
static int list_next(struct list_reader *reader)
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

/* 1; 0: no such key; error */
static int list_seek(struct list_reader *reader, struct dit_span key)
{
	int r = dit_scan_seek(reader->scan, key, &reader->ahead_key,
	                      &reader->ahead_value);

	return r == 1 ? list_collect(reader) : r;
}

/* How many there are, and some from the first difference on. */
static void put_ids(struct dit_compare *c, const struct list_reader *reader, size_t from)
{
	const uint64_t *ids = reader->ids;

	/* A range is 0, lowest, highest (storage.md 5.4). */
	if (reader->nids == 3 && ids[0] == 0) {
		dit_compare_put(c, " range %" PRIu64 "..%" PRIu64, ids[1], ids[2]);
		return;
	}
	dit_compare_put(c, " %zu IDs:", reader->nids);
	if (from > 0) {
		dit_compare_put(c, " ...");
	}
	for (size_t i = from; i < reader->nids && i < from + SHOWN_IDS; i++) {
		dit_compare_put(c, " %" PRIu64, ids[i]);
	}
	if (reader->nids > from + SHOWN_IDS) {
		dit_compare_put(c, " ...");
	}
}

static int say_only(struct dit_compare *c, const struct list_reader *reader,
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
static int compare_lists(struct dit_compare *c, const struct list_reader *a,
                         const struct list_reader *b)
{
	size_t n = a->nids < b->nids ? a->nids : b->nids;
	size_t i = 0;
	int r = 0;

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

static int compare_merged(struct dit_compare *c, struct list_reader *a,
                          struct list_reader *b, unsigned flags)
{
	int ra = list_next(a);
	int rb = list_next(b);
	int r = 0;

	while (r == 0 && ra >= 0 && rb >= 0 && ra + rb > 0) {
		int order = ra == 0   ? 1
		            : rb == 0 ? -1
		                      : dit_compare_keys(a->key, b->key, flags);

		if (order == 0) {
			r = compare_lists(c, a, b);
		} else {
			r = say_only(c, order < 0 ? a : b, order > 0);
		}
		if (r == 0 && order <= 0) {
			ra = list_next(a);
		}
		if (r == 0 && order >= 0) {
			rb = list_next(b);
		}
		if (r == 0) {
			r = dit_compare_stopped(c);
		}
	}
	return r < 0 ? r : ra < 0 ? ra : rb < 0 ? rb : 0;
}

/* Look up each key of one side on the other; only the first pass compares lists. */
static int compare_by_lookup(struct dit_compare *c, struct list_reader *from,
                             struct list_reader *in, bool is_second)
{
	int r = list_next(from);

	while (r == 1) {
		int found = list_seek(in, from->key);

		if (found == 0) {
			r = say_only(c, from, is_second);
		} else if (found == 1) {
			r = is_second ? 0 : compare_lists(c, from, in);
		} else {
			r = found;
		}
		if (r == 0) {
			r = dit_compare_stopped(c);
		}
		if (r == 0) {
			r = list_next(from);
		}
	}
	return r;
}

/* Start again at the first key. */
static int reader_open(struct list_reader *reader, struct dit_compare *c, int side)
{
	dit_scan_close(reader->scan);
	reader->scan = NULL;
	reader->is_ahead = false;
	return dit_scan_open(&reader->scan, c->sides[side].snapshot, c->db);
}

static void reader_close(struct list_reader *reader)
{
	dit_scan_close(reader->scan);
	free(reader->ids);
}

int dit_compare_index(struct dit_compare *c, const unsigned flags[2])
{
	struct list_reader readers[2] = {{.scan = NULL}, {.scan = NULL}};
	bool is_merged = ((flags[0] ^ flags[1]) & DIT_DB_INTEGERKEY) == 0;
	int r = reader_open(&readers[0], c, 0);

	if (r == 0) {
		r = reader_open(&readers[1], c, 1);
	}
	if (r == 0 && is_merged) {
		r = compare_merged(c, &readers[0], &readers[1], flags[0]);
	} else if (r == 0) {
		r = compare_by_lookup(c, &readers[0], &readers[1], false);
		if (r == 0) {
			r = reader_open(&readers[0], c, 0);
		}
		if (r == 0) {
			r = reader_open(&readers[1], c, 1);
		}
		if (r == 0) {
			r = compare_by_lookup(c, &readers[1], &readers[0], true);
		}
	}
	reader_close(&readers[0]);
	reader_close(&readers[1]);
	return r;
}
