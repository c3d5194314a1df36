/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records are put with MDB_APPEND: LMDB looks at the last key of the tree alone.
 *
 * A list goes in with one call: MDB_APPEND makes its key the last one and puts the first
 * ID; MDB_APPENDDUP with MDB_MULTIPLE puts the others after it. Measured, nanoseconds
 * for each ID:
 *
 *   IDs in the list                        2     4    10   300
 *   all in one call                      138    74    72    60
 *   first ID, then the others            175   107    98    70
 *   one call for each ID                 177   120   119   120
 *
 * After each 8 MiB the system is asked to start writing, so that little is left to wait
 * for at the end: 0.1 s of 1.6 s for 22.8 million IDs.
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
#include "files/lmdb_append.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <lmdb.h>

#include "base/error.h"
#include "base/object.h"
#include "codec/split_codec.h"
#include "files/files.h"
#include "page/lmdb_format.h"
#include "page/meta_pages.h"
#include "system/file_io.h"

/* Charged per transaction: some 300 pages of 4096 bytes. */
#define TXN_BYTES (1u << 20)
/* Written before the system is asked to bring it to the disk: many transactions, for a
 * disk likes long writes. */
#define START_BYTES (8u << 20)
/* Bytes of pages for a byte charged, at most. */
#define PAGES_FACTOR 3
#define SLACK_BYTES  (1u << 20)
/* LMDB adds this to key and data: node header, its slot in the page, rounding to even
 * sizes. */
#define NODE_BYTES 11
/* More than one item under a key: a page inside the node with up to four free slots, or
 * the record of a tree of its own. */
#define LIST_BYTES 64
/* IDs in one call, so that a long list does not need a long transaction. */
#define IDS_PER_PUT 65536u

/* base/error.h promises three ranges without overlap. */
_Static_assert(MDB_KEYEXIST == -30799 && MDB_LAST_ERRCODE <= -30600,
               "LMDB's codes lie where error.h says");
_Static_assert(DIT_E_FORMAT < MDB_KEYEXIST, "our codes lie below LMDB's");
_Static_assert((int)DIT_LMDB_KEYEXIST == MDB_KEYEXIST &&
                       (int)DIT_LMDB_NOTFOUND == MDB_NOTFOUND &&
                       (int)DIT_LMDB_VERSION_MISMATCH == MDB_VERSION_MISMATCH &&
                       (int)DIT_LMDB_INVALID == MDB_INVALID &&
                       (int)DIT_LMDB_DBS_FULL == MDB_DBS_FULL &&
                       (int)DIT_LMDB_READERS_FULL == MDB_READERS_FULL &&
                       (int)DIT_LMDB_BAD_VALSIZE == MDB_BAD_VALSIZE,
               "lmdb_format.h has LMDB's numbers");

_Static_assert(DIT_DB_INTEGERKEY == MDB_INTEGERKEY && DIT_DB_DUPSORT == MDB_DUPSORT &&
                       DIT_DB_DUPFIXED == MDB_DUPFIXED &&
                       DIT_DB_INTEGERDUP == MDB_INTEGERDUP,
               "stored flags are LMDB's");

struct dit_lmdb_append {
	struct dit_lmdb_append_opts opts;
	MDB_env *env;
	uint64_t map_bytes;
	uint64_t used_bytes; /* of the data file, by the last commit */

	/* The open transaction; txn and cursor are NULL between two. */
	MDB_txn *txn;
	MDB_cursor *cursor;
	MDB_dbi cursor_dbi;
	uint64_t txn_room_bytes; /* what it may still be charged with */
	uint64_t txn_bytes;      /* what it was charged with */
	uint64_t started_bytes;  /* of the file, handed to the disk already */

	/* The key of the last item, or the length of that of the last list; of none if
	 * last_len is 0. */
	unsigned last_db;
	char last_key[sizeof(struct dit_split_key)];
	size_t last_len;
};

/* ---- liblmdb ---- */

/* LMDB answers 0, one of its own negative codes, or a positive errno. */
static int lmdb_error(int rc)
{
	return rc > 0 ? -rc : rc;
}

int dit_lmdb_short_write(int fd, uint64_t at, uint64_t len)
{
	if (fallocate(fd, 0, (off_t)at, (off_t)len) != 0 &&
	    (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
		return -errno;
	}
	return -EIO;
}

/* liblmdb takes a path. */
static int open_file(MDB_env *env, int data_fd, struct dit_fault *fault)
{
	char path[DIT_FD_PATH_BYTES];
	int r = dit_fd_path(data_fd, path, fault);

	return r < 0 ? r
	             : lmdb_error(mdb_env_open(
			       env, path, MDB_NOSYNC | MDB_NOSUBDIR | MDB_NOLOCK, 0600));
}

/* ---- a new file ---- */

const char *dit_lmdb_version(void)
{
	return mdb_version(NULL, NULL, NULL);
}

int dit_lmdb_append_begin_file(int data_fd, size_t *ret_page_bytes,
                               struct dit_fault *fault)
{
	MDB_env *env = NULL;
	MDB_stat stat;
	sigset_t previous;
	int r = lmdb_error(mdb_env_create(&env));

	if (r < 0) {
		return r;
	}
	dit_file_size_signal_block(&previous);
	r = open_file(env, data_fd, fault);
	dit_file_size_signal_restore(&previous);
	r = r ?: lmdb_error(mdb_env_stat(env, &stat));
	mdb_env_close(env);
	if (r == 0) {
		*ret_page_bytes = stat.ms_psize;
	}
	return r;
}

/* ---- transactions ---- */

static int map_grow(struct dit_lmdb_append *append, uint64_t need)
{
	uint64_t size = append->map_bytes;
	int r = 0;

	if (need <= size) {
		return 0;
	}
	size = size > need / 2 ? size * 2 : need;
	size = (size + append->opts.page_bytes - 1) / append->opts.page_bytes *
	       append->opts.page_bytes;
	/* If this fails there is no map any more; the error sticks, all that is done with
	 * the environment from here on is to close it. */
	r = lmdb_error(mdb_env_set_mapsize(append->env, size));
	append->map_bytes = r == 0 ? size : append->map_bytes;
	return r;
}

/* Begin a transaction that may be charged with @p bytes at least. */
static int begin_txn(struct dit_lmdb_append *append, uint64_t bytes)
{
	uint64_t room = bytes > TXN_BYTES ? bytes : TXN_BYTES;
	int r = map_grow(append, append->used_bytes + room * PAGES_FACTOR + SLACK_BYTES);

	r = r ?: lmdb_error(mdb_txn_begin(append->env, NULL, 0, &append->txn));
	append->txn_room_bytes = room;
	append->txn_bytes = 0;
	return r;
}

/* Advice only: the sync at the end has less left to do. */
static void start_writing(struct dit_lmdb_append *append)
{
	uint64_t from = append->started_bytes;

	if (append->used_bytes > from + START_BYTES) {
		(void)sync_file_range(append->opts.data_fd, (off_t)from,
		                      (off_t)(append->used_bytes - from),
		                      SYNC_FILE_RANGE_WRITE);
		append->started_bytes = append->used_bytes;
	}
}

int dit_lmdb_append_commit(struct dit_lmdb_append *append)
{
	MDB_txn *txn = append->txn;
	MDB_envinfo info;
	sigset_t previous;
	int r = 0;

	if (txn == NULL) {
		return 0;
	}
	/* The commit closes the cursor, and the handle is gone even if it fails. */
	append->txn = NULL;
	append->cursor = NULL;
	dit_file_size_signal_block(&previous);
	r = lmdb_error(mdb_txn_commit(txn));
	if (r == -EIO) {
		r = dit_lmdb_short_write(append->opts.data_fd, append->used_bytes,
		                         append->txn_bytes + SLACK_BYTES);
	}
	dit_file_size_signal_restore(&previous);
	r = r < 0 ? r : lmdb_error(mdb_env_info(append->env, &info));
	if (r < 0) {
		return r;
	}
	append->used_bytes = ((uint64_t)info.me_last_pgno + 1) * append->opts.page_bytes;
	append->txn_bytes = 0;
	start_writing(append);
	return 0;
}

static int cursor_on(struct dit_lmdb_append *append, MDB_dbi dbi)
{
	int r = 0;

	if (append->cursor != NULL && append->cursor_dbi == dbi) {
		return 0;
	}
	if (append->cursor != NULL) {
		mdb_cursor_close(append->cursor);
		append->cursor = NULL;
	}
	r = lmdb_error(mdb_cursor_open(append->txn, dbi, &append->cursor));
	append->cursor_dbi = dbi;
	return r;
}

/*
 * Before each change or look: room for so many bytes of keys and data. Commits a
 * transaction that has been charged with enough.
 */
static int charge(struct dit_lmdb_append *append, uint64_t bytes)
{
	int r = 0;

	if (append->txn != NULL && bytes > append->txn_room_bytes) {
		r = dit_lmdb_append_commit(append);
	}
	r = r < 0 || append->txn != NULL ? r : begin_txn(append, bytes);
	if (r == 0) {
		append->txn_room_bytes -= bytes;
		append->txn_bytes += bytes;
	}
	return r;
}

/* ---- the environment ---- */

static int open_env(struct dit_lmdb_append *append)
{
	int r = lmdb_error(mdb_env_create(&append->env));

	r = r ?: lmdb_error(mdb_env_set_maxdbs(append->env, append->opts.ndbs));
	r = r ?: map_grow(append, append->used_bytes + TXN_BYTES);
	return r ?: open_file(append->env, append->opts.data_fd, NULL);
}

int dit_lmdb_append_open(struct dit_lmdb_append **ret,
                         const struct dit_lmdb_append_opts *opts)
{
	struct dit_lmdb_append *append = calloc(1, sizeof(*append));
	int r = 0;

	if (append == NULL) {
		return -ENOMEM;
	}
	append->opts = *opts;
	append->used_bytes = DIT_FIRST_PAGE * (uint64_t)opts->page_bytes;
	r = open_env(append);
	r = r ?: begin_txn(append, 0);
	return DIT_HAND_OVER(r, ret, append, dit_lmdb_append_close);
}

void dit_lmdb_append_close(struct dit_lmdb_append *append)
{
	if (append == NULL) {
		return;
	}
	if (append->txn != NULL) {
		mdb_txn_abort(append->txn); /* takes the cursor along */
	}
	if (append->env != NULL) {
		mdb_env_close(append->env);
	}
	free(append);
}

uint64_t dit_lmdb_append_bytes(const struct dit_lmdb_append *append)
{
	return append->used_bytes + append->txn_bytes;
}

/* ---- databases ---- */

int dit_lmdb_append_make(struct dit_lmdb_append *append, const char *name, unsigned flags,
                         unsigned *ret_db)
{
	int r = charge(append, LIST_BYTES + strlen(name));

	return r < 0 ? r
	             : lmdb_error(mdb_dbi_open(append->txn, name, MDB_CREATE | flags,
	                                       ret_db));
}

static int compare_split_keys(const MDB_val *a, const MDB_val *b)
{
	return dit_split_key_compare((struct dit_span){a->mv_data, a->mv_size},
	                             (struct dit_span){b->mv_data, b->mv_size});
}

/* liblmdb asks only whether each item is above the last. */
static int is_above(const MDB_val *a, const MDB_val *b)
{
	(void)a;
	(void)b;
	return 1;
}

int dit_lmdb_append_order_split(struct dit_lmdb_append *append, unsigned db)
{
	int r = lmdb_error(mdb_set_compare(append->txn, db, compare_split_keys));

	return r < 0 ? r : lmdb_error(mdb_set_dupsort(append->txn, db, is_above));
}

/* ---- records ---- */

static MDB_val val_of(struct dit_span span)
{
	return (MDB_val){span.len, (void *)span.data};
}

/* @param flags  of mdb_cursor_put(); @p data as they say. @param bytes  that are charged
 * besides those of the key and of the first item */
static int put(struct dit_lmdb_append *append, unsigned db, struct dit_span key,
               MDB_val *data, unsigned flags, uint64_t bytes)
{
	MDB_val key_val = val_of(key);
	int r = charge(append, NODE_BYTES + key.len + data->mv_size + bytes);

	r = r < 0 ? r : cursor_on(append, db);
	return r < 0 ? r
	             : lmdb_error(mdb_cursor_put(append->cursor, &key_val, data, flags));
}

int dit_lmdb_append_put(struct dit_lmdb_append *append, unsigned db, struct dit_span key,
                        struct dit_span record)
{
	MDB_val data = val_of(record);

	return put(append, db, key, &data, MDB_APPEND, 0);
}

int dit_lmdb_append_reserve(struct dit_lmdb_append *append, unsigned db,
                            struct dit_span key, size_t len, void **ret_space)
{
	MDB_val data = {len, NULL};
	size_t page_bytes = append->opts.page_bytes;
	bool has_overflow = NODE_BYTES + key.len + len > page_bytes / 2 - LIST_BYTES;
	/* The end of its overflow pages. */
	int r = put(append, db, key, &data, MDB_RESERVE | MDB_APPEND,
	            has_overflow ? page_bytes : 0);

	if (r == 0) {
		*ret_space = data.mv_data;
	}
	return r;
}

int dit_lmdb_append_put_item(struct dit_lmdb_append *append, unsigned db,
                             struct dit_span key, struct dit_span item)
{
	MDB_val data = val_of(item);
	bool is_new =
		append->last_db != db ||
		!dit_span_eq(key, (struct dit_span){append->last_key, append->last_len});

	append->last_db = db;
	append->last_len = key.len;
	memcpy(append->last_key, key.data, key.len);
	return put(append, db, key, &data, is_new ? MDB_APPEND : MDB_APPENDDUP,
	           LIST_BYTES);
}

int dit_lmdb_append_find(struct dit_lmdb_append *append, unsigned db, struct dit_span key,
                         struct dit_span *ret)
{
	MDB_val key_val = val_of(key);
	MDB_val data = {0, NULL};
	int r = charge(append, 0);

	r = r < 0 ? r : lmdb_error(mdb_get(append->txn, db, &key_val, &data));
	if (r == 0 && data.mv_size > 0) {
		*ret = (struct dit_span){data.mv_data, data.mv_size};
		return 1;
	}
	return r == DIT_LMDB_NOTFOUND ? 0 : r;
}

int dit_lmdb_append_replace(struct dit_lmdb_append *append, unsigned db,
                            struct dit_span key, struct dit_span record)
{
	MDB_val data = val_of(record);

	return put(append, db, key, &data, 0, 2 * (uint64_t)append->opts.page_bytes);
}

/* ---- lists ---- */

/* Integer keys of different lengths have no order (storage.md 1.5). */
static int check_integerkey(const struct dit_lmdb_append *append, unsigned db, size_t len)
{
	bool is_first = append->last_db != db || append->last_len == 0;

	return (len == 4 || len == 8) && (is_first || len == append->last_len) ? 0
	                                                                       : -EINVAL;
}

int dit_lmdb_append_put_list(struct dit_lmdb_append *append, unsigned db,
                             bool is_integerkey, const struct dit_posting_list *list)
{
	struct dit_span key = list->key;
	uint64_t integer = 0;
	int r = is_integerkey ? check_integerkey(append, db, key.len) : 0;

	if (r == 0 && is_integerkey) {
		/* LMDB reads integer keys as words where they lie. */
		memcpy(&integer, key.data, key.len);
		key.data = (const char *)&integer;
	}
	append->last_db = db;
	append->last_len = key.len;
	for (size_t at = 0; at < list->nids && r == 0; at += IDS_PER_PUT) {
		size_t left = list->nids - at;
		size_t n = left < IDS_PER_PUT ? left : IDS_PER_PUT;
		MDB_val data[2] = {{sizeof(*list->ids), (void *)(list->ids + at)},
		                   {n, NULL}};

		r = put(append, db, key, data,
		        MDB_APPENDDUP | MDB_MULTIPLE | (at == 0 ? MDB_APPEND : 0),
		        (n - 1) * sizeof(*list->ids) + LIST_BYTES);
		/* LMDB says how many it has stored; any others were not in order. */
		r = r == 0 && data[1].mv_size != n ? MDB_KEYEXIST : r;
	}
	return r;
}
