/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of page_reserve.h: how often pages are reserved, since each time everybody who
 * writes has to wait, and which ones are handed out.
 */
#include "test.h"

#include "base/error.h"
#include "commit/page_reserve.h"

#define PAGE 4096u

struct source {
	struct dit_page_reserve reserve;
	unsigned ncalls;
	uint64_t end;    /* pages are reserved from here on */
	uint64_t wanted; /* by the last call */
	uint64_t row;    /* pages that lie in a row; then one is missing */
	int error;
};

static int give(void *ctx, uint64_t least, uint64_t wanted, struct dit_page_set *ret)
{
	struct source *source = ctx;
	uint64_t row = source->row == 0 ? wanted : source->row;

	source->ncalls++;
	source->wanted = wanted;
	assert_true(wanted >= least);
	if (source->error < 0) {
		return source->error;
	}
	for (uint64_t n = 0; n < wanted; n += row) {
		assert_int_equal(dit_page_set_grow(ret, source->end + row), 0);
		assert_true(dit_page_set_add_run(ret, source->end, row));
		source->end += row + 1;
	}
	return 0;
}

static void init(struct source *source, const struct dit_page_format *format,
                 uint64_t expected)
{
	*source = (struct source){.end = 10};
	dit_page_reserve_init(&source->reserve, format, PAGE, give, source);
	assert_int_equal(dit_page_reserve_expect(&source->reserve, expected), 0);
}

static int take(struct source *source, uint64_t least, uint64_t npages,
                struct dit_page_run *ret)
{
	return dit_page_pool_take(&source->reserve.pool, least, npages, ret);
}

static void take_all(struct source *source, uint64_t npages)
{
	struct dit_page_run run = {0, 0};

	for (uint64_t n = 0; n < npages; n += run.n) {
		assert_int_equal(
			take(source, 1, npages - n < 128 ? npages - n : 128, &run), 1);
	}
}

TEST(what_is_expected_is_reserved_at_once)
{
	static const struct {
		uint64_t expected;
		uint64_t needed;
		unsigned ncalls;
	} cases[] = {
		{20000, 20000, 1},
		{20000, 25000, 2},
		{20000, 31000, 3},
		/* Nothing is known: a quarter more each time. */
		{0, 64, 1},
		{0, 30000, 23},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct source source;

		init(&source, &dit_lmdb_09, cases[i].expected);
		take_all(&source, cases[i].needed);
		assert_int_equal(source.ncalls, cases[i].ncalls);
		/* A quarter more is not worth a call. */
		assert_int_equal(
			dit_page_reserve_expect(&source.reserve,
		                                source.reserve.nreserved / 4 * 5),
			0);
		assert_int_equal(source.ncalls, cases[i].ncalls);
		dit_page_reserve_deinit(&source.reserve);
	}
}

TEST(dropped_pages_come_before_new_ones)
{
	struct source source;
	struct dit_page_run run;

	init(&source, &dit_lmdb_09, 1000);
	take_all(&source, 1000);
	for (unsigned round = 0; round < 20; round++) {
		assert_int_equal(dit_page_reserve_drop(&source.reserve, 20, 900), 0);
		assert_int_equal(take(&source, 1, 500, &run), 1);
		assert_int_equal(run.first, 20);
		assert_int_equal(run.n, 128);
		take_all(&source, 900 - 128);
	}
	assert_int_equal(source.ncalls, 1);
	assert_int_equal(source.reserve.pool.left.count, 0);
	assert_int_equal(take(&source, 1, 1, &run), 1);
	assert_int_equal(source.ncalls, 2);
	assert_int_equal(source.wanted, 250);
	/* One that is not in use. */
	assert_int_equal(dit_page_reserve_drop(&source.reserve, run.first + 1, 1),
	                 DIT_E_CORRUPT);
	dit_page_reserve_deinit(&source.reserve);
}

/* With the same transaction they would be sealed twice. */
TEST(dropped_pages_that_are_sealed_stay_unused)
{
	struct dit_page_format sealed = dit_lmdb_10;
	struct source source;
	struct dit_page_run run;

	sealed.crypto = (const void *)&sealed;
	init(&source, &sealed, 300);
	take_all(&source, 300);
	assert_int_equal(dit_page_reserve_drop(&source.reserve, 10, 300), 0);
	assert_int_equal(source.reserve.pool.taken.count, 0);
	assert_int_equal(take(&source, 1, 1, &run), 1);
	assert_int_equal(source.ncalls, 2);
	dit_page_reserve_deinit(&source.reserve);
}

TEST(rows_that_are_too_short_serve_others)
{
	struct source source;
	struct dit_page_run run;

	init(&source, &dit_lmdb_09, 0);
	source.row = 3;
	assert_int_equal(dit_page_reserve_expect(&source.reserve, 300), 0);
	take_all(&source, 1);
	source.row = 0;
	assert_int_equal(take(&source, 4, 4, &run), 1);
	assert_int_equal(run.first, 10 + 400);
	assert_int_equal(run.n, 4);
	assert_int_equal(source.ncalls, 2);
	take_all(&source, source.reserve.pool.left.count);
	assert_int_equal(source.reserve.pool.left.count, 0);
	assert_int_equal(source.ncalls, 2);
	dit_page_reserve_deinit(&source.reserve);
}

TEST(a_reservation_that_fails_reserves_nothing)
{
	struct source source;
	struct dit_page_run run;

	init(&source, &dit_lmdb_09, 0);
	source.error = -ENOSPC;
	assert_int_equal(dit_page_reserve_expect(&source.reserve, 100), -ENOSPC);
	assert_int_equal(take(&source, 1, 1, &run), -ENOSPC);
	assert_int_equal(source.reserve.nreserved, 0);
	source.error = 0;
	assert_int_equal(take(&source, 1, 1, &run), 1);
	assert_int_equal(run.first, 10);
	dit_page_reserve_deinit(&source.reserve);
}
