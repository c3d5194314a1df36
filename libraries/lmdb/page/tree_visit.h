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

#include "page/page_source.h"
#include "page/page_view.h"

struct dit_tree_visitor {
	/**
	 * Pages of the tree that lie in a row: one, which may lie outside of the file, or
	 * a long value's. Called before the first of them is read. NULL: nobody counts.
	 *
	 * @return 0; 1: leave out what is below; an error, which ends the visit
	 */
	int (*pages)(void *ctx, uint64_t first, uint64_t n);
	/** A node of a leaf, valid during the call. NULL: nodes are not wanted. */
	int (*node)(void *ctx, const struct dit_node_view *node);
	void *ctx;
	/* Leaves are not read: pages of long values and of lists are not told. */
	bool skips_leaves;
};

/**
 * Visit a tree, and the trees of its long lists, whose nodes are not told.
 *
 * @return 0; DIT_E_CORRUPT: a page is not what the tree says; what a visitor returned;
 *         -errno of reading, -ENOMEM
 */
int dit_tree_visit(const struct dit_page_source *source,
                   const struct dit_tree_record *tree,
                   const struct dit_tree_visitor *visitor);

#endif
