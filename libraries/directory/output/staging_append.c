/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The append writer: every database of a new environment is filled through liblmdb, in
 * its key order, by one thread (files/lmdb_append.h). No key is searched for and no page
 * is split in the middle; liblmdb makes and writes every page.
 */
#include "output/staging.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files/lmdb_append.h"
#include "files/map_size.h"
#include "page/meta_pages.h"

/* IDs in one call, so that a long list does not need a long transaction. */
#define IDS_PER_PUT 65536u

/* A database of records, and its last key. */
struct records {
	unsigned db; /* of env */
	char bytes[sizeof(uint64_t) + sizeof(uint16_t)];
	size_t len;   /* 0: none yet */
	bool is_list; /* it has more than one record */
};

/* The table that is written. */
struct appending {
	struct dit_output_table base;
	struct dit_staging *staging;
	bool is_open;
	unsigned db; /* of env */
	bool is_integerkey;
	size_t integerkey_len; /* of the first key; 0: none yet */
	struct records names;  /* of dn2i */
};

/* The environment. */
struct dit_append {
	struct appending table;
	struct dit_lmdb_append *env; /* NULL: closed */
	struct records splits;       /* of id2v */
};

/* ---- the environment ---- */

static int charge(const struct dit_staging *staging, uint64_t bytes)
{
	return dit_lmdb_append_charge(staging->append->env, bytes);
}

static int create_table(struct dit_staging *staging, struct dit_index_table *table)
{
	return dit_lmdb_append_make(staging->append->env, table->name, table->tree.flags,
	                            &table->db);
}

static int create_tables(struct dit_staging *staging)
{
	const struct dit_fixed_db_facts *checks = &dit_fixed_dbs[DIT_FIXED_CHECKS];
	struct dit_lmdb_append *env = staging->append->env;
	unsigned ixck = 0;
	int r = 0;

	for (size_t i = 0; i < DIT_NFIXED && r == 0; i++) {
		r = create_table(staging, &staging->tables.fixed[i]);
	}
	staging->append->splits.db = staging->tables.fixed[DIT_FIXED_SPLITS].db;
	if (r == 0) {
		r = dit_lmdb_append_order_split(env, staging->append->splits.db);
	}
	if (r == 0 && staging->has_ixck) {
		r = dit_lmdb_append_make(env, checks->name, checks->flags, &ixck);
	}
	return r < 0 ? r : dit_lmdb_append_commit(env);
}

static bool is_new_key(const struct records *records, struct dit_span key)
{
	return !dit_span_eq(key, (struct dit_span){records->bytes, records->len});
}

/* A record after all others of its database. @param more_bytes  to be charged as well */
static int append_record(struct dit_staging *staging, struct records *records,
                         struct dit_span key, struct dit_span record, size_t more_bytes)
{
	bool is_new = is_new_key(records, key);
	int r = charge(staging, DIT_LMDB_NODE_BYTES + record.len + more_bytes);

	if (r == 0) {
		r = dit_lmdb_append_put(staging->append->env, records->db, key, record,
		                        is_new ? DIT_LMDB_NEW_KEY : DIT_LMDB_LAST_KEY);
	}
	memcpy(records->bytes, key.data, key.len);
	records->len = key.len;
	records->is_list = !is_new;
	return r;
}

/* ---- numbers and entries ---- */

static int put_ad(struct dit_record_output *output, uint32_t number, struct dit_span name)
{
	struct dit_staging *staging = dit_staging_of(&output->base);
	const struct dit_span key = {(const char *)&number, sizeof(number)};
	int r = charge(staging, DIT_LMDB_NODE_BYTES + key.len + name.len);

	return r < 0 ? r
	             : dit_lmdb_append_put(staging->append->env,
	                                   staging->tables.fixed[DIT_FIXED_ADS].db, key,
	                                   name, DIT_LMDB_NEW_KEY);
}

static int reserve_entry(struct dit_record_output *output, uint64_t id, size_t len,
                         void **ret_space)
{
	struct dit_staging *staging = dit_staging_of(&output->base);
	const struct dit_span key = {(const char *)&id, sizeof(id)};
	uint64_t bytes = DIT_LMDB_NODE_BYTES + sizeof(id) + len;
	int r = 0;

	if (bytes > staging->page_bytes / 2 - DIT_LMDB_LIST_BYTES) {
		bytes += staging->page_bytes; /* the end of its overflow pages */
	}
	r = charge(staging, bytes);
	return r < 0 ? r
	             : dit_lmdb_append_reserve(
			       staging->append->env,
			       staging->tables.fixed[DIT_FIXED_ENTRIES].db, key, len,
			       ret_space);
}

/* ---- tables ---- */

static int put_record(struct dit_output_table *table, uint64_t id, struct dit_span record)
{
	struct appending *names = (struct appending *)table;
	const struct dit_span key = {(const char *)&id, sizeof(id)};

	size_t more_bytes = is_new_key(&names->names, key) ? key.len
	                    : names->names.is_list         ? 0
	                                                   : DIT_LMDB_LIST_BYTES;

	return append_record(names->staging, &names->names, key, record, more_bytes);
}

/* Integer keys of different lengths have no order (storage.md 1.5). */
static int check_integerkey(struct appending *index, size_t len)
{
	if (index->integerkey_len == 0 && (len == 4 || len == 8)) {
		index->integerkey_len = len;
	}
	return len == index->integerkey_len && len > 0 ? 0 : -EINVAL;
}

static int append_list(struct appending *index, const struct dit_output_list *list)
{
	struct dit_lmdb_ids ids = {.key = list->key};
	uint64_t integer = 0;
	int r = 0;

	if (index->is_integerkey) {
		r = check_integerkey(index, list->key.len);
		if (r < 0) {
			return r;
		}
		/* LMDB reads integer keys as words where they lie. */
		memcpy(&integer, list->key.data, list->key.len);
		ids.key.data = (const char *)&integer;
	}
	for (size_t at = 0; at < list->nids && r == 0; at += IDS_PER_PUT) {
		ids.ids = list->ids + at;
		ids.n = list->nids - at < IDS_PER_PUT ? list->nids - at : IDS_PER_PUT;
		ids.is_new_key = at == 0;
		r = dit_lmdb_append_put_ids(index->staging->append->env, index->db, &ids);
	}
	return r;
}

static int put_lists(struct dit_output_table *table, const struct dit_output_list *lists,
                     size_t nlists)
{
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		r = append_list((struct appending *)table, &lists[i]);
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

static int open_table(struct dit_staging *staging, struct dit_index_table *table,
                      struct dit_output_table **ret)
{
	if (staging->append->table.is_open || table->is_written) {
		return -EINVAL;
	}
	table->is_written = true;
	staging->append->table = (struct appending){
		.base.ops = &table_ops,
		.staging = staging,
		.db = table->db,
		.names.db = table->db,
		.is_integerkey = (table->tree.flags & DIT_DB_INTEGERKEY) != 0,
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

static int open_index(struct dit_output *output, size_t number, unsigned part,
                      struct dit_output_table **ret)
{
	struct dit_staging *staging = dit_staging_of(output);

	return number >= staging->tables.indexes.n || part > 0
	               ? -EINVAL
	               : open_table(staging, &staging->tables.indexes.list[number], ret);
}

static int add_index(struct dit_output *output, const struct dit_output_index *index)
{
	struct dit_staging *staging = dit_staging_of(output);
	struct dit_index_tables *indexes = &staging->tables.indexes;
	int r = dit_index_tables_add(indexes, index);

	return r < 0 ? r : create_table(staging, &indexes->list[indexes->n - 1]);
}

/* ---- changes: at any time ---- */

static int put_split(struct dit_record_output *output, uint64_t id, uint16_t ad,
                     uint32_t place, struct dit_span record)
{
	struct dit_staging *staging = dit_staging_of(&output->base);
	struct records *splits = &staging->append->splits;
	char bytes[sizeof(splits->bytes)];
	const struct dit_span key = {bytes, sizeof(bytes)};

	(void)place;
	memcpy(bytes, &id, sizeof(id));
	memcpy(bytes + sizeof(id), &ad, sizeof(ad));
	return append_record(staging, splits, key, record, key.len + DIT_LMDB_LIST_BYTES);
}

static int find_entry(struct dit_record_output *output, uint64_t id, struct dit_span *ret)
{
	struct dit_staging *staging = dit_staging_of(&output->base);
	const struct dit_span key = {(const char *)&id, sizeof(id)};
	struct dit_span record = {NULL, 0};
	int r = charge(staging, 0);

	if (r == 0) {
		r = dit_lmdb_append_find(staging->append->env,
		                         staging->tables.fixed[DIT_FIXED_ENTRIES].db, key,
		                         &record);
	}
	if (r < 0 || record.len == 0) {
		return r;
	}
	*ret = record;
	return 1;
}

static int replace_entry(struct dit_record_output *output, uint64_t id,
                         struct dit_span record)
{
	struct dit_staging *staging = dit_staging_of(&output->base);
	const struct dit_span key = {(const char *)&id, sizeof(id)};
	int r = charge(staging, DIT_LMDB_NODE_BYTES + sizeof(id) + record.len +
	                                2 * staging->page_bytes);

	return r < 0 ? r
	             : dit_lmdb_append_put(staging->append->env,
	                                   staging->tables.fixed[DIT_FIXED_ENTRIES].db,
	                                   key, record, DIT_LMDB_ANY_KEY);
}

/* ---- publishing ---- */

static bool used_bytes(const struct dit_output *output, uint64_t *ret)
{
	const struct dit_staging *staging = (const struct dit_staging *)output;

	*ret = staging->append->env == NULL ? staging->used_bytes
	                                    : dit_lmdb_append_bytes(staging->append->env);
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
	struct dit_metas metas;
	int r = 0;

	if (!staging->is_known_format) {
		return 0;
	}
	r = dit_metas_read(fd, &dit_lmdb_09, &metas);
	if (r < 0) {
		return r;
	}
	for (unsigned i = 0; i < 2; i++) {
		metas.list[i].map_bytes = dit_map_recorded(
			staging->maxsize_bytes, staging->page_bytes, staging->used_bytes);
	}
	return dit_metas_write(fd, &dit_lmdb_09, &metas);
}

static int prepare(struct dit_output *output)
{
	struct dit_staging *staging = dit_staging_of(output);
	struct dit_append *append = staging->append;
	int r = dit_lmdb_append_commit(append->env);

	staging->used_bytes = dit_lmdb_append_bytes(append->env);
	dit_lmdb_append_close(append->env);
	append->env = NULL;
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
	const struct dit_lmdb_append_opts opts = {.data_fd = staging->data_fd,
	                                          .page_bytes = staging->page_bytes,
	                                          .ndbs = staging->ndbs};
	int r = 0;

	staging->append = calloc(1, sizeof(*staging->append));
	if (staging->append == NULL) {
		return -ENOMEM;
	}
	staging->tables.base.base.ops = &output_ops;
	staging->tables.base.ops = &record_ops;
	staging->tables.base.is_append = true;
	r = dit_lmdb_append_open(&staging->append->env, &opts);
	return r < 0 ? r : create_tables(staging);
}

void dit_staging_end_append(struct dit_staging *staging)
{
	if (staging->append != NULL) {
		dit_lmdb_append_close(staging->append->env);
		free(staging->append);
	}
}
