/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/index_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "reader/stored_order.h"
#include "tree/table_writer.h"

static struct dit_index_table *of(struct dit_output_table *table)
{
	return (struct dit_index_table *)table;
}

static int put_lists(struct dit_output_table *table, const struct dit_output_list *lists,
                     size_t nlists)
{
	struct dit_table_writer *writer = of(table)->writer;
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		r = dit_table_writer_put(writer, lists[i].key, lists[i].ids,
		                         lists[i].nids);
	}
	return r;
}

static int put_record(struct dit_output_table *table, uint64_t id, struct dit_span record)
{
	return dit_table_writer_add(of(table)->writer,
	                            (struct dit_span){(const char *)&id, sizeof(id)},
	                            record);
}

static void drop(struct dit_output_table *table)
{
	dit_table_writer_free(of(table)->writer);
	of(table)->writer = NULL;
}

static int finish(struct dit_output_table *base)
{
	struct dit_index_table *table = of(base);
	int r = dit_table_writer_finish(table->writer, &table->tree);

	table->is_written = r == 0;
	if (r == 0 && base->ret_bytes != NULL) {
		*base->ret_bytes = dit_table_writer_bytes(table->writer);
	}
	drop(base);
	return r;
}

static const struct dit_output_table_ops table_ops = {
	.put_lists = put_lists,
	.put_record = put_record,
	.finish = finish,
	.drop = drop,
};

int dit_index_table_init(struct dit_index_table *table, const char *name, unsigned flags)
{
	*table = (struct dit_index_table){
		.name = strdup(name),
		.tree = {.flags = (uint16_t)flags, .root = DIT_PAGE_NONE},
	};
	return table->name == NULL ? -ENOMEM : 0;
}

void dit_index_table_deinit(struct dit_index_table *table)
{
	dit_table_writer_free(table->writer);
	dit_tree_merge_free(table->merge);
	free(table->name);
}

int dit_index_tables_add(struct dit_index_tables *tables,
                         const struct dit_output_index *index)
{
	unsigned flags =
		DIT_INDEX_FLAGS | (index->is_integerkey ? DIT_DB_INTEGERKEY : 0u);
	struct dit_index_table *list = NULL;
	int r = 0;

	for (size_t i = 0; i < tables->n; i++) {
		if (strcmp(tables->list[i].name, index->name) == 0) {
			return DIT_E_DUPLICATE;
		}
	}
	list = reallocarray(tables->list, tables->n + 1, sizeof(*list));
	if (list == NULL) {
		return -ENOMEM;
	}
	tables->list = list;
	r = dit_index_table_init(&list[tables->n], index->name, flags);
	tables->n += r == 0;
	return r;
}

int dit_index_table_open(struct dit_index_table *table, struct dit_page_space *space,
                         struct dit_output_table **ret)
{
	int r = table->is_written || table->writer != NULL
	                ? -EINVAL
	                : dit_table_writer_new(&table->writer, space, table->tree.flags);

	if (r == 0) {
		table->base = (struct dit_output_table){.ops = &table_ops};
		*ret = &table->base;
	}
	return r;
}

int dit_index_tables_open(struct dit_index_tables *tables, size_t number,
                          struct dit_output_table **ret)
{
	return number >= tables->n
	               ? -EINVAL
	               : dit_index_table_open(&tables->list[number], tables->space, ret);
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

int dit_index_head_add(struct dit_output *output, const struct dit_output_index *index)
{
	return dit_index_tables_add(&dit_index_head_of(output)->tables, index);
}

int dit_index_head_open(struct dit_output *output, size_t number,
                        struct dit_output_table **ret)
{
	return dit_index_tables_open(&dit_index_head_of(output)->tables, number, ret);
}
