/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What does not come in key order is changed in the finished tables of our pages: an
 * entry that takes the place of a hole, contextCSN (tree/tree_edit.h). Values of id2v
 * are a table like the others, only in an order of their own (staging_split.c). Then the
 * file is completed (commit/new_file.h). liblmdb has no part in this; the append writer,
 * which leaves all to liblmdb, has functions of its own (staging_append.c).
 *
 * The pages that a longer entry leaves behind are on the free list of the new database.
 */
#include "output/staging_impl.h"

#include <errno.h>
#include <stdlib.h>

#include "base/file_size_signal.h"
#include "commit/new_file.h"
#include "place/map_size.h"

void dit_staging_drop_changes(struct dit_staging *staging)
{
	struct dit_staging_changes *changes = &staging->changes;
	uint64_t *spare = NULL;
	size_t nspare = 0;

	dit_table_writer_free(changes->splits);
	if (changes->entries != NULL) {
		(void)dit_tree_edit_close(changes->entries, &spare, &nspare);
		free(spare);
	}
	free(changes->spare);
	*changes = (struct dit_staging_changes){.splits = NULL};
}

/* ---- changes ---- */

static int begin_changes(struct dit_staging *staging)
{
	struct dit_staging_changes *changes = &staging->changes;
	int r = dit_staging_close_tables(staging);

	if (r < 0) {
		return r;
	}
	staging->takes_changes = true;
	r = dit_table_writer_new(&changes->splits, &staging->space, MDB_DUPSORT);
	if (r < 0) {
		return r;
	}
	dit_table_writer_trust(changes->splits);
	r = dit_page_file_drain(&staging->space.file);
	return r < 0 ? r
	             : dit_tree_edit_open(&changes->entries, staging->data_fd,
	                                  &staging->space,
	                                  &staging->tables.fixed[DIT_TABLE_ENTRIES].tree);
}

int dit_staging_begin_changes(struct dit_staging *staging)
{
	if (staging->error != 0) {
		return staging->error;
	}
	if (staging->is_append) {
		return 0; /* they are nothing special */
	}
	return dit_staging_keep(staging, staging->takes_changes ? -EINVAL
	                                                        : begin_changes(staging));
}

static int find_entry(struct dit_staging *staging, uint64_t id, struct dit_span *ret)
{
	int r = dit_page_file_drain(&staging->space.file);

	if (r == 0) {
		r = dit_tree_edit_find(staging->changes.entries, id, ret);
	}
	return r == 0 ? MDB_NOTFOUND : r < 0 ? r : 0;
}

static int replace_entry(struct dit_staging *staging, uint64_t id, struct dit_span record)
{
	sigset_t previous;
	int r = dit_page_file_drain(&staging->space.file);

	if (r < 0) {
		return r;
	}
	dit_file_size_signal_block(&previous);
	r = dit_tree_edit_put(staging->changes.entries, id, record);
	dit_file_size_signal_restore(&previous);
	return r;
}

int dit_staging_entry(struct dit_staging *staging, uint64_t id, struct dit_span *ret)
{
	if (staging->error != 0) {
		return staging->error;
	}
	if (!staging->takes_changes) {
		return dit_staging_keep(staging, -EINVAL);
	}
	return dit_staging_keep(
		staging, staging->is_append ? dit_staging_append_find(staging, id, ret)
					    : find_entry(staging, id, ret));
}

int dit_staging_replace_entry(struct dit_staging *staging, uint64_t id,
                              struct dit_span record)
{
	if (staging->error != 0) {
		return staging->error;
	}
	if (!staging->takes_changes) {
		return dit_staging_keep(staging, -EINVAL);
	}
	return dit_staging_keep(staging,
	                        staging->is_append
	                                ? dit_staging_append_replace(staging, id, record)
	                                : replace_entry(staging, id, record));
}

/* ---- the end ---- */

static void name_tree(struct dit_named_tree **at, const char *name, unsigned flags,
                      const struct dit_tree_record *tree)
{
	const struct dit_tree_record none = {.root = DIT_PAGE_NONE};

	**at = (struct dit_named_tree){.name = name, .tree = tree == NULL ? none : *tree};
	(*at)->tree.flags = (uint16_t)flags;
	(*at)++;
}

static void name_table(struct dit_named_tree **at, const struct dit_staged_table *table)
{
	name_tree(at, table->name, table->flags, table->is_written ? &table->tree : NULL);
}

static int complete_file(struct dit_staging *staging, const struct dit_tree_record *id2v)
{
	/* All of them, and ixck. */
	size_t max = DIT_NFIXED_TABLES + staging->tables.nindexes + 2;
	struct dit_named_tree *trees = calloc(max, sizeof(*trees));
	struct dit_named_tree *at = trees;
	struct dit_new_file file = {
		.fd = staging->data_fd,
		.space = &staging->space,
		.trees = trees,
		.spare = staging->changes.spare,
		.nspare = staging->changes.nspare,
		.map_bytes = dit_map_limit(staging->maxsize_bytes, staging->page_bytes),
	};
	sigset_t previous;
	int r = 0;

	if (trees == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < DIT_NFIXED_TABLES; i++) {
		name_table(&at, &staging->tables.fixed[i]);
	}
	for (size_t i = 0; i < staging->tables.nindexes; i++) {
		name_table(&at, &staging->tables.indexes[i]);
	}
	name_tree(&at, "id2v", MDB_DUPSORT, id2v);
	if (staging->has_ixck) {
		name_tree(&at, "ixck", MDB_INTEGERKEY, NULL);
	}
	file.ntrees = (size_t)(at - trees);
	dit_file_size_signal_block(&previous);
	r = dit_new_file_finish(&file);
	dit_file_size_signal_restore(&previous);
	free(trees);
	return r;
}

int dit_staging_complete(struct dit_staging *staging)
{
	struct dit_staging_changes *changes = &staging->changes;
	struct dit_tree_edit *entries = changes->entries;
	struct dit_tree_record id2v = {.root = DIT_PAGE_NONE};
	int r = dit_table_writer_finish(changes->splits, &id2v);

	changes->entries = NULL;
	if (r == 0) {
		r = dit_page_file_drain(&staging->space.file);
	}
	if (entries != NULL) {
		int closed =
			dit_tree_edit_close(entries, &changes->spare, &changes->nspare);

		r = r < 0 ? r : closed;
	}
	if (r == 0) {
		r = complete_file(staging, &id2v);
	}
	staging->used_bytes = dit_new_file_bytes(&staging->space);
	return r;
}
