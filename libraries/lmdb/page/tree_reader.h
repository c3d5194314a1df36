/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tree of a file is read leaf by leaf, in key order. tree_visit.h calls back; here the
 * reader asks, so that several trees can be read side by side.
 *
 *   dit_tree_reader_open()
 *   dit_tree_reader_next() ...
 *   dit_tree_reader_close()
 *
 * The file may be damaged: each page's bounds are checked. A page that the tree has twice
 * is found when more pages have been read than the file has.
 *
 * Threads: a reader belongs to one thread; the source says who may read.
 */
#ifndef DITKIT_TREE_READER_H
#define DITKIT_TREE_READER_H

#include "page/tree_visit.h"

struct dit_tree_reader;

/** @return 0; DIT_E_CORRUPT: no such depth; -ENOMEM */
int dit_tree_reader_open(struct dit_tree_reader **ret,
                         const struct dit_tree_source *source,
                         const struct dit_tree_record *tree);
/** NULL is fine. */
void dit_tree_reader_close(struct dit_tree_reader *reader);

/**
 * The next leaf. Its bounds are right, its nodes are to be looked at with care.
 *
 * @return 1: @p ret is valid until the next call; 0: end; DIT_E_CORRUPT; -errno of
 *         reading
 */
int dit_tree_reader_next(struct dit_tree_reader *reader, struct dit_page_view *ret);

#endif
