/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The environment of the append writer (staging_append.c): transactions, map.
 *
 * Transactions. LMDB copes badly with long lists of dirty pages (131071 at most, sorted
 * again at each spill; each access to a page searches the list), and a commit without
 * sync is cheap. So each change is charged to the transaction with its size, and one that
 * has been charged with TXN_BYTES is committed. For 22.8 million appended IDs, seconds of
 * CPU by TXN_BYTES:
 *
 *   8 MiB 1.63    2 MiB 1.59    1 MiB 1.58    256 KiB 1.58
 *
 * Map size. A transaction that reaches the end of the map is lost with all it holds, so
 * the map is grown before it begins, to what it may need in the worst case: three bytes
 * of pages for each byte charged. A page that splits by appending stays at least half
 * full, because LMDB keeps nodes larger than half a page elsewhere; overflow pages waste
 * less than one page, which is charged, as are the page that a change in the middle
 * copies and the one that it splits off. The worst is a list just too long for one page:
 * it takes two and a root above them. The slack covers the pages that every commit
 * rewrites: one path in each tree, the free list.
 *
 * Ordinary writes and not MDB_WRITEMAP: a full disk ends in SIGBUS there.
 */
#include "output/staging_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/error.h"
#include "base/file_size_signal.h"
#include "base/whole_io.h"
#include "commit/new_file.h"
#include "place/lmdb_error.h"

/* Charged per transaction; comes to some 300 pages of 4096 bytes. */
#define TXN_BYTES (1u << 20)
/* Written before the system is asked to bring it to the disk: many transactions, for a
 * disk likes long writes. */
#define START_BYTES (8u << 20)
/* Bytes of pages for a byte charged, at most. */
#define PAGES_FACTOR 3
#define SLACK_BYTES  (1u << 20)

/* ---- transactions ---- */

static int map_grow(struct dit_staging *staging, uint64_t need)
{
	uint64_t size = staging->liblmdb.map_bytes;
	int r = 0;

	if (need <= size) {
		return 0;
	}
	size = size > need / 2 ? size * 2 : need;
	size = (size + staging->page_bytes - 1) / staging->page_bytes *
	       staging->page_bytes;
	/* If this fails there is no map any more; the error sticks, all that is done with
	 * the environment from here on is to close it. */
	r = dit_lmdb_error(mdb_env_set_mapsize(staging->liblmdb.env, size));
	if (r < 0) {
		return r;
	}
	staging->liblmdb.map_bytes = size;
	return 0;
}

/* Begin a transaction that may be charged with @p bytes at least. */
static int begin(struct dit_staging *staging, uint64_t bytes)
{
	uint64_t room = bytes > TXN_BYTES ? bytes : TXN_BYTES;
	int r = 0;

	r = map_grow(staging, staging->used_bytes + room * PAGES_FACTOR + SLACK_BYTES);
	if (r < 0) {
		return r;
	}
	r = dit_lmdb_error(
		mdb_txn_begin(staging->liblmdb.env, NULL, 0, &staging->liblmdb.txn));
	if (r < 0) {
		staging->liblmdb.txn = NULL;
		return r;
	}
	staging->liblmdb.txn_room_bytes = room;
	staging->liblmdb.txn_bytes = 0;
	return 0;
}

/* Advice only: the sync at the end has less left to do. */
static void start_writing(struct dit_staging *staging)
{
	uint64_t from = staging->liblmdb.started_bytes;

	if (staging->used_bytes > from + START_BYTES) {
		(void)sync_file_range(staging->data_fd, (off_t)from,
		                      (off_t)(staging->used_bytes - from),
		                      SYNC_FILE_RANGE_WRITE);
		staging->liblmdb.started_bytes = staging->used_bytes;
	}
}

int dit_staging_commit(struct dit_staging *staging)
{
	MDB_txn *txn = staging->liblmdb.txn;
	MDB_envinfo info;
	sigset_t previous;
	int r = 0;

	if (txn == NULL) {
		return 0;
	}
	/* The commit closes the cursor, and the handle is gone even if it fails. */
	staging->liblmdb.txn = NULL;
	staging->liblmdb.cursor = NULL;
	dit_file_size_signal_block(&previous);
	r = dit_lmdb_error(mdb_txn_commit(txn));
	if (r == -EIO) {
		r = dit_lmdb_short_write(staging->data_fd, staging->used_bytes,
		                         staging->liblmdb.txn_bytes + SLACK_BYTES);
	}
	dit_file_size_signal_restore(&previous);
	if (r < 0) {
		return r;
	}
	r = dit_lmdb_error(mdb_env_info(staging->liblmdb.env, &info));
	if (r < 0) {
		return r;
	}
	staging->used_bytes = ((uint64_t)info.me_last_pgno + 1) * staging->page_bytes;
	staging->liblmdb.txn_bytes = 0;
	start_writing(staging);
	return 0;
}

int dit_staging_cursor_on(struct dit_staging *staging, MDB_dbi dbi)
{
	int r = 0;

	if (staging->liblmdb.cursor != NULL && staging->liblmdb.cursor_dbi == dbi) {
		return 0;
	}
	if (staging->liblmdb.cursor != NULL) {
		mdb_cursor_close(staging->liblmdb.cursor);
		staging->liblmdb.cursor = NULL;
	}
	r = dit_lmdb_error(
		mdb_cursor_open(staging->liblmdb.txn, dbi, &staging->liblmdb.cursor));
	if (r < 0) {
		staging->liblmdb.cursor = NULL;
		return r;
	}
	staging->liblmdb.cursor_dbi = dbi;
	return 0;
}

int dit_staging_charge(struct dit_staging *staging, uint64_t bytes)
{
	int r = 0;

	if (!staging->takes_changes) {
		return -EINVAL;
	}
	if (staging->liblmdb.txn != NULL && bytes > staging->liblmdb.txn_room_bytes) {
		r = dit_staging_commit(staging);
		if (r < 0) {
			return r;
		}
	}
	if (staging->liblmdb.txn == NULL) {
		r = begin(staging, bytes);
		if (r < 0) {
			return r;
		}
	}
	staging->liblmdb.txn_room_bytes -= bytes;
	staging->liblmdb.txn_bytes += bytes;
	return 0;
}

/* ---- the environment ---- */

static int open_env(struct dit_staging *staging)
{
	int r = dit_lmdb_error(mdb_env_create(&staging->liblmdb.env));

	if (r < 0) {
		staging->liblmdb.env = NULL;
		return r;
	}
	r = dit_lmdb_error(mdb_env_set_maxdbs(staging->liblmdb.env, staging->ndbs));
	if (r == 0) {
		r = map_grow(staging, staging->used_bytes + TXN_BYTES);
	}
	if (r == 0) {
		r = dit_env_open_file(staging->liblmdb.env, staging->data_fd, MDB_NOSYNC,
		                      NULL);
	}
	return r;
}

int dit_staging_create_table(struct dit_staging *staging, struct dit_staged_table *table)
{
	int r = dit_staging_charge(staging, STAGING_LIST_BYTES + strlen(table->name));

	return r < 0 ? r
	             : dit_lmdb_error(mdb_dbi_open(staging->liblmdb.txn, table->name,
	                                           MDB_CREATE | table->flags,
	                                           &table->dbi));
}

static int create_tables(struct dit_staging *staging)
{
	int r = begin(staging, 0);

	for (size_t i = 0; i < DIT_NFIXED_TABLES && r == 0; i++) {
		r = dit_staging_create_table(staging, &staging->tables.fixed[i]);
	}
	if (r == 0) {
		r = dit_lmdb_error(mdb_dbi_open(staging->liblmdb.txn, "id2v",
		                                MDB_CREATE | MDB_DUPSORT,
		                                &staging->liblmdb.id2v));
	}
	if (r == 0) {
		r = dit_staging_order_split(staging->liblmdb.txn, staging->liblmdb.id2v);
	}
	if (r == 0 && staging->has_ixck) {
		MDB_dbi ixck = 0;

		r = dit_lmdb_error(mdb_dbi_open(staging->liblmdb.txn, "ixck",
		                                MDB_CREATE | MDB_INTEGERKEY, &ixck));
	}
	for (size_t i = 0; i < staging->tables.nindexes && r == 0; i++) {
		r = dit_staging_create_table(staging, &staging->tables.indexes[i]);
	}
	return r < 0 ? r : dit_staging_commit(staging);
}

int dit_staging_begin_append(struct dit_staging *staging)
{
	int r = 0;

	staging->is_append = true;
	staging->takes_changes = true;
	staging->used_bytes = DIT_FIRST_PAGE * (uint64_t)staging->page_bytes;
	r = open_env(staging);
	return r < 0 ? r : create_tables(staging);
}
