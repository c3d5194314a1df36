/* SPDX-License-Identifier: BSD-2-Clause */
#include "pages/page_reserve.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"

/* ---- taking ---- */

/* Enough pages in a row from the current run on; its rest stays unused. */
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

/* Runs of a commit that failed are not reserved. */
static int get_more(struct dit_page_reserve *reserve, uint64_t npages)
{
	size_t had = reserve->runs.n;
	uint64_t wanted = npages > reserve->step_pages ? npages : reserve->step_pages;
	uint64_t end = reserve->end;
	int r = reserve->more(reserve->ctx, npages, wanted, &reserve->runs);

	for (size_t i = had; i < reserve->runs.n; i++) {
		const struct dit_page_run *run = &reserve->runs.runs[i];

		end = run->first + run->n > end ? run->first + run->n : end;
	}
	if (r == 0) {
		r = dit_page_set_grow(&reserve->used, end);
	}
	if (r < 0) {
		reserve->runs.n = had;
		return r;
	}
	reserve->end = end;
	return 0;
}

static int take_locked(struct dit_page_reserve *reserve, uint64_t npages,
                       uint64_t *ret_first)
{
	const struct dit_page_run *run = NULL;
	int r = 0;

	if (!find_room(reserve, npages)) {
		r = get_more(reserve, npages);
		if (r == 0 && !find_room(reserve, npages)) {
			r = get_more(reserve, npages); /* all in short runs */
		}
	}
	if (r < 0 || !find_room(reserve, npages)) {
		return r < 0 ? r : -ENOSPC;
	}
	run = &reserve->runs.runs[reserve->at];
	*ret_first = run->first + reserve->nused;
	reserve->nused += npages;
	return dit_page_set_add_run(&reserve->used, *ret_first, npages) ? 0
	                                                                : DIT_E_CORRUPT;
}

static int take(void *ctx, uint64_t npages, uint64_t *ret_first)
{
	struct dit_page_reserve *reserve = ctx;
	int r = 0;

	(void)pthread_mutex_lock(&reserve->lock);
	r = take_locked(reserve, npages, ret_first);
	(void)pthread_mutex_unlock(&reserve->lock);
	return r;
}

/* ---- beginning and end ---- */

int dit_page_reserve_init(struct dit_page_reserve *reserve,
                          const struct dit_page_format *format, unsigned page_bytes,
                          uint64_t step_pages, dit_reserve_more_fn more, void *ctx)
{
	*reserve = (struct dit_page_reserve){
		.more = more, .ctx = ctx, .step_pages = step_pages};
	dit_page_space_init(&reserve->space, format, page_bytes, 0);
	reserve->space.take = take;
	reserve->space.take_ctx = reserve;
	return -pthread_mutex_init(&reserve->lock, NULL);
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

int dit_page_reserve_use(const struct dit_page_reserve *reserve,
                         struct dit_page_commit *commit)
{
	const struct dit_page_set *used = &reserve->used;
	int r = 0;

	for (uint64_t page = dit_page_set_next(used, 0); page < used->npages && r == 0;
	     page = dit_page_set_next(used, page + 1)) {
		r = dit_page_commit_use(commit, page, 1);
	}
	return r;
}
