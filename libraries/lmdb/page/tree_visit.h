/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A walk over one tree of a file, in key order: which pages it has, and the nodes of its
 * leaves.
 *
 * This is for those who change a file. The walker (walk.h) says all that is wrong with a
 * damaged one; here the first thing that is wrong ends the visit. A visitor that refuses
 * to see a page twice makes every visit end.
 *
 * Threads: any; the source says who may read.
 */
#ifndef DITKIT_TREE_VISIT_H
#define DITKIT_TREE_VISIT_H

#include "page/page_format.h"
#include "page/page_source.h"
#include "page/page_view.h"

struct dit_tree_visitor {
	/**
	 * Pages of the tree that lie in a row: one, or a long value's. They may lie
	 * outside of the file. Called before the first of them is read.
	 *
	 * @return 0; 1: leave out what is below; an error, which ends the visit
	 */
	int (*pages)(void *ctx, uint64_t first, uint64_t n);
	/**
	 * A node of a leaf. NULL: nodes are not wanted.
	 *
	 * @param page  the leaf's number; @p node  valid during the call
	 */
	int (*node)(void *ctx, uint64_t page, const struct dit_node_view *node);
	void *ctx;
};

/** Where the pages of a tree are read from, and what they look like. */
struct dit_tree_source {
	struct dit_page_source *pages;
	const struct dit_page_format *format;
};

/**
 * Visit a tree, and the trees of its long lists, whose nodes are not told.
 *
 * @return 0; DIT_E_CORRUPT: a page is not what the tree says; what a visitor returned;
 *         -errno of reading, -ENOMEM
 */
int dit_tree_visit(const struct dit_tree_source *source,
                   const struct dit_tree_record *tree,
                   const struct dit_tree_visitor *visitor);

/** The first page of a node with DIT_NODE_BIG. 0; DIT_E_CORRUPT */
int dit_long_value_page(const struct dit_tree_source *source,
                        const struct dit_node_view *node, uint64_t *ret);
/**
 * Read a long value from its pages.
 *
 * @param ret  value_len bytes; free() it
 *
 * @return 0; DIT_E_CORRUPT: the pages are outside of the file; -errno, -ENOMEM
 */
int dit_long_value_read(const struct dit_tree_source *source,
                        const struct dit_node_view *node, char **ret);

/**
 * The same without reading leaves: pages of long values and of lists are not told, and
 * no nodes.
 */
int dit_tree_visit_branches(const struct dit_tree_source *source,
                            const struct dit_tree_record *tree,
                            const struct dit_tree_visitor *visitor);

#endif
