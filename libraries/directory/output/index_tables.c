/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/index_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "files/lmdb_append.h"
#include "reader/stored_order.h"

/* ---- a table ---- */

static void free_parts(struct dit_index_table *table)
{
	for (unsigned i = 0; i < table->nparts; i++) {
		dit_tree_merge_free(table->parts[i].merge);
	}
	free(table->parts);
	table->parts = NULL;
	table->nparts = 0;
}

void dit_index_table_deinit(struct dit_index_table *table)
{
	dit_tree_merge_free(table->whole.merge);
	free_parts(table);
	free(table->name);
}

int dit_index_table_begin(const struct dit_index_tables *tables,
                          struct dit_index_table *table, const char *name, unsigned flags)
{
	*table = (struct dit_index_table){
		.name = strdup(name),
		.tree = {.flags = (uint16_t)flags, .root = DIT_PAGE_NONE},
		.append = tables->append,
	};
	table->stored = table->tree;
	if (table->name == NULL) {
		return -ENOMEM;
	}
	if (table->append != NULL) {
		return dit_lmdb_append_make(table->append, table->name, table->tree.flags,
		                            &table->db);
	}
	if (tables->merge.source != NULL) {
		table->is_stored =
			dit_page_commit_find(tables->commit, dit_span_of(table->name),
		                             &table->tree) > 0;
		table->stored = table->tree;
	}
	return 0;
}

int dit_index_table_merge(const struct dit_index_tables *tables,
                          struct dit_index_table *table, struct dit_output_table *part)
{
	struct dit_tree_merge_opts opts = tables->merge;
	struct dit_key_orders orders;

	if (part->merge != NULL) {
		return -EINVAL;
	}
	part->table = table;
	opts.stored = table->tree;
	opts.is_part = part != &table->whole;
	opts.orders = &orders;
	dit_stored_orders(table->name, table->tree.flags, &orders);
	return dit_tree_merge_open(&part->merge, &opts);
}

static void free_merge(struct dit_output_table *part)
{
	dit_tree_merge_free(part->merge);
	part->merge = NULL;
}

int dit_index_table_end(struct dit_index_table *table, uint64_t *ret_bytes)
{
	struct dit_tree_merge *merge = table->whole.merge;
	int r = merge == NULL ? 0 : dit_tree_merge_finish(merge, &table->tree, ret_bytes);

	free_merge(&table->whole);
	return r;
}

/* ---- while it is open: a merge, or liblmdb makes the pages ---- */

int dit_output_put_lists(struct dit_output_table *part,
                         const struct dit_posting_list *lists, size_t nlists)
{
	const struct dit_index_table *table = part->table;
	struct dit_ids_change change = {.nremoved = 0};
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		change.added = lists[i].ids;
		change.nadded = lists[i].nids;
		change.is_repeated = lists[i].is_repeated;
		r = lists[i].nids == 0 ? 0
		    : part->merge != NULL
		            ? dit_tree_merge_ids(part->merge, lists[i].key, &change)
		            : dit_lmdb_append_put_list(
				      table->append, table->db,
				      (table->tree.flags & DIT_DB_INTEGERKEY) != 0,
				      &lists[i]);
	}
	return r;
}

/* All parts have ended: the branches above their leaves. */
static int join_parts(struct dit_index_table *table)
{
	int r = 0;

	for (unsigned i = 0; i < table->nparts && r == 0; i++) {
		r = dit_tree_merge_take(table->whole.merge, table->parts[i].merge);
	}
	return r;
}

int dit_output_finish(struct dit_output_table *part, uint64_t *ret_bytes)
{
	struct dit_index_table *table = part->table;
	int r = 0;

	if (table->append != NULL) {
		return 0;
	}
	if (part != &table->whole) {
		r = dit_tree_merge_end_part(part->merge);
		if (r < 0 || atomic_fetch_sub_explicit(&table->nunfinished, 1,
		                                       memory_order_acq_rel) > 1) {
			return r;
		}
		r = join_parts(table);
	}
	r = r < 0 ? r : dit_index_table_end(table, ret_bytes);
	free_parts(table);
	table->is_written = r == 0;
	return r;
}

/* ---- opened ---- */

int dit_output_cut_index(struct dit_output *output, size_t number, unsigned nparts)
{
	struct dit_index_tables *tables = output->indexes;
	struct dit_index_table *table = NULL;
	int r = 0;

	if (tables->is_closed || number >= tables->n || nparts == 0) {
		return -EINVAL;
	}
	table = &tables->list[number];
	if (table->is_written || table->whole.merge != NULL) {
		return -EINVAL;
	}
	if (table->append != NULL || table->tree.root != DIT_PAGE_NONE) {
		return 0; /* liblmdb writes it, or it is merged with what is stored */
	}
	r = dit_index_table_merge(tables, table, &table->whole);
	if (r < 0) {
		return r;
	}
	table->parts = calloc(nparts, sizeof(*table->parts));
	if (table->parts == NULL) {
		return -ENOMEM;
	}
	table->nparts = nparts;
	atomic_init(&table->nunfinished, nparts);
	return 1;
}

/* ---- the indexes of an output ---- */

int dit_output_add_index(struct dit_output *output, const struct dit_output_index *index)
{
	struct dit_index_tables *tables = output->indexes;
	unsigned flags =
		DIT_INDEX_FLAGS | (index->is_integerkey ? DIT_DB_INTEGERKEY : 0u);
	struct dit_index_table *list = NULL;
	bool is_known = dit_stored_find(dit_span_of(index->name)) != NULL;

	for (size_t i = 0; i < tables->n; i++) {
		is_known |= strcmp(tables->list[i].name, index->name) == 0;
	}
	if (is_known) {
		return DIT_E_DUPLICATE;
	}
	list = reallocarray(tables->list, tables->n + 1, sizeof(*list));
	if (list == NULL) {
		return -ENOMEM;
	}
	tables->list = list;
	return dit_index_table_begin(tables, &list[tables->n++], index->name, flags);
}

int dit_output_change_index(struct dit_output *output, size_t number,
                            const struct dit_list_changes *changes)
{
	const struct dit_index_tables *tables = output->indexes;
	struct dit_index_table *table = &tables->list[number];
	struct dit_ids_change change;
	struct dit_span key;
	int more = changes->next == NULL ? 0 : changes->next(changes->ctx, &key, &change);
	int r = 0;

	if (more <= 0) {
		return more;
	}
	r = tables->is_closed || table->append != NULL
	            ? -EINVAL
	            : dit_index_table_merge(tables, table, &table->whole);
	if (r < 0) {
		return r;
	}
	while (r == 0 && more > 0) {
		r = dit_tree_merge_ids(table->whole.merge, key, &change);
		more = r < 0 ? r : changes->next(changes->ctx, &key, &change);
	}
	r = more < 0 ? more : dit_index_table_end(table, NULL);
	free_merge(&table->whole); /* its space may end before the table does */
	return r;
}

int dit_output_reach(struct dit_output *output)
{
	return dit_page_commit_reach(output->indexes->commit);
}

int dit_output_open_part(struct dit_output *output, size_t number, unsigned part,
                         struct dit_output_table **ret)
{
	struct dit_index_tables *tables = output->indexes;
	struct dit_index_table *table = NULL;
	int r = 0;

	if (tables->is_closed || number >= tables->n) {
		return -EINVAL;
	}
	table = &tables->list[number];
	if (table->is_written || (part > 0 && part >= table->nparts)) {
		return -EINVAL;
	}
	*ret = table->nparts > 0 ? &table->parts[part] : &table->whole;
	if (table->append != NULL) {
		table->is_written = true; /* else threads open parts side by side */
		(*ret)->table = table;
	} else {
		r = dit_index_table_merge(tables, table, *ret);
	}
	return r;
}

int dit_index_tables_check(const struct dit_index_tables *tables)
{
	for (size_t i = 0; i < tables->n; i++) {
		if (!tables->list[i].is_written) {
			return -EINVAL;
		}
	}
	return 0;
}

void dit_index_tables_deinit(struct dit_index_tables *tables)
{
	for (size_t i = 0; i < tables->n; i++) {
		dit_index_table_deinit(&tables->list[i]);
	}
	free(tables->list);
	dit_page_commit_close(tables->commit);
	dit_lmdb_append_close(tables->append);
}

bool dit_output_used_bytes(const struct dit_output *output, uint64_t *ret)
{
	const struct dit_index_tables *tables = output->indexes;

	if (tables->append == NULL && tables->commit == NULL) {
		return false;
	}
	*ret = tables->append != NULL ? dit_lmdb_append_bytes(tables->append)
	                              : dit_page_commit_bytes(tables->commit);
	return true;
}

/* ---- stored indexes ---- */

/* The length of the first key of a tree; 0: it has none. */
static int find_key_len(const struct dit_index_tables *tables,
                        const struct dit_tree_record *tree, size_t *ret)
{
	struct dit_tree_cursor *cursor = NULL;
	struct dit_key_orders orders;
	struct dit_span key = {NULL, 0};
	struct dit_span record;
	int r = 0;

	dit_key_default_orders(tree->flags, &orders);
	r = dit_tree_cursor_open(&cursor, &tables->snapshot->map, tree, &orders.keys);
	r = r ?: dit_tree_cursor_first(cursor, &key, &record);
	*ret = r > 0 ? key.len : 0;
	dit_tree_cursor_close(cursor);
	return r < 0 ? r : 0;
}

int dit_output_find_index(struct dit_output *output, const char *name,
                          struct dit_output_stored_index *ret)
{
	const struct dit_index_tables *tables = output->indexes;
	bool is_merged = tables->merge.source != NULL;
	const struct dit_stored_db *db =
		tables->snapshot == NULL ? NULL : dit_snapshot_db(tables->snapshot, name);
	bool may_be_damaged = !is_merged && !tables->is_online &&
	                      dit_stored_find(dit_span_of(name)) == NULL;
	size_t key_len = 0;
	int r = 0;

	if (db == NULL) {
		return 0;
	}
	r = dit_stored_flags_check(name, NULL, db->flags,
	                           may_be_damaged ? NULL : tables->fault);
	if (r < 0) {
		return may_be_damaged ? 0 : r;
	}
	r = is_merged ? find_key_len(tables, &db->tree, &key_len) : 0;
	if (r < 0) {
		return r;
	}
	*ret = (struct dit_output_stored_index){
		.is_integerkey = (db->flags & DIT_DB_INTEGERKEY) != 0,
		.key_len = key_len};
	return 1;
}
