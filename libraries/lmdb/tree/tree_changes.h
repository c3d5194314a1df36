/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A finished tree is changed: values are found, and put, in any order. Its keys are
 * integers of 8 bytes; no key goes.
 *
 *   dit_tree_changes_init()
 *   dit_tree_changes_find(), dit_tree_changes_put() ...
 *   dit_tree_changes_finish()
 *   dit_tree_changes_deinit()
 *
 * Values with ascending keys are one merge (tree_merge.h). A lower key, or a look-up,
 * ends the merge; the next value begins another one, with the tree that the last one
 * made.
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_TREE_CHANGES_H
#define DITKIT_TREE_CHANGES_H

#include "base/span.h"
#include "tree/tree_merge.h"

/** All zero: no tree, which cannot be changed. */
struct dit_tree_changes {
	struct dit_tree_merge_opts opts; /* `stored` is the tree so far */
	struct dit_tree_merge *merge;    /* owned; NULL: the tree is finished */
	uint64_t last;                   /* key of the last value of this merge */
	struct dit_tree_cursor *cursor;  /* owned; on the value that was found last */
};

/**
 * @param opts  copied; the orders are those of the keys. The source has no map; its
 *              number of pages grows with the file
 */
void dit_tree_changes_init(struct dit_tree_changes *changes,
                           const struct dit_tree_merge_opts *opts);
/** Changes that are not finished are lost. A zeroed object may be given, too. */
void dit_tree_changes_deinit(struct dit_tree_changes *changes);

/**
 * @param ret  the value; valid until the next call
 *
 * @return 1; 0: there is no such key; errors of tree_merge.h
 */
int dit_tree_changes_find(struct dit_tree_changes *changes, uint64_t key,
                          struct dit_span *ret);
/**
 * Give a key this value, whether the key is there or not.
 *
 * @return 0; errors of tree_merge.h
 */
int dit_tree_changes_put(struct dit_tree_changes *changes, uint64_t key,
                         struct dit_span value);
/** All is handed over to the file. @return as above */
int dit_tree_changes_finish(struct dit_tree_changes *changes,
                            struct dit_tree_record *ret);

#endif
