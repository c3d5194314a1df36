/* SPDX-License-Identifier: BSD-2-Clause */
#include "commit/page_reserve.h"

#include "base/error.h"

/* ---- taking ---- */

/*
 * Each step is a commit, for which others wait. So all that is expected is reserved with
 * one, but not so much that it takes long; then a share of what there is, since it is not
 * known how much is missing. A step that finds no free pages makes the file longer.
 */
#define MORE_SHARE     4u
#define STEP_PAGES_MIN 64u
#define STEP_PAGES_MAX 1048576u

static uint64_t choose_step(const struct dit_page_reserve *reserve, uint64_t npages)
{
	uint64_t more = reserve->nreserved / MORE_SHARE;
	uint64_t step = reserve->expected_pages > reserve->nreserved + more
	                        ? reserve->expected_pages - reserve->nreserved
	                        : more;

	step = step < STEP_PAGES_MIN ? STEP_PAGES_MIN : step;
	step = step > STEP_PAGES_MAX ? STEP_PAGES_MAX : step;
	return step > npages ? step : npages;
}

static int get_more(void *ctx, uint64_t npages)
{
	struct dit_page_reserve *reserve = ctx;
	struct dit_page_set more = {.words = NULL};
	int r = reserve->more(reserve->ctx, npages, choose_step(reserve, npages), &more);

	r = r < 0 ? r : dit_page_set_grow(&reserve->pool.taken, more.npages);
	for (uint64_t page = dit_page_set_next(&more, 0); r == 0 && page < more.npages;
	     page = dit_page_set_next(&more, page + 1)) {
		r = dit_page_pool_add(&reserve->pool, page);
	}
	reserve->nreserved += r == 0 ? more.count : 0;
	dit_page_set_deinit(&more);
	return r;
}

/* ---- beginning and end ---- */

void dit_page_reserve_init(struct dit_page_reserve *reserve,
                           const struct dit_page_format *format, unsigned page_bytes,
                           dit_reserve_more_fn more, void *ctx)
{
	*reserve = (struct dit_page_reserve){.more = more, .ctx = ctx};
	dit_page_space_init(&reserve->space, format, page_bytes, 0);
	dit_page_pool_init(&reserve->pool);
	reserve->pool.more = get_more;
	reserve->pool.ctx = reserve;
	reserve->space.pool = &reserve->pool;
}

void dit_page_reserve_deinit(struct dit_page_reserve *reserve)
{
	dit_page_pool_deinit(&reserve->pool);
}

int dit_page_reserve_expect(struct dit_page_reserve *reserve, uint64_t npages)
{
	int r = 0;

	(void)pthread_mutex_lock(&reserve->pool.lock);
	reserve->expected_pages = npages;
	if (npages > reserve->nreserved + reserve->nreserved / MORE_SHARE) {
		r = get_more(reserve, 1);
	}
	(void)pthread_mutex_unlock(&reserve->pool.lock);
	return r;
}

int dit_page_reserve_drop(void *ctx, uint64_t first, uint64_t n)
{
	struct dit_page_reserve *reserve = ctx;

	for (uint64_t page = first; page < first + n; page++) {
		if (!dit_page_set_has(&reserve->pool.taken, page)) {
			return DIT_E_CORRUPT;
		}
		/* A page is sealed once by a transaction (page_seal.h). */
		if (reserve->space.format->crypto != NULL) {
			dit_page_set_remove(&reserve->pool.taken, page);
		} else {
			(void)dit_page_pool_add(&reserve->pool, page);
		}
	}
	return 0;
}
