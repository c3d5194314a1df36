/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that runs out at any moment: the n-th allocation fails, n counting up until a
 * load succeeds. Every failed load says why and changes nothing.
 *
 * Allocations of LMDB and libldap are theirs to handle.
 */
#include "test.h"

#include "load_fixture.h"
#include "nomem.h"

/* Reports are counted, not collected: collecting allocates. */
static void count_report(void *ctx, const struct dit_report *report)
{
	unsigned *n = ctx;

	(void)report;
	(*n)++;
}

static void run_with_failures(unsigned threads, long step)
{
	struct load_fixture f;
	unsigned nreports = 0;
	long n = 0;
	int r = -1;

	load_fixture_init(&f, "");
	load_fixture_write_people(&f, 20);
	for (n = 0; r != 0; n += step) {
		struct dit_load_opts opts = load_fixture_opts(&f);
		struct dit_load_stats stats;

		nreports = 0;
		opts.threads = threads;
		opts.batch_records = 4;
		opts.report = count_report;
		opts.report_ctx = &nreports;
		opts.reject = NULL;
		countdown = n;
		r = dit_load(&opts, &stats);
		countdown = -1;
		dit_load_stats_deinit(&stats);
		if (r != 0 && !load_fixture_is_empty(&f)) {
			fail_msg("allocation %ld failed with %d and left something", n,
			         r);
		}
		assert_true(n < 100000);
	}
	/* Once no allocation fails any more the result is complete. */
	assert_true(n > step);
	assert_int_not_equal(load_fixture_digest(&f), 0);
	load_fixture_deinit(&f);
}

static void any_allocation_may_fail_with_one_thread(void **state)
{
	(void)state;
	run_with_failures(1, 1);
}

static void any_allocation_may_fail_with_two_threads(void **state)
{
	(void)state;
	run_with_failures(2, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_allocation_may_fail_with_one_thread),
		cmocka_unit_test(any_allocation_may_fail_with_two_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
