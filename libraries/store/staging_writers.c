/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Append writers of the staging environment.
 *
 * Every named database is filled in its key order with MDB_APPEND, so that no key is
 * searched for and every page is written once, full. Two things are done for LMDB here:
 *
 * Transactions. LMDB copes badly with long lists of dirty pages (131071 at most, sorted
 * again at each spill), and a commit without sync is cheap. So each put is charged to the
 * transaction with its size, and one that has been charged with TXN_BYTES is committed.
 * A commit also starts the writing of the new pages to disk, so that little is left to
 * wait for when the database is published.
 *
 * Map size. A transaction that reaches the end of the map is lost with all it holds, so
 * the map is grown before it begins, to what it may need in the worst case: three bytes
 * of pages for each byte charged. A page that splits by appending stays at least half
 * full, because LMDB keeps nodes larger than half a page elsewhere; overflow pages waste
 * less than one page, which is charged. The worst is a list just too long for one page:
 * it takes two and a root above them. The slack covers the pages that every commit
 * rewrites: one path in each tree, the free list.
 *
 * What is large and sorted at the end, names and indexes, is not written here but beside
 * liblmdb (staging_tables.c).
 *
 * Ordinary writes and not MDB_WRITEMAP: measured with 22.8 million postings, when they
 * still went through liblmdb, it saved at best a sixth of the processor time, and with
 * larger transactions cost as much; but a full disk ends in SIGBUS there. Starting the
 * writes at each commit saves 0.1 s of 1.6 s.
 */
#include "store/staging_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "store/lmdb_error.h"

/* Charged per transaction; comes to some 2000 pages of 4096 bytes. */
#define TXN_BYTES (8u << 20)
/* Bytes of pages for a byte charged, at most. */
#define PAGES_FACTOR 3
#define SLACK_BYTES  (1u << 20)

/* ---- transactions ---- */

int dit_staging_keep(struct dit_staging *staging, int r)
{
	if (r < 0 && staging->error == 0) {
		staging->error = r;
	}
	return r;
}

void dit_staging_block_signal(sigset_t *ret_previous)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGXFSZ);
	(void)pthread_sigmask(SIG_BLOCK, &set, ret_previous);
}

void dit_staging_restore_signal(const sigset_t *previous)
{
	const struct timespec at_once = {0, 0};
	sigset_t set;

	if (!sigismember(previous, SIGXFSZ)) {
		(void)sigemptyset(&set);
		(void)sigaddset(&set, SIGXFSZ);
		while (sigtimedwait(&set, NULL, &at_once) < 0 && errno == EINTR) {
			continue;
		}
	}
	(void)pthread_sigmask(SIG_SETMASK, previous, NULL);
}

static int map_grow(struct dit_staging *staging, uint64_t need)
{
	uint64_t size = staging->map_bytes;
	int r = 0;

	if (need <= size) {
		return 0;
	}
	size = size > need / 2 ? size * 2 : need;
	size = (size + staging->page_bytes - 1) / staging->page_bytes *
	       staging->page_bytes;
	/* If this fails there is no map any more; the error sticks, all that is done with
	 * the environment from here on is to close it. */
	r = dit_lmdb_error(mdb_env_set_mapsize(staging->env, size));
	if (r < 0) {
		return r;
	}
	staging->map_bytes = size;
	return 0;
}

int dit_staging_begin(struct dit_staging *staging, uint64_t bytes)
{
	uint64_t room = bytes > TXN_BYTES ? bytes : TXN_BYTES;
	int r = 0;

	r = map_grow(staging, staging->used_bytes + room * PAGES_FACTOR + SLACK_BYTES);
	if (r < 0) {
		return r;
	}
	r = dit_lmdb_error(mdb_txn_begin(staging->env, NULL, 0, &staging->txn));
	if (r < 0) {
		staging->txn = NULL;
		return r;
	}
	staging->txn_room_bytes = room;
	staging->txn_bytes = 0;
	return 0;
}

/*
 * LMDB reports EIO when the system wrote less than it was asked to, which is what happens
 * on a disk that becomes full (or at a limit) in the middle. Asking for the space again
 * tells.
 */
static int short_write_error(const struct dit_staging *staging)
{
	off_t len = (off_t)(staging->txn_bytes + SLACK_BYTES);

	if (fallocate(staging->data_fd, 0, (off_t)staging->used_bytes, len) != 0 &&
	    (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
		return -errno;
	}
	return -EIO;
}

/* Advice only: the sync at the end has less left to do. */
static void start_writing(struct dit_staging *staging)
{
#ifdef SYNC_FILE_RANGE_WRITE
	if (staging->used_bytes > staging->started_bytes) {
		(void)sync_file_range(
			staging->data_fd, (off_t)staging->started_bytes,
			(off_t)(staging->used_bytes - staging->started_bytes),
			SYNC_FILE_RANGE_WRITE);
		staging->started_bytes = staging->used_bytes;
	}
#else
	(void)staging;
#endif
}

int dit_staging_commit(struct dit_staging *staging)
{
	MDB_txn *txn = staging->txn;
	MDB_envinfo info;
	sigset_t previous;
	int r = 0;

	if (txn == NULL) {
		return 0;
	}
	/* The commit closes the cursor, and the handle is gone even if it fails. */
	staging->txn = NULL;
	staging->cursor = NULL;
	dit_staging_block_signal(&previous);
	r = dit_lmdb_error(mdb_txn_commit(txn));
	if (r == -EIO) {
		r = short_write_error(staging);
	}
	dit_staging_restore_signal(&previous);
	if (r < 0) {
		return r;
	}
	r = dit_lmdb_error(mdb_env_info(staging->env, &info));
	if (r < 0) {
		return r;
	}
	staging->used_bytes = ((uint64_t)info.me_last_pgno + 1) * staging->page_bytes;
	staging->txn_bytes = 0;
	start_writing(staging);
	return 0;
}

int dit_staging_charge(struct dit_staging *staging, uint64_t bytes)
{
	int r = 0;

	if (staging->has_pages) {
		return -EINVAL; /* the pages behind the last one are not liblmdb's now */
	}
	if (staging->txn != NULL && bytes > staging->txn_room_bytes) {
		r = dit_staging_commit(staging);
		if (r < 0) {
			return r;
		}
	}
	if (staging->txn == NULL) {
		r = dit_staging_begin(staging, bytes);
		if (r < 0) {
			return r;
		}
	}
	staging->txn_room_bytes -= bytes;
	staging->txn_bytes += bytes;
	return 0;
}

int dit_staging_cursor_on(struct dit_staging *staging, MDB_dbi dbi)
{
	int r = 0;

	if (staging->cursor != NULL && staging->cursor_dbi == dbi) {
		return 0;
	}
	if (staging->cursor != NULL) {
		mdb_cursor_close(staging->cursor);
		staging->cursor = NULL;
	}
	r = dit_lmdb_error(mdb_cursor_open(staging->txn, dbi, &staging->cursor));
	if (r < 0) {
		staging->cursor = NULL;
		return r;
	}
	staging->cursor_dbi = dbi;
	return 0;
}

/* ---- writers ---- */

int dit_staging_put_ad(struct dit_staging *staging, uint32_t number, struct dit_span name)
{
	MDB_val key = {sizeof(number), &number};
	MDB_val data = {name.len, (void *)name.data};
	int r = 0;

	if (staging->error != 0) {
		return staging->error;
	}
	/* slapd reads from number 1 on and counts (storage.md 2). */
	if (number != staging->last_ad + 1) {
		return dit_staging_keep(staging, -EINVAL);
	}
	r = dit_staging_charge(staging, STAGING_NODE_BYTES + sizeof(number) + name.len);
	if (r < 0) {
		return dit_staging_keep(staging, r);
	}
	/* No cursor: there are few of these, amid the entries. */
	r = dit_lmdb_error(mdb_put(staging->txn, staging->ad2i, &key, &data, MDB_APPEND));
	if (r < 0) {
		return dit_staging_keep(staging, r);
	}
	staging->last_ad = number;
	return 0;
}

int dit_staging_entry(struct dit_staging *staging, uint64_t id, struct dit_span *ret)
{
	MDB_val key = {sizeof(id), &id};
	MDB_val data = {0, NULL};
	int r = staging->error;

	if (r == 0) {
		r = dit_staging_keep(staging, dit_staging_charge(staging, 0));
	}
	if (r == 0) {
		r = dit_staging_keep(staging,
		                     dit_lmdb_error(mdb_get(staging->txn, staging->id2e,
		                                            &key, &data)));
	}
	if (r == 0) {
		*ret = (struct dit_span){data.mv_data, data.mv_size};
	}
	return r;
}

int dit_staging_reserve_entry(struct dit_staging *staging, uint64_t id, size_t len,
                              void **ret_space)
{
	bool is_last = !staging->has_entry || id > staging->last_entry;
	MDB_val key = {sizeof(id), &id};
	MDB_val data = {len, NULL};
	uint64_t bytes = 0;
	int r = 0;

	if (staging->error != 0) {
		return staging->error;
	}
	bytes = STAGING_NODE_BYTES + sizeof(id) + len;
	if (!is_last || bytes > staging->page_bytes / 2 - STAGING_LIST_BYTES) {
		/* The end of the overflow pages, or a page split by a replacement. */
		bytes += staging->page_bytes;
	}
	r = dit_staging_charge(staging, bytes);
	if (r == 0) {
		r = dit_staging_cursor_on(staging, staging->id2e);
	}
	if (r == 0) {
		r = dit_lmdb_error(
			mdb_cursor_put(staging->cursor, &key, &data,
		                       MDB_RESERVE | (is_last ? MDB_APPEND : 0)));
	}
	if (r < 0) {
		return dit_staging_keep(staging, r);
	}
	if (is_last) {
		staging->has_entry = true;
		staging->last_entry = id;
	}
	*ret_space = data.mv_data;
	return 0;
}

uint64_t dit_staging_used_bytes(const struct dit_staging *staging)
{
	if (staging->has_pages) {
		return atomic_load_explicit(&staging->space.next_page,
		                            memory_order_relaxed) *
		       staging->page_bytes;
	}
	return staging->used_bytes + staging->txn_bytes;
}
