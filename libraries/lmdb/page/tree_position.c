/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/tree_position.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "page/long_value.h"

#define CACHE_LINE_BYTES 64

int dit_tree_position_set(struct dit_tree_position *position,
                          const struct dit_tree_record *tree)
{
	position->root = tree->root;
	position->depth = tree->root == DIT_PAGE_NONE ? 0 : tree->depth;
	position->nlevels = position->depth;
	return tree->root != DIT_PAGE_NONE &&
	                       (tree->depth == 0 || tree->depth > DIT_TREE_DEPTH_MAX)
	               ? DIT_E_CORRUPT
	               : 0;
}

void dit_tree_position_deinit(struct dit_tree_position *position)
{
	for (unsigned i = 0; i < DIT_TREE_DEPTH_MAX; i++) {
		free(position->rows[i].pages);
		position->rows[i].pages = NULL;
	}
}

/* ---- pages ---- */

static int set_level(struct dit_tree_position *position, unsigned depth,
                     struct dit_page_view view)
{
	const unsigned kinds = DIT_PAGE_BRANCH | DIT_PAGE_LEAF | DIT_PAGE_OVERFLOW;
	bool is_leaf = depth + 1 == position->depth;
	unsigned flags = dit_view_flags(view);
	unsigned count = dit_view_count(view);

	if ((flags & kinds) != (is_leaf ? DIT_PAGE_LEAF : DIT_PAGE_BRANCH) ||
	    count == 0) {
		return DIT_E_CORRUPT;
	}
	if ((flags & DIT_PAGE_LEAF2) != 0 &&
	    (!is_leaf || !position->may_be_packed ||
	     !dit_view_has_items(view, dit_view_item_bytes(view)))) {
		return DIT_E_CORRUPT;
	}
	position->levels[depth] = (struct dit_tree_level){.view = view, .count = count};
	return 0;
}

int dit_tree_position_set_page(struct dit_tree_position *position,
                               struct dit_page_view view)
{
	if (view.len < view.format->header_bytes || !dit_view_has_bounds(view)) {
		return DIT_E_CORRUPT;
	}
	position->depth = 1;
	position->nlevels = 1;
	return set_level(position, 0, view);
}

static int count_pages(const struct dit_tree_reading *reading, uint64_t first, uint64_t n)
{
	return reading->pages == NULL ? 0 : reading->pages(reading->ctx, first, n);
}

int dit_tree_count_value(struct dit_tree_reading *reading,
                         const struct dit_node_view *node, uint64_t *ret_npages)
{
	uint64_t first = 0;
	int r = 0;

	*ret_npages = 0;
	if ((node->flags & DIT_NODE_BIG) == 0) {
		return 0;
	}
	r = dit_long_value_run(reading->source, node, &first, ret_npages);
	r = r ?: count_pages(reading, first, *ret_npages);
	return r < 0 ? r : 0;
}

static int get_page(struct dit_tree_position *position, unsigned depth, uint64_t number,
                    struct dit_page_view *ret)
{
	const struct dit_page_source *source = position->reading->source;
	char *page = NULL;
	int r = 0;

	if (source->map == NULL) {
		r = dit_page_row_read(&position->rows[depth], source, number, 1, &page);
	}
	if (r < 0) {
		return r == -ENODATA ? DIT_E_CORRUPT : r;
	}
	*ret = (struct dit_page_view){
		.bytes = source->map == NULL ? page
	                                     : source->map + number * source->page_bytes,
		.len = dit_page_end(source->format, source->page_bytes),
		.format = source->format};
	return dit_view_is_page(*ret, number) ? 0 : DIT_E_CORRUPT;
}

int dit_tree_position_enter(struct dit_tree_position *position, unsigned depth,
                            uint64_t number)
{
	struct dit_tree_reading *reading = position->reading;
	struct dit_page_view view;
	int r = number >= reading->source->npages ? DIT_E_CORRUPT : 0;

	if (r == 0 && !reading->reads_first) {
		r = count_pages(reading, number, 1);
	}
	if (r != 0) {
		return r;
	}
	if (reading->nread++ >= reading->source->npages) {
		return DIT_E_CORRUPT;
	}
	r = get_page(position, depth, number, &view);
	if (r == 0 && reading->reads_first) {
		r = count_pages(reading, number, 1);
	}
	return r < 0 ? r : set_level(position, depth, view);
}

/* The child of a level's slot. */
static int enter_child(struct dit_tree_position *position, unsigned depth)
{
	struct dit_node_view node;
	int r = dit_tree_level_node(&position->levels[depth], &node);

	return r < 0 ? r : dit_tree_position_enter(position, depth + 1, node.child);
}

/*
 * A hint: a scan wants the next leaf soon, and each look at a page that
 * no cache has waits for memory.
 */
static void fetch_next_leaf(const struct dit_tree_position *position,
                            const struct dit_tree_level *parent)
{
	const struct dit_page_source *source = position->reading->source;
	struct dit_node_view node;
	const char *leaf = NULL;

	if (source->map == NULL || parent->slot + 1 == parent->count ||
	    dit_view_node(parent->view, parent->slot + 1, &node) != DIT_NODE_FITS ||
	    node.child >= source->npages) {
		return;
	}
	leaf = source->map + node.child * source->page_bytes;
	for (size_t i = 0; i < source->page_bytes; i += CACHE_LINE_BYTES) {
		__builtin_prefetch(leaf + i);
	}
}

/*
 * From a page that was entered down to the first leaf from its slot on. If all below it
 * is left out, to the next leaf.
 */
static int descend(struct dit_tree_position *position, unsigned depth)
{
	while (depth + 1 < position->nlevels) {
		struct dit_tree_level *level = &position->levels[depth];
		int r = 0;

		if (level->slot == level->count) {
			if (depth == 0) {
				return 0;
			}
			position->levels[--depth].slot++;
			continue;
		}
		r = enter_child(position, depth);
		if (r < 0) {
			return r;
		}
		if (r == 0) {
			if (depth + 2 == position->depth) {
				fetch_next_leaf(position, level);
			}
			depth++;
		} else {
			level->slot++;
		}
	}
	return 1;
}

/* ---- moves ---- */

int dit_tree_position_first(struct dit_tree_position *position)
{
	int r = position->nlevels == 0
	                ? 1
	                : dit_tree_position_enter(position, 0, position->root);

	if (r != 0) {
		return r < 0 ? r : 0;
	}
	return descend(position, 0);
}

int dit_tree_position_first_item(struct dit_tree_position *position,
                                 const struct dit_node_view *node)
{
	const struct dit_page_view inside = {node->value.data, (unsigned)node->value.len,
	                                     position->reading->source->format};
	struct dit_tree_record tree;
	int r = 0;

	if ((node->flags & DIT_NODE_TREE) == 0) {
		r = dit_tree_position_set_page(position, inside);
		return r < 0 ? r : 1;
	}
	if (node->value.len != sizeof(tree)) {
		return DIT_E_CORRUPT;
	}
	memcpy(&tree, node->value.data, sizeof(tree));
	r = dit_tree_position_set(position, &tree);
	r = r ?: dit_tree_position_first(position);
	return r == 0 ? DIT_E_CORRUPT : r;
}

int dit_tree_position_climb(struct dit_tree_position *position)
{
	for (unsigned depth = position->nlevels; depth > 0; depth--) {
		struct dit_tree_level *level = &position->levels[depth - 1];

		if (level->slot + 1 < level->count) {
			level->slot++;
			return descend(position, depth - 1);
		}
	}
	return 0;
}

/* ---- seeking ---- */

static int compare(const struct dit_tree_level *level, unsigned slot,
                   const struct dit_key_order *order, struct dit_span wanted, int *ret)
{
	const struct dit_span none = {NULL, 0};
	struct dit_node_view node;

	if (dit_view_node(level->view, slot, &node) != DIT_NODE_FITS ||
	    !dit_key_has_length(order, SIZE_MAX, node.key)) {
		return DIT_E_CORRUPT;
	}
	*ret = dit_key_compare(order, none, node.key, wanted);
	return 0;
}

/* To the slot after the keys from slot first on that are below the wanted one, or equal
 * to it. */
static int skip(struct dit_tree_level *level, unsigned first,
                const struct dit_key_order *order, struct dit_span wanted,
                bool skips_equal)
{
	unsigned end = level->count;

	while (first < end) {
		unsigned middle = first + (end - first) / 2;
		int found = 0;
		int r = compare(level, middle, order, wanted, &found);

		if (r < 0) {
			return r;
		}
		if (found < 0 || (found == 0 && skips_equal)) {
			first = middle + 1;
		} else {
			end = middle;
		}
	}
	level->slot = first;
	return 0;
}

/* From the open root to a key's leaf. The first key of a branch page does not count. */
static int find_leaf(struct dit_tree_position *position,
                     const struct dit_key_order *order, struct dit_span wanted)
{
	int r = 0;

	for (unsigned depth = 0; depth + 1 < position->nlevels && r == 0; depth++) {
		struct dit_tree_level *level = &position->levels[depth];

		r = skip(level, 1, order, wanted, true);
		if (r == 0) {
			level->slot--;
			r = enter_child(position, depth);
		}
	}
	return r;
}

int dit_tree_position_seek_below(struct dit_tree_position *position,
                                 const struct dit_key_order *order,
                                 struct dit_span wanted)
{
	struct dit_tree_level *leaf = NULL;
	int r = find_leaf(position, order, wanted);

	if (r == 0) {
		leaf = dit_tree_position_end(position);
		r = skip(leaf, 0, order, wanted, false);
	}
	if (r < 0) {
		return r;
	}
	assert(leaf != NULL);
	if (leaf->slot == leaf->count) {
		leaf->slot--;
		return dit_tree_position_climb(position);
	}
	return 1;
}

int dit_tree_position_seek(struct dit_tree_position *position,
                           const struct dit_key_order *order, struct dit_span wanted)
{
	int r = 0;

	if (position->nlevels == 0 || !dit_key_has_length(order, SIZE_MAX, wanted)) {
		return 0;
	}
	r = dit_tree_position_enter(position, 0, position->root);
	return r < 0 ? r : dit_tree_position_seek_below(position, order, wanted);
}

int dit_tree_position_last(struct dit_tree_position *position)
{
	int r = position->nlevels == 0
	                ? 0
	                : dit_tree_position_enter(position, 0, position->root);

	for (unsigned depth = 0; depth < position->nlevels && r == 0; depth++) {
		position->levels[depth].slot = position->levels[depth].count - 1;
		if (depth + 1 < position->nlevels) {
			r = enter_child(position, depth);
		}
	}
	return r < 0 ? r : position->nlevels > 0;
}
