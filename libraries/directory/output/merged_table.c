/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/merged_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <lmdb.h>

#include "base/error.h"
#include "output/list_merge.h"
#include "tree/table_writer.h"

struct merged_table {
	struct dit_output_table base;
	struct dit_merged_table_opts opts;
	struct dit_table_writer *writer; /* owned */
	struct dit_list_merge merge;
	struct dit_stored_list list; /* the next one that is stored */
	bool has_list;
};

static struct merged_table *of(struct dit_output_table *table)
{
	return (struct merged_table *)table;
}

/* ---- what is stored ---- */

static int read_list(struct merged_table *table)
{
	int r = table->opts.stored == NULL
	                ? 0
	                : dit_stored_lists_next(table->opts.stored, &table->list);

	table->has_list = r > 0;
	return r < 0 ? r : 0;
}

static int copy_list(struct merged_table *table)
{
	int r = dit_table_writer_put(table->writer, table->list.key, table->list.ids,
	                             table->list.nids);

	return r < 0 ? r : read_list(table);
}

static uint64_t integer_of(struct dit_span key)
{
	uint32_t narrow = 0;
	uint64_t wide = 0;

	if (key.len == sizeof(narrow)) {
		memcpy(&narrow, key.data, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, key.data, sizeof(wide));
	return wide;
}

/* Below, equal to or above the key of the next one that is stored? */
static int compare(const struct merged_table *table, struct dit_span key)
{
	struct dit_span stored = table->list.key;
	size_t shorter = key.len < stored.len ? key.len : stored.len;
	int order = 0;

	if ((table->opts.flags & MDB_INTEGERKEY) != 0) {
		uint64_t a = integer_of(key);
		uint64_t b = integer_of(stored);

		return (a > b) - (a < b);
	}
	order = memcmp(key.data, stored.data, shorter);
	return order != 0 ? order : (key.len > stored.len) - (key.len < stored.len);
}

/* Integer keys of different lengths have no order (storage.md 1.5). */
static int check_key(const struct merged_table *table, struct dit_span key)
{
	bool is_integer = (table->opts.flags & MDB_INTEGERKEY) != 0;

	if (is_integer && key.len != 4 && key.len != 8) {
		return -EINVAL;
	}
	return is_integer && table->has_list && table->list.key.len != key.len ? -EINVAL
	                                                                       : 0;
}

/* ---- what comes ---- */

static int put_list(struct merged_table *table, const struct dit_output_list *more)
{
	struct dit_output_list list = {0};
	bool is_stored = false;
	int r = more->nids == 0 ? 0 : check_key(table, more->key);

	if (r < 0 || more->nids == 0) {
		return r;
	}
	while (r == 0 && table->has_list && compare(table, more->key) > 0) {
		r = copy_list(table);
	}
	if (r < 0) {
		return r;
	}
	is_stored = table->has_list && compare(table, more->key) == 0;
	r = dit_list_merge(&table->merge, table->list.ids,
	                   is_stored ? table->list.nids : 0, more, table->opts.list_max,
	                   &list);
	if (r == 0) {
		r = dit_table_writer_put(table->writer, list.key, list.ids, list.nids);
	}
	return r < 0 || !is_stored ? r : read_list(table);
}

static int put_lists(struct dit_output_table *table, const struct dit_output_list *lists,
                     size_t nlists)
{
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		r = put_list(of(table), &lists[i]);
	}
	return r;
}

static int put_record(struct dit_output_table *table, uint64_t id, struct dit_span record)
{
	(void)table, (void)id, (void)record;
	return -EINVAL;
}

static void drop(struct dit_output_table *table)
{
	struct merged_table *t = of(table);

	dit_stored_lists_close(t->opts.stored);
	dit_table_writer_free(t->writer);
	dit_list_merge_deinit(&t->merge);
	free(t);
}

static int finish(struct dit_output_table *table)
{
	struct merged_table *t = of(table);
	struct dit_merged_tree *tree = t->opts.tree;
	int r = 0;

	while (r == 0 && t->has_list) {
		r = copy_list(t);
	}
	if (r == 0) {
		r = dit_table_writer_finish(t->writer, &tree->record);
	}
	tree->is_written = r == 0;
	if (r == 0 && table->ret_bytes != NULL) {
		*table->ret_bytes = dit_table_writer_bytes(t->writer);
	}
	drop(table);
	return r;
}

static const struct dit_output_table_ops ops = {
	.put_lists = put_lists,
	.put_record = put_record,
	.finish = finish,
	.drop = drop,
};

int dit_merged_table_open(struct dit_output_table **ret,
                          const struct dit_merged_table_opts *opts)
{
	struct merged_table *table = calloc(1, sizeof(*table));
	int r = 0;

	if (table == NULL) {
		dit_stored_lists_close(opts->stored);
		return -ENOMEM;
	}
	table->base.ops = &ops;
	table->opts = *opts;
	opts->tree->record = (struct dit_tree_record){.flags = (uint16_t)opts->flags,
	                                              .root = DIT_PAGE_NONE};
	r = dit_table_writer_new(&table->writer, opts->space, opts->flags);
	if (r == 0) {
		r = read_list(table);
	}
	if (r < 0) {
		drop(&table->base);
		return r;
	}
	*ret = &table->base;
	return 0;
}
