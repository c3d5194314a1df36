/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output that is a database with records: one transaction of liblmdb (existing.h), and
 * indexes in one of three ways. Seconds of CPU, 27 indexes of 200,000 entries, by the
 * number of entries that come to them:
 *
 *   entries   2       10      100     800    2,000   6,000   12,000
 *   insert    0.022   0.086   0.32           0.70                     liblmdb, ID by ID
 *   grow              0.029   0.095   0.24   0.29    0.46    0.87     merged_table.h
 *   rebuild                           0.46   0.48    0.56    0.80     all leaves packed
 *
 * Our own pages need a commit more, and its syncs: liblmdb inserts fewer than FEW
 * postings, of two entries. Indexes are rebuilt when FEW_PARTS times the new IDs are
 * as many as those that are stored, and there is room for both states, in the file and on
 * the disk.
 */
#include "output/output_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "output/existing.h"
#include "output/merged_table.h"
#include "page/page_format.h"
#include "reader/stored_flags.h"

#define FEW       512u
#define FEW_PARTS 24u

/* An index database. */
struct index {
	struct dit_output_index opts; /* name owned */

	/* [own: who writes it, then main] when our pages are written: */
	bool is_stored; /* else it is a new one */
	struct dit_merged_tree tree;
};

struct existing_output {
	struct dit_record_output base;
	struct dit_existing *existing;
	uint64_t list_max;
	enum dit_output_merge merge;    /* the way, once postings are expected */
	struct dit_page_file_opts file; /* of pages of ours */
	struct index *indexes;
	size_t nindexes;
	struct dit_page_commit *commit; /* of rebuilt indexes */
	bool is_placed;                 /* committed, or a commit was tried */
	bool is_settled;                /* and synced */
	struct dit_output_table table;  /* the one that is open */
};

static struct existing_output *of(struct dit_output *output)
{
	return (struct existing_output *)output;
}

static struct dit_existing *existing_of(struct dit_record_output *output)
{
	return of(&output->base)->existing;
}

static struct existing_output *of_table(struct dit_output_table *table)
{
	return (struct existing_output *)(void *)((char *)table -
	                                          offsetof(struct existing_output,
	                                                   table));
}

static void output_free(struct existing_output *output)
{
	for (size_t i = 0; i < output->nindexes; i++) {
		free((char *)output->indexes[i].opts.name);
		free(output->indexes[i].tree.dropped);
	}
	free(output->indexes);
	free(output);
}

/* ---- what is stored ---- */

static int find_ad(struct dit_record_output *output, uint32_t number,
                   struct dit_span *ret)
{
	return dit_existing_ad(existing_of(output), number, ret);
}

static int find_child(struct dit_record_output *output, uint64_t parent,
                      struct dit_span norm, uint64_t *ret_id)
{
	return dit_existing_find_child(existing_of(output), parent, norm, ret_id);
}

static int find_index(struct dit_output *output, const char *name,
                      struct dit_output_stored_index *ret)
{
	return dit_existing_find_index(of(output)->existing, name, ret);
}

/* ---- entries ---- */

static int put_ad(struct dit_record_output *output, uint32_t number, struct dit_span name)
{
	return dit_existing_put_ad(existing_of(output), number, name);
}

static int reserve_entry(struct dit_record_output *output, uint64_t id, size_t len,
                         void **ret_space)
{
	return dit_existing_reserve_entry(existing_of(output), id, len, ret_space);
}

static int put_split(struct dit_record_output *output, uint64_t id, uint16_t ad,
                     uint32_t place, struct dit_span record)
{
	return dit_existing_put_split(existing_of(output), id, ad, place, record);
}

static int grow_subtree(struct dit_record_output *output, uint64_t id, uint64_t n)
{
	return dit_existing_grow_subtree(existing_of(output), id, n);
}

/* ---- tables ---- */

static int put_list(const struct existing_output *output,
                    const struct dit_output_list *list)
{
	struct dit_existing_list more = {.ids = list->ids,
	                                 .nids = list->nids,
	                                 .is_repeated = list->is_repeated,
	                                 .list_max = output->list_max};

	return list->nids == 0
	               ? 0
	               : dit_existing_add_postings(output->existing, list->key, &more);
}

static int put_lists(struct dit_output_table *table, const struct dit_output_list *lists,
                     size_t nlists)
{
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		r = put_list(of_table(table), &lists[i]);
	}
	return r;
}

static int put_record(struct dit_output_table *table, uint64_t id, struct dit_span record)
{
	return dit_existing_put_name(of_table(table)->existing, id, record);
}

static int finish(struct dit_output_table *table)
{
	table->ops = NULL;
	return 0;
}

static void drop(struct dit_output_table *table)
{
	table->ops = NULL;
}

static const struct dit_output_table_ops table_ops = {
	.put_lists = put_lists,
	.put_record = put_record,
	.finish = finish,
	.drop = drop,
};

static int open_table(struct dit_output *output, struct dit_output_table **ret)
{
	struct dit_output_table *table = &of(output)->table;

	if (table->ops != NULL) {
		return -EINVAL;
	}
	table->ops = &table_ops;
	table->ret_bytes = NULL;
	*ret = table;
	return 0;
}

static int open_names(struct dit_record_output *output, struct dit_output_table **ret)
{
	return open_table(&output->base, ret);
}

/* Any thread. */
static int open_merged(const struct existing_output *output, struct index *index,
                       struct dit_output_table **ret)
{
	struct dit_tree_merge_opts opts = {
		.space = dit_page_commit_space(output->commit),
		.source = dit_page_commit_source(output->commit),
		.list_max = output->list_max,
		.rebuilds = output->merge == DIT_MERGE_REBUILD,
	};

	if (index->tree.is_written) {
		return -EINVAL;
	}
	index->is_stored =
		!index->opts.is_emptied &&
		dit_page_commit_find(output->commit, dit_span_of(index->opts.name),
	                             &opts.stored) > 0;
	if (!index->is_stored) {
		opts.stored = (struct dit_tree_record){
			.flags = (uint16_t)(DIT_INDEX_FLAGS |
		                            (index->opts.is_integerkey ? DIT_DB_INTEGERKEY
		                                                       : 0u)),
			.root = DIT_PAGE_NONE};
	}
	return dit_merged_table_open(ret, &opts, &index->tree);
}

static int open_index(struct dit_output *output, size_t number,
                      struct dit_output_table **ret)
{
	const struct existing_output *o = of(output);
	const struct dit_output_index *opts = NULL;
	int r = number >= o->nindexes || o->table.ops != NULL ? -EINVAL : 0;

	if (r < 0) {
		return r;
	}
	if (o->base.indexes_last) {
		return o->commit == NULL ? -EINVAL
		                         : open_merged(o, &o->indexes[number], ret);
	}
	opts = &o->indexes[number].opts;
	if (opts->is_emptied) {
		r = dit_existing_remove_index(o->existing, opts->name);
	}
	if (r == 0) {
		r = dit_existing_begin_index(o->existing, opts->name,
		                             opts->is_integerkey);
	}
	return r < 0 ? r : open_table(output, ret);
}

static enum dit_output_merge choose(const struct existing_output *output, uint64_t nnew,
                                    uint64_t nstored)
{
	if (output->merge != DIT_MERGE_DEFAULT) {
		return output->merge;
	}
	if (nnew < FEW) {
		return DIT_MERGE_INSERT;
	}
	return nnew >= nstored / FEW_PARTS && dit_existing_has_room(output->existing)
	               ? DIT_MERGE_REBUILD
	               : DIT_MERGE_GROW;
}

static int expect_postings(struct dit_record_output *output, uint64_t n)
{
	struct existing_output *o = of(&output->base);
	uint64_t nstored = 0;
	int r = 0;

	for (size_t i = 0; i < o->nindexes && r >= 0; i++) {
		uint64_t nids = 0;

		r = dit_existing_count_ids(o->existing, o->indexes[i].opts.name, &nids);
		nstored += nids;
	}
	r = r < 0 ? r : 0;
	if (r < 0 || o->nindexes == 0) {
		return r;
	}
	o->merge = choose(o, n, nstored);
	if (o->merge == DIT_MERGE_INSERT) {
		return 0;
	}
	output->base.is_parallel = true;
	output->indexes_last = true;
	return 0;
}

static int begin_indexes(struct dit_record_output *output)
{
	struct existing_output *o = of(&output->base);

	return output->indexes_last ? dit_existing_hide(o->existing, &o->file, &o->commit)
	                            : 0;
}

static int add_index(struct dit_output *output, const struct dit_output_index *index)
{
	struct existing_output *o = of(output);
	struct index *indexes = NULL;
	char *name = NULL;

	for (size_t i = 0; i < o->nindexes; i++) {
		if (strcmp(o->indexes[i].opts.name, index->name) == 0) {
			return DIT_E_DUPLICATE;
		}
	}
	indexes = reallocarray(o->indexes, o->nindexes + 1, sizeof(*indexes));
	if (indexes == NULL) {
		return -ENOMEM;
	}
	o->indexes = indexes;
	name = strdup(index->name);
	if (name == NULL) {
		return -ENOMEM;
	}
	indexes[o->nindexes] = (struct index){.opts = *index};
	indexes[o->nindexes++].opts.name = name;
	return 0;
}

/* ---- changes: at any time ---- */

static int find_entry(struct dit_record_output *output, uint64_t id, struct dit_span *ret)
{
	struct dit_span record = {0};
	int r = dit_existing_entry(existing_of(output), id, &record);

	if (r <= 0 || record.len == 0) {
		return r < 0 ? r : 0;
	}
	*ret = record;
	return 1;
}

static int replace_entry(struct dit_record_output *output, uint64_t id,
                         struct dit_span record)
{
	void *space = NULL;
	int r = reserve_entry(output, id, record.len, &space);

	if (r == 0) {
		memcpy(space, record.data, record.len);
	}
	return r;
}

/* ---- publishing ---- */

static int prepare(struct dit_output *output)
{
	const struct existing_output *o = of(output);
	int r = o->base.indexes_last && o->commit == NULL ? -EINVAL : 0;

	for (size_t i = 0; i < o->nindexes && o->commit != NULL && r == 0; i++) {
		const struct index *index = &o->indexes[i];
		const struct dit_span name = dit_span_of(index->opts.name);

		const struct dit_merged_tree *tree = &index->tree;

		if (!tree->is_written) {
			return -EINVAL;
		}
		r = index->is_stored
		            ? dit_page_commit_put_changed(o->commit, name, &tree->record,
		                                          tree->dropped, tree->ndropped)
		            : dit_page_commit_put(o->commit, name, &tree->record);
	}
	return r;
}

static int commit(struct dit_output *output)
{
	struct existing_output *o = of(output);
	int r = 0;

	if (o->commit == NULL && !dit_existing_is_changed(o->existing)) {
		return 0;
	}
	o->is_placed = true;
	if (o->commit == NULL || o->merge == DIT_MERGE_GROW) {
		output->kept_bytes = dit_existing_file_bytes(o->existing);
	}
	if (o->commit == NULL) {
		return dit_existing_commit(o->existing, &output->bytes);
	}
	r = dit_page_commit_write(o->commit);
	output->bytes = dit_page_commit_bytes(o->commit);
	return r;
}

/* From here on only liblmdb's part is left. */
static void close_commit(struct existing_output *output)
{
	dit_page_commit_close(output->commit);
	output->commit = NULL;
}

static void settle(struct dit_output *output)
{
	if (of(output)->is_placed && !of(output)->is_settled) {
		dit_existing_settle(of(output)->existing);
		of(output)->is_settled = true;
	}
}

static int take_back(struct dit_output *output)
{
	close_commit(of(output));
	return of(output)->is_placed ? dit_existing_roll_back(of(output)->existing) : 0;
}

static void abandon(struct dit_output *output)
{
	close_commit(of(output));
	dit_existing_abandon(of(output)->existing);
	output_free(of(output));
}

static int end(struct dit_output *output)
{
	int r = 0;

	/* Nothing was added: the file stays as it is, to the byte. */
	if (!of(output)->is_placed) {
		abandon(output);
		return 0;
	}
	close_commit(of(output));
	r = dit_existing_end(of(output)->existing);
	output_free(of(output));
	return r;
}

static const struct dit_output_ops output_ops = {
	.find_index = find_index,
	.add_index = add_index,
	.open_index = open_index,
	.prepare = prepare,
	.commit = commit,
	.settle = settle,
	.take_back = take_back,
	.end = end,
	.abandon = abandon,
};

static const struct dit_record_ops ops = {
	.find_ad = find_ad,
	.find_child = find_child,
	.put_ad = put_ad,
	.reserve_entry = reserve_entry,
	.put_split = put_split,
	.grow_subtree = grow_subtree,
	.open_names = open_names,
	.expect_postings = expect_postings,
	.begin_indexes = begin_indexes,
	.find_entry = find_entry,
	.replace_entry = replace_entry,
};

static int look_around(struct existing_output *output)
{
	struct dit_output_stored *stored = &output->base.stored;
	int r = dit_existing_has_root_entry(output->existing);

	stored->last_id = dit_existing_last_id(output->existing);
	stored->has_root_entry = r > 0;
	if (r >= 0) {
		r = dit_existing_has_names(output->existing);
	}
	stored->has_names = r > 0;
	return r < 0 ? r : 0;
}

int dit_output_existing_open(struct dit_record_output **ret,
                             const struct dit_output_opts *opts)
{
	struct dit_existing_opts existing = {.directory = opts->directory,
	                                     .fault = opts->fault,
	                                     .mode = opts->mode,
	                                     .ndbs = opts->ndbs,
	                                     .maxsize_bytes = opts->maxsize_bytes,
	                                     .expected_bytes = opts->expected_bytes,
	                                     .may_grow = opts->may_grow,
	                                     .stop = opts->stop};
	struct existing_output *output = calloc(1, sizeof(*output));
	int r = 0;

	if (output == NULL) {
		return -ENOMEM;
	}
	output->base.ops = &ops;
	output->base.base.ops = &output_ops;
	output->base.base.key_max = dit_lmdb_09.key_bytes_max;
	output->base.base.wants_repeats = true;
	output->list_max = opts->list_max;
	output->merge = opts->merge;
	output->file = (struct dit_page_file_opts){.writer = opts->page_writer,
	                                           .is_direct = true};
	r = dit_existing_open(&output->existing, &existing);
	if (r == 0) {
		r = look_around(output);
	}
	if (r < 0) {
		abandon(&output->base.base);
		return r;
	}
	output->base.base.place = (struct dit_output_place){
		opts->directory, -1, dit_existing_data_fd(output->existing)};
	*ret = &output->base;
	return 0;
}
