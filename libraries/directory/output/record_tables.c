/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/record_tables.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "tree/table_writer.h"

static struct dit_record_tables *of(struct dit_record_output *output)
{
	return (struct dit_record_tables *)output;
}

static struct dit_record_tables *of_base(struct dit_output *output)
{
	return (struct dit_record_tables *)output; /* its first member's first member */
}

/* ---- what is stored ---- */

static int find_ad(struct dit_record_output *output, uint32_t number,
                   struct dit_span *ret)
{
	struct dit_stored_records *records = of(output)->records;

	return records == NULL ? 0 : dit_stored_ad(records, number, ret);
}

static int find_child(struct dit_record_output *output, uint64_t parent,
                      struct dit_span norm, struct dit_name *ret)
{
	struct dit_stored_records *records = of(output)->records;

	return records == NULL ? 0 : dit_stored_child(records, parent, norm, ret);
}

static int find_name(struct dit_record_output *output, uint64_t id, struct dit_name *ret)
{
	struct dit_stored_records *records = of(output)->records;

	return records == NULL ? 0 : dit_stored_name(records, id, ret);
}

int dit_record_tables_find_index(struct dit_output *output, const char *name,
                                 struct dit_output_stored_index *ret)
{
	const struct dit_record_tables *tables = of_base(output);
	struct dit_tree_record tree;
	size_t key_len = 0;
	int r = 0;

	if (dit_page_commit_find(tables->indexes.commit, dit_span_of(name), &tree) == 0) {
		return 0;
	}
	r = dit_stored_flags_check(name, NULL, tree.flags, tables->fault);
	if (r == 0) {
		r = dit_stored_key_len(tables->records, &tree, &key_len);
	}
	if (r < 0) {
		return r;
	}
	*ret = (struct dit_output_stored_index){
		.is_integerkey = (tree.flags & DIT_DB_INTEGERKEY) != 0,
		.key_len = key_len};
	return 1;
}

/* ---- tables ---- */

/* Stored flags win (storage.md 1.4). */
static void find_stored(const struct dit_record_tables *tables,
                        struct dit_index_table *table)
{
	struct dit_tree_record tree;

	table->is_stored = dit_page_commit_find(tables->indexes.commit,
	                                        dit_span_of(table->name), &tree) > 0;
	if (table->is_stored) {
		table->tree = tree;
	}
	table->stored = table->tree;
}

int dit_record_tables_add_index(struct dit_output *output,
                                const struct dit_output_index *index)
{
	struct dit_record_tables *tables = of_base(output);
	int r = dit_index_tables_add(&tables->indexes, index);

	if (r == 0) {
		find_stored(tables, &tables->indexes.list[tables->indexes.n - 1]);
	}
	return r;
}

int dit_record_tables_cut_index(struct dit_output *output, size_t number, unsigned nparts)
{
	struct dit_record_tables *tables = of_base(output);

	return tables->takes_changes
	               ? -EINVAL
	               : dit_index_tables_cut(&tables->indexes, number, nparts);
}

int dit_record_tables_open_index(struct dit_output *output, size_t number, unsigned part,
                                 struct dit_output_table **ret)
{
	struct dit_record_tables *tables = of_base(output);

	return tables->takes_changes
	               ? -EINVAL
	               : dit_index_tables_open(&tables->indexes, number, part, ret);
}

static int open_names(struct dit_record_output *output, struct dit_output_table **ret)
{
	struct dit_record_tables *tables = of(output);

	return tables->takes_changes
	               ? -EINVAL
	               : dit_index_table_open(&tables->indexes,
	                                      &tables->fixed[DIT_FIXED_NAMES], false,
	                                      ret);
}

/* ---- entries ---- */

/* The merge of a table of main. Until the changes, or from then on. */
static int reach(struct dit_record_tables *tables, enum dit_fixed_db db,
                 bool takes_changes)
{
	struct dit_index_table *table = &tables->fixed[db];

	if (tables->takes_changes != takes_changes) {
		return -EINVAL;
	}
	return table->merge != NULL
	               ? 0
	               : dit_index_table_merge(&tables->indexes, table, false);
}

static int put_ad(struct dit_record_output *output, uint32_t number, struct dit_span name)
{
	struct dit_record_tables *tables = of(output);
	const struct dit_span key = {(const char *)&number, sizeof(number)};
	int r = reach(tables, DIT_FIXED_ADS, false);

	return r < 0 ? r
	             : dit_tree_merge_put(tables->fixed[DIT_FIXED_ADS].merge, key, name);
}

static int reserve_entry(struct dit_record_output *output, uint64_t id, size_t len,
                         void **ret_space)
{
	struct dit_record_tables *tables = of(output);
	const struct dit_span key = {(const char *)&id, sizeof(id)};
	char *space = NULL;
	int r = reach(tables, DIT_FIXED_ENTRIES, false);

	if (r == 0) {
		r = dit_tree_merge_reserve(tables->fixed[DIT_FIXED_ENTRIES].merge, key,
		                           len, &space);
	}
	*ret_space = space;
	return r;
}

static struct dit_table_writer *entry_writer(const struct dit_record_tables *tables)
{
	return dit_tree_merge_writer(tables->fixed[DIT_FIXED_ENTRIES].merge);
}

static int hold_entries(struct dit_record_output *output, size_t *ret_len)
{
	struct dit_record_tables *tables = of(output);
	int r = reach(tables, DIT_FIXED_ENTRIES, false);

	if (r == 0) {
		*ret_len = dit_table_writer_hold(entry_writer(tables), sizeof(uint64_t));
	}
	return r;
}

static void look_at_entries(struct dit_record_output *output, struct dit_output_held *ret)
{
	const struct dit_table_writer *writer = entry_writer(of(output));

	ret->nmoving = dit_table_writer_leaf_nodes(writer);
	ret->mark = dit_table_writer_mark(writer);
}

static int release_entries(struct dit_record_output *output, size_t mark)
{
	return dit_table_writer_release(entry_writer(of(output)), mark);
}

static int put_entry_pieces(struct dit_record_output *output, uint64_t id, size_t len,
                            const struct dit_pieces *record)
{
	struct dit_record_tables *tables = of(output);
	const struct dit_span key = {(const char *)&id, sizeof(id)};
	int r = reach(tables, DIT_FIXED_ENTRIES, false);

	return r < 0 ? r
	             : dit_tree_merge_put_pieces(tables->fixed[DIT_FIXED_ENTRIES].merge,
	                                         key, len, record);
}

static int put_split(struct dit_record_output *output, uint64_t id, uint16_t ad,
                     uint32_t place, struct dit_span record)
{
	struct dit_record_tables *tables = of(output);
	char bytes[sizeof(id) + sizeof(ad)];
	const struct dit_span key = {bytes, sizeof(bytes)};
	int r = reach(tables, DIT_FIXED_SPLITS, true);

	memcpy(bytes, &id, sizeof(id));
	memcpy(bytes + sizeof(id), &ad, sizeof(ad));
	if (r == 0 && place == 0 && tables->records != NULL) {
		r = dit_stored_split(tables->records, key);
	}
	if (r != 0) {
		return r < 0 ? r : DIT_LMDB_KEYEXIST;
	}
	return dit_tree_merge_record(tables->fixed[DIT_FIXED_SPLITS].merge, key, record);
}

/* ---- changes ---- */

static int begin_changes(struct dit_record_output *output)
{
	struct dit_record_tables *tables = of(output);
	struct dit_index_table *entries = &tables->fixed[DIT_FIXED_ENTRIES];
	struct dit_tree_merge_opts opts;
	int r = tables->takes_changes
	                ? -EINVAL
	                : dit_index_table_end(&tables->fixed[DIT_FIXED_ADS], NULL);

	if (r == 0) {
		r = dit_index_table_end(entries, NULL);
	}
	if (r == 0) {
		r = dit_page_commit_reach(tables->indexes.commit);
	}
	if (r < 0) {
		return r;
	}
	opts = dit_index_merge_opts(&tables->indexes, entries);
	dit_tree_changes_init(&tables->changes, &opts);
	tables->takes_changes = true;
	return 0;
}

static int find_entry(struct dit_record_output *output, uint64_t id, struct dit_span *ret)
{
	struct dit_record_tables *tables = of(output);
	struct dit_span record = {NULL, 0};
	int r = -EINVAL;

	if (tables->takes_changes) {
		r = dit_tree_changes_find(&tables->changes, id, &record);
	} else if (tables->records != NULL) {
		r = dit_stored_entry(tables->records, id, &record);
	}
	if (r > 0) {
		*ret = record;
	}
	return r > 0 ? record.len > 0 : r;
}

static int replace_entry(struct dit_record_output *output, uint64_t id,
                         struct dit_span record)
{
	struct dit_record_tables *tables = of(output);

	return tables->takes_changes ? dit_tree_changes_put(&tables->changes, id, record)
	                             : -EINVAL;
}

const struct dit_record_ops dit_record_tables_ops = {
	.find_ad = find_ad,
	.find_child = find_child,
	.find_name = find_name,
	.put_ad = put_ad,
	.reserve_entry = reserve_entry,
	.hold_entries = hold_entries,
	.look_at_entries = look_at_entries,
	.release_entries = release_entries,
	.put_entry_pieces = put_entry_pieces,
	.put_split = put_split,
	.open_names = open_names,
	.begin_changes = begin_changes,
	.find_entry = find_entry,
	.replace_entry = replace_entry,
};

/* ---- the end ---- */

/* A tree that is what it was is not written again. */
static int put_table(struct dit_record_tables *tables, struct dit_index_table *table)
{
	int r = dit_index_table_end(table, NULL);

	if (r < 0 || (table->is_stored &&
	              memcmp(&table->tree, &table->stored, sizeof(table->tree)) == 0)) {
		return r;
	}
	tables->is_changed = true;
	return dit_page_commit_put_merged(tables->indexes.commit,
	                                  dit_span_of(table->name), &table->tree);
}

int dit_record_tables_put(struct dit_record_tables *tables)
{
	const struct dit_index_tables *indexes = &tables->indexes;
	int r = tables->takes_changes ? 0 : begin_changes(&tables->base);

	if (r == 0) {
		r = dit_index_table_end(&tables->fixed[DIT_FIXED_SPLITS], NULL);
	}
	if (r == 0) {
		r = dit_tree_changes_finish(&tables->changes,
		                            &tables->fixed[DIT_FIXED_ENTRIES].tree);
	}
	for (size_t i = 0; i < DIT_NFIXED && r == 0; i++) {
		r = put_table(tables, &tables->fixed[i]);
	}
	for (size_t i = 0; i < indexes->n && r == 0; i++) {
		r = indexes->list[i].merge != NULL ? -EINVAL
		                                   : put_table(tables, &indexes->list[i]);
	}
	return r;
}

/* ---- beginning and end ---- */

int dit_record_tables_init(struct dit_record_tables *tables)
{
	int r = 0;

	for (size_t i = 0; i < DIT_NFIXED && r == 0; i++) {
		r = dit_index_table_init(&tables->fixed[i], dit_fixed_dbs[i].name,
		                         dit_fixed_dbs[i].flags);
	}
	return r;
}

void dit_record_tables_begin(struct dit_record_tables *tables,
                             struct dit_page_commit *commit)
{
	tables->indexes.commit = commit;
	tables->indexes.space = dit_page_commit_space(commit);
	for (size_t i = 0; i < DIT_NFIXED; i++) {
		find_stored(tables, &tables->fixed[i]);
	}
}

static int look_around(struct dit_record_tables *tables)
{
	struct dit_output_stored *stored = &tables->base.stored;
	struct dit_span record;
	int r = dit_stored_last_id(tables->records, &stored->last_id);

	if (r >= 0) {
		r = dit_stored_entry(tables->records, 0, &record);
	}
	stored->has_root_entry = r > 0;
	stored->has_names = tables->fixed[DIT_FIXED_NAMES].stored.nitems > 0;
	return r < 0 ? r : 0;
}

int dit_record_tables_read(struct dit_record_tables *tables, int fd,
                           const struct dit_page_format *format)
{
	struct dit_tree_record trees[DIT_NFIXED];
	int r = 0;

	for (size_t i = 0; i < DIT_NFIXED && r == 0; i++) {
		trees[i] = tables->fixed[i].stored;
		r = dit_stored_flags_check(dit_fixed_dbs[i].name, &dit_fixed_dbs[i],
		                           trees[i].flags, tables->fault);
	}
	if (r == 0) {
		r = dit_stored_records_open(&tables->records, fd, format, trees);
	}
	return r < 0 ? r : look_around(tables);
}

void dit_record_tables_deinit(struct dit_record_tables *tables)
{
	dit_tree_changes_deinit(&tables->changes);
	for (size_t i = 0; i < DIT_NFIXED; i++) {
		dit_index_table_deinit(&tables->fixed[i]);
	}
	dit_index_tables_deinit(&tables->indexes);
	dit_stored_records_close(tables->records);
}
