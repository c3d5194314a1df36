/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists come in key order. The pages from the root to the leaf that gets the next list
 * are open: of each it is known how many of its nodes have been taken over. A page is
 * closed when a key comes that lies behind it, and what is left of it is taken over.
 *
 * New keys and IDs are added and none is removed, so a page that is written anew has as
 * many nodes as before, or more: it becomes one page or several of the same height, and
 * no branch page is left with one child.
 */
#include "output/grown_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <lmdb.h>

#include "base/error.h"
#include "base/grow.h"
#include "output/list_merge.h"
#include "page/page_view.h"
#include "tree/table_writer.h"

#define ID_BYTES  sizeof(uint64_t)
#define DEPTH_MAX 32 /* LMDB's cursors go no deeper */

/* An open page. */
struct level {
	char *page; /* owned */
	struct dit_page_view view;
	uint64_t number;
	unsigned height;        /* 1: a leaf */
	unsigned at;            /* the next node */
	struct dit_span lowest; /* points into a page above; of the first page empty */
	struct dit_span end;    /* likewise: the lowest key behind the page */
	bool has_end;
};

struct grown_table {
	struct dit_output_table base;
	struct dit_grown_table_opts opts;
	struct dit_table_writer *writer; /* owned */
	struct dit_list_merge merge;
	struct level levels[DEPTH_MAX]; /* the root first */
	unsigned nopen;
	bool is_begun;                   /* a list came */
	char *list_pages[DEPTH_MAX + 1]; /* of a list, by height; owned */
	struct dit_tree_record left;     /* pages and items of the tree that stay */
	uint64_t *ids;                   /* of a stored list; owned */
	size_t nids;
	size_t ids_size;
	uint64_t *dropped; /* owned */
	size_t ndropped;
	size_t dropped_size;
};

static struct grown_table *of(struct dit_output_table *table)
{
	return (struct grown_table *)table;
}

/* ---- order ---- */

static uint64_t number_of(struct dit_span key)
{
	uint64_t wide = 0;

	memcpy(&wide, key.data, key.len < sizeof(wide) ? key.len : sizeof(wide));
	return wide; /* little-endian: a narrow one is the same number */
}

static int compare(const struct grown_table *table, struct dit_span a, struct dit_span b)
{
	size_t shorter = a.len < b.len ? a.len : b.len;
	int order = 0;

	if ((table->opts.stored.flags & MDB_INTEGERKEY) != 0) {
		return (number_of(a) > number_of(b)) - (number_of(a) < number_of(b));
	}
	order = memcmp(a.data, b.data, shorter);
	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* ---- pages ---- */

static int drop_page(void *ctx, uint64_t first, uint64_t n)
{
	struct grown_table *table = ctx;
	uint64_t *dropped = dit_grow(table->dropped, &table->dropped_size,
	                             table->ndropped + n, sizeof(*dropped));

	if (dropped == NULL) {
		return -ENOMEM;
	}
	table->dropped = dropped;
	for (uint64_t i = 0; i < n; i++) {
		dropped[table->ndropped++] = first + i;
	}
	return 0;
}

/* A page of this height, whose slots and nodes lie where they can. */
static int read_page(const struct grown_table *table, uint64_t number, unsigned kind,
                     char **page, struct dit_page_view *ret)
{
	const struct dit_tree_source *source = &table->opts.source;
	unsigned kinds = DIT_PAGE_BRANCH | DIT_PAGE_LEAF | DIT_PAGE_LEAF2;
	int r = DIT_E_CORRUPT;

	if (*page == NULL) {
		*page = malloc(source->pages->page_bytes);
		if (*page == NULL) {
			return -ENOMEM;
		}
	}
	if (number < source->pages->npages) {
		r = dit_page_source_read(source->pages, number, 1, *page);
	}
	*ret = (struct dit_page_view){*page, source->pages->page_bytes, source->format};
	if (r < 0) {
		return r;
	}
	return dit_view_has_bounds(*ret) && (dit_view_flags(*ret) & kinds) == kind &&
	                       dit_view_number(*ret) == number
	               ? 0
	               : DIT_E_CORRUPT;
}

static int node_at(const struct level *level, unsigned at, struct dit_node_view *ret)
{
	return dit_view_node(level->view, at, ret) == DIT_NODE_FITS ? 0 : DIT_E_CORRUPT;
}

/* ---- lists ---- */

static int add_packed(struct grown_table *table, struct dit_page_view view)
{
	uint64_t *ids = NULL;
	size_t n = 0;

	if (view.len < view.format->header_bytes || !dit_view_has_bounds(view) ||
	    (dit_view_flags(view) & DIT_PAGE_LEAF2) == 0 ||
	    dit_view_item_bytes(view) != ID_BYTES ||
	    !dit_view_has_items(view, ID_BYTES)) {
		return DIT_E_CORRUPT;
	}
	n = dit_view_count(view);
	ids = dit_grow(table->ids, &table->ids_size, table->nids + n, sizeof(*ids));
	if (ids == NULL) {
		return -ENOMEM;
	}
	table->ids = ids;
	if (n > 0) {
		memcpy(ids + table->nids, dit_view_item(view, 0, ID_BYTES).data,
		       n * ID_BYTES);
	}
	table->nids += n;
	return 0;
}

/* All IDs of a long list. */
static int read_ids(struct grown_table *table, uint64_t number, unsigned height)
{
	struct dit_page_view view;
	struct dit_node_view node;
	int r = read_page(table, number,
	                  height == 1 ? DIT_PAGE_LEAF | DIT_PAGE_LEAF2 : DIT_PAGE_BRANCH,
	                  &table->list_pages[height], &view);

	if (r < 0 || height == 1) {
		return r < 0 ? r : add_packed(table, view);
	}
	for (unsigned i = 0; r == 0 && i < dit_view_count(view); i++) {
		r = dit_view_node(view, i, &node) == DIT_NODE_FITS
		            ? read_ids(table, node.child, height - 1)
		            : DIT_E_CORRUPT;
	}
	return r;
}

/* IDs that come to a long list, which stays one. */
struct more_ids {
	const uint64_t *ids; /* those that are left */
	size_t nids;
	struct dit_tree_record left; /* pages of the list that stay */
};

static int grow_ids_leaf(struct grown_table *table, struct more_ids *more,
                         struct dit_page_view view, size_t nmore)
{
	struct dit_output_list list = {.ids = more->ids, .nids = nmore};
	struct dit_output_list merged = {0};
	int r = 0;

	table->nids = 0;
	r = add_packed(table, view);
	if (r == 0 && table->nids == 0) {
		r = DIT_E_CORRUPT;
	}
	if (r == 0) {
		r = dit_list_merge(&table->merge, table->ids, table->nids, &list,
		                   UINT64_MAX, &merged);
	}
	if (r == 0) {
		r = dit_table_writer_put_ids(table->writer, merged.ids, merged.nids);
	}
	more->ids += nmore;
	more->nids -= nmore;
	more->left.nleaf_pages--;
	return r;
}

static size_t count_below(const struct more_ids *more, uint64_t end)
{
	size_t n = 0;

	while (n < more->nids && more->ids[n] < end) {
		n++;
	}
	return n;
}

/* A page of a list, of IDs below END. */
static int grow_ids(struct grown_table *table, struct more_ids *more,
                    const struct level *page, uint64_t lowest, uint64_t end)
{
	unsigned height = page->height;
	size_t nmore = count_below(more, end);
	struct dit_page_view view;
	int r = 0;

	if (nmore == 0) {
		return dit_table_writer_keep_ids_tree(table->writer, height, page->number,
		                                      lowest);
	}
	r = read_page(table, page->number,
	              height == 1 ? DIT_PAGE_LEAF | DIT_PAGE_LEAF2 : DIT_PAGE_BRANCH,
	              &table->list_pages[height], &view);
	if (r == 0) {
		r = drop_page(table, page->number, 1);
	}
	if (r < 0 || height == 1) {
		return r < 0 ? r : grow_ids_leaf(table, more, view, nmore);
	}
	for (unsigned i = 0; r == 0 && i < dit_view_count(view); i++) {
		const struct level from = {.view = view};
		struct dit_node_view node;
		struct dit_node_view next = {.key = {(const char *)&end, ID_BYTES}};

		r = node_at(&from, i, &node);
		if (r == 0 && i + 1 < dit_view_count(view)) {
			r = node_at(&from, i + 1, &next);
		}
		if (r < 0 || next.key.len != ID_BYTES ||
		    (i > 0 && node.key.len != ID_BYTES)) {
			return DIT_E_CORRUPT;
		}
		r = grow_ids(table, more,
		             &(struct level){.number = node.child, .height = height - 1},
		             i == 0 ? lowest : number_of(node.key), number_of(next.key));
	}
	more->left.nbranch_pages--;
	return r < 0 ? r : dit_table_writer_end_ids_page(table->writer, height);
}

static int grow_long_list(struct grown_table *table, const struct dit_tree_record *tree,
                          const struct dit_output_list *list)
{
	struct more_ids more = {.ids = list->ids, .nids = list->nids, .left = *tree};
	int r = grow_ids(table, &more,
	                 &(struct level){.number = tree->root, .height = tree->depth}, 0,
	                 UINT64_MAX);

	dit_table_writer_count_kept_ids(table->writer, more.left.nbranch_pages,
	                                more.left.nleaf_pages);
	return r < 0 ? r
	             : dit_table_writer_end_ids(table->writer, list->key,
	                                        tree->nitems + list->nids);
}

/* A long list that becomes a range. */
static int replace_long_list(struct grown_table *table,
                             const struct dit_tree_record *tree)
{
	const struct dit_tree_visitor visitor = {.pages = drop_page, .ctx = table};
	int r = read_ids(table, tree->root, tree->depth);

	return r < 0 ? r : dit_tree_visit_branches(&table->opts.source, tree, &visitor);
}

static int put_merged(struct grown_table *table, const struct dit_output_list *more)
{
	struct dit_output_list list = {0};
	int r = table->nids > 0 ? 0 : DIT_E_CORRUPT;

	if (r == 0) {
		r = dit_list_merge(&table->merge, table->ids, table->nids, more,
		                   table->opts.list_max, &list);
	}
	return r < 0 ? r
	             : dit_table_writer_put(table->writer, list.key, list.ids, list.nids);
}

static bool becomes_range(const struct grown_table *table, uint64_t nstored,
                          const struct dit_output_list *list)
{
	uint64_t n = nstored + list->nids;

	return list->ids[0] == 0 || n > table->opts.list_max ||
	       (n == table->opts.list_max && list->is_repeated);
}

static int grow_node(struct grown_table *table, const struct dit_node_view *node,
                     const struct dit_output_list *list)
{
	struct dit_tree_record tree;
	int r = 0;

	table->nids = 0;
	switch (node->flags) {
	case 0:
		table->ids = dit_grow(table->ids, &table->ids_size, 1, ID_BYTES);
		if (table->ids == NULL || node->value.len != ID_BYTES) {
			return table->ids == NULL ? -ENOMEM : DIT_E_CORRUPT;
		}
		memcpy(table->ids, node->value.data, ID_BYTES);
		table->nids = 1;
		break;
	case DIT_NODE_LIST:
		r = add_packed(table, (struct dit_page_view){node->value.data,
		                                             (unsigned)node->value.len,
		                                             table->opts.source.format});
		break;
	case DIT_NODE_LIST | DIT_NODE_TREE:
		if (node->value.len != sizeof(tree)) {
			return DIT_E_CORRUPT;
		}
		memcpy(&tree, node->value.data, sizeof(tree));
		if (tree.depth == 0 || tree.depth > DEPTH_MAX) {
			return DIT_E_CORRUPT;
		}
		table->left.nitems -= tree.nitems;
		if (!becomes_range(table, tree.nitems, list)) {
			return grow_long_list(table, &tree, list);
		}
		r = replace_long_list(table, &tree);
		return r < 0 ? r : put_merged(table, list);
	default:
		return DIT_E_CORRUPT;
	}
	table->left.nitems -= table->nids;
	return r < 0 ? r : put_merged(table, list);
}

/* ---- the way to a leaf ---- */

static int open_page(struct grown_table *table, uint64_t number, unsigned height,
                     const struct level *bounds)
{
	struct level *level = &table->levels[table->nopen];
	char *page = level->page;
	int r = 0;

	*level = *bounds;
	level->page = page;
	level->number = number;
	level->height = height;
	level->at = 0;
	r = read_page(table, number, height == 1 ? DIT_PAGE_LEAF : DIT_PAGE_BRANCH,
	              &level->page, &level->view);
	if (r == 0) {
		r = drop_page(table, number, 1);
	}
	if (r < 0) {
		return r;
	}
	if (height == 1) {
		table->left.nleaf_pages--;
	} else {
		table->left.nbranch_pages--;
	}
	table->nopen++;
	return 0;
}

static struct level *top_of(struct grown_table *table)
{
	return &table->levels[table->nopen - 1];
}

/* A node of the open page without a change, and what is below it. */
static int keep_node(struct grown_table *table, struct level *level,
                     const struct dit_node_view *node)
{
	unsigned at = level->at++;

	if (level->height == 1) {
		table->left.nitems -= dit_node_items(node, table->opts.source.format);
		return dit_table_writer_copy(table->writer, node);
	}
	return dit_table_writer_keep_tree(table->writer, level->height - 1, node->child,
	                                  at == 0 ? level->lowest : node->key);
}

static int close_page(struct grown_table *table)
{
	struct level *level = top_of(table);
	struct dit_node_view node;
	int r = 0;

	while (r == 0 && level->at < dit_view_count(level->view)) {
		r = node_at(level, level->at, &node);
		if (r == 0) {
			r = keep_node(table, level, &node);
		}
	}
	table->nopen--;
	return r < 0 ? r : dit_table_writer_end_page(table->writer, level->height);
}

/* Open the child of the open branch page to which the key belongs. */
static int open_child(struct grown_table *table, struct dit_span key)
{
	struct level *level = top_of(table);
	struct level bounds = {.end = level->end, .has_end = level->has_end};
	struct dit_node_view node;
	struct dit_node_view next;
	int r = node_at(level, level->at, &node);

	while (r == 0 && level->at + 1 < dit_view_count(level->view)) {
		r = node_at(level, level->at + 1, &next);
		if (r == 0 && compare(table, key, next.key) < 0) {
			bounds.end = next.key;
			bounds.has_end = true;
			break;
		}
		if (r == 0) {
			r = keep_node(table, level, &node);
		}
		node = next;
	}
	if (r < 0) {
		return r;
	}
	bounds.lowest = level->at == 0 ? level->lowest : node.key;
	level->at++;
	return table->nopen == DEPTH_MAX
	               ? DIT_E_CORRUPT
	               : open_page(table, node.child, level->height - 1, &bounds);
}

static int find_leaf(struct grown_table *table, struct dit_span key)
{
	int r = 0;

	while (r == 0 && top_of(table)->has_end &&
	       compare(table, key, top_of(table)->end) >= 0) {
		r = close_page(table);
	}
	while (r == 0 && top_of(table)->height > 1) {
		r = top_of(table)->at < dit_view_count(top_of(table)->view)
		            ? open_child(table, key)
		            : DIT_E_CORRUPT;
	}
	return r;
}

static int begin(struct grown_table *table)
{
	const struct dit_tree_record *stored = &table->opts.stored;

	table->is_begun = true;
	if (stored->root == DIT_PAGE_NONE) {
		return 0;
	}
	return stored->depth == 0 || stored->depth > DEPTH_MAX
	               ? DIT_E_CORRUPT
	               : open_page(table, stored->root, stored->depth,
	                           &(struct level){.number = 0});
}

/* ---- what comes ---- */

/* Integer keys of different lengths have no order (storage.md 1.5). */
static bool has_right_length(const struct grown_table *table, struct dit_span key,
                             struct dit_span stored)
{
	return (table->opts.stored.flags & MDB_INTEGERKEY) == 0 || stored.len == key.len;
}

static int put_new(struct grown_table *table, const struct dit_output_list *more)
{
	struct dit_output_list list = {0};
	int r = dit_list_merge(&table->merge, NULL, 0, more, table->opts.list_max, &list);

	return r < 0 ? r
	             : dit_table_writer_put(table->writer, list.key, list.ids, list.nids);
}

static int put_list(struct grown_table *table, const struct dit_output_list *list)
{
	struct level *leaf = NULL;
	struct dit_node_view node;
	int order = 1;
	int r = table->is_begun ? 0 : begin(table);

	if (r == 0 && table->nopen > 0) {
		r = find_leaf(table, list->key);
	}
	if (r < 0 || table->nopen == 0) {
		return r < 0 ? r : put_new(table, list);
	}
	leaf = top_of(table);
	while (leaf->at < dit_view_count(leaf->view)) {
		r = node_at(leaf, leaf->at, &node);
		if (r == 0 && !has_right_length(table, list->key, node.key)) {
			r = -EINVAL;
		}
		order = r < 0 ? 0 : compare(table, list->key, node.key);
		if (r < 0 || order <= 0) {
			break;
		}
		r = keep_node(table, leaf, &node);
		if (r < 0) {
			break;
		}
	}
	if (r < 0 || order != 0) {
		return r < 0 ? r : put_new(table, list);
	}
	leaf->at++;
	return grow_node(table, &node, list);
}

static int put_lists(struct dit_output_table *table, const struct dit_output_list *lists,
                     size_t nlists)
{
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		r = lists[i].nids == 0 ? 0 : put_list(of(table), &lists[i]);
	}
	return r;
}

static int put_record(struct dit_output_table *table, uint64_t id, struct dit_span record)
{
	(void)table, (void)id, (void)record;
	return -EINVAL;
}

static void drop(struct dit_output_table *table)
{
	struct grown_table *t = of(table);

	for (unsigned i = 0; i < DEPTH_MAX; i++) {
		free(t->levels[i].page);
	}
	for (unsigned i = 0; i <= DEPTH_MAX; i++) {
		free(t->list_pages[i]);
	}
	dit_table_writer_free(t->writer);
	dit_list_merge_deinit(&t->merge);
	free(t->ids);
	free(t->dropped);
	free(t);
}

static int finish(struct dit_output_table *table)
{
	struct grown_table *t = of(table);
	struct dit_grown_tree *tree = t->opts.tree;
	int r = 0;

	while (r == 0 && t->nopen > 0) {
		r = close_page(t);
	}
	dit_table_writer_count_kept(t->writer, t->left.nbranch_pages,
	                            t->left.nleaf_pages);
	if (r == 0 && t->is_begun) {
		r = dit_table_writer_finish(t->writer, &tree->record);
		tree->record.nitems += t->left.nitems;
	}
	if (r == 0) {
		tree->dropped = t->dropped;
		tree->ndropped = t->ndropped;
		tree->is_written = true;
		t->dropped = NULL;
	}
	drop(table);
	return r;
}

static const struct dit_output_table_ops ops = {
	.put_lists = put_lists,
	.put_record = put_record,
	.finish = finish,
	.drop = drop,
};

int dit_grown_table_open(struct dit_output_table **ret,
                         const struct dit_grown_table_opts *opts)
{
	struct grown_table *table = calloc(1, sizeof(*table));
	int r = 0;

	if (table == NULL) {
		return -ENOMEM;
	}
	table->base.ops = &ops;
	table->opts = *opts;
	table->left = opts->stored;
	opts->tree->record = opts->stored;
	r = dit_table_writer_new(&table->writer, opts->space, opts->stored.flags);
	if (r < 0) {
		drop(&table->base);
		return r;
	}
	*ret = &table->base;
	return 0;
}
