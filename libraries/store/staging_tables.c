/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names and indexes: databases whose pages are written beside liblmdb (table_writer.h),
 * several at once. They are the greater part of the file, and they come last: from
 * dit_staging_begin_tables() on, the pages behind liblmdb's last one are ours, and
 * publishing puts the roots where liblmdb keeps them (staging.c).
 */
#include "store/staging_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/lmdb_error.h"
#include "store/table_writer.h"

/* A node of the main tree, without the name. */
#define RECORD_BYTES 64

static int remember_index(struct dit_staging *staging, const char *name, unsigned flags)
{
	struct dit_staged_table *indexes =
		realloc(staging->indexes, (staging->nindexes + 1) * sizeof(*indexes));
	struct dit_staged_table *index = NULL;

	if (indexes == NULL) {
		return -ENOMEM;
	}
	staging->indexes = indexes;
	index = &indexes[staging->nindexes];
	*index = (struct dit_staged_table){.name = strdup(name), .flags = flags};
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
	r = dit_staging_charge(staging, RECORD_BYTES + strlen(name));
	if (r < 0) {
		return dit_staging_keep(staging, r);
	}
	r = dit_lmdb_error(mdb_dbi_open(staging->txn, name, 0, &dbi));
	if (r != MDB_NOTFOUND) {
		return dit_staging_keep(staging, r < 0 ? r : DIT_E_DUPLICATE);
	}
	r = dit_lmdb_error(mdb_dbi_open(staging->txn, name, MDB_CREATE | flags, &dbi));
	if (r == 0) {
		r = remember_index(staging, name, flags);
	}
	return dit_staging_keep(staging, r);
}

/*
 * Where in the file the record of a named database lies: liblmdb gives its address, and
 * the page around it knows its number.
 */
static int find_record(struct dit_staging *staging, MDB_txn *txn, MDB_dbi main_dbi,
                       struct dit_staged_table *table)
{
	MDB_val key = {strlen(table->name), table->name};
	MDB_val value = {0, NULL};
	const struct dit_page_header *page = NULL;
	size_t offset = 0;
	int r = dit_lmdb_error(mdb_get(txn, main_dbi, &key, &value));

	if (r < 0) {
		return r;
	}
	if (value.mv_size != sizeof(table->tree)) {
		return MDB_INCOMPATIBLE;
	}
	memcpy(&table->tree, value.mv_data, sizeof(table->tree));
	offset = (uintptr_t)value.mv_data % staging->page_bytes;
	page = (const void *)((const char *)value.mv_data - offset);
	table->at = page->number * staging->page_bytes + offset;
	return table->tree.root == DIT_PAGE_NONE ? 0 : MDB_INCOMPATIBLE;
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
	if (r == 0) {
		r = find_record(staging, txn, main_dbi, &staging->names);
	}
	for (size_t i = 0; i < staging->nindexes && r == 0; i++) {
		r = find_record(staging, txn, main_dbi, &staging->indexes[i]);
	}
	mdb_txn_abort(txn);
	return r;
}

int dit_staging_begin_tables(struct dit_staging *staging)
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

static int open_table(struct dit_staging *staging, const struct dit_staged_table *table,
                      struct dit_table_writer **ret)
{
	if (!staging->has_pages || table->is_written) {
		return -EINVAL;
	}
	return dit_table_writer_new(ret, &staging->space, table->flags);
}

static int close_table(struct dit_staged_table *table, struct dit_table_writer *writer)
{
	int r = dit_table_writer_finish(writer, &table->tree);

	table->is_written = r == 0;
	dit_table_writer_free(writer);
	return r;
}

int dit_staging_open_names(struct dit_staging *staging, struct dit_table_writer **ret)
{
	return open_table(staging, &staging->names, ret);
}

int dit_staging_close_names(struct dit_staging *staging, struct dit_table_writer *writer)
{
	return close_table(&staging->names, writer);
}

int dit_staging_open_index(struct dit_staging *staging, size_t number,
                           struct dit_table_writer **ret)
{
	return number >= staging->nindexes
	               ? -EINVAL
	               : open_table(staging, &staging->indexes[number], ret);
}

int dit_staging_close_index(struct dit_staging *staging, size_t number,
                            struct dit_table_writer *writer)
{
	return close_table(&staging->indexes[number], writer);
}
