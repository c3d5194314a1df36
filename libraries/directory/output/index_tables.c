/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/index_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "reader/stored_order.h"
#include "tree/table_writer.h"

struct index_writing {
	struct dit_output_table base;
	struct dit_index_table *table;
	struct dit_table_writer *writer; /* owned */
};

static int put_lists(struct dit_output_table *table, const struct dit_output_list *lists,
                     size_t nlists)
{
	struct dit_table_writer *writer = ((struct index_writing *)table)->writer;
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		r = dit_table_writer_put(writer, lists[i].key, lists[i].ids,
		                         lists[i].nids);
	}
	return r;
}

static int put_record(struct dit_output_table *table, uint64_t id, struct dit_span record)
{
	return dit_table_writer_add(((struct index_writing *)table)->writer,
	                            (struct dit_span){(const char *)&id, sizeof(id)},
	                            record);
}

static void drop(struct dit_output_table *table)
{
	dit_table_writer_free(((struct index_writing *)table)->writer);
	free(table);
}

static int finish(struct dit_output_table *table)
{
	struct index_writing *writing = (struct index_writing *)table;
	int r = dit_table_writer_finish(writing->writer, &writing->table->tree);

	writing->table->is_written = r == 0;
	if (r == 0 && table->ret_bytes != NULL) {
		*table->ret_bytes = dit_table_writer_bytes(writing->writer);
	}
	drop(table);
	return r;
}

static const struct dit_output_table_ops table_ops = {
	.put_lists = put_lists,
	.put_record = put_record,
	.finish = finish,
	.drop = drop,
};

int dit_index_tables_add(struct dit_index_tables *tables,
                         const struct dit_output_index *index)
{
	struct dit_index_table *list = NULL;
	char *name = NULL;

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
	name = strdup(index->name);
	if (name == NULL) {
		return -ENOMEM;
	}
	list[tables->n++] = (struct dit_index_table){
		.name = name,
		.tree = {.flags = DIT_INDEX_FLAGS |
	                          (index->is_integerkey ? DIT_DB_INTEGERKEY : 0u),
	                 .root = DIT_PAGE_NONE},
	};
	return 0;
}

int dit_index_table_open(struct dit_index_table *table, struct dit_page_space *space,
                         struct dit_output_table **ret)
{
	struct index_writing *writing = NULL;
	int r = 0;

	if (table->is_written) {
		return -EINVAL;
	}
	writing = calloc(1, sizeof(*writing));
	if (writing == NULL) {
		return -ENOMEM;
	}
	*writing = (struct index_writing){.base = {.ops = &table_ops}, .table = table};
	r = dit_table_writer_new(&writing->writer, space, table->tree.flags);
	if (r < 0) {
		free(writing);
		return r;
	}
	*ret = &writing->base;
	return 0;
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
		free(tables->list[i].name);
	}
	free(tables->list);
}
