/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first keys of a tree's leaves, from its branch pages alone: so a scan by several
 * threads can be cut into pieces of like size before anybody has read a leaf.
 *
 * Threads: any; the source says who may read.
 */
#ifndef DITKIT_LEAF_KEYS_H
#define DITKIT_LEAF_KEYS_H

#include "base/span.h"
#include "page/page_format.h"
#include "page/page_source.h"

/**
 * A leaf begins with this key, or with a higher one; keys ascend. The first leaf has no
 * key in its branch page and is not told.
 *
 * @param key  valid during the call
 *
 * @return 0, or an error, which ends the visit
 */
typedef int (*dit_leaf_key_fn)(void *ctx, struct dit_span key);

/**
 * Visit the leaves of a tree, in order.
 *
 * @param format  of the pages
 * @param tree    an empty one has no leaves; in a tree of one leaf nothing is told
 *
 * The counts in the tree's record may be wrong: only its root and depth are used.
 *
 * @return 0; DIT_E_CORRUPT: a branch page is none, or there are more of them than the
 *         file has pages; what @p fn returned; -errno of reading
 */
int dit_leaf_keys(struct dit_page_source *source, const struct dit_page_format *format,
                  const struct dit_tree_record *tree, dit_leaf_key_fn fn, void *ctx);

#endif
