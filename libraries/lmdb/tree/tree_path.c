/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A page of a level of the page tree has a height that is one above the level's number:
 * leaves, of height 1, are the children of level 0.
 */
#include "tree/tree_path.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"

#define FEW_BYTES 4 /* a leaf with less than this part of its bytes takes the next one */

static struct dit_page_tree *pages_of(const struct dit_tree_path *path)
{
	struct dit_table_writer *writer = path->shared->writer;

	return path->is_list ? &writer->list : &writer->tree;
}

/* ---- stored pages ---- */

static struct dit_tree_level *top_of(struct dit_tree_path *path)
{
	return &path->position.levels[path->nopen - 1];
}

/* Levels are counted from the leaves, which have 1. */
static unsigned height_of(const struct dit_tree_path *path, unsigned nopen)
{
	return path->position.depth + 1 - nopen;
}

/* A page below the open one: all its nodes are taken. */
static int open_page(struct dit_tree_path *path, uint64_t number,
                     const struct dit_path_bounds *bounds)
{
	int r = dit_tree_position_enter(&path->position, path->nopen, number);

	if (r < 0) {
		return r;
	}
	path->bounds[path->nopen++] = *bounds;
	if (height_of(path, path->nopen) == 1) {
		path->left.nleaf_pages--;
	} else {
		path->left.nbranch_pages--;
	}
	return 0;
}

static int has_right_length(const struct dit_tree_path *path, struct dit_span key)
{
	return dit_key_has_length(&path->order, SIZE_MAX, key) ? 0 : DIT_E_CORRUPT;
}

static bool has_more(const struct dit_tree_level *level)
{
	return level->slot < level->count;
}

/* ---- pages that stay ---- */

/* So few nodes are in the leaf, and no leaf before it is new. */
static bool is_small_leaf(const struct dit_tree_path *path)
{
	const struct dit_table_writer *writer = path->shared->writer;
	size_t end = dit_page_end(writer->format, writer->page_bytes);

	return !path->is_list && writer->nnew_leaves == 0 &&
	       dit_table_writer_leaf_nodes(writer) > 0 &&
	       dit_page_room(writer->format, writer->sink.open) > end - end / FEW_BYTES;
}

static bool has_open_leaf(const struct dit_tree_path *path)
{
	const struct dit_table_writer *writer = path->shared->writer;

	if (path->is_list) {
		return path->has_records &&
		       dit_page_count(writer->format, writer->records) > 0;
	}
	return dit_table_writer_leaf_nodes(writer) > 0;
}

/* Can the new pages become branches, so that a page of this height can follow? */
static bool can_keep(const struct dit_tree_path *path, unsigned height)
{
	const struct dit_page_tree *pages = pages_of(path);
	unsigned ncarried = has_open_leaf(path) ? 1 : 0;

	if (is_small_leaf(path)) {
		return false;
	}
	for (unsigned level = 0; level + 1 < height; level++) {
		unsigned n = dit_page_tree_held(pages, level) + ncarried;

		if (n == 1) {
			return false;
		}
		ncarried = n > 0 ? 1 : 0;
	}
	return true;
}

static int close_page(struct dit_tree_path *path);

/* The pages below a level become branches. */
static int end_below(struct dit_page_tree *tree, unsigned level)
{
	int r = 0;

	for (unsigned i = 0; i < level && r == 0; i++) {
		if (dit_page_tree_held(tree, i) > 0) {
			r = dit_page_tree_end_branch(tree, i);
		}
	}
	return r;
}

/* The open leaf, or page of a list, ends. */
static int end_page(const struct dit_tree_path *path)
{
	struct dit_table_writer *writer = path->shared->writer;

	return path->is_list ? dit_table_writer_end_records_page(writer)
	                     : dit_table_writer_end_leaf(writer);
}

/* A page, and all below it, is kept if it can be; else its nodes are. */
static int keep(struct dit_tree_path *path, uint64_t number, unsigned height,
                const struct dit_path_bounds *bounds)
{
	struct dit_table_writer *writer = path->shared->writer;
	struct dit_page_tree *pages = pages_of(path);
	struct dit_span lowest = bounds->lowest;
	bool has_key = !path->is_list && lowest.len > 0;
	int r = 0;

	if (!can_keep(path, height)) {
		r = open_page(path, number, bounds);
		return r < 0 ? r : close_page(path);
	}
	r = has_key ? dit_table_writer_check_key(writer, lowest) : 0;
	r = r ?: end_page(path);
	r = r ?: end_below(pages, height - 1);
	if (r == 0) {
		r = dit_page_tree_add_page(pages, height - 1, number | DIT_TICKET_IS_PAGE,
		                           lowest);
	}
	if (r == 0 && has_key) {
		dit_table_writer_remember_key(writer, lowest);
	}
	if (!path->is_list) {
		writer->nnew_leaves = 0;
	}
	return r;
}

/* Its items do not stay. */
static void take(struct dit_tree_path *path, const struct dit_node_view *node)
{
	path->left.nitems -= dit_node_items(node, path->shared->writer->format);
}

/* The writer counts the items, and the pages that a long value needs. */
static int copy_node(struct dit_tree_path *path, const struct dit_node_view *node)
{
	struct dit_table_writer *writer = path->shared->writer;

	if (has_right_length(path, node->key) < 0) {
		return DIT_E_CORRUPT;
	}
	take(path, node);
	if ((node->flags & DIT_NODE_BIG) != 0) {
		path->left.noverflow_pages -= dit_overflow_pages(
			writer->format, node->value_len, writer->page_bytes);
	}
	return path->is_list ? dit_table_writer_add_record(writer, node->key)
	                     : dit_table_writer_copy(writer, node);
}

/* The lowest key of what is below the next node of the open page. */
static struct dit_span lowest_of(struct dit_tree_path *path,
                                 const struct dit_node_view *node)
{
	return top_of(path)->slot == 0 ? path->bounds[path->nopen - 1].lowest : node->key;
}

/* The next node of the open page, with what is below it. */
static int keep_node(struct dit_tree_path *path, const struct dit_node_view *node)
{
	struct dit_tree_level *level = top_of(path);
	struct dit_path_bounds bounds = {.has_end = false};
	unsigned height = height_of(path, path->nopen);

	if (height == 1) {
		level->slot++;
		return copy_node(path, node);
	}
	bounds.lowest = lowest_of(path, node);
	if (level->slot++ > 0 && has_right_length(path, node->key) < 0) {
		return DIT_E_CORRUPT;
	}
	return keep(path, node->child, height - 1, &bounds);
}

static int close_page(struct dit_tree_path *path)
{
	const struct dit_tree_level *level = top_of(path);
	struct dit_node_view node;
	int r = 0;

	while (r == 0 && has_more(level)) {
		r = dit_tree_level_node(level, &node);
		r = r ?: keep_node(path, &node);
	}
	path->nopen--;
	return r;
}

/* ---- the way to a leaf ---- */

static int compare(const struct dit_tree_path *path, struct dit_span a, struct dit_span b)
{
	return dit_key_compare(&path->order, (struct dit_span){NULL, 0}, a, b);
}

/* Open the child of the open branch page to which the key belongs. */
static int open_child(struct dit_tree_path *path, struct dit_span key)
{
	struct dit_tree_level *level = top_of(path);
	struct dit_path_bounds bounds = path->bounds[path->nopen - 1];
	struct dit_node_view node;
	struct dit_node_view next;
	int r = dit_tree_level_node(level, &node);

	while (r == 0 && level->slot + 1 < level->count) {
		if (dit_view_node(level->view, level->slot + 1, &next) != DIT_NODE_FITS ||
		    has_right_length(path, next.key) < 0) {
			return DIT_E_CORRUPT;
		}
		if (compare(path, key, next.key) < 0) {
			bounds.end = next.key;
			bounds.has_end = true;
			break;
		}
		r = keep_node(path, &node);
		node = next;
	}
	if (r < 0) {
		return r;
	}
	bounds.lowest = lowest_of(path, &node);
	level->slot++;
	return open_page(path, node.child, &bounds);
}

int dit_tree_path_begin(struct dit_tree_path *path, const struct dit_tree_record *tree)
{
	const struct dit_path_bounds whole = {.has_end = false};
	int r = dit_tree_position_set(&path->position, tree);

	path->left = *tree;
	path->nopen = 0;
	return r < 0 || path->position.depth == 0 ? r
	                                          : open_page(path, tree->root, &whole);
}

int dit_tree_path_begin_inside(struct dit_tree_path *path, struct dit_page_view view)
{
	int r = dit_tree_position_set_page(&path->position, view);

	path->bounds[0] = (struct dit_path_bounds){.has_end = false};
	path->nopen = r == 0 ? 1 : 0;
	return r;
}

int dit_tree_path_find(struct dit_tree_path *path, struct dit_span key,
                       struct dit_tree_level **ret)
{
	int r = 0;

	*ret = NULL;
	if (path->nopen == 0) {
		return 0;
	}
	while (r == 0 && path->bounds[path->nopen - 1].has_end &&
	       compare(path, key, path->bounds[path->nopen - 1].end) >= 0) {
		r = close_page(path);
	}
	while (r == 0 && height_of(path, path->nopen) > 1) {
		r = has_more(top_of(path)) ? open_child(path, key) : DIT_E_CORRUPT;
	}
	*ret = top_of(path);
	return r;
}

int dit_tree_path_take(struct dit_tree_path *path, struct dit_span key,
                       struct dit_node_view *ret)
{
	struct dit_tree_level *leaf = NULL;
	int order = 1;
	int r = dit_tree_path_find(path, key, &leaf);

	while (r == 0 && leaf != NULL && has_more(leaf)) {
		r = dit_tree_level_node(leaf, ret);
		r = r ?: has_right_length(path, ret->key);
		if (r == 0) {
			order = compare(path, key, ret->key);
		}
		if (r < 0 || order <= 0) {
			break;
		}
		r = keep_node(path, ret);
	}
	if (r < 0 || order != 0) {
		return r;
	}
	take(path, ret);
	leaf->slot++;
	return 1;
}

/* ---- the end ---- */

/* A page below the open one is kept; the last one is opened, down to a level. */
static int join_next(struct dit_tree_path *path, unsigned level)
{
	struct dit_tree_level *top = top_of(path);
	unsigned height = height_of(path, path->nopen);
	bool is_last = top->slot + 1 == top->count;
	struct dit_path_bounds bounds = {.has_end = false};
	struct dit_node_view node;
	int r = dit_tree_level_node(top, &node);

	if (r < 0) {
		return r;
	}
	bounds.lowest = lowest_of(path, &node);
	top->slot++;
	if (is_last && height > level + 2) {
		return open_page(path, node.child, &bounds);
	}
	return dit_page_tree_add_page(pages_of(path), height - 2,
	                              node.child | DIT_TICKET_IS_PAGE, bounds.lowest);
}

/*
 * The only page of a level with others above it, which are kept: the last of these is
 * opened, and so is the last page below it, down to the level.
 *
 *   a kept one      K                  K is opened       a'     b'
 *                  / \                                  / \    / \
 *   the level     e   f    x                           e   f  g   x
 */
static int join_last(struct dit_tree_path *path, unsigned level)
{
	struct dit_page_tree *pages = pages_of(path);
	struct dit_tree_child lone = {.key = NULL};
	struct dit_tree_child last = {.key = NULL};
	struct dit_path_bounds bounds = {.has_end = false};
	unsigned above = level + 1;
	char *keys = malloc(2 * (size_t)path->shared->writer->key_max);
	int r = keys == NULL ? -ENOMEM : 0;

	while (dit_page_tree_held(pages, above) == 0) {
		above++;
	}
	if (r == 0) {
		lone.key = keys;
		last.key = keys + path->shared->writer->key_max;
		dit_page_tree_pop(pages, level, &lone);
		dit_page_tree_pop(pages, above, &last);
		bounds.lowest = (struct dit_span){last.key, last.key_len};
		path->position.depth = above + 1;
		r = open_page(path, last.ticket & ~DIT_TICKET_IS_PAGE, &bounds);
	}
	while (r == 0 && has_more(top_of(path))) {
		r = join_next(path, level);
	}
	path->nopen = 0;
	if (r == 0) {
		r = dit_page_tree_add_page(pages, level, lone.ticket,
		                           (struct dit_span){lone.key, lone.key_len});
	}
	free(keys);
	return r;
}

static bool has_above(const struct dit_page_tree *pages, unsigned level)
{
	for (unsigned i = level + 1; i < pages->nlevels; i++) {
		if (dit_page_tree_held(pages, i) > 0) {
			return true;
		}
	}
	return false;
}

int dit_tree_path_close(struct dit_tree_path *path)
{
	int r = 0;

	while (r == 0 && path->nopen > 0) {
		r = close_page(path);
	}
	return r;
}

int dit_tree_path_end(struct dit_tree_path *path)
{
	struct dit_page_tree *pages = pages_of(path);
	int r = dit_tree_path_close(path);

	r = r ?: end_page(path);
	for (unsigned level = 0; r == 0 && level < pages->nlevels; level++) {
		unsigned n = dit_page_tree_held(pages, level);

		if (n == 1 && has_above(pages, level)) {
			r = join_last(path, level);
			n = dit_page_tree_held(pages, level);
		}
		if (r == 0 && n == 2) {
			r = dit_page_tree_end_branch(pages, level);
		}
	}
	pages->nbranch_pages += path->left.nbranch_pages;
	pages->nleaf_pages += path->left.nleaf_pages;
	return r;
}
