/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything that comes in key order: databases whose pages are written without liblmdb
 * (table_writer.h), several at once.
 */
#include "output/staging_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "place/lmdb_error.h"

/* With id2v. */
#define NFIXED_DBS (DIT_NFIXED_TABLES + 1)

int dit_staging_keep(struct dit_staging *staging, int r)
{
	if (r < 0 && staging->error == 0) {
		staging->error = r;
	}
	return r;
}

/* ---- which there are ---- */

static bool is_known(const struct dit_staging *staging, const char *name)
{
	if (strcmp(name, "id2v") == 0) {
		return true;
	}
	for (size_t i = 0; i < DIT_NFIXED_TABLES; i++) {
		if (strcmp(name, staging->tables.fixed[i].name) == 0) {
			return true;
		}
	}
	for (size_t i = 0; i < staging->tables.nindexes; i++) {
		if (strcmp(name, staging->tables.indexes[i].name) == 0) {
			return true;
		}
	}
	return false;
}

static int add_index(struct dit_staging *staging, const char *name, unsigned flags)
{
	struct dit_staged_table *indexes = NULL;
	struct dit_staged_table *index = NULL;

	if (is_known(staging, name)) {
		return DIT_E_DUPLICATE;
	}
	if (staging->tables.nindexes + NFIXED_DBS >= staging->ndbs) {
		return MDB_DBS_FULL;
	}
	indexes = realloc(staging->tables.indexes,
	                  (staging->tables.nindexes + 1) * sizeof(*indexes));
	if (indexes == NULL) {
		return -ENOMEM;
	}
	staging->tables.indexes = indexes;
	index = &indexes[staging->tables.nindexes];
	*index = (struct dit_staged_table){.name = strdup(name), .flags = flags};
	if (index->name == NULL) {
		return -ENOMEM;
	}
	staging->tables.nindexes++;
	return staging->is_append ? dit_staging_create_table(staging, index) : 0;
}

int dit_staging_add_index(struct dit_staging *staging, const char *name,
                          bool is_integerkey)
{
	unsigned flags = MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP |
	                 (is_integerkey ? MDB_INTEGERKEY : 0);

	if (staging->error != 0) {
		return staging->error;
	}
	return dit_staging_keep(staging, add_index(staging, name, flags));
}

/* ---- opened and closed ---- */

static int open_table(struct dit_staging *staging, const struct dit_staged_table *table,
                      struct dit_table_writer **ret)
{
	if (staging->takes_changes || table->is_written) {
		return -EINVAL;
	}
	return dit_table_writer_new(ret, &staging->space, table->flags);
}

/* @param ret_bytes  of its pages; NULL: nobody asks */
static int close_table(struct dit_staged_table *table, struct dit_table_writer *writer,
                       uint64_t *ret_bytes)
{
	int r = dit_table_writer_finish(writer, &table->tree);

	table->is_written = r == 0;
	if (r == 0 && ret_bytes != NULL) {
		*ret_bytes = dit_table_writer_bytes(writer);
	}
	dit_table_writer_free(writer);
	return r;
}

int dit_staging_open_names(struct dit_staging *staging, struct dit_table_writer **ret)
{
	return open_table(staging, &staging->tables.fixed[DIT_TABLE_NAMES], ret);
}

int dit_staging_close_names(struct dit_staging *staging, struct dit_table_writer *writer)
{
	return close_table(&staging->tables.fixed[DIT_TABLE_NAMES], writer, NULL);
}

int dit_staging_open_index(struct dit_staging *staging, size_t number,
                           struct dit_table_writer **ret)
{
	return number >= staging->tables.nindexes
	               ? -EINVAL
	               : open_table(staging, &staging->tables.indexes[number], ret);
}

int dit_staging_close_index(struct dit_staging *staging, size_t number,
                            struct dit_table_writer *writer, uint64_t *ret_bytes)
{
	return close_table(&staging->tables.indexes[number], writer, ret_bytes);
}

int dit_staging_open_tables(struct dit_staging *staging)
{
	int r = open_table(staging, &staging->tables.fixed[DIT_TABLE_ADS],
	                   &staging->tables.ads);

	return r < 0 ? r
	             : open_table(staging, &staging->tables.fixed[DIT_TABLE_ENTRIES],
	                          &staging->tables.entries);
}

int dit_staging_close_tables(struct dit_staging *staging)
{
	struct dit_table_writer *ads = staging->tables.ads;
	struct dit_table_writer *entries = staging->tables.entries;
	int r = 0;

	staging->tables.ads = NULL;
	staging->tables.entries = NULL;
	r = close_table(&staging->tables.fixed[DIT_TABLE_ADS], ads, NULL);
	if (r < 0) {
		dit_table_writer_free(entries);
		return r;
	}
	return close_table(&staging->tables.fixed[DIT_TABLE_ENTRIES], entries, NULL);
}

/* ---- numbers and entries ---- */

int dit_staging_put_ad(struct dit_staging *staging, uint32_t number, struct dit_span name)
{
	struct dit_span key = {(const char *)&number, sizeof(number)};
	char *space = NULL;
	int r = staging->error;

	if (r != 0) {
		return r;
	}
	/* slapd reads from number 1 on and counts (storage.md 2). */
	if (staging->tables.ads == NULL || number != staging->tables.last_ad + 1) {
		return dit_staging_keep(staging, -EINVAL);
	}
	r = dit_table_writer_reserve(staging->tables.ads, key, name.len, &space);
	if (r < 0) {
		return dit_staging_keep(staging, r);
	}
	memcpy(space, name.data, name.len);
	staging->tables.last_ad = number;
	return 0;
}

int dit_staging_reserve_entry(struct dit_staging *staging, uint64_t id, size_t len,
                              void **ret_space)
{
	struct dit_span key = {(const char *)&id, sizeof(id)};
	char *space = NULL;
	int r = staging->error;

	if (r == 0) {
		r = staging->tables.entries == NULL
		            ? -EINVAL
		            : dit_table_writer_reserve(staging->tables.entries, key, len,
		                                       &space);
	}
	*ret_space = space;
	return dit_staging_keep(staging, r);
}

int dit_staging_put_entry_pieces(struct dit_staging *staging, uint64_t id, size_t len,
                                 const struct dit_pieces *record)
{
	struct dit_span key = {(const char *)&id, sizeof(id)};
	int r = staging->error;

	if (r == 0) {
		r = staging->tables.entries == NULL
		            ? -EINVAL
		            : dit_table_writer_put_pieces(staging->tables.entries, key,
		                                          len, record);
	}
	return dit_staging_keep(staging, r);
}

uint64_t dit_staging_used_bytes(const struct dit_staging *staging)
{
	if (staging->is_append) {
		return staging->used_bytes + staging->liblmdb.txn_bytes;
	}
	return atomic_load_explicit(&staging->space.next_page, memory_order_relaxed) *
	       staging->page_bytes;
}
