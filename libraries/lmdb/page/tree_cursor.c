/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A cursor has two positions: in the tree, and in the list of the key where it stands. A
 * list inside a node is a tree of one leaf.
 */
#include "page/tree_cursor.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/object.h"
#include "page/long_value.h"
#include "page/tree_position.h"

#define NODE_FLAGS (DIT_NODE_BIG | DIT_NODE_TREE | DIT_NODE_LIST)

struct dit_tree_cursor {
	struct dit_tree_reading reading;
	struct dit_key_order keys;
	bool has_moved;   /* else the next record is the first */
	bool is_on;       /* stands on a record */
	bool is_list;     /* whose key has a list */
	bool is_branches; /* stands above a leaf */
	struct dit_tree_position position;
	struct dit_tree_position list;
	struct dit_span key;
	char *long_value; /* of a sealed file; owned */
};

/* ---- records ---- */

/* An item of a list: packed, or the key of a node without a value. */
static int item_of(struct dit_tree_position *list, struct dit_span *ret)
{
	const struct dit_tree_level *leaf = dit_tree_position_end(list);
	struct dit_node_view node;
	int r = 0;

	if ((dit_view_flags(leaf->view) & DIT_PAGE_LEAF2) != 0) {
		*ret = dit_view_item(leaf->view, leaf->slot,
		                     dit_view_item_bytes(leaf->view));
		return 0;
	}
	r = dit_tree_level_node(leaf, &node);
	*ret = node.key;
	return r;
}

/* A value with pages of its own. */
static int load_long(struct dit_tree_cursor *cursor, const struct dit_node_view *node,
                     struct dit_span *ret)
{
	const struct dit_page_source *source = cursor->reading.source;
	char *value = NULL;
	int r = 0;

	if (source->map != NULL) {
		return dit_long_value_find(source, node, ret);
	}
	r = dit_node_value_read(source, node, &value);
	if (r == 0) {
		free(cursor->long_value);
		cursor->long_value = value;
		*ret = (struct dit_span){value, node->value_len};
	}
	return r;
}

/* The record at the position; of its list the first one. */
static int load(struct dit_tree_cursor *cursor, struct dit_span *ret_key,
                struct dit_span *ret_value)
{
	struct dit_node_view node = {.at = 0};
	int r = dit_tree_level_node(dit_tree_position_end(&cursor->position), &node);

	cursor->is_list = (node.flags & DIT_NODE_LIST) != 0;
	if (r < 0 || (node.flags & ~NODE_FLAGS) != 0) {
		return DIT_E_CORRUPT;
	}
	if (!cursor->is_list && (node.flags & DIT_NODE_BIG) == 0) {
		*ret_value = node.value;
	} else if (!cursor->is_list) {
		r = load_long(cursor, &node, ret_value);
	} else if ((node.flags & DIT_NODE_BIG) != 0) {
		r = DIT_E_CORRUPT;
	} else {
		r = dit_tree_position_first_item(&cursor->list, &node);
		r = r <= 0 ? r : item_of(&cursor->list, ret_value);
	}
	cursor->key = node.key;
	*ret_key = node.key;
	return r < 0 ? r : 1;
}

/* @param moved  what the move returned; @return the same, or an error of loading */
static int arrive(struct dit_tree_cursor *cursor, int moved, struct dit_span *ret_key,
                  struct dit_span *ret_value)
{
	int r = moved > 0 ? load(cursor, ret_key, ret_value) : moved;

	cursor->is_on = r > 0;
	return r;
}

/* Before a move from nowhere. */
static struct dit_tree_position *leave(struct dit_tree_cursor *cursor)
{
	cursor->reading.nread = 0;
	cursor->has_moved = true;
	cursor->is_branches = false;
	cursor->position.nlevels = cursor->position.depth;
	return &cursor->position;
}

int dit_tree_cursor_first(struct dit_tree_cursor *cursor, struct dit_span *ret_key,
                          struct dit_span *ret_value)
{
	return arrive(cursor, dit_tree_position_first(leave(cursor)), ret_key, ret_value);
}

int dit_tree_cursor_seek(struct dit_tree_cursor *cursor, struct dit_span wanted,
                         struct dit_span *ret_key, struct dit_span *ret_value)
{
	return arrive(cursor,
	              dit_tree_position_seek(leave(cursor), &cursor->keys, wanted),
	              ret_key, ret_value);
}

int dit_tree_cursor_find(struct dit_tree_cursor *cursor, struct dit_span wanted,
                         struct dit_span *ret_key, struct dit_span *ret_value)
{
	int r = dit_tree_cursor_seek(cursor, wanted, ret_key, ret_value);

	return r > 0 ? dit_span_eq(*ret_key, wanted) : r;
}

int dit_tree_cursor_last(struct dit_tree_cursor *cursor, struct dit_span *ret_key,
                         struct dit_span *ret_value)
{
	return arrive(cursor, dit_tree_position_last(leave(cursor)), ret_key, ret_value);
}

int dit_tree_cursor_seek_item(struct dit_tree_cursor *cursor,
                              const struct dit_key_order *order, struct dit_span wanted,
                              struct dit_span *ret)
{
	const struct dit_span none = {NULL, 0};
	struct dit_span key;
	int r = 0;

	if (!cursor->is_on) {
		return 0;
	}
	if (!cursor->is_list) {
		r = load(cursor, &key, ret);
		return r <= 0 ? r : dit_key_compare(order, none, *ret, wanted) >= 0;
	}
	/* Branches of packed leaves have nodes as well. */
	if ((dit_view_flags(dit_tree_position_end(&cursor->list)->view) &
	     DIT_PAGE_LEAF2) != 0) {
		return DIT_E_CORRUPT;
	}
	r = dit_tree_position_seek_below(&cursor->list, order, wanted);
	if (r > 0) {
		r = item_of(&cursor->list, ret) < 0 ? DIT_E_CORRUPT : 1;
	}
	cursor->is_on = r > 0;
	return r;
}

int dit_tree_cursor_next_key(struct dit_tree_cursor *cursor, struct dit_span *ret_key,
                             struct dit_span *ret_value)
{
	int moved = cursor->is_on ? dit_tree_position_next(&cursor->position) : 0;

	if (!cursor->has_moved) {
		return dit_tree_cursor_first(cursor, ret_key, ret_value);
	}
	return arrive(cursor, moved, ret_key, ret_value);
}

int dit_tree_cursor_next(struct dit_tree_cursor *cursor, struct dit_span *ret_key,
                         struct dit_span *ret_value)
{
	int r = cursor->is_on && cursor->is_list ? dit_tree_position_next(&cursor->list)
	                                         : 0;

	if (r == 0) {
		return dit_tree_cursor_next_key(cursor, ret_key, ret_value);
	}
	r = r <= 0 ? r : item_of(&cursor->list, ret_value);
	*ret_key = cursor->key;
	cursor->is_on = r >= 0;
	return r < 0 ? r : 1;
}

/* ---- leaves, which are not read ---- */

/* A page's first node has no key: the branches above the page have it. */
static int lowest_key(const struct dit_tree_position *position, struct dit_span *ret)
{
	struct dit_node_view node = {.key = {NULL, 0}};
	unsigned depth = position->nlevels;
	int r = 0;

	while (depth > 0 && position->levels[depth - 1].slot == 0) {
		depth--;
	}
	if (depth > 0) {
		r = dit_tree_level_node(&position->levels[depth - 1], &node);
	}
	*ret = node.key;
	return r;
}

int dit_tree_cursor_next_leaf(struct dit_tree_cursor *cursor, struct dit_span *ret_lowest)
{
	struct dit_tree_position *position = &cursor->position;
	int r = 0;

	if (cursor->is_branches) {
		r = dit_tree_position_next(position);
	} else if (position->depth > 1) {
		(void)leave(cursor);
		position->nlevels = position->depth - 1;
		r = dit_tree_position_first(position);
	}
	cursor->is_on = false;
	cursor->is_branches = r > 0;
	if (r > 0 && lowest_key(position, ret_lowest) < 0) {
		r = DIT_E_CORRUPT;
	}
	return r;
}

/* ---- lists, page by page ---- */

/* The rest of the leaf; the cursor goes to its last item. */
static int rest_of_page(struct dit_tree_cursor *cursor, struct dit_span *ret)
{
	struct dit_tree_level *leaf = dit_tree_position_end(&cursor->list);
	unsigned bytes = dit_view_item_bytes(leaf->view);

	if ((dit_view_flags(leaf->view) & DIT_PAGE_LEAF2) == 0) {
		cursor->is_on = false;
		return DIT_E_CORRUPT;
	}
	*ret = dit_view_item(leaf->view, leaf->slot, bytes);
	ret->len = (size_t)(leaf->count - leaf->slot) * bytes;
	leaf->slot = leaf->count - 1;
	return 1;
}

int dit_tree_cursor_next_list(struct dit_tree_cursor *cursor, struct dit_span *ret_key,
                              struct dit_span *ret_items)
{
	int r = dit_tree_cursor_next_key(cursor, ret_key, ret_items);

	return r > 0 && cursor->is_list ? rest_of_page(cursor, ret_items) : r;
}

int dit_tree_cursor_find_list(struct dit_tree_cursor *cursor, struct dit_span wanted,
                              struct dit_span *ret_key, struct dit_span *ret_items)
{
	int r = dit_tree_cursor_find(cursor, wanted, ret_key, ret_items);

	return r > 0 && cursor->is_list ? rest_of_page(cursor, ret_items) : r;
}

int dit_tree_cursor_more_items(struct dit_tree_cursor *cursor, struct dit_span *ret)
{
	int r = cursor->is_on && cursor->is_list ? dit_tree_position_next(&cursor->list)
	                                         : 0;

	if (r < 0) {
		cursor->is_on = false;
	}
	return r > 0 ? rest_of_page(cursor, ret) : r;
}

/* ---- opening ---- */

int dit_tree_cursor_open(struct dit_tree_cursor **ret,
                         const struct dit_page_source *source,
                         const struct dit_tree_record *tree,
                         const struct dit_key_order *keys)
{
	struct dit_tree_cursor *cursor = calloc(1, sizeof(*cursor));
	int r = 0;

	if (cursor == NULL) {
		return -ENOMEM;
	}
	cursor->reading.source = source;
	cursor->keys = *keys;
	cursor->position.reading = &cursor->reading;
	cursor->list.reading = &cursor->reading;
	cursor->list.may_be_packed = true;
	r = dit_tree_position_set(&cursor->position, tree);
	return DIT_HAND_OVER(r, ret, cursor, free);
}

bool dit_tree_cursor_is_mapped(const struct dit_tree_cursor *cursor)
{
	return cursor->reading.source->map != NULL;
}

void dit_tree_cursor_close(struct dit_tree_cursor *cursor)
{
	if (cursor != NULL) {
		dit_tree_position_deinit(&cursor->position);
		dit_tree_position_deinit(&cursor->list);
		free(cursor->long_value);
		free(cursor);
	}
}
