/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A new data file is completed, without liblmdb: its tables are written; what is missing
 * are the main tree, which knows them by name, the free list and the two meta pages.
 *
 * The file shows one transaction, number 1, on meta page 1; meta page 0 shows an empty
 * environment. So no page is of a later transaction than the file (page_format.h), and
 * liblmdb's next one writes to meta page 0.
 *
 * Threads: no state.
 */
#ifndef DITKIT_NEW_FILE_H
#define DITKIT_NEW_FILE_H

#include <stddef.h>

#include "page/page_set.h"
#include "tree/page_sink.h"

/** Every file begins with so many meta pages. Tables begin after them. */
#define DIT_FIRST_PAGE 2

/** Pages that no tree has any more. Zero is none. One thread at a time. */
struct dit_dropped_pages {
	struct dit_page_set set; /* owned */
	uint64_t least;          /* none is below */
};

/** As `dropped` of a merge, whose space takes pages from here. */
int dit_dropped_pages_add(void *ctx, uint64_t first, uint64_t n);
/** As `take` of a page space: the lowest ones. */
int dit_dropped_pages_take(void *ctx, uint64_t least, uint64_t npages,
                           struct dit_page_run *ret);

struct dit_named_tree {
	const char *name;            /* borrowed */
	struct dit_tree_record tree; /* with its flags */
};

struct dit_new_file {
	int fd;                       /* the file's, for writing; borrowed */
	struct dit_page_space *space; /* with its file open; borrowed */
	struct dit_named_tree *trees; /* in any order, each name once; are sorted */
	size_t ntrees;
	const struct dit_page_set *spare; /* pages that no table has; borrowed */
	uint64_t map_bytes;               /* to be recorded; more, if more is in use */
};

/**
 * Complete the file; close the page space's. Not synced.
 *
 * @return 0; errors of dit_page_sink_add(), -errno of writing; MDB_BAD_VALSIZE: a name is
 *         too long
 */
int dit_new_file_finish(const struct dit_new_file *file);

/** Bytes of the file that are in use so far. */
static inline uint64_t dit_new_file_bytes(const struct dit_page_space *space)
{
	return atomic_load_explicit(&space->next_page, memory_order_relaxed) *
	       space->page_bytes;
}

#endif
