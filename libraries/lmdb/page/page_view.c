/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounds of a page and of what lies in it. */
#include "page/page_view.h"

#include "page/lmdb_format.h"
#include "page/page_set.h"

bool dit_view_has_bounds(struct dit_page_view view)
{
	unsigned lower = dit_view_lower(view);
	unsigned upper = dit_view_upper(view);

	return lower >= view.format->header_bytes && lower % 2 == 0 && lower <= upper &&
	       upper <= view.len;
}

bool dit_view_has_items(struct dit_page_view view, unsigned item_bytes)
{
	size_t count = dit_view_count(view);

	return item_bytes >= 2 &&
	       view.format->header_bytes + count * item_bytes <= view.len &&
	       dit_view_upper(view) == view.len - count * (item_bytes - 2);
}

/* Each node ends where the one before it in the slots begins: as we write them. */
static bool is_stacked(struct dit_page_view view)
{
	unsigned count = dit_view_count(view);
	unsigned end = view.len;
	struct dit_node_view node;

	for (unsigned i = 0; i < count; i++) {
		if (dit_view_node(view, i, &node) != DIT_NODE_FITS ||
		    node.at + node.bytes != end) {
			return false;
		}
		end = node.at;
	}
	return end == dit_view_upper(view);
}

/*
 * Every node begins at an offset of its own and ends where another begins, or at the end.
 * So there is a chain of nodes from upper to the end; and as all of them together are as
 * long as that, no node is outside of the chain.
 */
bool dit_view_is_tiled(struct dit_page_view view, uint64_t *starts)
{
	struct dit_page_set set = {.words = starts, .npages = view.len / 2};
	unsigned count = dit_view_count(view);
	unsigned upper = dit_view_upper(view);
	uint64_t sum = 0;
	struct dit_node_view node;

	if (is_stacked(view)) {
		return true;
	}
	memset(starts, 0, (view.len / 128 + 1) * sizeof(*starts));
	for (unsigned i = 0; i < count; i++) {
		if (dit_view_node(view, i, &node) != DIT_NODE_FITS ||
		    !dit_page_set_add(&set, node.at / 2)) {
			return false;
		}
		sum += node.bytes;
	}
	if (sum != view.len - upper ||
	    (count > 0 && !dit_page_set_has(&set, upper / 2))) {
		return false;
	}
	for (unsigned i = 0; i < count; i++) {
		unsigned end = 0;

		(void)dit_view_node(view, i, &node);
		end = node.at + node.bytes;
		if (end < view.len ? !dit_page_set_has(&set, end / 2) : end != view.len) {
			return false;
		}
	}
	return true;
}

unsigned dit_view_count_row(struct dit_page_view view, unsigned slot, uint64_t first,
                            unsigned max)
{
	unsigned count = dit_view_count(view);
	struct dit_node_view node;
	unsigned n = 1;

	while (n < max && slot + n < count &&
	       dit_view_node(view, slot + n, &node) == DIT_NODE_FITS &&
	       node.child == first + n) {
		n++;
	}
	return n;
}

uint64_t dit_node_items(const struct dit_node_view *node,
                        const struct dit_page_format *format)
{
	const struct dit_page_view inner = {node->value.data, (unsigned)node->value.len,
	                                    format};
	struct dit_tree_record list;

	if ((node->flags & DIT_NODE_LIST) == 0) {
		return 1;
	}
	if ((node->flags & DIT_NODE_TREE) != 0 && node->value.len == sizeof(list)) {
		memcpy(&list, node->value.data, sizeof(list));
		return list.nitems;
	}
	return node->value.len < format->header_bytes ? 0 : dit_view_count(inner);
}
