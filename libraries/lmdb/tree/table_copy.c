/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes that are there already: pages that they refer to stay where they are. */
#include <string.h>

#include "base/error.h"
#include "tree/table_writer_impl.h"

/* Numbers of pages in a copied value become tickets of pages that lie in the file. */
static int number_value(struct dit_table_writer *writer, const struct dit_node_view *node,
                        char *value)
{
	unsigned big_bytes = writer->format->big_node_bytes;
	struct dit_big_value big = {.npages = 0};
	struct dit_tree_record tree;

	if ((node->flags & DIT_NODE_BIG) != 0) {
		if (node->value.len != big_bytes) {
			return DIT_E_CORRUPT;
		}
		memcpy(&big, value, big_bytes);
		big.first_page |= DIT_TICKET_IS_PAGE;
		dit_table_writer_point_to_overflow(writer->format, value, node->key.len,
		                                   node->value_len, big);
		writer->noverflow_pages += dit_overflow_pages(
			writer->format, node->value_len, writer->page_bytes);
	} else if ((node->flags & DIT_NODE_TREE) != 0) {
		if (node->value.len != sizeof(tree)) {
			return DIT_E_CORRUPT;
		}
		memcpy(&tree, value, sizeof(tree));
		if (tree.root != DIT_PAGE_NONE) {
			tree.root |= DIT_TICKET_IS_PAGE;
		}
		if (!writer->format->counts_list_pages) {
			writer->ncopied_pages += tree.nbranch_pages + tree.nleaf_pages;
		}
		memcpy(value, &tree, sizeof(tree));
	}
	return 0;
}

int dit_table_writer_copy(struct dit_table_writer *writer,
                          const struct dit_node_view *node)
{
	char *value = NULL;
	int r = dit_table_writer_check_key(writer, node->key);

	if (r == 0 && (node->flags & DIT_NODE_LIST) != 0 &&
	    node->value.len < writer->format->header_bytes) {
		r = DIT_E_CORRUPT;
	}
	if (r == 0) {
		r = dit_table_writer_add_node(writer, node->key, node->value.len,
		                              node->flags, &value);
	}
	if (r != 0) {
		return r;
	}
	memcpy(value, node->value.data, node->value.len);
	r = number_value(writer, node, value);
	if (r < 0) {
		return r;
	}
	dit_table_writer_remember_key(writer, node->key);
	writer->nitems += dit_node_items(node, writer->format);
	return 0;
}
