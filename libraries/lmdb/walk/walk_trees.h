/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Some trees of a file are walked, with all checks of the walker (walk.h), by those who
 * are about to give their pages away: a page of a damaged tree may be somebody else's.
 *
 * Threads: as a walk.
 */
#ifndef DITKIT_WALK_TREES_H
#define DITKIT_WALK_TREES_H

#include "page/page_set.h"
#include "page/page_source.h"
#include "walk/walk.h"

/** A named database. */
struct dit_walked_tree {
	const char *name;
	struct dit_tree_record record;
	bool is_damaged; /* set by dit_walk_trees() */
	char text[240];  /* of a damaged one: what was found first */
};

struct dit_walk_trees_opts {
	const struct dit_page_source *pages; /* of the file; borrowed */
	unsigned nthreads;
	dit_key_order_fn order;            /* as in a walk */
	const struct dit_page_set *others; /* pages that no tree may have; borrowed */
};

/**
 * @param trees  no two of one name
 * @param ret    gets the pages of all trees, with those of long values and of lists. To
 *               be deinitialised in every case
 *
 * @return 0: nothing is wrong; DIT_E_CORRUPT: some trees are damaged, and @p ret cannot
 *         be used; -errno, -ENOMEM
 */
int dit_walk_trees(const struct dit_walk_trees_opts *opts, struct dit_walked_tree *trees,
                   size_t ntrees, struct dit_page_set *ret);

#endif
