/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A list of records is a value, a page inside a node, or a tree. Stored records go
 * through the writer in order, with the new ones among them; a tree keeps the pages that
 * do not change.
 */
#include "base/error.h"
#include "tree/tree_merge_impl.h"

/* The list of a stored key. */
static int begin_stored(struct dit_tree_merge *merge, const struct dit_node_view *node)
{
	const struct dit_page_view inside = {node->value.data, (unsigned)node->value.len,
	                                     merge->shared.writer->format};
	struct records *records = &merge->records;
	struct dit_tree_record tree;
	int r = 0;

	switch (node->flags) {
	case 0:
		records->single = node->value;
		return node->value.len == 0 ? DIT_E_CORRUPT : 0;
	case DIT_NODE_LIST:
		return dit_tree_path_begin_inside(&merge->list, inside);
	case DIT_NODE_LIST | DIT_NODE_TREE:
		r = dit_merge_list_tree(merge, node, &tree);
		records->is_tree = true;
		records->n = tree.nitems;
		return r < 0 ? r : dit_tree_path_begin(&merge->list, &tree);
	default:
		return DIT_E_CORRUPT;
	}
}

static int begin_key(struct dit_tree_merge *merge, struct dit_span key)
{
	struct dit_node_view node;
	int r = dit_merge_take(merge, key, &node);
	bool is_stored = r > 0;

	r = r < 0 ? r : dit_table_writer_begin_records(merge->shared.writer, key);
	if (r < 0) {
		return r;
	}
	merge->records = (struct records){.is_open = true};
	merge->list.nopen = 0;
	return is_stored ? begin_stored(merge, &node) : 0;
}

/* The only stored record, if it is below the new one. 1: they are equal, and it goes */
static int take_single(struct dit_tree_merge *merge, struct dit_span record)
{
	struct dit_span single = merge->records.single;
	int order = dit_key_compare(&merge->list.order, (struct dit_span){NULL, 0},
	                            single, record);
	int r = 0;

	if (order <= 0) {
		merge->records.single.data = NULL;
	}
	if (order < 0) {
		r = dit_table_writer_add_record(merge->shared.writer, single);
	}
	return r < 0 ? r : order == 0;
}

/* Take over what is stored before a record. 1: an equal one is stored, and goes; 0 */
static int take_record(struct dit_tree_merge *merge, struct dit_span key,
                       struct dit_span record)
{
	struct records *records = &merge->records;
	const struct dit_table_writer *writer = merge->shared.writer;
	const struct dit_span last = {writer->key, writer->key_len};
	struct dit_node_view node;
	int r = 0;

	if (!records->is_open || !dit_span_eq(key, last)) {
		r = dit_merge_end_records(merge);
		r = r ?: begin_key(merge, key);
	}
	if (r < 0) {
		return r;
	}
	if (records->single.data != NULL) {
		return take_single(merge, record);
	}
	return merge->list.nopen > 0 ? dit_tree_path_take(&merge->list, record, &node)
	                             : 0;
}

int dit_tree_merge_record(struct dit_tree_merge *merge, struct dit_span key,
                          struct dit_span record)
{
	int r = take_record(merge, key, record);

	merge->records.n += r == 0;
	return r < 0 ? r : dit_table_writer_add_record(merge->shared.writer, record);
}

int dit_tree_merge_remove_record(struct dit_tree_merge *merge, struct dit_span key,
                                 struct dit_span record)
{
	int r = take_record(merge, key, record);

	merge->records.n -= r > 0;
	return r < 0 ? r : 0;
}

int dit_merge_end_records(struct dit_tree_merge *merge)
{
	struct dit_table_writer *writer = merge->shared.writer;
	struct records *records = &merge->records;
	int r = 0;

	if (!records->is_open) {
		return 0;
	}
	records->is_open = false;
	if (records->single.data != NULL) {
		r = dit_table_writer_add_record(writer, records->single);
	} else if (records->is_tree) {
		r = dit_tree_path_end(&merge->list);
	} else {
		r = dit_tree_path_close(&merge->list);
	}
	return r < 0 ? r
	             : dit_table_writer_end_records(writer,
	                                            records->is_tree ? records->n : 0);
}
