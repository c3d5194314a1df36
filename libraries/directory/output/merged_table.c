/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/merged_table.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

struct merged_table {
	struct dit_output_table base;
	struct dit_tree_merge *merge; /* owned */
	struct dit_merged_tree *tree;
};

static struct merged_table *of(struct dit_output_table *table)
{
	return (struct merged_table *)table;
}

static int drop_pages(void *ctx, uint64_t first, uint64_t n)
{
	struct dit_merged_tree *tree = ctx;
	uint64_t *dropped = dit_grow(tree->dropped, &tree->size, tree->ndropped + n,
	                             sizeof(*dropped));

	if (dropped == NULL) {
		return -ENOMEM;
	}
	tree->dropped = dropped;
	for (uint64_t i = 0; i < n; i++) {
		dropped[tree->ndropped++] = first + i;
	}
	return 0;
}

static int put_lists(struct dit_output_table *table, const struct dit_output_list *lists,
                     size_t nlists)
{
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		const struct dit_ids_change change = {.added = lists[i].ids,
		                                      .nadded = lists[i].nids,
		                                      .is_repeated =
		                                              lists[i].is_repeated};

		r = lists[i].nids == 0
		            ? 0
		            : dit_tree_merge_ids(of(table)->merge, lists[i].key, &change);
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
	dit_tree_merge_free(of(table)->merge);
	free(table);
}

static int finish(struct dit_output_table *table)
{
	struct dit_merged_tree *tree = of(table)->tree;
	int r = dit_tree_merge_finish(of(table)->merge, &tree->record, table->ret_bytes);

	tree->is_written = r == 0;
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
                          const struct dit_tree_merge_opts *opts,
                          struct dit_merged_tree *tree)
{
	struct merged_table *table = calloc(1, sizeof(*table));
	struct dit_tree_merge_opts merge = *opts;
	int r = 0;

	if (table == NULL) {
		return -ENOMEM;
	}
	table->base.ops = &ops;
	table->tree = tree;
	merge.dropped = drop_pages;
	merge.ctx = tree;
	r = dit_tree_merge_open(&table->merge, &merge);
	if (r < 0) {
		free(table);
		return r;
	}
	*ret = &table->base;
	return 0;
}
