/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A new database whose pages are all ours. liblmdb has no part in this.
 *
 * Everything that comes in key order goes into tables (table_writer.h), several at once.
 * Records out of key order are merged into the finished id2e: an entry that takes the
 * place of a hole, contextCSN (tree/tree_changes.h). The merge takes the pages that it
 * has dropped for its next ones; the rest is on the free list of the new database. Values
 * of id2v are a table like the others, in the order in which they come.
 * The first transaction of the file has all tables (commit/page_commit.h).
 */
#include "output/staging.h"

#include <errno.h>
#include <string.h>

#include "base/file_size_signal.h"
#include "page/meta_pages.h"
#include "place/map_size.h"

/* ---- tables ---- */

static int open_names(struct dit_record_output *output, struct dit_output_table **ret)
{
	struct dit_staging *staging = dit_staging_of(&output->base);

	return staging->takes_changes
	               ? -EINVAL
	               : dit_index_table_open(&staging->tables.fixed[DIT_FIXED_NAMES],
	                                      staging->tables.indexes.space, ret);
}

static int open_index(struct dit_output *output, size_t number,
                      struct dit_output_table **ret)
{
	struct dit_staging *staging = dit_staging_of(output);

	return staging->takes_changes
	               ? -EINVAL
	               : dit_index_tables_open(&staging->tables.indexes, number, ret);
}

static int add_index(struct dit_output *output, const struct dit_output_index *index)
{
	struct dit_staging *staging = dit_staging_of(output);

	return staging->error != 0
	               ? staging->error
	               : dit_staging_keep(staging, dit_staging_add_table(staging, index));
}

/* ---- numbers and entries ---- */

static int put_ad(struct dit_record_output *output, uint32_t number, struct dit_span name)
{
	struct dit_staging *staging = dit_staging_of(&output->base);
	struct dit_span key = {(const char *)&number, sizeof(number)};
	char *space = NULL;
	int r = staging->error;

	if (r != 0) {
		return r;
	}
	/* slapd reads from number 1 on and counts (storage.md 2). */
	if (staging->pages.ads == NULL || number != staging->tables.last_ad + 1) {
		return dit_staging_keep(staging, -EINVAL);
	}
	r = dit_table_writer_reserve(staging->pages.ads, key, name.len, &space);
	if (r < 0) {
		return dit_staging_keep(staging, r);
	}
	memcpy(space, name.data, name.len);
	staging->tables.last_ad = number;
	return 0;
}

static int reserve_entry(struct dit_record_output *output, uint64_t id, size_t len,
                         void **ret_space)
{
	struct dit_staging *staging = dit_staging_of(&output->base);
	struct dit_span key = {(const char *)&id, sizeof(id)};
	char *space = NULL;
	int r = staging->error;

	if (r == 0) {
		r = staging->pages.entries == NULL
		            ? -EINVAL
		            : dit_table_writer_reserve(staging->pages.entries, key, len,
		                                       &space);
	}
	*ret_space = space;
	return dit_staging_keep(staging, r);
}

static int put_entry_pieces(struct dit_record_output *output, uint64_t id, size_t len,
                            const struct dit_pieces *record)
{
	struct dit_staging *staging = dit_staging_of(&output->base);
	struct dit_span key = {(const char *)&id, sizeof(id)};
	int r = staging->error;

	if (r == 0) {
		r = staging->pages.entries == NULL
		            ? -EINVAL
		            : dit_table_writer_put_pieces(staging->pages.entries, key,
		                                          len, record);
	}
	return dit_staging_keep(staging, r);
}

/* ---- changes ---- */

static int close_writer(struct dit_index_table *table, struct dit_table_writer *writer)
{
	int r = dit_table_writer_finish(writer, &table->tree);

	table->is_written = r == 0;
	dit_table_writer_free(writer);
	return r;
}

static int close_entries(struct dit_staging *staging)
{
	struct dit_table_writer *ads = staging->pages.ads;
	struct dit_table_writer *entries = staging->pages.entries;
	int r = 0;

	staging->pages.ads = NULL;
	staging->pages.entries = NULL;
	r = close_writer(&staging->tables.fixed[DIT_FIXED_ADS], ads);
	if (r < 0) {
		dit_table_writer_free(entries);
		return r;
	}
	return close_writer(&staging->tables.fixed[DIT_FIXED_ENTRIES], entries);
}

static int drop_pages(void *ctx, uint64_t first, uint64_t n)
{
	return dit_page_commit_drop_pages(ctx, first, n);
}

static void begin_entry_changes(struct dit_staging *staging)
{
	struct dit_page_commit *commit = staging->pages.commit;
	const struct dit_tree_merge_opts merge = {
		.space = dit_page_commit_space(commit),
		.source = dit_page_commit_source(commit),
		.stored = staging->tables.fixed[DIT_FIXED_ENTRIES].tree,
		.dropped = drop_pages,
		.ctx = commit};

	dit_tree_changes_init(&staging->pages.changes, &merge);
}

static int open_changes(struct dit_staging *staging)
{
	struct dit_staged_pages *pages = &staging->pages;
	int r = close_entries(staging);

	if (r < 0) {
		return r;
	}
	staging->takes_changes = true;
	begin_entry_changes(staging);
	r = dit_table_writer_new(&pages->splits, dit_page_commit_space(pages->commit),
	                         DIT_DB_DUPSORT);
	if (r < 0) {
		return r;
	}
	dit_table_writer_trust(pages->splits);
	return dit_page_commit_reach(pages->commit);
}

static int begin_changes(struct dit_record_output *output)
{
	struct dit_staging *staging = dit_staging_of(&output->base);

	if (staging->error != 0) {
		return staging->error;
	}
	return dit_staging_keep(staging,
	                        staging->takes_changes ? -EINVAL : open_changes(staging));
}

/* Before a look at id2e, or a change. */
static int reach_entries(const struct dit_staging *staging)
{
	if (staging->error != 0) {
		return staging->error;
	}
	return staging->takes_changes ? 0 : -EINVAL;
}

static int find_entry(struct dit_record_output *output, uint64_t id, struct dit_span *ret)
{
	struct dit_staging *staging = dit_staging_of(&output->base);
	struct dit_span record = {0};
	int r = reach_entries(staging);

	if (r == 0) {
		r = dit_tree_changes_find(&staging->pages.changes, id, &record);
		r = r == 0 ? DIT_LMDB_NOTFOUND : r;
	}
	if (r < 0 || record.len == 0) {
		return r < 0 ? dit_staging_keep(staging, r) : 0;
	}
	*ret = record;
	return 1;
}

static int replace_entry(struct dit_record_output *output, uint64_t id,
                         struct dit_span record)
{
	struct dit_staging *staging = dit_staging_of(&output->base);
	int r = reach_entries(staging);

	if (r == 0) {
		r = dit_tree_changes_put(&staging->pages.changes, id, record);
	}
	return dit_staging_keep(staging, r);
}

static int put_split(struct dit_record_output *output, uint64_t id, uint16_t ad,
                     uint32_t place, struct dit_span record)
{
	struct dit_staging *staging = dit_staging_of(&output->base);
	struct dit_split_key key;
	int r = staging->error;

	(void)place;
	if (r == 0) {
		r = dit_staging_next_split(staging, &key, id, ad, record);
	}
	if (r >= 0) {
		r = dit_table_writer_add(staging->pages.splits,
		                         (struct dit_span){key.bytes, sizeof(key.bytes)},
		                         record);
	}
	return dit_staging_keep(staging, r);
}

/* ---- publishing ---- */

static bool used_bytes(const struct dit_output *output, uint64_t *ret)
{
	const struct dit_staging *staging = (const struct dit_staging *)output;

	*ret = dit_page_commit_bytes(staging->pages.commit);
	return true;
}

static int name_tree(struct dit_staging *staging, const char *name,
                     const struct dit_tree_record *tree)
{
	return dit_page_commit_put_merged(staging->pages.commit, dit_span_of(name), tree);
}

static int name_trees(struct dit_staging *staging)
{
	const struct dit_tree_record none = {.flags = DIT_DB_INTEGERKEY,
	                                     .root = DIT_PAGE_NONE};
	const struct dit_staged_tables *tables = &staging->tables;
	size_t ntables = DIT_NFIXED_TABLES + tables->indexes.n;
	int r = 0;

	for (size_t i = 0; i < ntables && r == 0; i++) {
		const struct dit_index_table *table =
			i < DIT_NFIXED_TABLES
				? &tables->fixed[i]
				: &tables->indexes.list[i - DIT_NFIXED_TABLES];

		r = name_tree(staging, table->name, &table->tree);
	}
	return r == 0 && staging->has_ixck ? name_tree(staging, "ixck", &none) : r;
}

static int complete(struct dit_staging *staging)
{
	struct dit_staged_pages *pages = &staging->pages;
	struct dit_tree_record *entries = &staging->tables.fixed[DIT_FIXED_ENTRIES].tree;
	struct dit_tree_record id2v = {.flags = DIT_DB_DUPSORT, .root = DIT_PAGE_NONE};
	int r = dit_table_writer_finish(pages->splits, &id2v);

	if (r == 0) {
		r = dit_tree_changes_finish(&pages->changes, entries);
	}
	if (r == 0) {
		r = name_tree(staging, "id2v", &id2v);
	}
	if (r == 0) {
		r = name_trees(staging);
	}
	if (r == 0) {
		r = dit_page_commit_write(pages->commit);
	}
	staging->used_bytes = dit_page_commit_bytes(pages->commit);
	return r;
}

static int prepare(struct dit_output *output)
{
	struct dit_staging *staging = dit_staging_of(output);
	int r = staging->error;

	if (r == 0 && !staging->takes_changes) {
		r = begin_changes(&staging->base);
	}
	if (r == 0) {
		r = complete(staging);
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
	.put_entry_pieces = put_entry_pieces,
	.put_split = put_split,
	.open_names = open_names,
	.begin_changes = begin_changes,
	.find_entry = find_entry,
	.replace_entry = replace_entry,
};

/* ---- begin and end ---- */

/* For what comes in key order, on main. */
static int open_writers(struct dit_staging *staging)
{
	struct dit_staged_pages *pages = &staging->pages;
	struct dit_staged_tables *tables = &staging->tables;
	struct dit_page_space *space = dit_page_commit_space(pages->commit);
	int r = dit_table_writer_new(&pages->ads, space,
	                             tables->fixed[DIT_FIXED_ADS].tree.flags);

	tables->indexes.space = space;
	return r < 0 ? r
	             : dit_table_writer_new(&pages->entries, space,
	                                    tables->fixed[DIT_FIXED_ENTRIES].tree.flags);
}

int dit_staging_begin_pages(struct dit_staging *staging,
                            const struct dit_output_opts *opts)
{
	struct dit_staged_pages *pages = &staging->pages;
	const struct dit_page_commit_opts commit_opts = {
		.fd = staging->data_fd,
		.path = DIT_DATA_NAME,
		.dir_fd = staging->staging_fd,
		.format = staging->format,
		.file = {.writer = opts->page_writer, .is_direct = true},
		.map_bytes = dit_map_limit(staging->maxsize_bytes, staging->page_bytes),
		.is_new = true,
	};
	sigset_t previous;
	int r = 0;

	staging->base.base.ops = &output_ops;
	staging->base.base.is_parallel = true;
	staging->base.ops = &record_ops;
	dit_file_size_signal_block(&previous);
	r = dit_metas_begin(staging->data_fd, staging->format, staging->page_bytes);
	dit_file_size_signal_restore(&previous);
	if (r == 0) {
		r = dit_page_commit_open(&pages->commit, &commit_opts);
	}
	return r < 0 ? r : open_writers(staging);
}

void dit_staging_end_pages(struct dit_staging *staging)
{
	struct dit_staged_pages *pages = &staging->pages;

	dit_table_writer_free(pages->ads);
	dit_table_writer_free(pages->entries);
	dit_table_writer_free(pages->splits);
	dit_tree_changes_deinit(&pages->changes);
	dit_page_commit_close(pages->commit);
}
