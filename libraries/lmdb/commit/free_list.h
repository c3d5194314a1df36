/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The free list of a file in memory: which transaction gave back which pages.
 *
 *   dit_free_list_read();  change it;  dit_free_list_write();  dit_free_list_deinit()
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
	uint64_t *pages; /* descending; owned */
	size_t npages;
	uint64_t run; /* first page of a long record; DIT_PAGE_NONE: it lies in a leaf */
	struct dit_big_value big; /* of a long record: what its node has */
	uint32_t len;             /* of the record in the file, in bytes */
	bool is_changed;          /* its content is not that of the file any more */
};

struct dit_free_list {
	struct dit_free_record *records; /* by transaction, ascending; owned */
	size_t nrecords;
	size_t records_size;
};

/**
 * @param tree   the free list's
 * @param owned  gets all pages that are free, and those of the tree itself; a page that
 *               it has already is an error
 * @param own    gets the pages of the tree alone; they become free when the list is
 *               written again, except those of long records that are not changed
 *
 * @return 0; DIT_E_CORRUPT: it is no free list; -errno, -ENOMEM. To be deinitialised in
 *         every case
 */
int dit_free_list_read(struct dit_free_list *list, const struct dit_page_source *source,
                       const struct dit_tree_record *tree, struct dit_page_set *owned,
                       struct dit_page_set *own);
/** A zeroed list may be given, too. */
void dit_free_list_deinit(struct dit_free_list *list);

/** Remove the pages of a set from all records. @return how many were there */
uint64_t dit_free_list_take(struct dit_free_list *list, const struct dit_page_set *pages);

/** A record that lies in pages of its own, and stays there. */
static inline bool dit_free_record_stays(const struct dit_free_record *record)
{
	return record->run != DIT_PAGE_NONE && !record->is_changed && record->npages > 0;
}

/** Pages that a transaction above all others gives back. */
struct dit_free_gift {
	uint64_t transaction;
	struct dit_page_set *pages;
	/* The list's own tree takes some of these; `pages` gets the others. */
	const struct dit_page_set *rest;
};

/**
 * Write the tree. Records without pages are left out; a long record that is not changed
 * stays where it lies.
 *
 * @param ret  gets everything but flags and item_bytes
 *
 * @return 0; what a table writer returns
 */
int dit_free_list_write(const struct dit_free_list *list, struct dit_page_space *space,
                        const struct dit_free_gift *gift, struct dit_tree_record *ret);

#endif
