/* SPDX-License-Identifier: BSD-2-Clause */
/* Which sorter takes the keys of an index database. */
#include "indexing/builders.h"

#include <errno.h>
#include <stdlib.h>

#include "base/object.h"
#include "index/index_keys.h"
#include "sort/byte_postings.h"
#include "sort/postings.h"

#define WIDE_PRODUCER_MIN (64u << 10)
/* Lists in one batch. */
#define LISTS_MAX 64

struct dit_builders {
	/* [const] while producers or cursors are at work */
	const struct dit_index_set *indexes;
	size_t ndbs;
	struct dit_postings *postings;
	/* One for each database; NULL: its keys are not DIT_KEY_WIDE. */
	struct dit_byte_postings **wide;
	unsigned
		*presence; /* of each database: the stream of its presence key; 0: none */
};

struct dit_index_cursor {
	const struct dit_index_db *db;
	struct dit_byte_postings *wide;      /* NULL: of another format */
	struct dit_posting_cursor *postings; /* NULL: of DIT_KEY_WIDE */
	struct dit_posting_cursor *presence; /* NULL: there is none */
	bool had_presence;                   /* it was given out */

	/* The batch that was given out. */
	struct dit_posting_list lists[LISTS_MAX];
	char keys[LISTS_MAX][sizeof(uint64_t)];
};

static bool needs_64bit(enum dit_key_format format)
{
	return format != DIT_KEY_INT32 && format != DIT_KEY_BYTES32;
}

/* ---- beginning and end ---- */

static int make_postings(struct dit_builders *builders,
                         const struct dit_builders_opts *opts)
{
	bool *is_64bit = calloc(2 * builders->ndbs + 1, sizeof(*is_64bit));
	struct dit_postings_opts postings = {
		.is_64bit = is_64bit,
		.shared = opts->shared,
		.memory_bytes = opts->memory_bytes,
		.list_max = opts->list_max,
	};
	int r = 0;

	if (is_64bit == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < builders->ndbs; i++) {
		is_64bit[i] = needs_64bit(dit_index_set_db(builders->indexes, i)->format);
	}
	postings.nstreams = (unsigned)builders->ndbs;
	for (size_t i = 0; i < builders->ndbs; i++) {
		if (dit_index_set_db(builders->indexes, i)->has_presence) {
			builders->presence[i] = postings.nstreams++;
		}
	}
	r = dit_postings_new(&builders->postings, &postings);
	free(is_64bit);
	return r;
}

static bool is_wide(const struct dit_builders *builders, size_t db)
{
	return dit_index_set_db(builders->indexes, db)->format == DIT_KEY_WIDE;
}

static int make_wide(struct dit_builders *builders, const struct dit_builders_opts *opts)
{
	size_t least = (size_t)opts->shared.nthreads * WIDE_PRODUCER_MIN;
	size_t nwide = 0;
	struct dit_byte_postings_opts wide = {.shared = opts->shared,
	                                      .list_max = opts->list_max};
	int r = 0;

	for (size_t i = 0; i < builders->ndbs; i++) {
		nwide += is_wide(builders, i);
	}
	wide.memory_bytes = nwide == 0 ? 0 : opts->wide_memory_bytes / nwide;
	if (wide.memory_bytes < least) {
		wide.memory_bytes = least;
	}
	for (size_t i = 0; i < builders->ndbs && r == 0; i++) {
		if (is_wide(builders, i)) {
			r = dit_byte_postings_new(&builders->wide[i], &wide);
		}
	}
	return r;
}

int dit_builders_new(struct dit_builders **ret, const struct dit_builders_opts *opts)
{
	struct dit_builders *builders = calloc(1, sizeof(*builders));
	int r = 0;

	if (builders == NULL) {
		return -ENOMEM;
	}
	builders->indexes = opts->indexes;
	builders->ndbs = dit_index_set_ndbs(opts->indexes);
	builders->wide = calloc(builders->ndbs + 1, sizeof(struct dit_byte_postings *));
	builders->presence = calloc(builders->ndbs + 1, sizeof(*builders->presence));
	r = builders->wide == NULL || builders->presence == NULL
	            ? -ENOMEM
	            : make_postings(builders, opts);
	r = r ?: make_wide(builders, opts);
	return DIT_HAND_OVER(r, ret, builders, dit_builders_free);
}

void dit_builders_free(struct dit_builders *builders)
{
	if (builders == NULL) {
		return;
	}
	dit_postings_free(builders->postings);
	for (size_t i = 0; builders->wide != NULL && i < builders->ndbs; i++) {
		dit_byte_postings_free(builders->wide[i]);
	}
	free(builders->wide);
	free(builders->presence);
	free(builders);
}

/* ---- keys come ---- */

int dit_builders_push(struct dit_builders *builders, unsigned producer, unsigned db,
                      uint64_t id, const uint64_t *ordinals, size_t nkeys)
{
	return dit_postings_push(builders->postings, producer, db, id, ordinals, nkeys);
}

int dit_builders_push_key(struct dit_builders *builders, unsigned producer, unsigned db,
                          uint64_t id, struct dit_span key)
{
	static const uint64_t ordinal = 0;

	if (builders->presence[db] != 0) {
		return dit_postings_push(builders->postings, producer,
		                         builders->presence[db], id, &ordinal, 1);
	}
	return builders->wide[db] == NULL
	               ? -EINVAL
	               : dit_byte_postings_push(builders->wide[db], producer, key, id);
}

int dit_builders_note_late(struct dit_builders *builders, uint64_t id, uint64_t next_id)
{
	return dit_postings_note_late(builders->postings, id, next_id);
}

int dit_builders_finish(struct dit_builders *builders)
{
	const struct dit_late_table *late = dit_postings_late(builders->postings);
	int r = dit_postings_finish(builders->postings);

	for (size_t i = 0; i < builders->ndbs && r == 0; i++) {
		if (builders->wide[i] != NULL) {
			r = dit_byte_postings_finish(builders->wide[i], late);
		}
	}
	return r;
}

uint64_t dit_builders_npushed(const struct dit_builders *builders, size_t db)
{
	uint64_t n = 0;

	if (builders->wide[db] != NULL) {
		return dit_byte_postings_npushed(builders->wide[db]);
	}
	n = dit_postings_stream_npushed(builders->postings, (unsigned)db);
	if (builders->presence[db] != 0) {
		n += dit_postings_stream_npushed(builders->postings,
		                                 builders->presence[db]);
	}
	return n;
}

uint64_t dit_builders_npostings(const struct dit_builders *builders)
{
	uint64_t n = 0;

	for (size_t db = 0; db < builders->ndbs; db++) {
		n += dit_builders_npushed(builders, db);
	}
	return n;
}

uint64_t dit_builders_run_bytes(const struct dit_builders *builders)
{
	uint64_t bytes = dit_postings_run_bytes(builders->postings);

	for (size_t i = 0; i < builders->ndbs; i++) {
		if (builders->wide[i] != NULL) {
			bytes += dit_byte_postings_run_bytes(builders->wide[i]);
		}
	}
	return bytes;
}

/* ---- lists go ---- */

/* Hashes are spread evenly. */
unsigned dit_builders_parts_max(const struct dit_builders *builders, size_t db)
{
	switch (dit_index_set_db(builders->indexes, db)->format) {
	case DIT_KEY_INT32:
	case DIT_KEY_BYTES32:
	case DIT_KEY_INT64:
	case DIT_KEY_BYTES64:
		return DIT_POSTING_PARTS_MAX;
	case DIT_KEY_SHORT:
	case DIT_KEY_WIDE:
		break;
	}
	return 1;
}

void dit_builders_cut(struct dit_builders *builders, size_t db, unsigned nparts)
{
	dit_postings_cut(builders->postings, (unsigned)db, nparts);
}

int dit_index_cursor_open(struct dit_index_cursor **ret, struct dit_builders *builders,
                          size_t db, unsigned part)
{
	struct dit_index_cursor *cursor = NULL;
	int r = 0;

	if (db >= builders->ndbs || (builders->wide[db] != NULL && part > 0)) {
		return -EINVAL;
	}
	cursor = calloc(1, sizeof(*cursor));
	if (cursor == NULL) {
		return -ENOMEM;
	}
	*cursor = (struct dit_index_cursor){
		.db = dit_index_set_db(builders->indexes, db),
		.wide = builders->wide[db],
	};
	if (cursor->wide == NULL) {
		r = dit_posting_cursor_open(&cursor->postings, builders->postings,
		                            (unsigned)db, part);
	}
	/* The presence key is lower than all others. */
	if (r == 0 && builders->presence[db] != 0 && part == 0) {
		r = dit_posting_cursor_open(&cursor->presence, builders->postings,
		                            builders->presence[db], 0);
	}
	return DIT_HAND_OVER(r, ret, cursor, dit_index_cursor_close);
}

/* The list of the presence key, which comes first. 1; 0: no entry has it; error */
static ptrdiff_t next_presence(struct dit_index_cursor *cursor)
{
	ptrdiff_t n = dit_posting_cursor_next(cursor->presence, cursor->lists, 1);

	cursor->had_presence = true;
	cursor->lists[0].key = (struct dit_span){"\0\0\0", 4};
	return n;
}

ptrdiff_t dit_index_cursor_next(struct dit_index_cursor *cursor,
                                const struct dit_posting_list **ret)
{
	ptrdiff_t n = 0;

	*ret = cursor->lists;
	if (cursor->wide != NULL) {
		return dit_byte_postings_next(cursor->wide, cursor->lists);
	}
	if (cursor->presence != NULL && !cursor->had_presence) {
		n = next_presence(cursor);
		if (n != 0) {
			return n;
		}
	}
	n = dit_posting_cursor_next(cursor->postings, cursor->lists, LISTS_MAX);
	for (ptrdiff_t i = 0; i < n; i++) {
		struct dit_posting_list *list = &cursor->lists[i];

		list->key.data = cursor->keys[i];
		list->key.len =
			dit_index_key_bytes(cursor->db, list->ordinal, cursor->keys[i]);
	}
	return n;
}

uint64_t dit_index_cursor_nread(const struct dit_index_cursor *cursor)
{
	return cursor->wide != NULL ? dit_byte_postings_nread(cursor->wide)
	                            : dit_posting_cursor_nread(cursor->postings);
}

void dit_index_cursor_close(struct dit_index_cursor *cursor)
{
	if (cursor != NULL) {
		dit_posting_cursor_close(cursor->postings);
		dit_posting_cursor_close(cursor->presence);
		free(cursor);
	}
}
