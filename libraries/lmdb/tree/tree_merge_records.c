/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A list of records is a value, a page inside a node, or a tree. Stored records go
 * through the writer in order, with the new ones among them; a tree keeps the pages that
 * do not change.
 */
#include "base/error.h"
#include "tree/tree_merge_impl.h"

/* A list of one record, as a page. */
static int begin_single(struct dit_tree_merge *merge, struct dit_span record)
{
	const struct dit_table_writer *writer = merge->shared.writer;
	const struct dit_page_format *format = writer->format;
	const struct dit_page_view page = {
		merge->single, dit_page_end(format, writer->page_bytes), format};
	char *none = NULL;

	if (record.len == 0 || record.len > writer->key_max) {
		return DIT_E_CORRUPT;
	}
	dit_page_begin(format, merge->single, writer->page_bytes, DIT_PAGE_LEAF);
	(void)dit_page_add_node(format, merge->single, record, 0, &none);
	return dit_tree_path_begin_inside(&merge->list, page);
}

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
		return begin_single(merge, node->value);
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

/* Take over what is stored before a record. 1: an equal one is stored, and goes; 0 */
static int take_record(struct dit_tree_merge *merge, struct dit_span key,
                       struct dit_span record)
{
	const struct dit_table_writer *writer = merge->shared.writer;
	const struct dit_span last = {writer->key, writer->key_len};
	struct dit_node_view node;
	int r = 0;

	if (!merge->records.is_open || !dit_span_eq(key, last)) {
		r = dit_merge_end_records(merge);
		r = r ?: begin_key(merge, key);
	}
	return r < 0 || merge->list.nopen == 0
	               ? r
	               : dit_tree_path_take(&merge->list, record, &node);
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
	r = records->is_tree ? dit_tree_path_end(&merge->list)
	                     : dit_tree_path_close(&merge->list);
	return r < 0 ? r
	             : dit_table_writer_end_records(writer,
	                                            records->is_tree ? records->n : 0);
}
