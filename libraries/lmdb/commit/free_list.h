/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The free list of a file in memory: which transaction gave back which pages.
 *
 *   dit_free_list_add() ...;  change it;  dit_free_list_write();  dit_free_list_deinit()
 *
 * LMDB keeps it in a tree of its own: under the number of a transaction a count, then
 * pages in descending order. A record may have room for more pages than it counts. A
 * reader of transaction N needs pages that later transactions gave back; those of
 * transaction N and before are free to use (storage of the state before N is then gone).
 *
 * Threads: belongs to one thread at a time.
 */
#ifndef DITKIT_FREE_LIST_H
#define DITKIT_FREE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "page/page_set.h"
#include "page/tree_visit.h"
#include "tree/table_writer.h"

struct dit_free_record {
	uint64_t transaction;
	uint64_t *words; /* how many pages, and the pages, descending; owned */
};

struct dit_free_list {
	struct dit_free_record *records; /* by transaction, ascending; owned */
	size_t nrecords;
	size_t records_size;
};

/**
 * Add a record of the stored tree (tree_visit.h).
 *
 * @param list   zeroed before the first one
 * @param owned  gets the pages; one that it has already is an error
 *
 * @return 0; DIT_E_CORRUPT: it is no record of a free list; -errno, -ENOMEM
 */
int dit_free_list_add(struct dit_free_list *list, const struct dit_page_source *source,
                      const struct dit_node_view *node, struct dit_page_set *owned);
/** A zeroed list may be given, too. */
void dit_free_list_deinit(struct dit_free_list *list);

/** Remove the pages of a set from all records. @return how many were there */
uint64_t dit_free_list_take(struct dit_free_list *list, const struct dit_page_set *pages);

/**
 * Write the tree. Records without pages are left out.
 *
 * @param space  its transaction is above all others
 * @param given  what that gives back
 * @param rest   the tree takes some of these; @p given gets the others
 * @param ret    gets everything but flags and item_bytes
 *
 * @return 0; what a table writer returns
 */
int dit_free_list_write(const struct dit_free_list *list, struct dit_page_space *space,
                        struct dit_page_set *given, const struct dit_page_set *rest,
                        struct dit_tree_record *ret);

#endif
