/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A place is a path of pages from a root to a leaf, with a slot in each. A cursor has two
 * of them: in the tree, and in the list of the key where it stands. A list inside a node
 * is a tree of one leaf.
 */
#include "page/tree_cursor.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"

#define DEPTH_MAX  32 /* LMDB's cursors go no deeper */
#define NODE_FLAGS (DIT_NODE_BIG | DIT_NODE_TREE | DIT_NODE_LIST)

struct level {
	struct dit_page_view view;
	unsigned slot;
	unsigned count; /* at least 1 */
};

struct place {
	uint64_t root;
	unsigned depth; /* 0: the tree is empty */
	bool may_be_packed;
	struct level levels[DEPTH_MAX]; /* the root's first */
};

struct dit_tree_cursor {
	const struct dit_page_map *map;
	struct dit_key_order keys;
	uint64_t nread; /* pages, since the last first() or seek() */
	bool is_on;     /* stands on a record */
	bool is_list;   /* whose key has a list */
	struct place place;
	struct place list;
	struct dit_span key;
};

static struct level *leaf_of(struct place *place)
{
	return &place->levels[place->depth - 1];
}

/* ---- pages ---- */

static int set_level(struct place *place, unsigned depth, struct dit_page_view view)
{
	const unsigned kinds = DIT_PAGE_BRANCH | DIT_PAGE_LEAF | DIT_PAGE_OVERFLOW;
	bool is_leaf = depth + 1 == place->depth;
	unsigned flags = dit_view_flags(view);
	unsigned count = dit_view_count(view);

	if ((flags & kinds) != (is_leaf ? DIT_PAGE_LEAF : DIT_PAGE_BRANCH) ||
	    count == 0) {
		return DIT_E_CORRUPT;
	}
	if ((flags & DIT_PAGE_LEAF2) != 0 &&
	    (!is_leaf || !place->may_be_packed ||
	     !dit_view_has_items(view, dit_view_item_bytes(view)))) {
		return DIT_E_CORRUPT;
	}
	place->levels[depth] = (struct level){.view = view, .count = count};
	return 0;
}

static int enter(struct dit_tree_cursor *cursor, struct place *place, unsigned depth,
                 uint64_t number)
{
	struct dit_page_view view;
	int r = cursor->nread++ < cursor->map->npages
	                ? dit_page_map_view(cursor->map, number, &view)
	                : DIT_E_CORRUPT;

	return r < 0 ? r : set_level(place, depth, view);
}

static int node_at(const struct level *level, unsigned slot, struct dit_node_view *ret)
{
	return dit_view_node(level->view, slot, ret) == DIT_NODE_FITS ? 0 : DIT_E_CORRUPT;
}

/* From a page that was entered down to the first leaf below its slot. */
static int descend(struct dit_tree_cursor *cursor, struct place *place, unsigned depth)
{
	int r = 0;

	for (; depth + 1 < place->depth && r == 0; depth++) {
		struct dit_node_view node;

		r = node_at(&place->levels[depth], place->levels[depth].slot, &node);
		if (r == 0) {
			r = enter(cursor, place, depth + 1, node.child);
		}
	}
	return r;
}

/* ---- places ---- */

static int set_tree(struct place *place, const struct dit_tree_record *tree)
{
	place->root = tree->root;
	place->depth = tree->root == DIT_PAGE_NONE ? 0 : tree->depth;
	return tree->root != DIT_PAGE_NONE &&
	                       (tree->depth == 0 || tree->depth > DEPTH_MAX)
	               ? DIT_E_CORRUPT
	               : 0;
}

static int place_first(struct dit_tree_cursor *cursor, struct place *place)
{
	int r = 0;

	if (place->depth == 0) {
		return 0;
	}
	r = enter(cursor, place, 0, place->root);
	if (r == 0) {
		r = descend(cursor, place, 0);
	}
	return r < 0 ? r : 1;
}

static int place_next(struct dit_tree_cursor *cursor, struct place *place)
{
	unsigned depth = place->depth;
	int r = 0;

	/* The lowest page that has more. */
	while (depth > 0) {
		struct level *level = &place->levels[depth - 1];

		if (level->slot + 1 < level->count) {
			level->slot++;
			break;
		}
		depth--;
	}
	if (depth == 0) {
		return 0;
	}
	r = descend(cursor, place, depth - 1);
	return r < 0 ? r : 1;
}

/* ---- records ---- */

/* An item of a list: packed, or the key of a node without a value. */
static int item_of(struct place *list, struct dit_span *ret)
{
	const struct level *leaf = leaf_of(list);
	struct dit_node_view node;
	int r = 0;

	if ((dit_view_flags(leaf->view) & DIT_PAGE_LEAF2) != 0) {
		*ret = dit_view_item(leaf->view, leaf->slot,
		                     dit_view_item_bytes(leaf->view));
		return 0;
	}
	r = node_at(leaf, leaf->slot, &node);
	*ret = node.key;
	return r;
}

static int begin_list(struct dit_tree_cursor *cursor, const struct dit_node_view *node)
{
	const struct dit_page_format *format = cursor->map->format;
	struct dit_page_view view = {node->value.data, (unsigned)node->value.len, format};
	struct dit_tree_record tree;
	int r = 0;

	if ((node->flags & DIT_NODE_TREE) != 0) {
		if (node->value.len != sizeof(tree)) {
			return DIT_E_CORRUPT;
		}
		memcpy(&tree, node->value.data, sizeof(tree));
		r = set_tree(&cursor->list, &tree);
		if (r == 0) {
			r = place_first(cursor, &cursor->list);
		}
		return r > 0 ? 0 : DIT_E_CORRUPT;
	}
	if (node->value.len < format->header_bytes || !dit_view_has_bounds(view)) {
		return DIT_E_CORRUPT;
	}
	cursor->list.depth = 1;
	return set_level(&cursor->list, 0, view);
}

/* The record at the place, of its list the first one. */
static int load(struct dit_tree_cursor *cursor, struct dit_span *ret_key,
                struct dit_span *ret_value)
{
	const struct level *leaf = leaf_of(&cursor->place);
	struct dit_node_view node = {.at = 0};
	int r = node_at(leaf, leaf->slot, &node);

	cursor->is_list = (node.flags & DIT_NODE_LIST) != 0;
	if (r < 0 || (node.flags & ~NODE_FLAGS) != 0) {
		return DIT_E_CORRUPT;
	}
	if (!cursor->is_list) {
		r = dit_page_map_value(cursor->map, &node, ret_value);
	} else if ((node.flags & DIT_NODE_BIG) != 0) {
		r = DIT_E_CORRUPT;
	} else {
		r = begin_list(cursor, &node);
		if (r == 0) {
			r = item_of(&cursor->list, ret_value);
		}
	}
	cursor->key = node.key;
	*ret_key = node.key;
	return r < 0 ? r : 1;
}

/* @param moved  what the place did; @return the same, or an error of loading */
static int arrive(struct dit_tree_cursor *cursor, int moved, struct dit_span *ret_key,
                  struct dit_span *ret_value)
{
	int r = moved > 0 ? load(cursor, ret_key, ret_value) : moved;

	cursor->is_on = r > 0;
	return r;
}

int dit_tree_cursor_first(struct dit_tree_cursor *cursor, struct dit_span *ret_key,
                          struct dit_span *ret_value)
{
	cursor->nread = 0;
	return arrive(cursor, place_first(cursor, &cursor->place), ret_key, ret_value);
}

int dit_tree_cursor_next_key(struct dit_tree_cursor *cursor, struct dit_span *ret_key,
                             struct dit_span *ret_value)
{
	int moved = cursor->is_on ? place_next(cursor, &cursor->place) : 0;

	return arrive(cursor, moved, ret_key, ret_value);
}

int dit_tree_cursor_next(struct dit_tree_cursor *cursor, struct dit_span *ret_key,
                         struct dit_span *ret_value)
{
	int r = cursor->is_on && cursor->is_list ? place_next(cursor, &cursor->list) : 0;

	if (r == 0) {
		return dit_tree_cursor_next_key(cursor, ret_key, ret_value);
	}
	if (r > 0) {
		r = item_of(&cursor->list, ret_value);
	}
	*ret_key = cursor->key;
	cursor->is_on = r >= 0;
	return r < 0 ? r : 1;
}

/* ---- seeking ---- */

static int compare(const struct dit_tree_cursor *cursor, const struct level *level,
                   unsigned slot, struct dit_span wanted, int *ret)
{
	const struct dit_span none = {NULL, 0};
	struct dit_node_view node;
	int r = node_at(level, slot, &node);

	if (r < 0 || !dit_key_has_length(&cursor->keys, SIZE_MAX, node.key)) {
		return DIT_E_CORRUPT;
	}
	*ret = dit_key_compare(&cursor->keys, none, node.key, wanted);
	return 0;
}

/* How many keys from @p first on are below the wanted one, or equal to it. */
static int count_below(const struct dit_tree_cursor *cursor, const struct level *level,
                       unsigned first, struct dit_span wanted, bool counts_equal,
                       unsigned *ret)
{
	unsigned end = level->count;

	while (first < end) {
		unsigned middle = first + (end - first) / 2;
		int order = 0;
		int r = compare(cursor, level, middle, wanted, &order);

		if (r < 0) {
			return r;
		}
		if (order < 0 || (order == 0 && counts_equal)) {
			first = middle + 1;
		} else {
			end = middle;
		}
	}
	*ret = first;
	return 0;
}

/* Find the leaf that the key belongs to. A branch page's first key does not count. */
static int find_leaf(struct dit_tree_cursor *cursor, struct dit_span wanted)
{
	struct place *place = &cursor->place;
	int r = enter(cursor, place, 0, place->root);

	for (unsigned depth = 0; depth + 1 < place->depth && r == 0; depth++) {
		struct level *level = &place->levels[depth];
		struct dit_node_view node;
		unsigned slot = 0;

		r = count_below(cursor, level, 1, wanted, true, &slot);
		if (r == 0) {
			level->slot = slot - 1;
			r = node_at(level, level->slot, &node);
		}
		if (r == 0) {
			r = enter(cursor, place, depth + 1, node.child);
		}
	}
	return r;
}

static int place_seek(struct dit_tree_cursor *cursor, struct dit_span wanted)
{
	struct place *place = &cursor->place;
	struct level *leaf = NULL;
	int r = 0;

	if (place->depth == 0 || !dit_key_has_length(&cursor->keys, SIZE_MAX, wanted)) {
		return 0;
	}
	r = find_leaf(cursor, wanted);
	if (r < 0) {
		return r;
	}
	leaf = leaf_of(place);
	r = count_below(cursor, leaf, 0, wanted, false, &leaf->slot);
	if (r < 0) {
		return r;
	}
	if (leaf->slot == leaf->count) {
		leaf->slot--;
		return place_next(cursor, place);
	}
	return 1;
}

int dit_tree_cursor_seek(struct dit_tree_cursor *cursor, struct dit_span wanted,
                         struct dit_span *ret_key, struct dit_span *ret_value)
{
	cursor->nread = 0;
	return arrive(cursor, place_seek(cursor, wanted), ret_key, ret_value);
}

/* ---- lists, page by page ---- */

/* The rest of the leaf; the cursor goes to its last item. */
static int rest_of_page(struct dit_tree_cursor *cursor, struct dit_span *ret)
{
	struct level *leaf = leaf_of(&cursor->list);
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

int dit_tree_cursor_items(struct dit_tree_cursor *cursor, struct dit_span *ret)
{
	struct dit_span key;

	if (!cursor->is_on) {
		return 0;
	}
	return cursor->is_list ? rest_of_page(cursor, ret) : load(cursor, &key, ret);
}

int dit_tree_cursor_more_items(struct dit_tree_cursor *cursor, struct dit_span *ret)
{
	int r = cursor->is_on && cursor->is_list ? place_next(cursor, &cursor->list) : 0;

	if (r < 0) {
		cursor->is_on = false;
	}
	return r > 0 ? rest_of_page(cursor, ret) : r;
}

/* ---- opening ---- */

int dit_tree_cursor_open(struct dit_tree_cursor **ret, const struct dit_page_map *map,
                         const struct dit_tree_record *tree,
                         const struct dit_key_order *keys)
{
	struct dit_tree_cursor *cursor = calloc(1, sizeof(*cursor));
	int r = 0;

	if (cursor == NULL) {
		return -ENOMEM;
	}
	cursor->map = map;
	cursor->keys = *keys;
	cursor->list.may_be_packed = true;
	r = set_tree(&cursor->place, tree);
	if (r < 0) {
		free(cursor);
		return r;
	}
	*ret = cursor;
	return 0;
}

void dit_tree_cursor_close(struct dit_tree_cursor *cursor)
{
	free(cursor);
}
