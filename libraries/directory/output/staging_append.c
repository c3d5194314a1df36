/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The append writer: every database of a new environment is filled through liblmdb, in
 * its key order, by one thread, with MDB_APPEND. No key is searched for and no page is
 * split in the middle; liblmdb makes and writes every page.
 *
 * A list goes in with one call: MDB_APPEND makes its key the last one and puts the first
 * ID; MDB_APPENDDUP with MDB_MULTIPLE puts the others behind it. Measured, nanoseconds
 * for each ID:
 *
 *   IDs in the list                        2     4    10   300
 *   all in one call                      138    74    72    60
 *   first ID, then the others            175   107    98    70
 *   one call for each ID                 177   120   119   120
 *
 * staging_liblmdb.c has the transactions and the map. After each 8 MiB the system is
 * asked to start writing, so that little is left to wait for at the end: 0.1 s of 1.6 s
 * for 22.8 million IDs.
 */
#include "output/staging_impl.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "place/lmdb_error.h"

/* IDs in one call, so that a long list does not need a long transaction. */
#define IDS_PER_PUT 65536u

/* ---- numbers and entries ---- */

static int append_ad(struct dit_staging *staging, uint32_t number, struct dit_span name)
{
	MDB_val key = {sizeof(number), &number};
	MDB_val data = {name.len, (void *)name.data};
	int r = 0;

	/* slapd reads from number 1 on and counts (storage.md 2). */
	if (number != staging->tables.last_ad + 1) {
		return -EINVAL;
	}
	r = dit_staging_charge(staging, STAGING_NODE_BYTES + sizeof(number) + name.len);
	if (r == 0) {
		r = dit_lmdb_error(mdb_put(staging->liblmdb.txn,
		                           staging->tables.fixed[DIT_TABLE_ADS].dbi, &key,
		                           &data, MDB_APPEND));
	}
	if (r == 0) {
		staging->tables.last_ad = number;
	}
	return r;
}

int dit_staging_append_ad(struct dit_staging *staging, uint32_t number,
                          struct dit_span name)
{
	return staging->error != 0
	               ? staging->error
	               : dit_staging_keep(staging, append_ad(staging, number, name));
}

static int append_entry(struct dit_staging *staging, uint64_t id, MDB_val *data)
{
	MDB_val key = {sizeof(id), &id};
	uint64_t bytes = STAGING_NODE_BYTES + sizeof(id) + data->mv_size;
	int r = 0;

	if (bytes > staging->page_bytes / 2 - STAGING_LIST_BYTES) {
		bytes += staging->page_bytes; /* the end of its overflow pages */
	}
	r = dit_staging_charge(staging, bytes);
	if (r == 0) {
		r = dit_staging_cursor_on(staging,
		                          staging->tables.fixed[DIT_TABLE_ENTRIES].dbi);
	}
	return r < 0 ? r
	             : dit_lmdb_error(mdb_cursor_put(staging->liblmdb.cursor, &key, data,
	                                             MDB_RESERVE | MDB_APPEND));
}

int dit_staging_append_entry(struct dit_staging *staging, uint64_t id, size_t len,
                             void **ret_space)
{
	MDB_val data = {len, NULL};
	int r = staging->error;

	if (r == 0) {
		r = dit_staging_keep(staging, append_entry(staging, id, &data));
	}
	if (r == 0) {
		*ret_space = data.mv_data;
	}
	return r;
}

/* ---- tables ---- */

static int begin(struct dit_staging *staging, struct dit_staged_table *table)
{
	if (staging->error != 0) {
		return staging->error;
	}
	if (staging->liblmdb.appending.is_open || table->is_written) {
		return -EINVAL;
	}
	table->is_written = true;
	staging->liblmdb.appending = (struct dit_appending){
		.dbi = table->dbi,
		.is_integerkey = (table->flags & MDB_INTEGERKEY) != 0,
		.is_open = true,
	};
	return 0;
}

int dit_staging_append_names(struct dit_staging *staging)
{
	return begin(staging, &staging->tables.fixed[DIT_TABLE_NAMES]);
}

int dit_staging_append_index(struct dit_staging *staging, size_t number)
{
	return number >= staging->tables.nindexes
	               ? -EINVAL
	               : begin(staging, &staging->tables.indexes[number]);
}

void dit_staging_append_end(struct dit_staging *staging)
{
	staging->liblmdb.appending.is_open = false;
}

static int append_name(struct dit_staging *staging, uint64_t id, struct dit_span record)
{
	struct dit_appending *names = &staging->liblmdb.appending;
	bool is_new = !names->has_key || id != names->last_key;
	MDB_val key = {sizeof(id), &id};
	MDB_val data = {record.len, (void *)record.data};
	uint64_t bytes = STAGING_NODE_BYTES + record.len;
	int r = 0;

	if (is_new) {
		bytes += sizeof(id);
	} else if (!names->is_list) {
		bytes += STAGING_LIST_BYTES;
	}
	r = dit_staging_charge(staging, bytes);
	if (r == 0) {
		r = dit_staging_cursor_on(staging, names->dbi);
	}
	if (r == 0) {
		r = dit_lmdb_error(mdb_cursor_put(staging->liblmdb.cursor, &key, &data,
		                                  is_new ? MDB_APPEND : MDB_APPENDDUP));
	}
	names->has_key = true;
	names->last_key = id;
	names->is_list = !is_new;
	return r;
}

int dit_staging_append_name(struct dit_staging *staging, uint64_t id,
                            struct dit_span record)
{
	return staging->error != 0
	               ? staging->error
	               : dit_staging_keep(staging, append_name(staging, id, record));
}

/* Integer keys of different lengths have no order (storage.md 1.5). */
static int check_integerkey(struct dit_appending *index, size_t len)
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
	int r = dit_staging_charge(
		staging, STAGING_NODE_BYTES + key->mv_size + nids * sizeof(*ids) +
				 (is_first && nids == 1 ? 0 : STAGING_LIST_BYTES));

	if (r == 0) {
		r = dit_staging_cursor_on(staging, staging->liblmdb.appending.dbi);
	}
	if (nids > 1 || !is_first) {
		flags |= MDB_APPENDDUP | MDB_MULTIPLE;
	}
	if (r == 0) {
		r = dit_lmdb_error(
			mdb_cursor_put(staging->liblmdb.cursor, key, data, flags));
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

	if (staging->liblmdb.appending.is_integerkey) {
		r = check_integerkey(&staging->liblmdb.appending, key.len);
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

int dit_staging_append_list(struct dit_staging *staging, struct dit_span key,
                            const uint64_t *ids, size_t nids)
{
	return staging->error != 0
	               ? staging->error
	               : dit_staging_keep(staging, append_list(staging, key, ids, nids));
}

/* ---- changes ---- */

int dit_staging_append_find(struct dit_staging *staging, uint64_t id,
                            struct dit_span *ret)
{
	MDB_val key = {sizeof(id), &id};
	MDB_val data = {0, NULL};
	int r = dit_staging_charge(staging, 0);

	if (r == 0) {
		r = dit_lmdb_error(mdb_get(staging->liblmdb.txn,
		                           staging->tables.fixed[DIT_TABLE_ENTRIES].dbi,
		                           &key, &data));
	}
	if (r == 0) {
		*ret = (struct dit_span){data.mv_data, data.mv_size};
	}
	return r;
}

int dit_staging_append_replace(struct dit_staging *staging, uint64_t id,
                               struct dit_span record)
{
	MDB_val key = {sizeof(id), &id};
	MDB_val data = {record.len, (void *)record.data};
	int r = dit_staging_charge(staging, STAGING_NODE_BYTES + sizeof(id) + record.len +
	                                            2 * staging->page_bytes);

	return r < 0 ? r
	             : dit_lmdb_error(
			       mdb_put(staging->liblmdb.txn,
	                               staging->tables.fixed[DIT_TABLE_ENTRIES].dbi, &key,
	                               &data, 0));
}
