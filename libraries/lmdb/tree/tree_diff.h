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
 *   dit_tree_follow()  both, down to where they meet; then the pages are those of the
 *                      newer one
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
 * @param is_whole  with the pages of long values and lists; else no leaf is read
 *
 * @return 0; DIT_E_CORRUPT; -errno of reading, -ENOMEM
 */
int dit_tree_pages(const struct dit_page_source *source,
                   const struct dit_tree_record *tree, bool is_whole,
                   struct dit_page_set *ret);

struct dit_tree_follower {
	/**
	 * Pages of the older tree, and maybe of other trees; become those of the newer
	 * one, for a comparison with a third version.
	 */
	struct dit_page_set *pages;
	/* With those of long values and lists; else some of these may come in addition,
	 * which belong to the newer version. */
	bool is_whole;
	/**
	 * A node of a leaf that one version alone has: it may be in a leaf of the other
	 * one as well. NULL: nodes are not wanted.
	 *
	 * @return 0 or an error
	 */
	int (*node)(void *ctx, bool is_newer, const struct dit_node_view *node);
	void *ctx;
};

/**
 * Visit both versions, down to where they meet, and move the set from one to the other.
 *
 * @param source  reads both versions
 *
 * @return 0; DIT_E_CORRUPT: also if a page of the older version is missing in a whole
 *         set; what node() returned; -errno of reading, -ENOMEM. After an error the
 *         contents of the set are undefined
 */
int dit_tree_follow(const struct dit_page_source *source,
                    const struct dit_tree_record *older,
                    const struct dit_tree_record *newer,
                    const struct dit_tree_follower *follower);

#endif
