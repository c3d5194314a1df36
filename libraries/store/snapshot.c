/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read snapshots: read transactions of one state, one cursor for each scan.
 *
 * Seeking compares keys, so id2v gets slapd's order of keys (storage.md 1.3). Its order
 * of values under a key is not needed: they are read one after the other.
 */
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <lmdb.h>

#include "base/error.h"
#include "base/grow.h"
#include "pages/leaf_keys.h"
#include "store/lmdb_error.h"
#include "store/readers.h"
#include "store/snapshot_impl.h"

/* slapd uses 256 at most (storage.md 1.1). */
#define DBS_MAX 1024

#define SPLIT_KEY_BYTES (sizeof(uint64_t) + sizeof(uint16_t))

_Static_assert(DIT_DB_INTEGERKEY == MDB_INTEGERKEY && DIT_DB_DUPSORT == MDB_DUPSORT &&
                       DIT_DB_DUPFIXED == MDB_DUPFIXED &&
                       DIT_DB_INTEGERDUP == MDB_INTEGERDUP,
               "stored flags are LMDB's");

struct dit_snapshot {
	struct dit_readers readers;
	struct dit_stored_db *dbs; /* sorted by name, each name owned */
	MDB_dbi *dbis;             /* their handles */
	struct dit_tree_record *trees;
	size_t ndbs;
	unsigned page_bytes;
	uint64_t npages; /* of the data file, up to the last one in use */
};

struct dit_scan {
	MDB_cursor *cursor;
	bool is_started; /* the cursor stands on a record that was returned */
	bool is_integerkey;
};

/* ID, then the attribute's number. Keys of another length are none of slapd's. */
static int compare_split_keys(const MDB_val *a, const MDB_val *b)
{
	uint64_t ids[2];
	uint16_t ads[2];

	if (a->mv_size != SPLIT_KEY_BYTES || b->mv_size != SPLIT_KEY_BYTES) {
		return (a->mv_size > b->mv_size) - (a->mv_size < b->mv_size);
	}
	memcpy(&ids[0], a->mv_data, sizeof(ids[0]));
	memcpy(&ids[1], b->mv_data, sizeof(ids[1]));
	memcpy(&ads[0], (const char *)a->mv_data + sizeof(ids[0]), sizeof(ads[0]));
	memcpy(&ads[1], (const char *)b->mv_data + sizeof(ids[1]), sizeof(ads[1]));
	if (ids[0] != ids[1]) {
		return ids[0] < ids[1] ? -1 : 1;
	}
	return (ads[0] > ads[1]) - (ads[0] < ads[1]);
}

static void forget_dbs(struct dit_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->ndbs; i++) {
		free((char *)snapshot->dbs[i].name);
	}
	free(snapshot->dbs);
	free(snapshot->dbis);
	free(snapshot->trees);
	snapshot->dbs = NULL;
	snapshot->dbis = NULL;
	snapshot->trees = NULL;
	snapshot->ndbs = 0;
}

/* @param record  of the main database: a struct dit_tree_record */
static int open_db(struct dit_snapshot *snapshot, MDB_txn *txn, const MDB_val *key,
                   const MDB_val *record)
{
	struct dit_tree_record *tree = &snapshot->trees[snapshot->ndbs];
	struct dit_stored_db *db = &snapshot->dbs[snapshot->ndbs];
	MDB_dbi *dbi = &snapshot->dbis[snapshot->ndbs];
	MDB_stat stat;
	int r = 0;
	char *name = strndup(key->mv_data, key->mv_size);

	if (name == NULL) {
		return -ENOMEM;
	}
	db->name = name;
	snapshot->ndbs++;
	r = dit_lmdb_error(mdb_dbi_open(txn, name, 0, dbi));
	if (r == 0) {
		r = dit_lmdb_error(mdb_dbi_flags(txn, *dbi, &db->flags));
	}
	if (r == 0 && strcmp(name, "id2v") == 0) {
		r = dit_lmdb_error(mdb_set_compare(txn, *dbi, compare_split_keys));
	}
	if (r == 0) {
		r = dit_lmdb_error(mdb_stat(txn, *dbi, &stat));
	}
	if (r < 0) {
		return r;
	}
	if (record->mv_size != sizeof(*tree)) {
		return DIT_E_CORRUPT;
	}
	memcpy(tree, record->mv_data, sizeof(*tree));
	db->nrecords = stat.ms_entries;
	db->npages = stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages;
	return 0;
}

/* The main database holds one record for each named one, in the order of the names. */
static int open_dbs(void *ctx, MDB_env *env, MDB_txn *txn)
{
	struct dit_snapshot *snapshot = ctx;
	MDB_cursor *cursor = NULL;
	MDB_dbi main_dbi = 0;
	MDB_envinfo info;
	MDB_stat stat;
	MDB_val key;
	MDB_val record;
	int r = 0;

	forget_dbs(snapshot);
	r = dit_lmdb_error(mdb_env_info(env, &info));
	if (r < 0) {
		return r;
	}
	r = dit_lmdb_error(mdb_dbi_open(txn, NULL, 0, &main_dbi));
	if (r == 0) {
		r = dit_lmdb_error(mdb_stat(txn, main_dbi, &stat));
	}
	if (r < 0) {
		return r;
	}
	snapshot->page_bytes = stat.ms_psize;
	snapshot->npages = (uint64_t)info.me_last_pgno + 1;
	snapshot->dbs = calloc(stat.ms_entries + 1, sizeof(*snapshot->dbs));
	snapshot->dbis = calloc(stat.ms_entries + 1, sizeof(*snapshot->dbis));
	snapshot->trees = calloc(stat.ms_entries + 1, sizeof(*snapshot->trees));
	if (snapshot->dbs == NULL || snapshot->dbis == NULL || snapshot->trees == NULL) {
		return -ENOMEM;
	}
	r = dit_lmdb_error(mdb_cursor_open(txn, main_dbi, &cursor));
	if (r < 0) {
		return r;
	}
	while (r == 0 && snapshot->ndbs < stat.ms_entries) {
		r = dit_lmdb_error(mdb_cursor_get(cursor, &key, &record, MDB_NEXT));
		if (r == 0) {
			r = open_db(snapshot, txn, &key, &record);
		}
	}
	mdb_cursor_close(cursor);
	return r;
}

int dit_snapshot_open_readers(struct dit_snapshot **ret, const char *directory,
                              const struct dit_snapshot_opts *opts)
{
	const struct dit_readers_opts readers_opts = {.n = opts->nreaders,
	                                              .no_lock = opts->no_lock,
	                                              .no_lock_file = opts->no_lock_file,
	                                              .max_dbs = DBS_MAX,
	                                              .wait_ms = opts->wait_ms,
	                                              .is_claimed = opts->is_claimed,
	                                              .claimed_fd = opts->claimed_fd,
	                                              .fault = opts->fault};
	struct dit_snapshot *snapshot = NULL;
	int r = 0;

	if (opts->nreaders == 0) {
		return -EINVAL;
	}
	snapshot = calloc(1, sizeof(*snapshot));
	if (snapshot == NULL) {
		return -ENOMEM;
	}
	r = dit_readers_open(&snapshot->readers, directory, &readers_opts, open_dbs,
	                     snapshot);
	if (r < 0) {
		dit_snapshot_close(snapshot);
		return r;
	}
	*ret = snapshot;
	return 0;
}

int dit_snapshot_open(struct dit_snapshot **ret, const char *directory)
{
	const struct dit_snapshot_opts opts = {.nreaders = 1, .no_lock = true};

	return dit_snapshot_open_readers(ret, directory, &opts);
}

void dit_snapshot_close(struct dit_snapshot *snapshot)
{
	if (snapshot == NULL) {
		return;
	}
	dit_readers_close(&snapshot->readers);
	forget_dbs(snapshot);
	free(snapshot);
}

unsigned dit_snapshot_nreaders(const struct dit_snapshot *snapshot)
{
	return snapshot->readers.n;
}

bool dit_snapshot_is_held(const struct dit_snapshot *snapshot)
{
	return snapshot->readers.door.lock_fd >= 0;
}

/* Their number: none of that name. */
static size_t find_db(const struct dit_snapshot *snapshot, const char *name)
{
	size_t i = 0;

	while (i < snapshot->ndbs && strcmp(snapshot->dbs[i].name, name) != 0) {
		i++;
	}
	return i;
}

int dit_snapshot_add_newest(struct dit_snapshot *snapshot, unsigned *ret_reader)
{
	*ret_reader = snapshot->readers.n;
	return dit_readers_add_newest(&snapshot->readers);
}

const struct dit_readers *dit_snapshot_readers(const struct dit_snapshot *snapshot)
{
	return &snapshot->readers;
}

uint64_t dit_snapshot_npages(const struct dit_snapshot *snapshot)
{
	return snapshot->npages;
}

int dit_snapshot_tree(const struct dit_snapshot *snapshot, const char *name,
                      struct dit_tree_record *ret)
{
	size_t i = find_db(snapshot, name);

	if (i == snapshot->ndbs) {
		return 0;
	}
	*ret = snapshot->trees[i];
	return 1;
}

unsigned dit_snapshot_page_bytes(const struct dit_snapshot *snapshot)
{
	return snapshot->page_bytes;
}

uint64_t dit_snapshot_txn_id(const struct dit_snapshot *snapshot)
{
	return snapshot->readers.txn_id;
}

size_t dit_snapshot_dbs(const struct dit_snapshot *snapshot,
                        const struct dit_stored_db **ret)
{
	*ret = snapshot->dbs;
	return snapshot->ndbs;
}

/* ---- ranges of IDs ---- */

struct ranges {
	uint64_t *firsts;
	size_t n;
	size_t size;
	unsigned nleaves; /* of each range */
	unsigned at;      /* leaves since the last one began */
};

static int add_leaf(void *ctx, struct dit_span key)
{
	struct ranges *ranges = ctx;
	uint64_t *firsts = NULL;

	if (key.len != sizeof(*firsts)) {
		return DIT_E_CORRUPT;
	}
	if (++ranges->at < ranges->nleaves) {
		return 0;
	}
	ranges->at = 0;
	firsts = dit_grow(ranges->firsts, &ranges->size, ranges->n + 1, sizeof(*firsts));
	if (firsts == NULL) {
		return -ENOMEM;
	}
	ranges->firsts = firsts;
	memcpy(&firsts[ranges->n], key.data, sizeof(*firsts));
	/* IDs that do not ascend would make two ranges hold one entry. */
	if (firsts[ranges->n] <= firsts[ranges->n - 1]) {
		return DIT_E_CORRUPT;
	}
	ranges->n++;
	return 0;
}

static int find_ranges(const struct dit_snapshot *snapshot,
                       const struct dit_tree_record *tree, struct ranges *ranges)
{
	struct dit_page_source source;
	int fd = -1;
	int r = 0;

	ranges->firsts = dit_grow(NULL, &ranges->size, 1, sizeof(*ranges->firsts));
	if (ranges->firsts == NULL) {
		return -ENOMEM;
	}
	ranges->firsts[ranges->n++] = 0;
	r = dit_lmdb_error(mdb_env_get_fd(snapshot->readers.env, &fd));
	if (r == 0) {
		r = dit_page_source_init(&source, fd, snapshot->page_bytes,
		                         snapshot->npages, false);
	}
	if (r < 0) {
		return r;
	}
	r = dit_leaf_keys(&source, &dit_lmdb_09, tree, add_leaf, ranges);
	dit_page_source_deinit(&source);
	return r;
}

int dit_snapshot_id_ranges(const struct dit_snapshot *snapshot, unsigned nleaves,
                           uint64_t **ret_firsts, size_t *ret_n)
{
	struct ranges ranges = {.nleaves = nleaves};
	size_t db = find_db(snapshot, "id2e");
	int r = 0;

	if (db == snapshot->ndbs) {
		return DIT_E_UNKNOWN;
	}
	r = find_ranges(snapshot, &snapshot->trees[db], &ranges);
	if (r < 0) {
		free(ranges.firsts);
		return r;
	}
	*ret_firsts = ranges.firsts;
	*ret_n = ranges.n;
	return 0;
}

/* ---- scans ---- */

int dit_scan_open(struct dit_scan **ret, struct dit_snapshot *snapshot, const char *name)
{
	return dit_scan_open_by(ret, snapshot, 0, name);
}

int dit_scan_open_by(struct dit_scan **ret, struct dit_snapshot *snapshot,
                     unsigned reader, const char *name)
{
	struct dit_scan *scan = NULL;
	size_t i = find_db(snapshot, name);
	int r = 0;

	if (i == snapshot->ndbs) {
		return DIT_E_UNKNOWN;
	}
	if (reader >= snapshot->readers.n) {
		return -EINVAL;
	}
	scan = calloc(1, sizeof(*scan));
	if (scan == NULL) {
		return -ENOMEM;
	}
	scan->is_integerkey = (snapshot->dbs[i].flags & DIT_DB_INTEGERKEY) != 0;
	r = dit_lmdb_error(mdb_cursor_open(snapshot->readers.txns[reader],
	                                   snapshot->dbis[i], &scan->cursor));
	if (r < 0) {
		free(scan);
		return r;
	}
	*ret = scan;
	return 0;
}

static int scan_get(struct dit_scan *scan, MDB_val *key, MDB_cursor_op op,
                    struct dit_span *ret_key, struct dit_span *ret_value)
{
	MDB_val value;
	int r = dit_lmdb_error(mdb_cursor_get(scan->cursor, key, &value, op));

	if (r == MDB_NOTFOUND) {
		return 0;
	}
	if (r < 0) {
		return r;
	}
	scan->is_started = true;
	*ret_key = (struct dit_span){key->mv_data, key->mv_size};
	*ret_value = (struct dit_span){value.mv_data, value.mv_size};
	return 1;
}

int dit_scan_next(struct dit_scan *scan, struct dit_span *ret_key,
                  struct dit_span *ret_value)
{
	MDB_val key;

	return scan_get(scan, &key, scan->is_started ? MDB_NEXT : MDB_FIRST, ret_key,
	                ret_value);
}

int dit_scan_seek_id(struct dit_scan *scan, uint64_t least, struct dit_span *ret_key,
                     struct dit_span *ret_value)
{
	MDB_val key = {sizeof(least), &least};

	return scan_get(scan, &key, MDB_SET_RANGE, ret_key, ret_value);
}

int dit_scan_next_key(struct dit_scan *scan, struct dit_span *ret_key,
                      struct dit_span *ret_value)
{
	MDB_val key;

	return scan_get(scan, &key, scan->is_started ? MDB_NEXT_NODUP : MDB_FIRST,
	                ret_key, ret_value);
}

/* A block of IDs; liblmdb leaves @p block alone where a key has one ID. */
static int get_block(struct dit_scan *scan, MDB_cursor_op op, MDB_val *block,
                     struct dit_span *ret)
{
	MDB_val key;
	int r = dit_lmdb_error(mdb_cursor_get(scan->cursor, &key, block, op));

	if (r == MDB_NOTFOUND) {
		return 0;
	}
	if (r < 0) {
		return r;
	}
	*ret = (struct dit_span){block->mv_data, block->mv_size};
	return 1;
}

int dit_scan_next_list(struct dit_scan *scan, struct dit_span *ret_key,
                       struct dit_span *ret_ids)
{
	struct dit_span first;
	MDB_val block;
	int r = dit_scan_next_key(scan, ret_key, &first);

	if (r <= 0) {
		return r;
	}
	block = (MDB_val){first.len, (void *)first.data};
	return get_block(scan, MDB_GET_MULTIPLE, &block, ret_ids);
}

int dit_scan_more_ids(struct dit_scan *scan, struct dit_span *ret_ids)
{
	MDB_val block = {0, NULL};

	return get_block(scan, MDB_NEXT_MULTIPLE, &block, ret_ids);
}

int dit_scan_seek(struct dit_scan *scan, struct dit_span wanted, struct dit_span *ret_key,
                  struct dit_span *ret_value)
{
	MDB_val first;
	uint64_t integer = 0;
	MDB_val key = {wanted.len, (void *)wanted.data};
	int r = 0;

	if (scan->is_integerkey) {
		/* LMDB compares words of one size, the one that this database has. */
		r = dit_lmdb_error(mdb_cursor_get(scan->cursor, &first, NULL, MDB_FIRST));
		if (r == MDB_NOTFOUND || (r == 0 && first.mv_size != wanted.len)) {
			return 0;
		}
		if (r < 0) {
			return r;
		}
		if (wanted.len > sizeof(integer)) {
			return 0;
		}
		memcpy(&integer, wanted.data, wanted.len);
		key.mv_data = &integer;
	}
	return scan_get(scan, &key, MDB_SET_KEY, ret_key, ret_value);
}

void dit_scan_close(struct dit_scan *scan)
{
	if (scan != NULL) {
		mdb_cursor_close(scan->cursor);
		free(scan);
	}
}
