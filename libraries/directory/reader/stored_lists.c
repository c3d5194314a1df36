/* SPDX-License-Identifier: BSD-2-Clause */
/* IDs are copied: in LMDB's pages they lie at any even place. */
#include "reader/stored_lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "page/tree_reader.h"

#define ID_BYTES sizeof(uint64_t)

struct dit_stored_lists {
	struct dit_tree_source source;
	struct dit_tree_reader *reader; /* owned */
	struct dit_page_view leaf;
	unsigned slot; /* the next one of the leaf */
	unsigned nslots;
	uint64_t *ids; /* of the list; owned */
	size_t nids;
	size_t size;
	uint64_t nread; /* in all lists */
	uint64_t nids_max;
};

int dit_stored_lists_open(struct dit_stored_lists **ret,
                          const struct dit_tree_source *source,
                          const struct dit_tree_record *tree)
{
	struct dit_stored_lists *lists = calloc(1, sizeof(*lists));
	int r = 0;

	if (lists == NULL) {
		return -ENOMEM;
	}
	lists->source = *source;
	lists->nids_max = tree->nitems;
	r = dit_tree_reader_open(&lists->reader, source, tree);
	if (r < 0) {
		free(lists);
		return r;
	}
	*ret = lists;
	return 0;
}

void dit_stored_lists_close(struct dit_stored_lists *lists)
{
	if (lists != NULL) {
		dit_tree_reader_close(lists->reader);
		free(lists->ids);
		free(lists);
	}
}

static int add_ids(struct dit_stored_lists *lists, const char *bytes, size_t n)
{
	uint64_t *ids = NULL;

	if (n == 0 || n > lists->nids_max - lists->nread) {
		return DIT_E_CORRUPT;
	}
	ids = dit_grow(lists->ids, &lists->size, lists->nids + n, ID_BYTES);
	if (ids == NULL) {
		return -ENOMEM;
	}
	memcpy(ids + lists->nids, bytes, n * ID_BYTES);
	lists->ids = ids;
	lists->nids += n;
	lists->nread += n;
	return 0;
}

/* A packed page, or what is one inside of a node. */
static int add_page(struct dit_stored_lists *lists, struct dit_page_view view)
{
	if (!dit_view_has_bounds(view) || (dit_view_flags(view) & DIT_PAGE_LEAF2) == 0 ||
	    dit_view_item_bytes(view) != ID_BYTES ||
	    !dit_view_has_items(view, ID_BYTES)) {
		return DIT_E_CORRUPT;
	}
	return add_ids(lists, dit_view_item(view, 0, ID_BYTES).data,
	               dit_view_count(view));
}

/* A list with pages of its own. */
static int add_tree(struct dit_stored_lists *lists, struct dit_span value)
{
	struct dit_tree_reader *reader = NULL;
	struct dit_tree_record record;
	struct dit_page_view view;
	int r = 0;

	if (value.len != sizeof(record)) {
		return DIT_E_CORRUPT;
	}
	memcpy(&record, value.data, sizeof(record));
	r = dit_tree_reader_open(&reader, &lists->source, &record);
	while (r == 0) {
		r = dit_tree_reader_next(reader, &view);
		if (r <= 0) {
			break;
		}
		r = add_page(lists, view);
	}
	dit_tree_reader_close(reader);
	return r < 0 || lists->nids == record.nitems ? r : DIT_E_CORRUPT;
}

static int add_node(struct dit_stored_lists *lists, const struct dit_node_view *node)
{
	struct dit_span value = node->value;

	switch (node->flags) {
	case 0:
		return value.len == ID_BYTES ? add_ids(lists, value.data, 1)
		                             : DIT_E_CORRUPT;
	case DIT_NODE_LIST:
		return value.len < lists->source.format->header_bytes
		               ? DIT_E_CORRUPT
		               : add_page(lists, (struct dit_page_view){
							 value.data, (unsigned)value.len,
							 lists->source.format});
	case DIT_NODE_LIST | DIT_NODE_TREE:
		return add_tree(lists, value);
	default:
		return DIT_E_CORRUPT;
	}
}

/* A leaf that has a node left. 1; 0: there is none; error */
static int find_leaf(struct dit_stored_lists *lists)
{
	while (lists->slot == lists->nslots) {
		int r = dit_tree_reader_next(lists->reader, &lists->leaf);

		if (r <= 0) {
			return r;
		}
		if ((dit_view_flags(lists->leaf) & DIT_PAGE_LEAF2) != 0) {
			return DIT_E_CORRUPT;
		}
		lists->slot = 0;
		lists->nslots = dit_view_count(lists->leaf);
	}
	return 1;
}

int dit_stored_lists_next(struct dit_stored_lists *lists, struct dit_stored_list *ret)
{
	struct dit_node_view node;
	int r = find_leaf(lists);

	if (r <= 0) {
		return r;
	}
	if (dit_view_node(lists->leaf, lists->slot++, &node) != DIT_NODE_FITS) {
		return DIT_E_CORRUPT;
	}
	lists->nids = 0;
	r = add_node(lists, &node);
	if (r < 0) {
		return r;
	}
	*ret = (struct dit_stored_list){
		.key = node.key, .ids = lists->ids, .nids = lists->nids};
	return 1;
}
