/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A snapshot of LMDB 0.9 beside other processes. liblmdb registers read transactions, so
 * that writers leave the pages of their state alone, and reads the meta pages alone. The
 * pages are read by cursors of the room page (snapshot_map.h), which damage does not
 * lead astray.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "place/files.h"
#include "reader/snapshot_map.h"

#define ATTEMPTS 1000 /* to see a state while others commit */

struct lmdb_snapshot {
	struct dit_snapshot base;
	struct dit_lmdb_reader *reader; /* owned */
	struct dit_page_map map; /* of the state that all readers have but spare ones */
	/* Of the spare readers, [own: the reader's thread]; those that were never renewed
	 * have the common one, and theirs is all zero. */
	struct dit_page_map *spare_maps;
};

static struct lmdb_snapshot *of(struct dit_snapshot *snapshot)
{
	return (struct lmdb_snapshot *)snapshot;
}

struct dit_lmdb_reader *dit_snapshot_lmdb_reader(struct dit_snapshot *snapshot)
{
	return of(snapshot)->reader;
}

/* ---- maps ---- */

/* @param reader  a spare one */
static struct dit_page_map *spare_map(struct lmdb_snapshot *lmdb, unsigned reader)
{
	return &lmdb->spare_maps[reader - lmdb->base.nreaders];
}

static const struct dit_page_map *map_of(struct lmdb_snapshot *lmdb, unsigned reader)
{
	return reader < lmdb->base.nreaders || spare_map(lmdb, reader)->bytes == NULL
	               ? &lmdb->map
	               : spare_map(lmdb, reader);
}

/* ---- scans ---- */

static int open_scan(struct dit_scan **ret, struct dit_snapshot *snapshot,
                     unsigned reader, size_t db)
{
	const struct dit_page_map *map = map_of(of(snapshot), reader);
	struct dit_tree_record tree = snapshot->trees[db];
	int r = 1;

	if (map != &of(snapshot)->map) {
		r = dit_map_find_tree(map, snapshot->dbs[db].name, &tree);
	}
	if (r <= 0) {
		return r == 0 ? DIT_E_UNKNOWN : r;
	}
	return dit_map_scan_open(ret, map, snapshot->dbs[db].name, &tree);
}

/* ---- the named databases ---- */

/*
 * Called before the readers begin. Two commits later no meta page has this state; then
 * the readers begin in a later one, and this function is called again. Without a map it
 * was not: lock.mdb alone says that there is such a state.
 */
static int open_dbs(void *ctx, int data_fd, uint64_t txn_id)
{
	struct lmdb_snapshot *lmdb = ctx;
	int r = 0;

	dit_page_map_close(&lmdb->map);
	r = dit_page_map_open_at(&lmdb->map, data_fd, &dit_lmdb_09, txn_id);
	if (r == -ESTALE) {
		return 0;
	}
	return r < 0 ? r : dit_map_read_dbs(&lmdb->base, &lmdb->map);
}

static int tree_by(struct dit_snapshot *snapshot, unsigned reader, const char *name,
                   struct dit_tree_record *ret)
{
	return dit_map_find_tree(map_of(of(snapshot), reader), name, ret);
}

static int count_free(struct dit_snapshot *snapshot, uint64_t *ret)
{
	return dit_map_count_free(&of(snapshot)->map, ret);
}

/* ---- opening and closing ---- */

static int renew(struct dit_snapshot *snapshot, unsigned reader)
{
	struct lmdb_snapshot *lmdb = of(snapshot);
	struct dit_page_map *map = spare_map(lmdb, reader);
	uint64_t txn_id = 0;
	int r = -ESTALE;

	for (int i = 0; i < ATTEMPTS && r == -ESTALE; i++) {
		r = dit_lmdb_reader_renew(lmdb->reader, reader, &txn_id);
		if (r == 0) {
			dit_page_map_close(map);
			r = dit_page_map_open_at(map, snapshot->data_fd, &dit_lmdb_09,
			                         txn_id);
		}
	}
	return r;
}

static void close_readers(struct dit_snapshot *snapshot)
{
	struct lmdb_snapshot *lmdb = of(snapshot);

	dit_page_map_close(&lmdb->map);
	for (unsigned i = 0; lmdb->spare_maps != NULL && i < snapshot->nspare; i++) {
		dit_page_map_close(&lmdb->spare_maps[i]);
	}
	free(lmdb->spare_maps);
	dit_lmdb_reader_close(lmdb->reader);
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
	const struct dit_lmdb_reader_opts reader_opts = {
		.n = opts->nreaders + opts->nspare,
		.no_lock = opts->no_lock,
		.no_lock_file = opts->no_lock_file,
		.wait_ms = opts->wait_ms,
		.fault = opts->fault};
	int r = 0;

	lmdb->spare_maps = calloc(opts->nspare + 1, sizeof(*lmdb->spare_maps));
	if (lmdb->spare_maps == NULL) {
		return -ENOMEM;
	}
	r = dit_lmdb_reader_open(&lmdb->reader, directory, &reader_opts, open_dbs, lmdb);
	if (r < 0) {
		return r;
	}
	if (lmdb->map.bytes == NULL) {
		return dit_fault_say(opts->fault, DIT_E_CORRUPT,
		                     DIT_LOCK_NAME
		                     " in it names a state that " DIT_DATA_NAME
		                     " does not have: they are of different databases");
	}
	lmdb->base.data_fd = lmdb->reader->data_fd;
	lmdb->base.txn_id = lmdb->reader->txn_id;
	lmdb->base.is_held = lmdb->reader->lock_fd >= 0;
	return 0;
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
	r = open_readers(lmdb, directory, opts);
	if (r < 0) {
		dit_snapshot_close(&lmdb->base);
		return r;
	}
	*ret = &lmdb->base;
	return 0;
}
