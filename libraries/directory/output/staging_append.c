/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The append writer: every database of a new environment is filled through liblmdb, in
 * its key order, by one thread, with MDB_APPEND. No key is searched for and no page is
 * split in the middle; liblmdb makes and writes every page.
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
#include "output/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <lmdb.h>

#include "base/error.h"
#include "base/file_size_signal.h"
#include "base/whole_io.h"
#include "page/meta_pages.h"
#include "place/lmdb_error.h"
#include "place/map_size.h"

/* IDs in one call, so that a long list does not need a long transaction. */
#define IDS_PER_PUT 65536u
/* Charged per transaction; comes to some 300 pages of 4096 bytes. */
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
/* More than one item under a key: a page inside the node with up to four free places, or
 * the record of a tree of its own. */
#define LIST_BYTES 64

/* The table that is written. */
struct appending {
	struct dit_output_table base;
	struct dit_staging *staging;
	bool is_open;
	MDB_dbi dbi;
	bool is_integerkey;
	size_t integerkey_len; /* of the first key; 0: none yet */
	bool has_key;          /* of dn2i: */
	uint64_t last_key;
	bool is_list; /* it has more than one record */
};

/* The environment. */
struct dit_append {
	struct appending table;
	MDB_env *env; /* NULL: there is none, or it is closed */
	uint64_t map_bytes;
	MDB_dbi id2v;

	/* The open transaction; txn and cursor are NULL between two. */
	MDB_txn *txn;
	MDB_cursor *cursor;
	MDB_dbi cursor_dbi;
	uint64_t txn_room_bytes; /* what it may still be charged with */
	uint64_t txn_bytes;      /* what it was charged with */
	uint64_t started_bytes;  /* of the file, handed to the disk already */
};

/* ---- transactions ---- */

static int map_grow(struct dit_staging *staging, uint64_t need)
{
	uint64_t size = staging->append->map_bytes;
	int r = 0;

	if (need <= size) {
		return 0;
	}
	size = size > need / 2 ? size * 2 : need;
	size = (size + staging->page_bytes - 1) / staging->page_bytes *
	       staging->page_bytes;
	/* If this fails there is no map any more; the error sticks, all that is done with
	 * the environment from here on is to close it. */
	r = dit_lmdb_error(mdb_env_set_mapsize(staging->append->env, size));
	if (r < 0) {
		return r;
	}
	staging->append->map_bytes = size;
	return 0;
}

/* Begin a transaction that may be charged with @p bytes at least. */
static int begin_txn(struct dit_staging *staging, uint64_t bytes)
{
	uint64_t room = bytes > TXN_BYTES ? bytes : TXN_BYTES;
	int r = 0;

	r = map_grow(staging, staging->used_bytes + room * PAGES_FACTOR + SLACK_BYTES);
	if (r < 0) {
		return r;
	}
	r = dit_lmdb_error(
		mdb_txn_begin(staging->append->env, NULL, 0, &staging->append->txn));
	if (r < 0) {
		staging->append->txn = NULL;
		return r;
	}
	staging->append->txn_room_bytes = room;
	staging->append->txn_bytes = 0;
	return 0;
}

/* Advice only: the sync at the end has less left to do. */
static void start_writing(struct dit_staging *staging)
{
	uint64_t from = staging->append->started_bytes;

	if (staging->used_bytes > from + START_BYTES) {
		(void)sync_file_range(staging->data_fd, (off_t)from,
		                      (off_t)(staging->used_bytes - from),
		                      SYNC_FILE_RANGE_WRITE);
		staging->append->started_bytes = staging->used_bytes;
	}
}

static int commit(struct dit_staging *staging)
{
	MDB_txn *txn = staging->append->txn;
	MDB_envinfo info;
	sigset_t previous;
	int r = 0;

	if (txn == NULL) {
		return 0;
	}
	/* The commit closes the cursor, and the handle is gone even if it fails. */
	staging->append->txn = NULL;
	staging->append->cursor = NULL;
	dit_file_size_signal_block(&previous);
	r = dit_lmdb_error(mdb_txn_commit(txn));
	if (r == -EIO) {
		r = dit_lmdb_short_write(staging->data_fd, staging->used_bytes,
		                         staging->append->txn_bytes + SLACK_BYTES);
	}
	dit_file_size_signal_restore(&previous);
	if (r < 0) {
		return r;
	}
	r = dit_lmdb_error(mdb_env_info(staging->append->env, &info));
	if (r < 0) {
		return r;
	}
	staging->used_bytes = ((uint64_t)info.me_last_pgno + 1) * staging->page_bytes;
	staging->append->txn_bytes = 0;
	start_writing(staging);
	return 0;
}

static int cursor_on(struct dit_staging *staging, MDB_dbi dbi)
{
	int r = 0;

	if (staging->append->cursor != NULL && staging->append->cursor_dbi == dbi) {
		return 0;
	}
	if (staging->append->cursor != NULL) {
		mdb_cursor_close(staging->append->cursor);
		staging->append->cursor = NULL;
	}
	r = dit_lmdb_error(
		mdb_cursor_open(staging->append->txn, dbi, &staging->append->cursor));
	if (r < 0) {
		staging->append->cursor = NULL;
		return r;
	}
	staging->append->cursor_dbi = dbi;
	return 0;
}

static int charge(struct dit_staging *staging, uint64_t bytes)
{
	int r = 0;

	if (staging->error != 0) {
		return staging->error;
	}
	if (staging->append->txn != NULL && bytes > staging->append->txn_room_bytes) {
		r = commit(staging);
		if (r < 0) {
			return r;
		}
	}
	if (staging->append->txn == NULL) {
		r = begin_txn(staging, bytes);
		if (r < 0) {
			return r;
		}
	}
	staging->append->txn_room_bytes -= bytes;
	staging->append->txn_bytes += bytes;
	return 0;
}

/* ---- the environment ---- */

static int open_env(struct dit_staging *staging)
{
	int r = dit_lmdb_error(mdb_env_create(&staging->append->env));

	if (r < 0) {
		staging->append->env = NULL;
		return r;
	}
	r = dit_lmdb_error(mdb_env_set_maxdbs(staging->append->env, staging->ndbs));
	if (r == 0) {
		r = map_grow(staging, staging->used_bytes + TXN_BYTES);
	}
	if (r == 0) {
		r = dit_env_open_file(staging->append->env, staging->data_fd, MDB_NOSYNC,
		                      NULL);
	}
	return r;
}

static int create_table(struct dit_staging *staging, struct dit_staged_table *table)
{
	int r = charge(staging, LIST_BYTES + strlen(table->name));

	return r < 0 ? r
	             : dit_lmdb_error(mdb_dbi_open(staging->append->txn, table->name,
	                                           MDB_CREATE | table->flags,
	                                           &table->dbi));
}

static void close_env(struct dit_staging *staging)
{
	if (staging->append->txn != NULL) {
		mdb_txn_abort(staging->append->txn); /* takes the cursor along */
		staging->append->txn = NULL;
		staging->append->cursor = NULL;
	}
	if (staging->append->env != NULL) {
		mdb_env_close(staging->append->env);
		staging->append->env = NULL;
	}
}

static int create_tables(struct dit_staging *staging)
{
	int r = begin_txn(staging, 0);

	for (size_t i = 0; i < DIT_NFIXED_TABLES && r == 0; i++) {
		r = create_table(staging, &staging->tables.fixed[i]);
	}
	if (r == 0) {
		r = dit_lmdb_error(mdb_dbi_open(staging->append->txn, "id2v",
		                                MDB_CREATE | MDB_DUPSORT,
		                                &staging->append->id2v));
	}
	if (r == 0) {
		r = dit_staging_order_split(staging->append->txn, staging->append->id2v);
	}
	if (r == 0 && staging->has_ixck) {
		MDB_dbi ixck = 0;

		r = dit_lmdb_error(mdb_dbi_open(staging->append->txn, "ixck",
		                                MDB_CREATE | MDB_INTEGERKEY, &ixck));
	}
	for (size_t i = 0; i < staging->tables.nindexes && r == 0; i++) {
		r = create_table(staging, &staging->tables.indexes[i]);
	}
	return r < 0 ? r : commit(staging);
}

/* ---- numbers and entries ---- */

static int put_ad(struct dit_record_output *output, uint32_t number, struct dit_span name)
{
	struct dit_staging *staging = dit_staging_of(&output->base);
	MDB_val key = {sizeof(number), &number};
	MDB_val data = {name.len, (void *)name.data};
	int r = 0;

	/* slapd reads from number 1 on and counts (storage.md 2). */
	if (number != staging->tables.last_ad + 1) {
		return dit_staging_keep(staging, -EINVAL);
	}
	r = charge(staging, NODE_BYTES + sizeof(number) + name.len);
	if (r == 0) {
		r = dit_lmdb_error(mdb_put(staging->append->txn,
		                           staging->tables.fixed[DIT_FIXED_ADS].dbi, &key,
		                           &data, MDB_APPEND));
	}
	if (r == 0) {
		staging->tables.last_ad = number;
	}
	return dit_staging_keep(staging, r);
}

static int reserve_entry(struct dit_record_output *output, uint64_t id, size_t len,
                         void **ret_space)
{
	struct dit_staging *staging = dit_staging_of(&output->base);
	MDB_val key = {sizeof(id), &id};
	MDB_val data = {len, NULL};
	uint64_t bytes = NODE_BYTES + sizeof(id) + len;
	int r = 0;

	if (bytes > staging->page_bytes / 2 - LIST_BYTES) {
		bytes += staging->page_bytes; /* the end of its overflow pages */
	}
	r = charge(staging, bytes);
	if (r == 0) {
		r = cursor_on(staging, staging->tables.fixed[DIT_FIXED_ENTRIES].dbi);
	}
	if (r == 0) {
		r = dit_lmdb_error(mdb_cursor_put(staging->append->cursor, &key, &data,
		                                  MDB_RESERVE | MDB_APPEND));
	}
	if (r == 0) {
		*ret_space = data.mv_data;
	}
	return dit_staging_keep(staging, r);
}

/* ---- tables ---- */

static int put_record(struct dit_output_table *table, uint64_t id, struct dit_span record)
{
	struct appending *names = (struct appending *)table;
	struct dit_staging *staging = names->staging;
	bool is_new = !names->has_key || id != names->last_key;
	MDB_val key = {sizeof(id), &id};
	MDB_val data = {record.len, (void *)record.data};
	uint64_t bytes = NODE_BYTES + record.len;
	int r = 0;

	if (is_new) {
		bytes += sizeof(id);
	} else if (!names->is_list) {
		bytes += LIST_BYTES;
	}
	r = charge(staging, bytes);
	if (r == 0) {
		r = cursor_on(staging, names->dbi);
	}
	if (r == 0) {
		r = dit_lmdb_error(mdb_cursor_put(staging->append->cursor, &key, &data,
		                                  is_new ? MDB_APPEND : MDB_APPENDDUP));
	}
	names->has_key = true;
	names->last_key = id;
	names->is_list = !is_new;
	return dit_staging_keep(staging, r);
}

/* Integer keys of different lengths have no order (storage.md 1.5). */
static int check_integerkey(struct appending *index, size_t len)
{
	if (index->integerkey_len == 0 && (len == 4 || len == 8)) {
		index->integerkey_len = len;
	}
	return len == index->integerkey_len && len > 0 ? 0 : -EINVAL;
}

static int append_ids(struct dit_staging *staging, MDB_val *key, const uint64_t *ids,
                      size_t nids, bool is_first)
{
	MDB_val data[2] = {{sizeof(*ids), (void *)ids}, {nids, NULL}};
	unsigned flags = is_first ? MDB_APPEND : 0;
	int r = charge(staging, NODE_BYTES + key->mv_size + nids * sizeof(*ids) +
	                                (is_first && nids == 1 ? 0 : LIST_BYTES));

	if (r == 0) {
		r = cursor_on(staging, staging->append->table.dbi);
	}
	if (nids > 1 || !is_first) {
		flags |= MDB_APPENDDUP | MDB_MULTIPLE;
	}
	if (r == 0) {
		r = dit_lmdb_error(
			mdb_cursor_put(staging->append->cursor, key, data, flags));
	}
	/* LMDB says how many it has stored; any others were not in order. */
	return r == 0 && (flags & MDB_MULTIPLE) != 0 && data[1].mv_size != nids
	               ? MDB_KEYEXIST
	               : r;
}

static int append_list(struct dit_staging *staging, struct dit_span key,
                       const uint64_t *ids, size_t nids)
{
	MDB_val key_val = {key.len, (void *)key.data};
	uint64_t integer = 0;
	int r = 0;

	if (staging->append->table.is_integerkey) {
		r = check_integerkey(&staging->append->table, key.len);
		if (r < 0) {
			return r;
		}
		/* LMDB reads integer keys as words where they lie. */
		memcpy(&integer, key.data, key.len);
		key_val.mv_data = &integer;
	}
	for (size_t at = 0; at < nids && r == 0; at += IDS_PER_PUT) {
		size_t n = nids - at < IDS_PER_PUT ? nids - at : IDS_PER_PUT;

		r = append_ids(staging, &key_val, ids + at, n, at == 0);
	}
	return r;
}

static int put_lists(struct dit_output_table *table, const struct dit_output_list *lists,
                     size_t nlists)
{
	struct dit_staging *staging = ((struct appending *)table)->staging;
	int r = staging->error;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		r = dit_staging_keep(staging, append_list(staging, lists[i].key,
		                                          lists[i].ids, lists[i].nids));
	}
	return r;
}

static void drop(struct dit_output_table *table)
{
	((struct appending *)table)->is_open = false;
}

static int finish(struct dit_output_table *table)
{
	drop(table);
	return 0;
}

static const struct dit_output_table_ops table_ops = {
	.put_lists = put_lists,
	.put_record = put_record,
	.finish = finish,
	.drop = drop,
};

static int open_table(struct dit_staging *staging, struct dit_staged_table *table,
                      struct dit_output_table **ret)
{
	if (staging->error != 0) {
		return staging->error;
	}
	if (staging->append->table.is_open || table->is_written) {
		return -EINVAL;
	}
	table->is_written = true;
	staging->append->table = (struct appending){
		.base.ops = &table_ops,
		.staging = staging,
		.dbi = table->dbi,
		.is_integerkey = (table->flags & MDB_INTEGERKEY) != 0,
		.is_open = true,
	};
	*ret = &staging->append->table.base;
	return 0;
}

static int open_names(struct dit_record_output *output, struct dit_output_table **ret)
{
	struct dit_staging *staging = dit_staging_of(&output->base);

	return open_table(staging, &staging->tables.fixed[DIT_FIXED_NAMES], ret);
}

static int open_index(struct dit_output *output, size_t number,
                      struct dit_output_table **ret)
{
	struct dit_staging *staging = dit_staging_of(output);

	return number >= staging->tables.nindexes
	               ? -EINVAL
	               : open_table(staging, &staging->tables.indexes[number], ret);
}

static int add_index(struct dit_output *output, const struct dit_output_index *index)
{
	struct dit_staging *staging = dit_staging_of(output);
	int r = staging->error;

	if (r == 0) {
		r = dit_staging_add_table(staging, index);
	}
	if (r == 0) {
		r = create_table(staging,
		                 &staging->tables.indexes[staging->tables.nindexes - 1]);
	}
	return dit_staging_keep(staging, r);
}

/* ---- changes: at any time ---- */

static int put_split(struct dit_record_output *output, uint64_t id, uint16_t ad,
                     uint32_t place, struct dit_span record)
{
	struct dit_staging *staging = dit_staging_of(&output->base);
	struct dit_split_key key;
	MDB_val key_val = {sizeof(key.bytes), key.bytes};
	MDB_val data = {record.len, (void *)record.data};
	int order = dit_staging_next_split(staging, &key, id, ad, record);
	int r = order;

	(void)place;
	if (r >= 0) {
		r = charge(staging,
		           NODE_BYTES + record.len + sizeof(key.bytes) + LIST_BYTES);
	}
	if (r == 0) {
		r = cursor_on(staging, staging->append->id2v);
	}
	if (r == 0) {
		r = dit_lmdb_error(
			mdb_cursor_put(staging->append->cursor, &key_val, &data,
		                       order > 0 ? MDB_APPENDDUP : MDB_APPEND));
	}
	return dit_staging_keep(staging, r);
}

static int find_entry(struct dit_record_output *output, uint64_t id, struct dit_span *ret)
{
	struct dit_staging *staging = dit_staging_of(&output->base);
	MDB_val key = {sizeof(id), &id};
	MDB_val data = {0, NULL};
	int r = charge(staging, 0);

	if (r == 0) {
		r = dit_lmdb_error(mdb_get(staging->append->txn,
		                           staging->tables.fixed[DIT_FIXED_ENTRIES].dbi,
		                           &key, &data));
	}
	if (r < 0 || data.mv_size == 0) {
		return dit_staging_keep(staging, r);
	}
	*ret = (struct dit_span){data.mv_data, data.mv_size};
	return 1;
}

static int replace_entry(struct dit_record_output *output, uint64_t id,
                         struct dit_span record)
{
	struct dit_staging *staging = dit_staging_of(&output->base);
	MDB_val key = {sizeof(id), &id};
	MDB_val data = {record.len, (void *)record.data};
	int r = charge(staging,
	               NODE_BYTES + sizeof(id) + record.len + 2 * staging->page_bytes);

	if (r == 0) {
		r = dit_lmdb_error(mdb_put(staging->append->txn,
		                           staging->tables.fixed[DIT_FIXED_ENTRIES].dbi,
		                           &key, &data, 0));
	}
	return dit_staging_keep(staging, r);
}

/* ---- publishing ---- */

static bool used_bytes(const struct dit_output *output, uint64_t *ret)
{
	const struct dit_staging *staging = (const struct dit_staging *)output;

	*ret = staging->used_bytes + staging->append->txn_bytes;
	return true;
}

/*
 * The map size that slapd is configured with. liblmdb records the size that it was given
 * at the last growth, which is our working size, and offers no call to make it smaller.
 * In a format that is not known the working size stays; slapd does not mind.
 */
static int write_map_size(const struct dit_staging *staging)
{
	int fd = staging->data_fd;
	struct dit_meta metas[2];
	int r = 0;

	if (!staging->is_known_format) {
		return 0;
	}
	r = dit_metas_read(fd, &dit_lmdb_09, staging->page_bytes, metas);
	if (r < 0) {
		return r;
	}
	for (unsigned i = 0; i < 2; i++) {
		metas[i].map_bytes = dit_map_recorded(
			staging->maxsize_bytes, staging->page_bytes, staging->used_bytes);
	}
	return dit_metas_write(fd, &dit_lmdb_09, staging->page_bytes, metas);
}

static int prepare(struct dit_output *output)
{
	struct dit_staging *staging = dit_staging_of(output);
	int r = staging->error == 0 ? commit(staging) : staging->error;

	close_env(staging);
	if (r == 0) {
		r = write_map_size(staging);
	}
	return dit_staging_finish_file(staging, r);
}

static const struct dit_output_ops output_ops = {
	.add_index = add_index,
	.open_index = open_index,
	.used_bytes = used_bytes,
	.prepare = prepare,
	.place = dit_staging_place,
	.settle = dit_staging_settle,
	.take_back = dit_staging_take_back,
	.end = dit_staging_end,
	.abandon = dit_staging_abandon,
};

static const struct dit_record_ops record_ops = {
	.put_ad = put_ad,
	.reserve_entry = reserve_entry,
	.put_split = put_split,
	.open_names = open_names,
	.find_entry = find_entry,
	.replace_entry = replace_entry,
};

/* ---- begin and end ---- */

int dit_staging_begin_append(struct dit_staging *staging)
{
	int r = 0;

	staging->append = calloc(1, sizeof(*staging->append));
	if (staging->append == NULL) {
		return -ENOMEM;
	}
	staging->base.base.ops = &output_ops;
	staging->base.ops = &record_ops;
	staging->base.is_append = true;
	staging->takes_changes = true;
	staging->used_bytes = DIT_FIRST_PAGE * (uint64_t)staging->page_bytes;
	r = open_env(staging);
	return r < 0 ? r : create_tables(staging);
}

void dit_staging_end_append(struct dit_staging *staging)
{
	if (staging->append != NULL) {
		close_env(staging);
		free(staging->append);
	}
}
