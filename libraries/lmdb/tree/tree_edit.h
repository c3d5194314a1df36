/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A finished tree is changed: values are found, and replaced by others of any length; new
 * keys get values. The keys are integers of 8 bytes; no key goes.
 *
 *   dit_tree_edit_open()
 *   dit_tree_edit_find(), dit_tree_edit_put() ...
 *   dit_tree_edit_close()
 *
 * Pages are changed in place, so no other thread may read the file. A leaf that becomes
 * too full is cut in two; its other part is a new page, and so is the other part of a
 * branch page that becomes too full. A longer value may need other pages; the old ones
 * are then spare, and whoever completes the file puts them on its free list.
 *
 * Keys in ascending order cost least: the pages on the way to the last key are kept.
 *
 * Threads: belongs to one thread. Until the close, others may write only into pages that
 * they take from the page space.
 */
#ifndef DITKIT_TREE_EDIT_H
#define DITKIT_TREE_EDIT_H

#include "base/span.h"
#include "tree/page_sink.h"

struct dit_tree_edit;

/**
 * @param fd     of the data file, for reading and writing; borrowed
 * @param space  tells the format, and gives numbers of new pages; borrowed
 * @param tree   of integer keys, finished; is kept up to date; borrowed
 *
 * @return 0 or -ENOMEM
 */
int dit_tree_edit_open(struct dit_tree_edit **ret, int fd, struct dit_page_space *space,
                       struct dit_tree_record *tree);
/**
 * Write what is changed, free.
 *
 * @param ret_spare  gets the spare pages, in any order; free() it; NULL if there are none
 *
 * @return 0 or -errno of writing
 */
int dit_tree_edit_close(struct dit_tree_edit *edit, uint64_t **ret_spare, size_t *ret_n);

/**
 * @param ret  the value; valid until the next call
 *
 * @return 1; 0: there is no such key; DIT_E_CORRUPT: not such a tree; -errno, -ENOMEM
 */
int dit_tree_edit_find(struct dit_tree_edit *edit, uint64_t key, struct dit_span *ret);

/**
 * Give a key this value, whether the key is there or not.
 *
 * @param value  4 GiB - 1 at most; not one that was found
 *
 * @return 0; DIT_E_CORRUPT, DIT_E_TOOLONG (too many levels), -errno, -ENOMEM
 */
int dit_tree_edit_put(struct dit_tree_edit *edit, uint64_t key, struct dit_span value);

#endif
