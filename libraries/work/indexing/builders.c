/* SPDX-License-Identifier: BSD-2-Clause */
/* Which sorter takes the keys of an index database. */
#include "indexing/builders.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/cut.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/object.h"
#include "base/stop.h"
#include "index/index_keys.h"
#include "sort/posting_list.h"
#include "sort/postings.h"
#include "sort/sort.h"

/* Lists in one batch. */
#define LISTS_MAX 64
/* So many come of a piece of a huge value alone, whose keys take long. */
#define MANY_KEYS 4096

/*
 * Keys of any length go through a general sorter, one record for each posting, with an
 * empty value and the key
 *
 *   4  number of the database, big-endian
 *   n  key bytes
 *   8  ID, big-endian
 *
 * Equal records are the same pair inserted again: storage.md 5.4 wants to know that.
 */
#define DB_BYTES     4
#define WIDE_KEY_MAX 511
#define ID_BYTES     8

struct dit_builders {
	/* [const] while producers or cursors are at work */
	const struct dit_index_set *indexes;
	const struct dit_stop *stop;
	size_t ndbs;
	unsigned nproducers;
	struct dit_postings *postings;
	uint32_t list_max;
	struct dit_sorter *wide;    /* NULL: no database is of DIT_KEY_WIDE */
	struct dit_sort_view *view; /* of it, once all is finished */
	/* Pushed to each database, by each producer. [atomic: raised by it alone;
	 * relaxed] */
	_Atomic uint64_t *nwide;
	unsigned
		*presence; /* of each database: the stream of its presence key; 0: none */
};

struct dit_index_cursor {
	const struct dit_builders *builders;
	const struct dit_index_db *db;
	struct dit_posting_cursor *postings; /* NULL: of DIT_KEY_WIDE */
	struct dit_posting_cursor *presence; /* NULL: there is none */
	bool had_presence;                   /* it was given out */

	/* The batch that was given out. */
	struct dit_posting_list lists[LISTS_MAX];
	char keys[LISTS_MAX][sizeof(uint64_t)];

	/* Databases of DIT_KEY_WIDE have these. */
	struct dit_sort_cursor *wide; /* NULL: of another format */
	struct dit_list list;
	uint64_t nread;
	/* The record read ahead: the first of the next key. */
	bool has_record;
	char key[WIDE_KEY_MAX];
	size_t key_len;
	uint64_t id;
	char list_key[WIDE_KEY_MAX]; /* of the list that is collected */
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
	if (opts->takes_all_ids) {
		memset(is_64bit, true, 2 * builders->ndbs);
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

/* Without the ID. */
static struct dit_span key_of(struct dit_span record)
{
	return (struct dit_span){record.data, record.len - ID_BYTES};
}

/* A key comes before those that begin with it, whatever their IDs are. */
static int order_records(void *ctx, struct dit_span a, struct dit_span b)
{
	(void)ctx;
	return dit_span_compare(key_of(a), key_of(b))
	               ?: memcmp(a.data + a.len - ID_BYTES, b.data + b.len - ID_BYTES,
	                         ID_BYTES);
}

static int make_wide(struct dit_builders *builders, const struct dit_builders_opts *opts)
{
	size_t least = (size_t)opts->shared.nthreads * DIT_SORT_SHARE_MIN;
	const struct dit_sorter_opts sorter = {
		.size = sizeof(sorter),
		.nproducers = opts->shared.nthreads,
		.memory_bytes =
			opts->wide_memory_bytes < least ? least : opts->wide_memory_bytes,
		.tmpdir = opts->shared.tmpdir,
		.order = order_records,
		.cipher = opts->shared.cipher};
	bool has_wide = false;

	for (size_t i = 0; i < builders->ndbs; i++) {
		has_wide |= is_wide(builders, i);
	}
	if (!has_wide) {
		return 0;
	}
	builders->nwide =
		calloc(opts->shared.nthreads * builders->ndbs, sizeof(uint64_t));
	return builders->nwide == NULL ? -ENOMEM
	                               : dit_sorter_new(&builders->wide, &sorter);
}

int dit_builders_new(struct dit_builders **ret, const struct dit_builders_opts *opts)
{
	struct dit_builders *builders = calloc(1, sizeof(*builders));
	int r = 0;

	if (builders == NULL) {
		return -ENOMEM;
	}
	builders->indexes = opts->indexes;
	builders->stop = opts->shared.stop;
	builders->nproducers = opts->shared.nthreads;
	builders->ndbs = dit_index_set_ndbs(opts->indexes);
	builders->list_max = opts->list_max;
	builders->presence = calloc(builders->ndbs + 1, sizeof(*builders->presence));
	r = builders->presence == NULL ? -ENOMEM : make_postings(builders, opts);
	r = r ?: make_wide(builders, opts);
	return DIT_HAND_OVER(r, ret, builders, dit_builders_free);
}

void dit_builders_free(struct dit_builders *builders)
{
	if (builders == NULL) {
		return;
	}
	dit_postings_free(builders->postings);
	dit_sort_view_close(builders->view);
	dit_sorter_free(builders->wide);
	free(builders->nwide);
	free(builders->presence);
	free(builders);
}

/* ---- keys come ---- */

int dit_builders_push(struct dit_builders *builders, unsigned producer, unsigned db,
                      uint64_t id, const uint64_t *ordinals, size_t nkeys)
{
	return dit_postings_push(builders->postings, producer, db, id, ordinals, nkeys);
}

static int push_wide_key(struct dit_builders *builders, unsigned producer, unsigned db,
                         uint64_t id, struct dit_span key)
{
	char record[DB_BYTES + WIDE_KEY_MAX + ID_BYTES];

	if (key.len == 0 || key.len > WIDE_KEY_MAX) {
		return key.len == 0 ? -EINVAL : DIT_E_TOOLONG;
	}
	dit_be_put(record, db, DB_BYTES);
	memcpy(record + DB_BYTES, key.data, key.len);
	dit_be_put(record + DB_BYTES + key.len, id, ID_BYTES);
	atomic_fetch_add_explicit(&builders->nwide[producer * builders->ndbs + db], 1,
	                          memory_order_relaxed);
	return dit_sorter_push(builders->wide, producer,
	                       (struct dit_span){record, DB_BYTES + key.len + ID_BYTES},
	                       DIT_SPAN(""));
}

int dit_builders_push_key(struct dit_builders *builders, unsigned producer, unsigned db,
                          uint64_t id, struct dit_span key)
{
	static const uint64_t ordinal = 0;

	if (builders->presence[db] != 0) {
		return dit_postings_push(builders->postings, producer,
		                         builders->presence[db], id, &ordinal, 1);
	}
	return is_wide(builders, db) ? push_wide_key(builders, producer, db, id, key)
	                             : -EINVAL;
}

struct pushing {
	struct dit_builders *builders;
	unsigned producer;
	uint64_t id;
};

static int push_keys(void *ctx, unsigned db, const uint64_t *ordinals, size_t nkeys)
{
	const struct pushing *pushing = ctx;

	if (nkeys >= MANY_KEYS && dit_stop_is_set(pushing->builders->stop)) {
		return DIT_E_STOPPED;
	}
	return dit_builders_push(pushing->builders, pushing->producer, db, pushing->id,
	                         ordinals, nkeys);
}

static int push_wide(void *ctx, unsigned db, struct dit_span key)
{
	const struct pushing *pushing = ctx;

	return dit_builders_push_key(pushing->builders, pushing->producer, db,
	                             pushing->id, key);
}

int dit_builders_push_entry(struct dit_builders *builders, unsigned producer,
                            struct dit_index_work *work, const struct dit_entry *entry,
                            uint64_t id)
{
	struct pushing pushing = {.builders = builders, .producer = producer, .id = id};

	return dit_index_entry(work, entry, push_keys, push_wide, &pushing);
}

int dit_builders_note_late(struct dit_builders *builders, uint64_t id, uint64_t next_id)
{
	return dit_postings_note_late(builders->postings, id, next_id);
}

int dit_builders_finish(struct dit_builders *builders)
{
	int r = dit_postings_finish(builders->postings);

	if (r == 0 && builders->wide != NULL) {
		r = dit_sorter_seal(builders->wide);
		r = r ?: dit_sort_view_open(&builders->view, builders->wide);
	}
	return r;
}

uint64_t dit_builders_npushed(const struct dit_builders *builders, size_t db)
{
	uint64_t n = dit_postings_stream_npushed(builders->postings, (unsigned)db);

	for (unsigned i = 0; builders->wide != NULL && i < builders->nproducers; i++) {
		n += atomic_load_explicit(&builders->nwide[i * builders->ndbs + db],
		                          memory_order_relaxed);
	}
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
	return dit_postings_run_bytes(builders->postings) +
	       (builders->wide == NULL ? 0 : dit_sorter_run_bytes(builders->wide));
}

/* ---- lists go ---- */

/* Hashes are spread evenly. */
unsigned dit_builders_parts_max(const struct dit_builders *builders, size_t db)
{
	enum dit_key_format format = dit_index_set_db(builders->indexes, db)->format;

	return format == DIT_KEY_SHORT || format == DIT_KEY_WIDE ? 1
	                                                         : DIT_POSTING_PARTS_MAX;
}

void dit_builders_cut(struct dit_builders *builders, size_t db, unsigned nparts)
{
	dit_postings_cut(builders->postings, (unsigned)db, nparts);
}

/* ---- keys of any length ---- */

static int read_ahead(struct dit_index_cursor *cursor)
{
	struct dit_sort_record record = {0};
	int r = 0;

	if (dit_stop_is_set(cursor->builders->stop)) {
		return DIT_E_STOPPED;
	}
	r = dit_sort_cursor_next(cursor->wide, &record);
	cursor->has_record = r > 0;
	if (r > 0) {
		struct dit_span key = key_of(record.key);

		cursor->id = dit_be_get(key.data + key.len, ID_BYTES);
		dit_cut(&key, DB_BYTES);
		memcpy(cursor->key, key.data, key.len);
		cursor->key_len = key.len;
	}
	return r < 0 ? r : 0;
}

static int open_wide(struct dit_index_cursor *cursor, size_t db)
{
	char from[DB_BYTES + ID_BYTES] = {0};
	char to[DB_BYTES + ID_BYTES] = {0};
	int r = cursor->builders->view == NULL
	                ? -EINVAL
	                : dit_sort_cursor_open(&cursor->wide, cursor->builders->view);

	dit_be_put(from, db, DB_BYTES);
	dit_be_put(to, db + 1, DB_BYTES);
	dit_list_init(&cursor->list, cursor->builders->list_max);
	r = r
	            ?: dit_sort_cursor_range(cursor->wide,
	                                     (struct dit_span){from, sizeof(from)},
	                                     (struct dit_span){to, sizeof(to)});
	return r ?: read_ahead(cursor);
}

/* All IDs of the key read ahead. */
static int collect(struct dit_index_cursor *cursor, size_t key_len)
{
	int r = 0;

	dit_list_reset(&cursor->list);
	do {
		cursor->nread++;
		r = dit_list_add(&cursor->list, cursor->id);
		r = r ?: read_ahead(cursor);
	} while (r == 0 && cursor->has_record && cursor->key_len == key_len &&
	         memcmp(cursor->key, cursor->list_key, key_len) == 0);
	return r;
}

static int next_wide(struct dit_index_cursor *cursor, struct dit_posting_list *ret)
{
	const struct dit_late_table *late = dit_postings_late(cursor->builders->postings);
	struct dit_list *list = &cursor->list;
	size_t key_len = cursor->key_len;
	int r = 0;

	if (!cursor->has_record) {
		return 0;
	}
	memcpy(cursor->list_key, cursor->key, key_len);
	r = collect(cursor, key_len);
	if (r < 0) {
		return r;
	}
	ret->key = (struct dit_span){cursor->list_key, key_len};
	ret->nids = dit_list_finish(list, late, &ret->ids);
	ret->is_repeated = dit_list_is_repeated(list, late);
	return 1;
}

/* ---- cursors ---- */

int dit_index_cursor_open(struct dit_index_cursor **ret, struct dit_builders *builders,
                          size_t db, unsigned part)
{
	struct dit_index_cursor *cursor = NULL;
	int r = 0;

	if (db >= builders->ndbs || (is_wide(builders, db) && part > 0)) {
		return -EINVAL;
	}
	cursor = calloc(1, sizeof(*cursor));
	if (cursor == NULL) {
		return -ENOMEM;
	}
	cursor->builders = builders;
	cursor->db = dit_index_set_db(builders->indexes, db);
	r = is_wide(builders, db)
	            ? open_wide(cursor, db)
	            : dit_posting_cursor_open(&cursor->postings, builders->postings,
	                                      (unsigned)db, part);
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
		return next_wide(cursor, cursor->lists);
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
	return cursor->wide != NULL ? cursor->nread
	                            : dit_posting_cursor_nread(cursor->postings);
}

void dit_index_cursor_close(struct dit_index_cursor *cursor)
{
	if (cursor != NULL) {
		dit_posting_cursor_close(cursor->postings);
		dit_posting_cursor_close(cursor->presence);
		dit_sort_cursor_close(cursor->wide);
		dit_list_deinit(&cursor->list);
		free(cursor);
	}
}
