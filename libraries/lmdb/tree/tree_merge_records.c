/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A list of records is a value, a page inside a node, or a tree. Stored records go
 * through the writer in order, with the new ones among them; a tree keeps the pages that
 * do not change.
 */
#include <errno.h>

#include "base/error.h"
#include "tree/tree_merge_impl.h"

static int begin_inside(struct dit_tree_merge *merge, const struct dit_node_view *node)
{
	const struct dit_page_format *format = merge->shared.source->format;
	struct dit_page_view view = {node->value.data, (unsigned)node->value.len, format};

	if (view.len < format->header_bytes || !dit_view_has_bounds(view) ||
	    (dit_view_flags(view) & DIT_PAGE_LEAF2) != 0 || dit_view_count(view) == 0) {
		return DIT_E_CORRUPT;
	}
	merge->records.view = view;
	return 0;
}

/* The list of a stored key. */
static int begin_stored(struct dit_tree_merge *merge, const struct dit_node_view *node)
{
	struct records *records = &merge->records;
	struct dit_tree_record tree;
	int r = 0;

	switch (node->flags) {
	case 0:
		records->single = node->value;
		return node->value.len == 0 ? DIT_E_CORRUPT : 0;
	case DIT_NODE_LIST:
		return begin_inside(merge, node);
	case DIT_NODE_LIST | DIT_NODE_TREE:
		r = dit_merge_begin_list(merge, node, &tree);
		records->is_tree = true;
		records->n = tree.nitems;
		return r;
	default:
		return DIT_E_CORRUPT;
	}
}

static int begin_key(struct dit_tree_merge *merge, struct dit_span key)
{
	struct dit_node_view node;
	int r = dit_merge_begin(merge);
	bool is_stored = false;

	if (r == 0) {
		r = dit_tree_path_take(&merge->path, key, &node);
	}
	is_stored = r > 0;
	if (r >= 0) {
		r = dit_table_writer_begin_records(merge->shared.writer, key);
	}
	if (r < 0) {
		return r;
	}
	merge->records = (struct records){.is_open = true};
	return is_stored ? begin_stored(merge, &node) : 0;
}

/* 1; 0: there are no more; error */
static int next_stored(const struct records *records, struct dit_span *ret)
{
	struct dit_node_view node;

	if (records->single.data != NULL) {
		*ret = records->single;
		return records->at == 0;
	}
	if (records->view.bytes == NULL || records->at == dit_view_count(records->view)) {
		return 0;
	}
	if (dit_view_node(records->view, records->at, &node) != DIT_NODE_FITS) {
		return DIT_E_CORRUPT;
	}
	*ret = node.key;
	return 1;
}

/* Stored records below the new one. @return 1: the next one is in its place; 0; error */
static int put_below(struct dit_tree_merge *merge, struct dit_span record)
{
	const struct dit_span none = {NULL, 0};
	struct dit_span stored = none;
	int order = -1;
	int r = next_stored(&merge->records, &stored);

	while (r > 0) {
		order = dit_key_compare(&merge->list.order, none, stored, record);
		if (order >= 0) {
			break;
		}
		r = dit_table_writer_add_record(merge->shared.writer, stored);
		if (r == 0) {
			merge->records.at++;
			r = next_stored(&merge->records, &stored);
		}
	}
	return r < 0 ? r : r > 0 && order == 0;
}

int dit_tree_merge_record(struct dit_tree_merge *merge, struct dit_span key,
                          struct dit_span record)
{
	struct records *records = &merge->records;
	struct dit_node_view node;
	int r = 0;

	if (!records->is_open ||
	    !dit_table_writer_is_last_key(merge->shared.writer, key)) {
		r = dit_merge_end_records(merge);
		if (r == 0) {
			r = begin_key(merge, key);
		}
	}
	if (r < 0) {
		return r;
	}
	if (records->is_tree) {
		r = dit_tree_path_take(&merge->list, record, &node);
		records->n += r == 0;
	} else {
		r = put_below(merge, record);
		records->at += r > 0;
	}
	return r < 0 ? r : dit_table_writer_add_record(merge->shared.writer, record);
}

int dit_merge_end_records(struct dit_tree_merge *merge)
{
	struct records *records = &merge->records;
	struct dit_span stored;
	int r = 0;

	if (!records->is_open) {
		return 0;
	}
	records->is_open = false;
	if (records->is_tree) {
		r = dit_tree_path_end(&merge->list);
		return r < 0 ? r
		             : dit_table_writer_end_records(merge->shared.writer,
		                                            records->n);
	}
	r = next_stored(records, &stored);
	while (r > 0) {
		r = dit_table_writer_add_record(merge->shared.writer, stored);
		records->at++;
		r = r < 0 ? r : next_stored(records, &stored);
	}
	return r < 0 ? r : dit_table_writer_end_records(merge->shared.writer, 0);
}
