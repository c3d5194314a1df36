/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/page_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

int dit_page_set_init(struct dit_page_set *set, uint64_t npages)
{
	*set = (struct dit_page_set){.npages = npages};
	set->words = calloc(npages / 64 + 1, sizeof(*set->words));
	return set->words == NULL ? -ENOMEM : 0;
}

int dit_page_set_grow(struct dit_page_set *set, uint64_t npages)
{
	uint64_t had = set->words == NULL ? 0 : set->npages / 64 + 1;
	uint64_t wants = npages / 64 + 1;
	uint64_t *words = NULL;

	if (npages <= set->npages && set->words != NULL) {
		return 0;
	}
	words = reallocarray(set->words, wants, sizeof(*words));
	if (words == NULL) {
		return -ENOMEM;
	}
	memset(words + had, 0, (wants - had) * sizeof(*words));
	set->words = words;
	set->npages = npages;
	return 0;
}

void dit_page_set_deinit(struct dit_page_set *set)
{
	free(set->words);
	*set = (struct dit_page_set){.words = NULL};
}

bool dit_page_set_add_run(struct dit_page_set *set, uint64_t first, uint64_t n)
{
	if (first >= set->npages || n > set->npages - first) {
		return false;
	}
	for (uint64_t i = 0; i < n; i++) {
		if (!dit_page_set_add(set, first + i)) {
			return false;
		}
	}
	return true;
}

bool dit_page_set_add_all(struct dit_page_set *set, const struct dit_page_set *pages)
{
	bool are_new = true;

	for (uint64_t page = dit_page_set_next(pages, 0); page < pages->npages;
	     page = dit_page_set_next(pages, page + 1)) {
		are_new &= dit_page_set_add(set, page);
	}
	return are_new;
}

uint64_t dit_page_set_next(const struct dit_page_set *set, uint64_t least)
{
	uint64_t word = 0;
	uint64_t i = least / 64;

	if (least >= set->npages) {
		return set->npages;
	}
	word = set->words[i] & (~(uint64_t)0 << least % 64);
	while (word == 0) {
		i++;
		if (i * 64 >= set->npages) {
			return set->npages;
		}
		word = set->words[i];
	}
	return i * 64 + (unsigned)__builtin_ctzll(word);
}

/* The first page after a row that begins with @p first and is wanted up to @p n. */
static uint64_t end_of_row(const struct dit_page_set *set, uint64_t first, uint64_t n)
{
	uint64_t end = first;

	while (end - first < n && dit_page_set_has(set, end)) {
		end++;
	}
	return end;
}

/* The first @p n pages that lie in a row, from @p *at on, which moves past them. Shorter
 * rows before them stay. @return npages: there is no such row */
static uint64_t take_run(struct dit_page_set *set, uint64_t n, uint64_t *at)
{
	uint64_t first = dit_page_set_next(set, *at);
	uint64_t end = end_of_row(set, first, n);

	while (first < set->npages && end - first < n) {
		first = dit_page_set_next(set, end);
		end = end_of_row(set, first, n);
	}
	*at = first < set->npages ? end : first;
	for (uint64_t page = first; page < end; page++) {
		dit_page_set_remove(set, page);
	}
	return first;
}

void dit_page_pool_init(struct dit_page_pool *pool)
{
	*pool = (struct dit_page_pool){.lock = PTHREAD_MUTEX_INITIALIZER};
}

void dit_page_pool_deinit(struct dit_page_pool *pool)
{
	(void)pthread_mutex_destroy(&pool->lock);
	dit_page_set_deinit(&pool->left);
	dit_page_set_deinit(&pool->taken);
}

int dit_page_pool_add(struct dit_page_pool *pool, uint64_t page)
{
	int r = dit_page_set_grow(&pool->left, page + 1);

	if (dit_page_set_has(&pool->taken, page)) {
		dit_page_set_remove(&pool->taken, page);
	}
	/* The page may end a row that begins before it. */
	for (unsigned i = 0; i < DIT_ROW_SIZES; i++) {
		uint64_t before = ((uint64_t)1 << i) - 1;
		uint64_t first = page > before ? page - before : 0;

		pool->at[i] = first < pool->at[i] ? first : pool->at[i];
	}
	return r == 0 && !dit_page_set_add(&pool->left, page) ? DIT_E_CORRUPT : r;
}

/* The longest row first, half as long each time. Pages become fewer, so that a search
 * goes on where the one before it has found a row. n is 0 if there is none. */
static struct dit_page_run take_row(struct dit_page_pool *pool, uint64_t least,
                                    uint64_t most)
{
	struct dit_page_set *left = &pool->left;
	struct dit_page_run row = {.first = left->npages, .n = least};
	uint64_t from_start = 0;

	if (left->count < least) {
		return (struct dit_page_run){.n = 0};
	}
	if (least > 1) {
		row.first = take_run(left, least, &from_start);
	}
	for (unsigned i = DIT_ROW_SIZES; least == 1 && i > 0 && row.first == left->npages;
	     i--) {
		row.n = (uint64_t)1 << (i - 1);
		if (row.n <= most) {
			row.first = take_run(left, row.n, &pool->at[i - 1]);
		}
	}
	row.n = row.first == left->npages ? 0 : row.n;
	return row;
}

int dit_page_pool_take(struct dit_page_pool *pool, uint64_t least, uint64_t most,
                       struct dit_page_run *ret)
{
	int r = 0;

	(void)pthread_mutex_lock(&pool->lock);
	*ret = take_row(pool, least, most);
	while (r == 0 && ret->n == 0 && pool->more != NULL) {
		r = pool->more(pool->ctx, most);
		*ret = take_row(pool, least, most);
	}
	for (uint64_t i = 0; i < ret->n; i++) {
		(void)dit_page_set_add(&pool->taken, ret->first + i);
	}
	(void)pthread_mutex_unlock(&pool->lock);
	return r < 0 ? r : ret->n > 0;
}

bool dit_page_pool_is_empty(struct dit_page_pool *pool)
{
	bool is_empty = false;

	(void)pthread_mutex_lock(&pool->lock);
	is_empty = pool->left.count == 0 && pool->more == NULL;
	(void)pthread_mutex_unlock(&pool->lock);
	return is_empty;
}
