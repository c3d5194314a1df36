/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output that is a database with records. New records and lists are merged with the
 * stored ones (tree/tree_merge.h), table by table, into free pages and pages after the
 * end of the file. One commit makes all of them visible (commit/page_commit.h).
 *
 * Indexes are built again when FEW_PARTS times the new IDs are as many as those that are
 * stored, and there is room for both states. Then their leaves are packed.
 *
 * An entry that takes the place of a hole, and contextCSN, come after all others: id2e is
 * merged again, with the tree that the first merge has made (tree/tree_changes.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/error.h"
#include "output/data_check.h"
#include "output/index_tables.h"
#include "output/output_impl.h"
#include "output/stored_records.h"
#include "place/claimed_file.h"
#include "place/map_size.h"
#include "reader/stored_order.h"
#include "tree/tree_changes.h"

#define FEW_PARTS 24u

struct merged_output {
	struct dit_record_output base;
	struct dit_claimed_file file;
	struct dit_stored_records *records;
	struct dit_fault *fault; /* borrowed; for find_index() */

	/* As in struct dit_output_opts. */
	uint64_t maxsize_bytes;
	uint64_t expected_bytes;
	bool may_grow;
	uint64_t list_max;
	enum dit_output_merge merge;

	uint64_t first_bytes; /* in use when it was opened */
	struct dit_index_table fixed[DIT_NFIXED];
	struct dit_index_tables indexes;
	struct dit_tree_changes changes; /* of id2e, from then on: */
	bool takes_changes;
	bool is_changed;
};

static struct merged_output *of(struct dit_output *output)
{
	return (struct merged_output *)output;
}

/* ---- tables ---- */

static int drop_pages(void *ctx, uint64_t first, uint64_t n)
{
	return dit_page_commit_drop_pages(ctx, first, n);
}

static struct dit_tree_merge_opts merge_opts(struct merged_output *output,
                                             const struct dit_index_table *table)
{
	return (struct dit_tree_merge_opts){
		.space = dit_page_commit_space(output->file.commit),
		.source = dit_page_commit_source(output->file.commit),
		.stored = table->tree,
		.list_max = output->list_max,
		.dropped = drop_pages,
		.ctx = output->file.commit,
	};
}

/* Any thread. */
static int open_merge(struct merged_output *output, struct dit_index_table *table,
                      bool rebuilds)
{
	struct dit_tree_merge_opts opts = merge_opts(output, table);
	struct dit_key_orders orders;

	opts.rebuilds = rebuilds;
	opts.orders = &orders;
	dit_stored_orders(table->name, table->tree.flags, &orders);
	return dit_tree_merge_open(&table->merge, &opts);
}

/* The merge of a table of main. */
static int reach_merge(struct merged_output *output, struct dit_index_table *table)
{
	return table->merge != NULL ? 0 : open_merge(output, table, false);
}

static int close_merge(struct dit_index_table *table, uint64_t *ret_bytes)
{
	int r = 0;

	if (table->merge != NULL) {
		r = dit_tree_merge_finish(table->merge, &table->tree, ret_bytes);
		dit_tree_merge_free(table->merge);
		table->merge = NULL;
	}
	return r;
}

static int put_lists(struct dit_output_table *base, const struct dit_output_list *lists,
                     size_t nlists)
{
	struct dit_index_table *table = (struct dit_index_table *)base;
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		const struct dit_ids_change change = {.added = lists[i].ids,
		                                      .nadded = lists[i].nids,
		                                      .is_repeated =
		                                              lists[i].is_repeated};

		r = lists[i].nids == 0
		            ? 0
		            : dit_tree_merge_ids(table->merge, lists[i].key, &change);
	}
	return r;
}

static int put_record(struct dit_output_table *base, uint64_t id, struct dit_span record)
{
	const struct dit_span key = {(const char *)&id, sizeof(id)};

	return dit_tree_merge_record(((struct dit_index_table *)base)->merge, key,
	                             record);
}

static int finish(struct dit_output_table *base)
{
	struct dit_index_table *table = (struct dit_index_table *)base;
	int r = close_merge(table, base->ret_bytes);

	table->is_written = r == 0;
	return r;
}

static void drop(struct dit_output_table *base)
{
	struct dit_index_table *table = (struct dit_index_table *)base;

	dit_tree_merge_free(table->merge);
	table->merge = NULL;
}

static const struct dit_output_table_ops table_ops = {
	.put_lists = put_lists,
	.put_record = put_record,
	.finish = finish,
	.drop = drop,
};

static int open_table(struct merged_output *output, struct dit_index_table *table,
                      bool rebuilds, struct dit_output_table **ret)
{
	int r = table->is_written || table->merge != NULL
	                ? -EINVAL
	                : open_merge(output, table, rebuilds);

	if (r == 0) {
		table->base = (struct dit_output_table){.ops = &table_ops};
		*ret = &table->base;
	}
	return r;
}

static int open_names(struct dit_record_output *output, struct dit_output_table **ret)
{
	return open_table(of(&output->base), &of(&output->base)->fixed[DIT_FIXED_NAMES],
	                  false, ret);
}

static int open_index(struct dit_output *output, size_t number,
                      struct dit_output_table **ret)
{
	struct merged_output *o = of(output);

	return number >= o->indexes.n ? -EINVAL
	                              : open_table(o, &o->indexes.list[number],
	                                           o->merge == DIT_MERGE_REBUILD, ret);
}

/* ---- what is stored ---- */

static int find_ad(struct dit_record_output *output, uint32_t number,
                   struct dit_span *ret)
{
	return dit_stored_ad(of(&output->base)->records, number, ret);
}

static int find_child(struct dit_record_output *output, uint64_t parent,
                      struct dit_span norm, struct dit_name *ret)
{
	return dit_stored_child(of(&output->base)->records, parent, norm, ret);
}

static int find_name(struct dit_record_output *output, uint64_t id, struct dit_name *ret)
{
	return dit_stored_name(of(&output->base)->records, id, ret);
}

static int find_index(struct dit_output *output, const char *name,
                      struct dit_output_stored_index *ret)
{
	const struct merged_output *o = of(output);
	struct dit_span key = {NULL, 0};
	struct dit_tree_record tree;
	int r = 0;

	if (dit_page_commit_find(o->file.commit, dit_span_of(name), &tree) == 0) {
		return 0;
	}
	r = dit_stored_flags_check(name, NULL, tree.flags, o->fault);
	if (r == 0) {
		r = dit_stored_first_key(o->records, &tree, &key);
	}
	if (r < 0) {
		return r;
	}
	*ret = (struct dit_output_stored_index){
		.is_integerkey = (tree.flags & DIT_DB_INTEGERKEY) != 0,
		.key_len = r > 0 ? key.len : 0};
	return 1;
}

/* Is there room, in the map and on the disk, for the stored pages once more and for the
 * additions? */
static bool has_room(const struct merged_output *output)
{
	uint64_t used = dit_page_commit_bytes(output->file.commit);
	uint64_t more = used + output->expected_bytes;
	struct statvfs st;

	if (!output->may_grow &&
	    (output->maxsize_bytes < used || output->maxsize_bytes - used < more)) {
		return false;
	}
	return fstatvfs(output->file.data_fd, &st) == 0 &&
	       (uint64_t)st.f_bavail * st.f_frsize >= more;
}

static int expect_postings(struct dit_record_output *output, uint64_t n)
{
	struct merged_output *o = of(&output->base);
	uint64_t nstored = 0;

	for (size_t i = 0; i < o->indexes.n; i++) {
		nstored += o->indexes.list[i].stored.nitems;
	}
	if (o->merge == DIT_MERGE_DEFAULT) {
		o->merge = n >= nstored / FEW_PARTS && has_room(o) ? DIT_MERGE_REBUILD
		                                                   : DIT_MERGE_GROW;
	}
	return 0;
}

/* Find the stored tree of a table. */
static void find_stored(const struct merged_output *output, struct dit_index_table *table)
{
	struct dit_tree_record tree;

	table->is_stored = dit_page_commit_find(output->file.commit,
	                                        dit_span_of(table->name), &tree) > 0;
	if (table->is_stored) {
		table->tree = tree;
	}
	table->stored = table->tree;
}

static int add_index(struct dit_output *output, const struct dit_output_index *index)
{
	struct merged_output *o = of(output);
	int r = dit_index_tables_add(&o->indexes, index);

	if (r == 0) {
		find_stored(o, &o->indexes.list[o->indexes.n - 1]);
	}
	return r;
}

/* ---- entries ---- */

static int put_ad(struct dit_record_output *output, uint32_t number, struct dit_span name)
{
	struct merged_output *o = of(&output->base);
	struct dit_index_table *table = &o->fixed[DIT_FIXED_ADS];
	const struct dit_span key = {(const char *)&number, sizeof(number)};
	int r = reach_merge(o, table);

	return r < 0 ? r : dit_tree_merge_put(table->merge, key, name);
}

static int reach_entries(struct merged_output *output)
{
	return output->takes_changes
	               ? -EINVAL
	               : reach_merge(output, &output->fixed[DIT_FIXED_ENTRIES]);
}

static int reserve_entry(struct dit_record_output *output, uint64_t id, size_t len,
                         void **ret_space)
{
	struct merged_output *o = of(&output->base);
	const struct dit_span key = {(const char *)&id, sizeof(id)};
	char *space = NULL;
	int r = reach_entries(o);

	if (r == 0) {
		r = dit_tree_merge_reserve(o->fixed[DIT_FIXED_ENTRIES].merge, key, len,
		                           &space);
	}
	*ret_space = space;
	return r;
}

static int put_entry_pieces(struct dit_record_output *output, uint64_t id, size_t len,
                            const struct dit_pieces *record)
{
	struct merged_output *o = of(&output->base);
	const struct dit_span key = {(const char *)&id, sizeof(id)};
	int r = reach_entries(o);

	return r < 0 ? r
	             : dit_tree_merge_put_pieces(o->fixed[DIT_FIXED_ENTRIES].merge, key,
	                                         len, record);
}

static int put_split(struct dit_record_output *output, uint64_t id, uint16_t ad,
                     uint32_t place, struct dit_span record)
{
	struct merged_output *o = of(&output->base);
	struct dit_index_table *table = &o->fixed[DIT_FIXED_SPLITS];
	char bytes[sizeof(id) + sizeof(ad)];
	const struct dit_span key = {bytes, sizeof(bytes)};
	int r = o->takes_changes ? reach_merge(o, table) : -EINVAL;

	memcpy(bytes, &id, sizeof(id));
	memcpy(bytes + sizeof(id), &ad, sizeof(ad));
	if (r == 0 && place == 0) {
		r = dit_stored_split(o->records, key);
	}
	if (r != 0) {
		return r < 0 ? r : DIT_LMDB_KEYEXIST;
	}
	return dit_tree_merge_record(table->merge, key, record);
}

/* ---- changes ---- */

static int begin_changes(struct dit_record_output *output)
{
	struct merged_output *o = of(&output->base);
	struct dit_index_table *entries = &o->fixed[DIT_FIXED_ENTRIES];
	struct dit_tree_merge_opts opts;
	int r = o->takes_changes ? -EINVAL : close_merge(&o->fixed[DIT_FIXED_ADS], NULL);

	if (r == 0) {
		r = close_merge(entries, NULL);
	}
	if (r == 0) {
		r = dit_page_commit_reach(o->file.commit);
	}
	opts = merge_opts(o, entries);
	dit_tree_changes_init(&o->changes, &opts);
	o->takes_changes = true;
	return r;
}

static int find_entry(struct dit_record_output *output, uint64_t id, struct dit_span *ret)
{
	struct merged_output *o = of(&output->base);
	struct dit_span record = {NULL, 0};
	int r = o->takes_changes ? dit_tree_changes_find(&o->changes, id, &record)
	                         : dit_stored_entry(o->records, id, &record);

	if (r > 0) {
		*ret = record;
	}
	return r > 0 ? record.len > 0 : r;
}

static int replace_entry(struct dit_record_output *output, uint64_t id,
                         struct dit_span record)
{
	struct merged_output *o = of(&output->base);

	return o->takes_changes ? dit_tree_changes_put(&o->changes, id, record) : -EINVAL;
}

/* ---- publishing ---- */

static int put_table(struct merged_output *output, struct dit_index_table *table)
{
	const struct dit_span name = dit_span_of(table->name);
	int r = close_merge(table, NULL);

	if (r < 0 || (table->is_stored &&
	              memcmp(&table->tree, &table->stored, sizeof(table->tree)) == 0)) {
		return r;
	}
	output->is_changed = true;
	return dit_page_commit_put_merged(output->file.commit, name, &table->tree);
}

static int prepare(struct dit_output *output)
{
	struct merged_output *o = of(output);
	int r = o->takes_changes ? dit_tree_changes_finish(
					   &o->changes, &o->fixed[DIT_FIXED_ENTRIES].tree)
	                         : 0;

	for (size_t i = 0; i < DIT_NFIXED && r == 0; i++) {
		r = put_table(o, &o->fixed[i]);
	}
	for (size_t i = 0; i < o->indexes.n && r == 0; i++) {
		r = o->indexes.list[i].merge != NULL ? -EINVAL
		                                     : put_table(o, &o->indexes.list[i]);
	}
	output->bytes = dit_page_commit_bytes(o->file.commit);
	return r;
}

static int commit(struct dit_output *output)
{
	struct merged_output *o = of(output);
	int r = 0;

	if (!o->is_changed) {
		return 0; /* the file stays as it is, to the byte */
	}
	if (o->merge != DIT_MERGE_REBUILD) {
		output->kept_bytes = o->first_bytes;
	}
	r = dit_page_commit_write(o->file.commit);
	output->bytes = dit_page_commit_bytes(o->file.commit);
	return r;
}

static int take_back(struct dit_output *output)
{
	return dit_claimed_file_undo(&of(output)->file);
}

static void abandon(struct dit_output *base)
{
	struct merged_output *output = of(base);

	dit_tree_changes_deinit(&output->changes);
	for (size_t i = 0; i < DIT_NFIXED; i++) {
		dit_index_table_deinit(&output->fixed[i]);
	}
	dit_index_tables_deinit(&output->indexes);
	dit_stored_records_close(output->records);
	dit_claimed_file_close(&output->file);
	free(output);
}

static const struct dit_output_ops output_ops = {
	.find_index = find_index,
	.add_index = add_index,
	.open_index = open_index,
	.prepare = prepare,
	.commit = commit,
	.take_back = take_back,
	.abandon = abandon,
};

static const struct dit_record_ops record_ops = {
	.find_ad = find_ad,
	.find_child = find_child,
	.find_name = find_name,
	.put_ad = put_ad,
	.reserve_entry = reserve_entry,
	.put_entry_pieces = put_entry_pieces,
	.put_split = put_split,
	.open_names = open_names,
	.expect_postings = expect_postings,
	.begin_changes = begin_changes,
	.find_entry = find_entry,
	.replace_entry = replace_entry,
};

/* ---- opening ---- */

static int begin_commit(struct merged_output *output, const struct dit_output_opts *opts)
{
	struct dit_claimed_file *file = &output->file;
	const struct dit_claimed_file_opts file_opts = {.maxsize_bytes =
	                                                        opts->maxsize_bytes,
	                                                .may_grow = opts->may_grow,
	                                                .page_writer = opts->page_writer,
	                                                .ticker = opts->ticker,
	                                                .fault = opts->fault};
	int r = dit_claimed_file_begin(file, &file_opts);

	if (r == 0) {
		output->first_bytes = dit_page_commit_bytes(file->commit);
		output->base.base.key_max =
			dit_key_max(file->format, (unsigned)file->page_bytes);
	}
	return r;
}

/* Those that slapd makes if need be; stored flags win (storage.md 1.4). */
static int open_fixed(struct merged_output *output)
{
	struct dit_tree_record trees[DIT_NFIXED];
	int r = 0;

	for (size_t i = 0; i < DIT_NFIXED && r == 0; i++) {
		const struct dit_fixed_db_facts *db = &dit_fixed_dbs[i];
		struct dit_index_table *table = &output->fixed[i];

		r = dit_index_table_init(table, db->name, db->flags);
		if (r < 0) {
			return r;
		}
		find_stored(output, table);
		trees[i] = table->tree;
		r = dit_stored_flags_check(db->name, db, table->tree.flags,
		                           output->fault);
	}
	return r < 0 ? r
	             : dit_stored_records_open(&output->records, output->file.data_fd,
	                                       output->file.format, trees);
}

static int look_around(struct merged_output *output)
{
	struct dit_output_stored *stored = &output->base.stored;
	struct dit_span record;
	int r = dit_stored_last_id(output->records, &stored->last_id);

	if (r >= 0) {
		r = dit_stored_entry(output->records, 0, &record);
	}
	stored->has_root_entry = r > 0;
	stored->has_names = output->fixed[DIT_FIXED_NAMES].stored.nitems > 0;
	return r < 0 ? r : 0;
}

static int open_database(struct merged_output *output, const struct dit_output_opts *opts)
{
	int r = begin_commit(output, opts);

	if (r == 0) {
		r = open_fixed(output);
	}
	return r < 0 ? r : look_around(output);
}

int dit_output_merged_open(struct dit_record_output **ret,
                           const struct dit_output_opts *opts)
{
	struct merged_output *output = calloc(1, sizeof(*output));
	int r = 0;

	if (output == NULL) {
		return -ENOMEM;
	}
	output->base = (struct dit_record_output){
		.base = {.ops = &output_ops, .is_parallel = true},
		.ops = &record_ops,
		.is_merged = true};
	output->fault = opts->fault;
	output->maxsize_bytes = dit_map_configured(opts->maxsize_bytes);
	output->expected_bytes = opts->expected_bytes;
	output->may_grow = opts->may_grow;
	output->list_max = opts->list_max;
	output->merge = opts->merge;
	r = dit_claimed_file_open(&output->file, opts->directory, opts->mode,
	                          opts->is_lmdb_10 ? &dit_lmdb_10 : &dit_lmdb_09,
	                          opts->fault);
	if (r < 0) {
		free(output);
		return r;
	}
	r = open_database(output, opts);
	if (r == DIT_E_CORRUPT && opts->fault != NULL && opts->fault->text[0] == '\0') {
		r = dit_data_damaged(opts->fault, r);
	}
	if (r < 0) {
		abandon(&output->base.base);
		return r;
	}
	output->base.base.place =
		(struct dit_output_place){opts->directory, -1, output->file.data_fd};
	*ret = &output->base;
	return 0;
}
