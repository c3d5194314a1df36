/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set of page numbers below a limit: a bit for each page. A pool: pages that are handed
 * out.
 *
 * Threads: belongs to one thread at a time, where a function does not say otherwise.
 */
#ifndef DITKIT_PAGE_SET_H
#define DITKIT_PAGE_SET_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct dit_page_set {
	uint64_t *words; /* owned */
	uint64_t npages; /* numbers are below */
	uint64_t count;  /* pages in the set */
};

/** An empty set. 0 or -ENOMEM */
int dit_page_set_init(struct dit_page_set *set, uint64_t npages);
/** Raise the limit of the numbers. A zeroed set may be given, too. 0 or -ENOMEM */
int dit_page_set_grow(struct dit_page_set *set, uint64_t npages);
/** A zeroed set may be given, too. */
void dit_page_set_deinit(struct dit_page_set *set);

/** A number that is not below the limit is in no set. */
static inline bool dit_page_set_has(const struct dit_page_set *set, uint64_t page)
{
	return page < set->npages && (set->words[page / 64] >> page % 64 & 1) != 0;
}

/** @return false: it was in the set, or is too high */
static inline bool dit_page_set_add(struct dit_page_set *set, uint64_t page)
{
	if (page >= set->npages || dit_page_set_has(set, page)) {
		return false;
	}
	set->words[page / 64] |= (uint64_t)1 << page % 64;
	set->count++;
	return true;
}

/* Several threads may do these at once. The caller counts the pages, and all of them are
 * below the limit. */

/** @return false: it was in the set */
static inline bool dit_page_set_add_shared(struct dit_page_set *set, uint64_t page)
{
	uint64_t bit = (uint64_t)1 << page % 64;

	return (__atomic_fetch_or(&set->words[page / 64], bit, __ATOMIC_RELAXED) & bit) ==
	       0;
}

static inline bool dit_page_set_has_shared(const struct dit_page_set *set, uint64_t page)
{
	return (__atomic_load_n(&set->words[page / 64], __ATOMIC_RELAXED) >> page % 64 &
	        1) != 0;
}

/** Remove a page that is in the set. */
static inline void dit_page_set_remove(struct dit_page_set *set, uint64_t page)
{
	set->words[page / 64] &= ~((uint64_t)1 << page % 64);
	set->count--;
}

/** Add the pages of another set. false: one of them was in the set, or is too high */
bool dit_page_set_add_all(struct dit_page_set *set, const struct dit_page_set *pages);
/** Add @p n pages from @p first on. false: one of them was in the set, or is too high */
bool dit_page_set_add_run(struct dit_page_set *set, uint64_t first, uint64_t n);

/** The lowest page of the set that is @p least or above; npages: there is none. */
uint64_t dit_page_set_next(const struct dit_page_set *set, uint64_t least);

/* Rows are handed out in lengths of 1, 2, 4 and so on. */
#define DIT_ROW_SIZES 8u

/** Pages that lie in a row. */
struct dit_page_run {
	uint64_t first;
	uint64_t n;
};

/** Pages to be handed out. */
struct dit_page_pool {
	pthread_mutex_t lock;
	/* [lock: lock] */
	struct dit_page_set left;
	struct dit_page_set taken;  /* handed out, of those below its limit */
	uint64_t at[DIT_ROW_SIZES]; /* no row of 1 << i begins before page at[i] */

	/* Adds at least one of @p n pages that are wanted, when there are none; called
	 * with the lock held. 0 or an error. NULL: there will be no more */
	int (*more)(void *ctx, uint64_t n);
	void *ctx;
};

/** There are none. */
void dit_page_pool_init(struct dit_page_pool *pool);
void dit_page_pool_deinit(struct dit_page_pool *pool);
/** Add a page of any number, which may have been handed out. 0; -ENOMEM; DIT_E_CORRUPT:
 * it is there */
int dit_page_pool_add(struct dit_page_pool *pool, uint64_t page);
/**
 * Take pages that lie in a row: @p least if these are more than one, else as long a row
 * as there is, of @p most pages at most. Any thread, at any time.
 *
 * @return 1; 0: there is no such row; an error of more()
 */
int dit_page_pool_take(struct dit_page_pool *pool, uint64_t least, uint64_t most,
                       struct dit_page_run *ret);
/** Are there none, and no more? Any thread, at any time. */
bool dit_page_pool_is_empty(struct dit_page_pool *pool);

#endif
