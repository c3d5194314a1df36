/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/index_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "files/lmdb_append.h"
#include "reader/stored_order.h"

static struct dit_index_table *of(struct dit_output_table *table)
{
	return (struct dit_index_table *)table;
}

/* ---- a table ---- */

int dit_index_table_init(struct dit_index_table *table, const char *name, unsigned flags)
{
	*table = (struct dit_index_table){
		.name = strdup(name),
		.tree = {.flags = (uint16_t)flags, .root = DIT_PAGE_NONE},
	};
	table->stored = table->tree;
	return table->name == NULL ? -ENOMEM : 0;
}

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
	dit_tree_merge_free(table->merge);
	free_parts(table);
	free(table->name);
}

int dit_index_table_begin(const struct dit_index_tables *tables,
                          struct dit_index_table *table)
{
	table->append = tables->append;
	if (table->append != NULL) {
		return dit_lmdb_append_make(table->append, table->name, table->tree.flags,
		                            &table->db);
	}
	if (tables->commit != NULL) {
		table->is_stored =
			dit_page_commit_find(tables->commit, dit_span_of(table->name),
		                             &table->tree) > 0;
		table->stored = table->tree;
	}
	return 0;
}

static int drop_pages(void *ctx, uint64_t first, uint64_t n)
{
	return dit_page_commit_drop_pages(ctx, first, n);
}

struct dit_tree_merge_opts dit_index_merge_opts(const struct dit_index_tables *tables,
                                                const struct dit_index_table *table)
{
	return (struct dit_tree_merge_opts){
		.space = tables->space,
		.source = tables->commit == NULL ? NULL
	                                         : dit_page_commit_source(tables->commit),
		.stored = table->tree,
		.list_max = tables->list_max,
		.dropped = drop_pages,
		.ctx = tables->commit,
	};
}

static int open_merge(const struct dit_index_tables *tables,
                      const struct dit_index_table *table, bool rebuilds, bool is_part,
                      struct dit_tree_merge **ret)
{
	struct dit_tree_merge_opts opts = dit_index_merge_opts(tables, table);
	struct dit_key_orders orders;

	opts.rebuilds = rebuilds;
	opts.is_part = is_part;
	opts.orders = &orders;
	dit_stored_orders(table->name, table->tree.flags, &orders);
	return dit_tree_merge_open(ret, &opts);
}

int dit_index_table_merge(const struct dit_index_tables *tables,
                          struct dit_index_table *table, bool rebuilds)
{
	return open_merge(tables, table, rebuilds, false, &table->merge);
}

int dit_index_table_end(struct dit_index_table *table, uint64_t *ret_bytes)
{
	int r = 0;

	if (table->merge != NULL) {
		r = dit_tree_merge_finish(table->merge, &table->tree, ret_bytes);
		dit_tree_merge_free(table->merge);
		table->merge = NULL;
	}
	return r;
}

/* ---- while it is open ---- */

static int merge_lists(struct dit_tree_merge *merge, const struct dit_output_list *lists,
                       size_t nlists)
{
	struct dit_ids_change change = {.nremoved = 0};
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		change.added = lists[i].ids;
		change.nadded = lists[i].nids;
		change.is_repeated = lists[i].is_repeated;
		r = lists[i].nids == 0 ? 0
		                       : dit_tree_merge_ids(merge, lists[i].key, &change);
	}
	return r;
}

static int put_lists(struct dit_output_table *base, const struct dit_output_list *lists,
                     size_t nlists)
{
	return merge_lists(of(base)->merge, lists, nlists);
}

static int put_record(struct dit_output_table *base, uint64_t id, struct dit_span record)
{
	const struct dit_span key = {(const char *)&id, sizeof(id)};

	return dit_tree_merge_record(of(base)->merge, key, record);
}

static int finish(struct dit_output_table *base)
{
	int r = dit_index_table_end(of(base), base->ret_bytes);

	of(base)->is_written = r == 0;
	return r;
}

static void drop(struct dit_output_table *base)
{
	dit_tree_merge_free(of(base)->merge);
	of(base)->merge = NULL;
}

static const struct dit_output_table_ops table_ops = {
	.put_lists = put_lists,
	.put_record = put_record,
	.finish = finish,
	.drop = drop,
};

/* ---- the same, when liblmdb makes the pages ---- */

static int append_lists(struct dit_output_table *base,
                        const struct dit_output_list *lists, size_t nlists)
{
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		r = dit_lmdb_append_put_list(of(base)->append, of(base)->db, lists[i].key,
		                             lists[i].ids, lists[i].nids);
	}
	return r;
}

static int append_record(struct dit_output_table *base, uint64_t id,
                         struct dit_span record)
{
	const struct dit_span key = {(const char *)&id, sizeof(id)};

	return dit_lmdb_append_put_item(of(base)->append, of(base)->db, key, record);
}

static void append_drop(struct dit_output_table *base)
{
	dit_lmdb_append_end_table(of(base)->append);
}

static int append_finish(struct dit_output_table *base)
{
	append_drop(base);
	return 0;
}

static const struct dit_output_table_ops append_ops = {
	.put_lists = append_lists,
	.put_record = append_record,
	.finish = append_finish,
	.drop = append_drop,
};

static int append_open(struct dit_index_table *table)
{
	int r = dit_lmdb_append_begin_table(table->append,
	                                    (table->tree.flags & DIT_DB_INTEGERKEY) != 0);

	table->is_written |= r == 0;
	return r;
}

int dit_index_table_open(const struct dit_index_tables *tables,
                         struct dit_index_table *table, bool rebuilds,
                         struct dit_output_table **ret)
{
	int r = tables->is_closed || table->is_written || table->merge != NULL ? -EINVAL
	        : tables->append != NULL ? append_open(table)
	                                 : dit_index_table_merge(tables, table, rebuilds);

	if (r == 0) {
		table->base.ops = tables->append != NULL ? &append_ops : &table_ops;
		table->base.ret_bytes = NULL;
		*ret = &table->base;
	}
	return r;
}

/* ---- parts ---- */

static struct dit_index_part *part_of(struct dit_output_table *base)
{
	return (struct dit_index_part *)base;
}

static int put_part_lists(struct dit_output_table *base,
                          const struct dit_output_list *lists, size_t nlists)
{
	return merge_lists(part_of(base)->merge, lists, nlists);
}

/* All parts have ended: the branches above their leaves. */
static int join_parts(struct dit_index_table *table, uint64_t *ret_bytes)
{
	int r = 0;

	for (unsigned i = 0; i < table->nparts && r == 0; i++) {
		r = dit_tree_merge_take(table->merge, table->parts[i].merge);
	}
	if (r == 0) {
		r = dit_index_table_end(table, ret_bytes);
	}
	free_parts(table);
	table->is_written = r == 0;
	return r;
}

static int finish_part(struct dit_output_table *base)
{
	struct dit_index_part *part = part_of(base);
	struct dit_index_table *table = part->table;
	int r = dit_tree_merge_end_part(part->merge);

	if (r < 0) {
		return r;
	}
	return atomic_fetch_sub_explicit(&table->nunfinished, 1, memory_order_acq_rel) ==
	                       1
	               ? join_parts(table, base->ret_bytes)
	               : 0;
}

/* The merge is freed with the table: another part may not be opened in its place. */
static void drop_part(struct dit_output_table *base)
{
	(void)base;
}

static const struct dit_output_table_ops part_ops = {
	.put_lists = put_part_lists,
	.finish = finish_part,
	.drop = drop_part,
};

int dit_output_cut_index(struct dit_output *output, size_t number, unsigned nparts)
{
	struct dit_index_tables *tables = output->indexes;
	struct dit_index_table *table = NULL;
	int r = 0;

	if (tables->is_closed || number >= tables->n || nparts == 0) {
		return -EINVAL;
	}
	table = &tables->list[number];
	if (table->is_written || table->merge != NULL) {
		return -EINVAL;
	}
	if (table->append != NULL || table->tree.root != DIT_PAGE_NONE) {
		return 0; /* liblmdb writes it, or it is merged with what is stored */
	}
	r = open_merge(tables, table, tables->rebuilds, false, &table->merge);
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

static int open_part(struct dit_index_tables *tables, struct dit_index_part *part,
                     struct dit_index_table *table, struct dit_output_table **ret)
{
	int r = part->merge != NULL
	                ? -EINVAL
	                : open_merge(tables, table, tables->rebuilds, true, &part->merge);

	if (r == 0) {
		part->base = (struct dit_output_table){.ops = &part_ops};
		part->table = table;
		*ret = &part->base;
	}
	return r;
}

/* ---- the indexes of an output ---- */

int dit_output_add_index(struct dit_output *output, const struct dit_output_index *index)
{
	struct dit_index_tables *tables = output->indexes;
	unsigned flags =
		DIT_INDEX_FLAGS | (index->is_integerkey ? DIT_DB_INTEGERKEY : 0u);
	struct dit_index_table *list = NULL;
	bool is_known = dit_stored_is_fixed(dit_span_of(index->name));
	int r = 0;

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
	r = dit_index_table_init(&list[tables->n], index->name, flags);
	tables->n += r == 0;
	return r < 0 ? r : dit_index_table_begin(tables, &list[tables->n - 1]);
}

int dit_output_open_part(struct dit_output *output, size_t number, unsigned part,
                         struct dit_output_table **ret)
{
	struct dit_index_tables *tables = output->indexes;
	struct dit_index_table *table = NULL;

	if (tables->is_closed || number >= tables->n) {
		return -EINVAL;
	}
	table = &tables->list[number];
	if (part > 0 && part >= table->nparts) {
		return -EINVAL;
	}
	return table->nparts > 0
	               ? open_part(tables, &table->parts[part], table, ret)
	               : dit_index_table_open(tables, table, tables->rebuilds, ret);
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
}

/* ---- outputs that write indexes alone ---- */

int dit_index_head_find(struct dit_output *output, const char *name,
                        struct dit_output_stored_index *ret)
{
	const struct dit_index_head *head = dit_index_head_of(output);
	const struct dit_stored_db *db = dit_snapshot_db(head->snapshot, name);
	bool may_be_damaged = !head->is_online && !dit_stored_is_fixed(dit_span_of(name));

	if (db == NULL) {
		return 0;
	}
	if ((db->flags & ~(unsigned)DIT_DB_INTEGERKEY) != DIT_INDEX_FLAGS) {
		return may_be_damaged
		               ? 0
		               : dit_fault_say(head->fault, DIT_E_CORRUPT,
		                               "database \"%s\" has the flags 0x%02x and "
		                               "is no index",
		                               name, db->flags);
	}
	*ret = (struct dit_output_stored_index){
		.is_integerkey = (db->flags & DIT_DB_INTEGERKEY) != 0, .key_len = 0};
	return 1;
}
