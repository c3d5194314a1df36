/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two versions of one tree: what the newer one has that the older one has not, and the
 * other way round.
 *
 * As long as somebody reads the older version, its pages stay as they are: liblmdb copies
 * what it changes. So a page with the same number is the same page, with all that is
 * below it, and a comparison costs what the changes cost.
 *
 *   dit_tree_pages()   the pages of the older one, without reading its leaves
 *   dit_tree_diff()    both, down to where they meet
 *   dit_tree_follow()  the same; then the pages are those of the newer one
 *
 * Threads: any; the source says who may read.
 */
#ifndef DITKIT_TREE_DIFF_H
#define DITKIT_TREE_DIFF_H

#include "page/page_set.h"
#include "page/tree_visit.h"

/**
 * Add the branch pages and leaves of a tree to a set.
 *
 * @return 0; DIT_E_CORRUPT; -errno of reading, -ENOMEM
 */
int dit_tree_pages(const struct dit_tree_source *source,
                   const struct dit_tree_record *tree, struct dit_page_set *ret);

/** Pages and nodes that one version alone has. Both callbacks may be NULL, and may end
 * the diff. */
struct dit_tree_diff_ops {
	/** Pages that lie in a row. 0 or an error */
	int (*pages)(void *ctx, bool is_newer, uint64_t first, uint64_t n);
	/** A node of a leaf: it may be in a leaf of the other version as well. */
	int (*node)(void *ctx, bool is_newer, const struct dit_node_view *node);
	void *ctx;
};

/**
 * @param source   reads both versions
 * @param pages    those of the older tree; with those of its long values and lists if
 *                 these shall not be told of both
 *
 * @return 0; DIT_E_CORRUPT; what a callback returned; -errno of reading, -ENOMEM
 */
int dit_tree_diff(const struct dit_tree_source *source,
                  const struct dit_tree_record *older,
                  const struct dit_tree_record *newer, const struct dit_page_set *pages,
                  const struct dit_tree_diff_ops *ops);

/**
 * The same, and those of @p pages that the older version has become those of the newer
 * one, for a comparison with a third version.
 *
 * @param pages    of the older tree, and maybe of other trees
 * @param is_whole with those of its long values and lists; else some of these may come in
 *                 addition, which belong to the newer version
 * @param node     as of dit_tree_diff_ops; NULL: nodes are not wanted
 *
 * @return as above; DIT_E_CORRUPT: also if a page of the older version is missing in a
 *         whole set. After an error the contents of the set are undefined
 */
int dit_tree_follow(
	const struct dit_tree_source *source, const struct dit_tree_record *older,
	const struct dit_tree_record *newer, struct dit_page_set *pages, bool is_whole,
	int (*node)(void *ctx, bool is_newer, const struct dit_node_view *node),
	void *ctx);

#endif
