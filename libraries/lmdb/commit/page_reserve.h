/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages of a file that others write to as well: reserved (page_commit.h) before they are
 * written, and used or not in the end.
 *
 *   dit_page_reserve_init();  dit_page_reserve_expect() ...
 *   threads write trees into its space; more pages are reserved when there are no more
 *   a commit that may use those that are left;  dit_page_commit_use()
 *   dit_page_reserve_deinit()
 *
 * Lock order: there is one lock, that of the pool; `more` is called with it held.
 */
#ifndef DITKIT_PAGE_RESERVE_H
#define DITKIT_PAGE_RESERVE_H

#include "commit/page_commit.h"
#include "page/page_set.h"

/**
 * Reserve pages with a commit.
 *
 * @param least   so many pages have to be
 * @param wanted  so many would be good
 * @param ret     a zeroed set, which gets them
 */
typedef int (*dit_reserve_more_fn)(void *ctx, uint64_t least, uint64_t wanted,
                                   struct dit_page_set *ret);

struct dit_page_reserve {
	struct dit_page_space
		space; /* for table writers; its file is the caller's to open */

	/* [const] */
	dit_reserve_more_fn more;
	void *ctx;
	struct dit_page_pool pool; /* what is reserved; what is used of it */
	/* [lock: that of the pool] */
	uint64_t expected_pages;
	uint64_t nreserved; /* in all */
};

/** Nothing is reserved yet. */
void dit_page_reserve_init(struct dit_page_reserve *reserve,
                           const struct dit_page_format *format, unsigned page_bytes,
                           dit_reserve_more_fn more, void *ctx);
void dit_page_reserve_deinit(struct dit_page_reserve *reserve);

/**
 * The trees will take about so many pages: they are reserved now, unless most of them
 * are.
 * 0, or what `more` returned
 */
int dit_page_reserve_expect(struct dit_page_reserve *reserve, uint64_t npages);

/**
 * Pages that were handed out are not needed after all, and nobody reads them again: they
 * are handed out again. One thread writes. 0; DIT_E_CORRUPT: they were not handed out
 *
 * @param ctx  a struct dit_page_reserve: a merge calls this (tree_merge.h)
 */
int dit_page_reserve_drop(void *ctx, uint64_t first, uint64_t n);

#endif
