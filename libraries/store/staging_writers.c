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
 * Index databases are only created here. Their pages, the greater part of the file, are
 * written beside liblmdb (table_writer.h), several databases at once; so they come last:
 * from dit_staging_begin_indexes() on, the pages behind liblmdb's last one are ours, and
 * publishing puts the roots where liblmdb keeps them (staging.c).
 *
 * Ordinary writes and not MDB_WRITEMAP: measured with 22.8 million postings, when they
 * still went through liblmdb, it saved at best a sixth of the processor time, and with
 * larger transactions cost as much; but a full disk ends in SIGBUS there. Starting the
 * writes at each commit saves 0.1 s of 1.6 s.
 */
#include "store/staging_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "store/lmdb_error.h"
#include "store/table_writer.h"

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

int dit_staging_put_name(struct dit_staging *staging, uint64_t id, struct dit_span record)
{
	bool is_new = !staging->has_name || id != staging->last_name;
	MDB_val key = {sizeof(id), &id};
	MDB_val data = {record.len, (void *)record.data};
	uint64_t bytes = STAGING_NODE_BYTES + record.len;
	int r = 0;

	if (staging->error != 0) {
		return staging->error;
	}
	if (is_new) {
		bytes += sizeof(id);
	} else if (!staging->is_name_list) {
		bytes += STAGING_LIST_BYTES;
	}
	r = dit_staging_charge(staging, bytes);
	if (r == 0) {
		r = dit_staging_cursor_on(staging, staging->dn2i);
	}
	if (r == 0) {
		r = dit_lmdb_error(mdb_cursor_put(staging->cursor, &key, &data,
		                                  is_new ? MDB_APPEND : MDB_APPENDDUP));
	}
	if (r < 0) {
		return dit_staging_keep(staging, r);
	}
	staging->has_name = true;
	staging->last_name = id;
	staging->is_name_list = !is_new;
	return 0;
}

/* ---- index databases ---- */

static int remember_index(struct dit_staging *staging, const char *name,
                          bool is_integerkey)
{
	struct dit_staged_index *indexes =
		realloc(staging->indexes, (staging->nindexes + 1) * sizeof(*indexes));
	struct dit_staged_index *index = NULL;

	if (indexes == NULL) {
		return -ENOMEM;
	}
	staging->indexes = indexes;
	index = &indexes[staging->nindexes];
	*index = (struct dit_staged_index){.name = strdup(name),
	                                   .is_integerkey = is_integerkey};
	if (index->name == NULL) {
		return -ENOMEM;
	}
	staging->nindexes++;
	return 0;
}

int dit_staging_add_index(struct dit_staging *staging, const char *name,
                          bool is_integerkey)
{
	unsigned flags = MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP |
	                 (is_integerkey ? MDB_INTEGERKEY : 0);
	MDB_dbi dbi = 0;
	int r = 0;

	if (staging->error != 0) {
		return staging->error;
	}
	r = dit_staging_charge(staging, STAGING_LIST_BYTES + strlen(name));
	if (r < 0) {
		return dit_staging_keep(staging, r);
	}
	r = dit_lmdb_error(mdb_dbi_open(staging->txn, name, 0, &dbi));
	if (r != MDB_NOTFOUND) {
		return dit_staging_keep(staging, r < 0 ? r : DIT_E_DUPLICATE);
	}
	r = dit_lmdb_error(mdb_dbi_open(staging->txn, name, MDB_CREATE | flags, &dbi));
	if (r == 0) {
		r = remember_index(staging, name, is_integerkey);
	}
	return dit_staging_keep(staging, r);
}

/*
 * Where in the file the record of a named database lies: liblmdb gives its address, and
 * the page around it knows its number.
 */
static int find_record(struct dit_staging *staging, MDB_txn *txn, MDB_dbi main_dbi,
                       struct dit_staged_index *index)
{
	MDB_val key = {strlen(index->name), index->name};
	MDB_val value = {0, NULL};
	const struct dit_page_header *page = NULL;
	size_t offset = 0;
	int r = dit_lmdb_error(mdb_get(txn, main_dbi, &key, &value));

	if (r < 0) {
		return r;
	}
	if (value.mv_size != sizeof(index->tree)) {
		return MDB_INCOMPATIBLE;
	}
	memcpy(&index->tree, value.mv_data, sizeof(index->tree));
	offset = (uintptr_t)value.mv_data % staging->page_bytes;
	page = (const void *)((const char *)value.mv_data - offset);
	index->at = page->number * staging->page_bytes + offset;
	return index->tree.root == DIT_PAGE_NONE ? 0 : MDB_INCOMPATIBLE;
}

static int find_records(struct dit_staging *staging)
{
	MDB_txn *txn = NULL;
	MDB_dbi main_dbi = 0;
	int r = dit_lmdb_error(mdb_txn_begin(staging->env, NULL, MDB_RDONLY, &txn));

	if (r < 0) {
		return r;
	}
	r = dit_lmdb_error(mdb_dbi_open(txn, NULL, 0, &main_dbi));
	for (size_t i = 0; i < staging->nindexes && r == 0; i++) {
		r = find_record(staging, txn, main_dbi, &staging->indexes[i]);
	}
	mdb_txn_abort(txn);
	return r;
}

int dit_staging_begin_indexes(struct dit_staging *staging)
{
	int r = staging->error;

	if (r == 0 && staging->has_pages) {
		r = -EINVAL;
	}
	if (r == 0) {
		r = dit_staging_commit(staging);
	}
	if (r == 0) {
		r = find_records(staging);
	}
	if (r < 0) {
		return dit_staging_keep(staging, r);
	}
	staging->space.fd = staging->data_fd;
	staging->space.page_bytes = (unsigned)staging->page_bytes;
	atomic_store_explicit(&staging->space.next_page,
	                      staging->used_bytes / staging->page_bytes,
	                      memory_order_relaxed);
	staging->has_pages = true;
	return 0;
}

int dit_staging_open_index(struct dit_staging *staging, size_t number,
                           struct dit_table_writer **ret)
{
	if (!staging->has_pages || number >= staging->nindexes ||
	    staging->indexes[number].is_written) {
		return -EINVAL;
	}
	return dit_table_writer_new(ret, &staging->space,
	                            staging->indexes[number].is_integerkey);
}

int dit_staging_close_index(struct dit_staging *staging, size_t number,
                            struct dit_table_writer *writer)
{
	struct dit_staged_index *index = &staging->indexes[number];
	int r = dit_table_writer_finish(writer, &index->tree);

	index->is_written = r == 0;
	dit_table_writer_free(writer);
	return r;
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
