/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LMDB, as back-mdb uses it.
 *
 *   append-multiple  in key order: MDB_APPEND for keys, a list at once with
 *                    MDB_APPENDDUP|MDB_MULTIPLE
 *   append           in key order: MDB_APPEND and MDB_APPENDDUP, one put for each ID
 *   random           entry by entry, its postings by plain puts, as slapadd does;
 *                    transactions end between entries
 */
#include "stores.h"

#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDS_MAX     65536u /* in one put */
#define INDEX_FLAGS (MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)

struct lmdb {
	struct store_job *job;
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi entries;
	MDB_dbi *indexes;
	unsigned ndbs;
	uint64_t charged; /* records in the transaction */

	MDB_cursor *entry_cursor; /* reading */
	MDB_cursor *cursor;       /* of one index; writing in order, reading */
	unsigned cursor_db;
};

static void check(int r)
{
	if (r != MDB_SUCCESS) {
		stores_die("LMDB", mdb_strerror(r));
	}
}

static unsigned flags_of(const char *sync)
{
	static const struct {
		const char *name;
		unsigned flags;
	} policies[] = {
		{"sync", 0},
		{"nosync", MDB_NOSYNC},
		{"writemap", MDB_WRITEMAP},
		{"writemap-nosync", MDB_WRITEMAP | MDB_NOSYNC},
		{"mapasync", MDB_WRITEMAP | MDB_MAPASYNC},
	};

	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		if (strcmp(policies[i].name, sync) == 0) {
			return policies[i].flags;
		}
	}
	return 0;
}

static void open_env(struct lmdb *lmdb, const char *dir, unsigned flags, size_t map_bytes)
{
	check(mdb_env_create(&lmdb->env));
	check(mdb_env_set_maxdbs(lmdb->env, 256));
	if (map_bytes > 0) {
		check(mdb_env_set_mapsize(lmdb->env, map_bytes));
	}
	check(mdb_env_open(lmdb->env, dir, flags, 0600));
}

/** Handles of all databases; they belong to the environment once committed. */
static void open_dbs(struct lmdb *lmdb, unsigned ndbs, unsigned create)
{
	lmdb->ndbs = ndbs;
	lmdb->indexes = calloc(ndbs + 1, sizeof(*lmdb->indexes));
	if (lmdb->indexes == NULL) {
		stores_die("LMDB", "out of memory");
	}
	check(mdb_dbi_open(lmdb->txn, "id2e", create | MDB_INTEGERKEY, &lmdb->entries));
	for (unsigned i = 0; i < ndbs; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "%u", i);
		check(mdb_dbi_open(lmdb->txn, name, create | INDEX_FLAGS,
		                   &lmdb->indexes[i]));
	}
}

/* ---- writing ---- */

static void begin(struct lmdb *lmdb)
{
	check(mdb_txn_begin(lmdb->env, NULL, 0, &lmdb->txn));
	lmdb->charged = 0;
	lmdb->cursor = NULL;
}

static void commit(struct lmdb *lmdb)
{
	if (lmdb->cursor != NULL) {
		mdb_cursor_close(lmdb->cursor);
		lmdb->cursor = NULL;
	}
	check(mdb_txn_commit(lmdb->txn));
}

/** Before the next put: end the transaction if it has had its records. */
static void renew(struct lmdb *lmdb)
{
	if (lmdb->job->batch > 0 && lmdb->charged >= lmdb->job->batch) {
		commit(lmdb);
		begin(lmdb);
	}
}

static void count(struct lmdb *lmdb, uint64_t n)
{
	lmdb->charged += n;
	stores_count(lmdb->job, n);
}

static void put_entry(struct lmdb *lmdb, const struct entry_head *head, unsigned flags)
{
	MDB_val key = {sizeof(head->id), (void *)&head->id};
	MDB_val data = {head->len, (void *)(head + 1)};

	check(mdb_put(lmdb->txn, lmdb->entries, &key, &data, flags));
	count(lmdb, 1);
}

static MDB_cursor *cursor_of(struct lmdb *lmdb, unsigned db)
{
	if (lmdb->cursor != NULL && lmdb->cursor_db == db) {
		return lmdb->cursor;
	}
	if (lmdb->cursor != NULL) {
		mdb_cursor_close(lmdb->cursor);
	}
	check(mdb_cursor_open(lmdb->txn, lmdb->indexes[db], &lmdb->cursor));
	lmdb->cursor_db = db;
	return lmdb->cursor;
}

/** Part of one list, the key's first part or a later one. */
static void append_ids(struct lmdb *lmdb, const struct posting *first, uint64_t *ids,
                       size_t n, bool is_first)
{
	MDB_val key = {first->key_len, (void *)first->key};
	MDB_val data[2] = {{sizeof(*ids), ids}, {n, NULL}};
	unsigned flags = is_first ? MDB_APPEND : 0;

	if (n > 1 || !is_first) {
		flags |= MDB_APPENDDUP | MDB_MULTIPLE;
	}
	renew(lmdb);
	check(mdb_cursor_put(cursor_of(lmdb, first->db), &key, data, flags));
	if ((flags & MDB_MULTIPLE) != 0 && data[1].mv_size != n) {
		stores_die("LMDB", "did not take a whole list");
	}
	count(lmdb, n);
}

static void append_lists(struct lmdb *lmdb, const struct stores_input *in)
{
	uint64_t limit = lmdb->job->batch > 0 && lmdb->job->batch < IDS_MAX
	                         ? lmdb->job->batch
	                         : IDS_MAX;
	uint64_t *ids = malloc(IDS_MAX * sizeof(*ids));

	if (ids == NULL) {
		stores_die("LMDB", "out of memory");
	}
	for (size_t i = 0; i < in->npostings;) {
		const struct posting *first = &in->sorted[i];
		bool is_first = i == 0 || !stores_same_key(first - 1, first);
		size_t n = 0;

		while (n < limit && i + n < in->npostings &&
		       stores_same_key(first, first + n)) {
			ids[n] = first[n].id;
			n++;
		}
		append_ids(lmdb, first, ids, n, is_first);
		i += n;
	}
	free(ids);
}

static void append_one_by_one(struct lmdb *lmdb, const struct stores_input *in)
{
	for (size_t i = 0; i < in->npostings; i++) {
		const struct posting *posting = &in->sorted[i];
		bool is_first = i == 0 || !stores_same_key(posting - 1, posting);
		MDB_val key = {posting->key_len, (void *)posting->key};
		MDB_val data = {sizeof(posting->id), (void *)&posting->id};

		renew(lmdb);
		check(mdb_cursor_put(cursor_of(lmdb, posting->db), &key, &data,
		                     is_first ? MDB_APPEND : MDB_APPENDDUP));
		count(lmdb, 1);
	}
}

static void put_postings(struct lmdb *lmdb, const struct posting *posting, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		MDB_val key = {posting[i].key_len, (void *)posting[i].key};
		MDB_val data = {sizeof(posting[i].id), (void *)&posting[i].id};

		check(mdb_put(lmdb->txn, lmdb->indexes[posting[i].db], &key, &data, 0));
		count(lmdb, 1);
	}
}

static void write_random(struct lmdb *lmdb, const struct stores_input *in)
{
	size_t at = 0;

	for (size_t offset = 0; offset < in->entries_bytes;) {
		const struct entry_head *head = stores_entry_at(in, &offset);
		size_t n = 0;

		renew(lmdb);
		put_entry(lmdb, head, 0);
		/* Ranges begin with an ID of 0: they go with the first entry. */
		while (at + n < in->npostings && in->shuffled[at + n].id <= head->id) {
			n++;
		}
		put_postings(lmdb, in->shuffled + at, n);
		at += n;
	}
	put_postings(lmdb, in->shuffled + at, in->npostings - at);
}

static void write_ordered(struct lmdb *lmdb, const struct stores_input *in)
{
	for (size_t offset = 0; offset < in->entries_bytes;) {
		renew(lmdb);
		put_entry(lmdb, stores_entry_at(in, &offset), MDB_APPEND);
	}
	if (strcmp(lmdb->job->method, "append") == 0) {
		append_one_by_one(lmdb, in);
	} else {
		append_lists(lmdb, in);
	}
}

static void lmdb_write(struct store_job *job, const struct stores_input *in)
{
	struct lmdb lmdb = {.job = job};
	/* Four times the records at their worst density, and room for the free list. */
	size_t map_bytes = 4 * (in->entries_bytes + in->npostings * 16) + (4u << 30);
	double start = stores_now();

	open_env(&lmdb, job->dir, flags_of(job->sync), map_bytes >> 12 << 12);
	begin(&lmdb);
	open_dbs(&lmdb, in->ndbs, MDB_CREATE);
	if (strcmp(job->method, "random") == 0) {
		write_random(&lmdb, in);
	} else {
		write_ordered(&lmdb, in);
	}
	commit(&lmdb);
	job->write_s = stores_now() - start;
	check(mdb_env_sync(lmdb.env, 1));
	job->settle_s = stores_now() - start - job->write_s;
	mdb_env_close(lmdb.env);
	free(lmdb.indexes);
}

/* ---- reading ---- */

static void *lmdb_open(const struct store_job *job)
{
	struct lmdb *lmdb = calloc(1, sizeof(*lmdb));
	MDB_dbi names = 0;
	MDB_stat stat;

	if (lmdb == NULL) {
		stores_die("LMDB", "out of memory");
	}
	open_env(lmdb, job->dir, MDB_RDONLY, 0);
	check(mdb_txn_begin(lmdb->env, NULL, MDB_RDONLY, &lmdb->txn));
	check(mdb_dbi_open(lmdb->txn, NULL, 0, &names));
	check(mdb_stat(lmdb->txn, names, &stat));
	if (stat.ms_entries == 0) {
		return lmdb; /* nothing was ever committed */
	}
	open_dbs(lmdb, (unsigned)stat.ms_entries - 1, 0);
	check(mdb_cursor_open(lmdb->txn, lmdb->entries, &lmdb->entry_cursor));
	return lmdb;
}

static void lmdb_close(void *store)
{
	struct lmdb *lmdb = store;

	if (lmdb->cursor != NULL) {
		mdb_cursor_close(lmdb->cursor);
	}
	if (lmdb->entry_cursor != NULL) {
		mdb_cursor_close(lmdb->entry_cursor);
	}
	mdb_txn_abort(lmdb->txn);
	mdb_env_close(lmdb->env);
	free(lmdb->indexes);
	free(lmdb);
}

static int lmdb_get_entry(void *store, uint64_t id, uint8_t *ret_first, size_t *ret_len)
{
	struct lmdb *lmdb = store;
	MDB_val key = {sizeof(id), &id};
	MDB_val data;
	int r = mdb_get(lmdb->txn, lmdb->entries, &key, &data);

	if (r == MDB_NOTFOUND) {
		return 0;
	}
	check(r);
	*ret_first = *(const uint8_t *)data.mv_data;
	*ret_len = data.mv_size;
	return 1;
}

static int entry_result(int r, const MDB_val *key, uint64_t *ret_id)
{
	if (r == MDB_NOTFOUND) {
		return 0;
	}
	check(r);
	memcpy(ret_id, key->mv_data, sizeof(*ret_id));
	return 1;
}

static int lmdb_seek_entry(void *store, uint64_t id, uint64_t *ret_id)
{
	struct lmdb *lmdb = store;
	MDB_val key = {sizeof(id), &id};
	MDB_val data;

	if (lmdb->entry_cursor == NULL) {
		return 0;
	}
	return entry_result(
		mdb_cursor_get(lmdb->entry_cursor, &key, &data, MDB_SET_RANGE), &key,
		ret_id);
}

static int lmdb_next_entry(void *store, uint64_t *ret_id)
{
	struct lmdb *lmdb = store;
	MDB_val key;
	MDB_val data;

	return entry_result(mdb_cursor_get(lmdb->entry_cursor, &key, &data, MDB_NEXT),
	                    &key, ret_id);
}

static void fill(const struct lmdb *lmdb, const MDB_val *key, const MDB_val *data,
                 struct posting *ret)
{
	*ret = (struct posting){.db = (uint8_t)lmdb->cursor_db,
	                        .key_len = (uint8_t)key->mv_size};
	memcpy(ret->key, key->mv_data, key->mv_size);
	memcpy(&ret->id, data->mv_data, sizeof(ret->id));
}

/** From the cursor's place on, through empty databases if need be. */
static int go_on(struct lmdb *lmdb, int r, MDB_val *key, MDB_val *data,
                 struct posting *ret)
{
	while (r == MDB_NOTFOUND && lmdb->cursor_db + 1 < lmdb->ndbs) {
		MDB_cursor *cursor = cursor_of(lmdb, lmdb->cursor_db + 1);

		r = mdb_cursor_get(cursor, key, data, MDB_FIRST);
	}
	if (r == MDB_NOTFOUND) {
		return 0;
	}
	check(r);
	fill(lmdb, key, data, ret);
	return 1;
}

static int lmdb_seek(void *store, const struct posting *from, struct posting *ret)
{
	struct lmdb *lmdb = store;
	MDB_val key = {from->key_len, (void *)from->key};
	MDB_val data = {sizeof(from->id), (void *)&from->id};

	if (from->db >= lmdb->ndbs) {
		return 0;
	}
	MDB_cursor *cursor = cursor_of(lmdb, from->db);
	if (from->key_len == 0) {
		return go_on(lmdb, mdb_cursor_get(cursor, &key, &data, MDB_FIRST), &key,
		             &data, ret);
	}
	int r = mdb_cursor_get(cursor, &key, &data, MDB_GET_BOTH_RANGE);
	if (r == MDB_NOTFOUND) {
		/* The key's list ends before the ID, or there is no such key. */
		r = mdb_cursor_get(cursor, &key, &data, MDB_SET_RANGE);
		if (r == MDB_SUCCESS && key.mv_size == from->key_len &&
		    memcmp(key.mv_data, from->key, key.mv_size) == 0) {
			r = mdb_cursor_get(cursor, &key, &data, MDB_NEXT_NODUP);
		}
	}
	return go_on(lmdb, r, &key, &data, ret);
}

static int lmdb_next(void *store, struct posting *ret)
{
	struct lmdb *lmdb = store;
	MDB_val key;
	MDB_val data;
	int r = mdb_cursor_get(lmdb->cursor, &key, &data, MDB_NEXT);

	return go_on(lmdb, r, &key, &data, ret);
}

const struct store_ops store_lmdb = {
	.name = "lmdb",
	.methods = "append-multiple append random",
	.syncs = "sync nosync writemap writemap-nosync mapasync",
	.write = lmdb_write,
	.open = lmdb_open,
	.close = lmdb_close,
	.get_entry = lmdb_get_entry,
	.seek_entry = lmdb_seek_entry,
	.next_entry = lmdb_next_entry,
	.seek = lmdb_seek,
	.next = lmdb_next,
};
