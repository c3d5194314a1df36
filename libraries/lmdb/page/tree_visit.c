/* SPDX-License-Identifier: BSD-2-Clause */
/* Down the pages of a tree; leaves that lie in a row are read together. */
#include "page/tree_visit.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"

#define DEPTH_MAX 32 /* LMDB's cursors go no deeper */
#define RUN_MAX   32 /* leaves that are read with one call */

struct visit {
	const struct dit_tree_source *source;
	const struct dit_tree_visitor *visitor;
	bool is_list; /* the tree of a list: there is nothing below its leaves */

	/* Leaves read last. */
	uint64_t first;
	unsigned nread;
	char *leaves;   /* RUN_MAX pages; owned */
	char *branches; /* a page for each height from 2 on; owned */
};

static int visit_tree(const struct dit_tree_source *source,
                      const struct dit_tree_record *tree,
                      const struct dit_tree_visitor *visitor, bool is_list);

/* ---- reading ---- */

static int read_pages(const struct dit_tree_source *source, uint64_t first, unsigned n,
                      char *pages)
{
	int r = 0;

	if (first >= source->pages->npages) {
		return DIT_E_CORRUPT;
	}
	r = dit_page_source_read(source->pages, first, n, pages);
	return r == -ENODATA ? DIT_E_CORRUPT : r;
}

static int check_page(struct dit_page_view view, uint64_t number, unsigned kind)
{
	unsigned flags = dit_view_flags(view);

	return dit_view_number(view) == number && dit_view_has_bounds(view) &&
	                       (flags & (DIT_PAGE_BRANCH | DIT_PAGE_LEAF |
	                                 DIT_PAGE_OVERFLOW)) == kind
	               ? 0
	               : DIT_E_CORRUPT;
}

/* How many leaves lie in a row, from a child of a branch page on. */
static unsigned count_row(struct dit_page_view branch, unsigned slot, uint64_t first)
{
	unsigned count = dit_view_count(branch);
	unsigned n = 1;
	struct dit_node_view node;

	while (n < RUN_MAX && slot + n < count &&
	       dit_view_node(branch, slot + n, &node) == DIT_NODE_FITS &&
	       node.child == first + n) {
		n++;
	}
	return n;
}

/* @param row  leaves that lie in a row from this one on */
static int read_leaf(struct visit *visit, uint64_t number, unsigned row,
                     struct dit_page_view *ret)
{
	unsigned page_bytes = visit->source->pages->page_bytes;

	if (number < visit->first || number - visit->first >= visit->nread) {
		int r = read_pages(visit->source, number, row, visit->leaves);

		if (r < 0) {
			return r;
		}
		visit->first = number;
		visit->nread = (unsigned)r;
	}
	*ret = (struct dit_page_view){visit->leaves + (size_t)(number - visit->first) *
	                                                      page_bytes,
	                              page_bytes, visit->source->format};
	return check_page(*ret, number, DIT_PAGE_LEAF);
}

int dit_long_value_page(const struct dit_tree_source *source,
                        const struct dit_node_view *node, uint64_t *ret)
{
	struct dit_big_value big = {.npages = 0};

	if (node->value.len != source->format->big_node_bytes) {
		return DIT_E_CORRUPT;
	}
	memcpy(&big, node->value.data, node->value.len);
	*ret = big.first_page;
	return 0;
}

/* @param pages  @p npages of them */
static int read_long_value(const struct dit_tree_source *source, uint64_t first,
                           uint64_t npages, char *pages)
{
	unsigned page_bytes = source->pages->page_bytes;
	struct dit_page_view view = {pages, page_bytes, source->format};
	int r = 0;

	for (uint64_t i = 0; i < npages; i += (unsigned)r) {
		unsigned wanted = npages - i < RUN_MAX ? (unsigned)(npages - i) : RUN_MAX;

		r = read_pages(source, first + i, wanted, pages + i * page_bytes);
		if (r < 0) {
			return r;
		}
	}
	return (dit_view_flags(view) & DIT_PAGE_OVERFLOW) != 0 ? 0 : DIT_E_CORRUPT;
}

int dit_long_value_read(const struct dit_tree_source *source,
                        const struct dit_node_view *node, char **ret)
{
	const struct dit_page_format *format = source->format;
	uint64_t npages =
		dit_overflow_pages(format, node->value_len, source->pages->page_bytes);
	uint64_t first = 0;
	char *pages = NULL;
	int r = dit_long_value_page(source, node, &first);

	if (r < 0) {
		return r;
	}
	if (first >= source->pages->npages || npages > source->pages->npages - first) {
		return DIT_E_CORRUPT;
	}
	pages = malloc(npages * source->pages->page_bytes);
	if (pages == NULL) {
		return -ENOMEM;
	}
	r = read_long_value(source, first, npages, pages);
	if (r < 0) {
		free(pages);
		return r;
	}
	memmove(pages, pages + format->header_bytes, node->value_len);
	*ret = pages;
	return 0;
}

/* ---- leaves ---- */

static int visit_long_value(struct visit *visit, const struct dit_node_view *node)
{
	const struct dit_tree_source *source = visit->source;
	uint64_t first = 0;
	int r = dit_long_value_page(source, node, &first);

	if (r == 0) {
		r = visit->visitor->pages(visit->visitor->ctx, first,
		                          dit_overflow_pages(source->format,
		                                             node->value_len,
		                                             source->pages->page_bytes));
	}
	return r > 0 ? 0 : r;
}

/* A named database's record stands in the main tree, and its tree is another one. */
static int visit_list(struct visit *visit, const struct dit_node_view *node)
{
	struct dit_tree_visitor visitor = *visit->visitor;
	struct dit_tree_record list;

	if (node->value.len != sizeof(list)) {
		return DIT_E_CORRUPT;
	}
	memcpy(&list, node->value.data, sizeof(list));
	visitor.node = NULL;
	return visit_tree(visit->source, &list, &visitor, true);
}

static int visit_node(struct visit *visit, uint64_t number,
                      const struct dit_node_view *node)
{
	const struct dit_tree_visitor *visitor = visit->visitor;
	int r = 0;

	if (visitor->node != NULL) {
		r = visitor->node(visitor->ctx, number, node);
	}
	if (r == 0 && (node->flags & DIT_NODE_BIG) != 0) {
		r = visit_long_value(visit, node);
	}
	if (r == 0 && (node->flags & DIT_NODE_LIST) != 0 &&
	    (node->flags & DIT_NODE_TREE) != 0) {
		r = visit_list(visit, node);
	}
	return r;
}

static int visit_leaf(struct visit *visit, uint64_t number, unsigned row)
{
	struct dit_page_view view;
	int r = 0;

	if (visit->is_list) {
		return 0;
	}
	r = read_leaf(visit, number, row, &view);
	if (r < 0 || (dit_view_flags(view) & DIT_PAGE_LEAF2) != 0) {
		return r < 0 ? r : DIT_E_CORRUPT; /* only lists have packed leaves */
	}
	for (unsigned i = 0; i < dit_view_count(view) && r == 0; i++) {
		struct dit_node_view node;

		r = dit_view_node(view, i, &node) == DIT_NODE_FITS
		            ? visit_node(visit, number, &node)
		            : DIT_E_CORRUPT;
	}
	return r;
}

/* ---- branches ---- */

/* @param height  1: a leaf */
static int visit_page(struct visit *visit, uint64_t number, unsigned height, unsigned row)
{
	unsigned page_bytes = visit->source->pages->page_bytes;
	struct dit_page_view view = {visit->branches + (size_t)height * page_bytes,
	                             page_bytes, visit->source->format};
	struct dit_node_view node;
	int r = visit->visitor->pages(visit->visitor->ctx, number, 1);

	if (r != 0) {
		return r > 0 ? 0 : r;
	}
	if (height == 1) {
		return visit_leaf(visit, number, row);
	}
	r = read_pages(visit->source, number, 1, (char *)view.bytes);
	if (r >= 0) {
		r = check_page(view, number, DIT_PAGE_BRANCH);
	}
	for (unsigned i = 0; r == 0 && i < dit_view_count(view); i++) {
		if (dit_view_node(view, i, &node) != DIT_NODE_FITS) {
			return DIT_E_CORRUPT;
		}
		r = visit_page(visit, node.child, height - 1,
		               height == 2 ? count_row(view, i, node.child) : 1);
	}
	return r;
}

static int visit_tree(const struct dit_tree_source *source,
                      const struct dit_tree_record *tree,
                      const struct dit_tree_visitor *visitor, bool is_list)
{
	struct visit visit = {.source = source, .visitor = visitor, .is_list = is_list};
	int r = 0;

	if (tree->root == DIT_PAGE_NONE) {
		return 0;
	}
	if (tree->depth == 0 || tree->depth > DEPTH_MAX) {
		return DIT_E_CORRUPT;
	}
	visit.branches = malloc((size_t)(tree->depth + 1) * source->pages->page_bytes);
	visit.leaves =
		is_list ? NULL : malloc((size_t)RUN_MAX * source->pages->page_bytes);
	if (visit.branches == NULL || (!is_list && visit.leaves == NULL)) {
		r = -ENOMEM;
	}
	if (r == 0) {
		r = visit_page(&visit, tree->root, tree->depth, 1);
	}
	free(visit.branches);
	free(visit.leaves);
	return r;
}

int dit_tree_visit(const struct dit_tree_source *source,
                   const struct dit_tree_record *tree,
                   const struct dit_tree_visitor *visitor)
{
	return visit_tree(source, tree, visitor, false);
}

int dit_tree_visit_branches(const struct dit_tree_source *source,
                            const struct dit_tree_record *tree,
                            const struct dit_tree_visitor *visitor)
{
	return visit_tree(source, tree, visitor, true);
}
