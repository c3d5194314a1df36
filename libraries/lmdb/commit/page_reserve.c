/* SPDX-License-Identifier: BSD-2-Clause */
#include "commit/page_reserve.h"

#include <stdlib.h>

#include "base/error.h"

/* ---- taking ---- */

/*
 * Reserved at a time, with a commit: half of what is expected, but not so much that
 * others wait long; then little by little, since it is not known how much is missing.
 * Each step that finds no free pages makes the file longer.
 */
#define STEP_SHARE     2u
#define MORE_SHARE     32u
#define STEP_PAGES_MIN 64u
#define STEP_PAGES_MAX 262144u

/* Enough pages in a row from the current run on; the rest of a shorter run stays
 * unused. */
static bool find_room(struct dit_page_reserve *reserve, uint64_t npages)
{
	while (reserve->at < reserve->runs.n) {
		if (reserve->runs.runs[reserve->at].n - reserve->nused >= npages) {
			return true;
		}
		reserve->at++;
		reserve->nused = 0;
	}
	return false;
}

static uint64_t choose_step(const struct dit_page_reserve *reserve, uint64_t npages)
{
	uint64_t expected = reserve->expected_pages;
	uint64_t left = expected > reserve->nreserved ? expected - reserve->nreserved : 0;
	uint64_t step = (expected + STEP_SHARE - 1) / STEP_SHARE;

	step = left == 0 ? expected / MORE_SHARE : left < step ? left : step;
	step = step < STEP_PAGES_MIN ? STEP_PAGES_MIN : step;
	step = step > STEP_PAGES_MAX ? STEP_PAGES_MAX : step;
	return step > npages ? step : npages;
}

/* Runs of a commit that failed are not reserved. */
static int get_more(struct dit_page_reserve *reserve, uint64_t npages)
{
	size_t had = reserve->runs.n;
	uint64_t end = reserve->end;
	uint64_t n = 0;
	int r = reserve->more(reserve->ctx, npages, choose_step(reserve, npages),
	                      &reserve->runs);

	for (size_t i = had; i < reserve->runs.n; i++) {
		const struct dit_page_run *run = &reserve->runs.runs[i];

		end = run->first + run->n > end ? run->first + run->n : end;
		n += run->n;
	}
	if (r == 0) {
		r = dit_page_set_grow(&reserve->used, end);
	}
	if (r < 0) {
		reserve->runs.n = had;
		return r;
	}
	reserve->end = end;
	reserve->nreserved += n;
	return 0;
}

static int take_locked(struct dit_page_reserve *reserve, uint64_t least, uint64_t npages,
                       struct dit_page_run *ret)
{
	const struct dit_page_run *run = NULL;
	int r = 0;

	while (r == 0 && !find_room(reserve, least)) {
		r = get_more(reserve, npages);
	}
	if (r < 0) {
		return r;
	}
	run = &reserve->runs.runs[reserve->at];
	ret->first = run->first + reserve->nused;
	ret->n = run->n - reserve->nused < npages ? run->n - reserve->nused : npages;
	reserve->nused += ret->n;
	return dit_page_set_add_run(&reserve->used, ret->first, ret->n) ? 1
	                                                                : DIT_E_CORRUPT;
}

static int take(void *ctx, uint64_t least, uint64_t npages, struct dit_page_run *ret)
{
	struct dit_page_reserve *reserve = ctx;
	int r = 0;

	(void)pthread_mutex_lock(&reserve->lock);
	r = take_locked(reserve, least, npages, ret);
	(void)pthread_mutex_unlock(&reserve->lock);
	return r;
}

/* ---- beginning and end ---- */

void dit_page_reserve_init(struct dit_page_reserve *reserve,
                           const struct dit_page_format *format, unsigned page_bytes,
                           dit_reserve_more_fn more, void *ctx)
{
	*reserve = (struct dit_page_reserve){
		.more = more, .ctx = ctx, .lock = PTHREAD_MUTEX_INITIALIZER};
	dit_page_space_init(&reserve->space, format, page_bytes, 0);
	reserve->space.take = take;
	reserve->space.take_ctx = reserve;
}

void dit_page_reserve_deinit(struct dit_page_reserve *reserve)
{
	(void)pthread_mutex_destroy(&reserve->lock);
	dit_page_set_deinit(&reserve->used);
	free(reserve->runs.runs);
}

int dit_page_reserve_drop(struct dit_page_reserve *reserve, uint64_t first, uint64_t n)
{
	for (uint64_t page = first; page < first + n; page++) {
		if (!dit_page_set_has(&reserve->used, page)) {
			return DIT_E_CORRUPT;
		}
		dit_page_set_remove(&reserve->used, page);
	}
	return 0;
}

int dit_page_reserve_rest(const struct dit_page_reserve *reserve,
                          struct dit_page_set *ret)
{
	int r = dit_page_set_init(ret, reserve->end);

	for (size_t i = 0; r == 0 && i < reserve->runs.n; i++) {
		const struct dit_page_run *run = &reserve->runs.runs[i];

		for (uint64_t page = run->first; page < run->first + run->n; page++) {
			if (!dit_page_set_has(&reserve->used, page)) {
				(void)dit_page_set_add(ret, page);
			}
		}
	}
	return r;
}
