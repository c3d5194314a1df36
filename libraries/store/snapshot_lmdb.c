/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A snapshot of LMDB 0.9: read transactions of one state, one cursor of liblmdb for each
 * scan.
 *
 * Seeking compares keys, so id2v gets slapd's order of keys (storage.md 1.3). Its order
 * of values under a key is not needed: they are read one after the other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <lmdb.h>

#include "base/error.h"
#include "store/format_check.h"
#include "store/lmdb_error.h"
#include "store/snapshot_impl.h"

/* slapd uses 256 at most (storage.md 1.1). */
#define DBS_MAX 1024

#define FREE_DBI 0 /* liblmdb's, as mdb_stat(1) uses it */

#define SPLIT_KEY_BYTES (sizeof(uint64_t) + sizeof(uint16_t))

_Static_assert(DIT_DB_INTEGERKEY == MDB_INTEGERKEY && DIT_DB_DUPSORT == MDB_DUPSORT &&
                       DIT_DB_DUPFIXED == MDB_DUPFIXED &&
                       DIT_DB_INTEGERDUP == MDB_INTEGERDUP,
               "stored flags are LMDB's");

struct lmdb_snapshot {
	struct dit_snapshot base;
	struct dit_readers readers;
	MDB_dbi *dbis; /* handles of the named databases */
	MDB_dbi main_dbi;
};

struct lmdb_scan {
	struct dit_scan base;
	MDB_cursor *cursor;
};

static struct lmdb_snapshot *of(struct dit_snapshot *snapshot)
{
	return (struct lmdb_snapshot *)snapshot;
}

const struct dit_readers *dit_snapshot_readers(const struct dit_snapshot *snapshot)
{
	return &((const struct lmdb_snapshot *)snapshot)->readers;
}

/* ---- scans ---- */

static int get(struct dit_scan *scan, MDB_val *key, MDB_cursor_op op,
               struct dit_span *ret_key, struct dit_span *ret_value)
{
	MDB_val value;
	int r = dit_lmdb_error(
		mdb_cursor_get(((struct lmdb_scan *)scan)->cursor, key, &value, op));

	if (r == MDB_NOTFOUND) {
		return 0;
	}
	if (r < 0) {
		return r;
	}
	*ret_key = (struct dit_span){key->mv_data, key->mv_size};
	*ret_value = (struct dit_span){value.mv_data, value.mv_size};
	return 1;
}

static int step(struct dit_scan *scan, enum dit_scan_step step, struct dit_span *ret_key,
                struct dit_span *ret_value)
{
	static const MDB_cursor_op ops[] = {
		[DIT_SCAN_FIRST] = MDB_FIRST,
		[DIT_SCAN_NEXT] = MDB_NEXT,
		[DIT_SCAN_NEXT_KEY] = MDB_NEXT_NODUP,
	};
	MDB_val key;

	return get(scan, &key, ops[step], ret_key, ret_value);
}

static int seek(struct dit_scan *scan, struct dit_span wanted, bool is_exact,
                struct dit_span *ret_key, struct dit_span *ret_value)
{
	MDB_val first;
	uint64_t integer = 0;
	MDB_val key = {wanted.len, (void *)wanted.data};

	/* IDs are sought inexactly alone, in databases whose keys have their length. */
	if (scan->is_integerkey && is_exact) {
		/* LMDB compares words of one size, the one that this database has. */
		int r = dit_lmdb_error(mdb_cursor_get(((struct lmdb_scan *)scan)->cursor,
		                                      &first, NULL, MDB_FIRST));

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
	return get(scan, &key, is_exact ? MDB_SET_KEY : MDB_SET_RANGE, ret_key,
	           ret_value);
}

/* liblmdb leaves @p block alone where a key has one ID. */
static int get_block(struct dit_scan *scan, MDB_cursor_op op, MDB_val *block,
                     struct dit_span *ret)
{
	MDB_val key;
	int r = dit_lmdb_error(
		mdb_cursor_get(((struct lmdb_scan *)scan)->cursor, &key, block, op));

	if (r == MDB_NOTFOUND) {
		return 0;
	}
	if (r < 0) {
		return r;
	}
	*ret = (struct dit_span){block->mv_data, block->mv_size};
	return 1;
}

static int items(struct dit_scan *scan, struct dit_span first, struct dit_span *ret)
{
	MDB_val block = {first.len, (void *)first.data};

	return get_block(scan, MDB_GET_MULTIPLE, &block, ret);
}

static int more_items(struct dit_scan *scan, struct dit_span *ret)
{
	MDB_val block = {0, NULL};

	return get_block(scan, MDB_NEXT_MULTIPLE, &block, ret);
}

static void scan_close(struct dit_scan *scan)
{
	mdb_cursor_close(((struct lmdb_scan *)scan)->cursor);
	free(scan);
}

static const struct dit_scan_ops scan_ops = {
	.step = step,
	.seek = seek,
	.items = items,
	.more_items = more_items,
	.close = scan_close,
};

static int open_scan(struct dit_scan **ret, struct dit_snapshot *snapshot,
                     unsigned reader, size_t db)
{
	struct lmdb_snapshot *lmdb = of(snapshot);
	struct lmdb_scan *scan = calloc(1, sizeof(*scan));
	int r = 0;

	if (scan == NULL) {
		return -ENOMEM;
	}
	scan->base.ops = &scan_ops;
	r = dit_lmdb_error(mdb_cursor_open(lmdb->readers.txns[reader], lmdb->dbis[db],
	                                   &scan->cursor));
	if (r < 0) {
		free(scan);
		return r;
	}
	*ret = &scan->base;
	return 0;
}

/* ---- the named databases ---- */

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

static int open_db(struct lmdb_snapshot *lmdb, MDB_txn *txn, const MDB_val *key,
                   const MDB_val *record)
{
	struct dit_snapshot *base = &lmdb->base;
	struct dit_stored_db *db = &base->dbs[base->ndbs];
	MDB_dbi *dbi = &lmdb->dbis[base->ndbs];
	MDB_stat stat;
	int r = dit_snapshot_add_db(base, (struct dit_span){key->mv_data, key->mv_size},
	                            (struct dit_span){record->mv_data, record->mv_size});

	/* liblmdb says more about a record that is none of a database. */
	if (r < 0 && r != DIT_E_CORRUPT) {
		return r;
	}
	r = dit_lmdb_error(mdb_dbi_open(txn, db->name, 0, dbi));
	if (r == 0) {
		r = dit_lmdb_error(mdb_dbi_flags(txn, *dbi, &db->flags));
	}
	if (r == 0 && strcmp(db->name, "id2v") == 0) {
		r = dit_lmdb_error(mdb_set_compare(txn, *dbi, compare_split_keys));
	}
	if (r == 0) {
		r = dit_lmdb_error(mdb_stat(txn, *dbi, &stat));
	}
	if (r < 0) {
		return r;
	}
	db->nrecords = stat.ms_entries;
	db->npages = dit_snapshot_db_pages(
		base, stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages);
	return record->mv_size == sizeof(struct dit_tree_record) ? 0 : DIT_E_CORRUPT;
}

/* The main database holds one record for each named one, in the order of the names. */
static int open_all(struct lmdb_snapshot *lmdb, MDB_txn *txn, MDB_dbi main_dbi, size_t n)
{
	MDB_cursor *cursor = NULL;
	MDB_val key;
	MDB_val record;
	int r = dit_lmdb_error(mdb_cursor_open(txn, main_dbi, &cursor));

	if (r < 0) {
		return r;
	}
	while (r == 0 && lmdb->base.ndbs < n) {
		r = dit_lmdb_error(mdb_cursor_get(cursor, &key, &record, MDB_NEXT));
		if (r == 0) {
			r = open_db(lmdb, txn, &key, &record);
		}
	}
	mdb_cursor_close(cursor);
	return r;
}

static int open_dbs(void *ctx, MDB_env *env, MDB_txn *txn)
{
	struct lmdb_snapshot *lmdb = ctx;
	MDB_envinfo info;
	MDB_stat stat;
	int r = dit_lmdb_error(mdb_env_info(env, &info));

	if (r == 0) {
		r = dit_lmdb_error(mdb_dbi_open(txn, NULL, 0, &lmdb->main_dbi));
	}
	if (r == 0) {
		r = dit_lmdb_error(mdb_stat(txn, lmdb->main_dbi, &stat));
	}
	if (r == 0) {
		r = dit_snapshot_expect_dbs(&lmdb->base, stat.ms_entries);
	}
	if (r < 0) {
		return r;
	}
	lmdb->base.page_bytes = stat.ms_psize;
	lmdb->base.npages = (uint64_t)info.me_last_pgno + 1;
	free(lmdb->dbis);
	lmdb->dbis = calloc(stat.ms_entries + 1, sizeof(*lmdb->dbis));
	return lmdb->dbis == NULL ? -ENOMEM
	                          : open_all(lmdb, txn, lmdb->main_dbi, stat.ms_entries);
}

/* ---- opening and closing ---- */

static int renew(struct dit_snapshot *snapshot, unsigned reader)
{
	return dit_readers_renew(&of(snapshot)->readers, reader);
}

static int tree_by(struct dit_snapshot *snapshot, unsigned reader, const char *name,
                   struct dit_tree_record *ret)
{
	const struct lmdb_snapshot *lmdb = of(snapshot);
	MDB_val key = {strlen(name), (void *)name};
	MDB_val record;
	int r = dit_lmdb_error(
		mdb_get(lmdb->readers.txns[reader], lmdb->main_dbi, &key, &record));

	if (r == MDB_NOTFOUND) {
		return 0;
	}
	if (r < 0 || record.mv_size != sizeof(*ret)) {
		return r < 0 ? r : DIT_E_CORRUPT;
	}
	memcpy(ret, record.mv_data, sizeof(*ret));
	return 1;
}

static void close_readers(struct dit_snapshot *snapshot)
{
	dit_readers_close(&of(snapshot)->readers);
	free(of(snapshot)->dbis);
}

/* A record of the free list begins with the number of its pages. */
static int count_free(struct dit_snapshot *snapshot, uint64_t *ret)
{
	MDB_cursor *cursor = NULL;
	MDB_val key;
	MDB_val value;
	uint64_t n = 0;
	int r = mdb_cursor_open(of(snapshot)->readers.txns[0], FREE_DBI, &cursor);

	while (r == 0) {
		r = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
		if (r == 0 && value.mv_size >= sizeof(uint64_t)) {
			uint64_t npages = 0;

			memcpy(&npages, value.mv_data, sizeof(npages));
			n += npages;
		}
	}
	mdb_cursor_close(cursor);
	if (r != MDB_NOTFOUND) {
		return dit_lmdb_error(r);
	}
	*ret = n;
	return 0;
}

static const struct dit_snapshot_ops ops = {
	.open_scan = open_scan,
	.renew = renew,
	.tree_by = tree_by,
	.nfree = count_free,
	.close = close_readers,
};

static int open_readers(struct lmdb_snapshot *lmdb, const char *directory,
                        const struct dit_snapshot_opts *opts)
{
	const struct dit_readers_opts readers_opts = {.n = opts->nreaders + opts->nspare,
	                                              .no_lock = opts->no_lock,
	                                              .no_lock_file = opts->no_lock_file,
	                                              .max_dbs = DBS_MAX,
	                                              .wait_ms = opts->wait_ms,
	                                              .is_claimed = opts->is_claimed,
	                                              .claimed_fd = opts->claimed_fd,
	                                              .fault = opts->fault};
	int r = opts->is_claimed ? dit_format_check(opts->claimed_fd) : 0;

	if (r == 0) {
		r = dit_readers_open(&lmdb->readers, directory, &readers_opts, open_dbs,
		                     lmdb);
	}
	return r < 0 ? r
	             : dit_lmdb_error(
			       mdb_env_get_fd(lmdb->readers.env, &lmdb->base.data_fd));
}

int dit_snapshot_lmdb_open(struct dit_snapshot **ret, const char *directory,
                           const struct dit_snapshot_opts *opts)
{
	struct lmdb_snapshot *lmdb = calloc(1, sizeof(*lmdb));
	int r = 0;

	if (lmdb == NULL) {
		return -ENOMEM;
	}
	lmdb->base.ops = &ops;
	lmdb->base.format = &dit_lmdb_09;
	lmdb->base.nreaders = opts->nreaders;
	lmdb->base.nspare = opts->nspare;
	lmdb->readers.door = DIT_DOOR_CLOSED;
	r = open_readers(lmdb, directory, opts);
	if (r < 0) {
		dit_snapshot_close(&lmdb->base);
		return r;
	}
	lmdb->base.txn_id = lmdb->readers.txn_id;
	lmdb->base.is_held = lmdb->readers.door.lock_fd >= 0;
	*ret = &lmdb->base;
	return 0;
}
