/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs are merged level by level, like the digits of a counter. */
#include "sort/cascade.h"
#include "test.h"

/* The digits of n, with the most runs that stood there at once. */
static unsigned add_runs(struct dit_cascade *cascade, unsigned n, unsigned fan_in,
                         unsigned *ret_nmerges)
{
	unsigned nruns = 0;
	unsigned most = 0;

	*ret_nmerges = 0;
	for (unsigned i = 0; i < n; i++) {
		dit_cascade_add(cascade);
		nruns++;
		most = nruns > most ? nruns : most;
		while (dit_cascade_is_due(cascade, fan_in)) {
			dit_cascade_merge(cascade);
			nruns -= fan_in - 1;
			(*ret_nmerges)++;
		}
	}
	return most;
}

static void runs_of_a_level_become_one_of_the_next(void **state)
{
	struct dit_cascade cascade = {0};
	unsigned nmerges = 0;
	(void)state;

	(void)add_runs(&cascade, 1234, 10, &nmerges);
	assert_int_equal(cascade.nruns[0], 4);
	assert_int_equal(cascade.nruns[1], 3);
	assert_int_equal(cascade.nruns[2], 2);
	assert_int_equal(cascade.nruns[3], 1);
	assert_int_equal(nmerges, 123 + 12 + 1);
}

static void the_number_of_runs_stays_small(void **state)
{
	struct dit_cascade cascade = {0};
	unsigned nmerges = 0;
	(void)state;

	/* Five levels below 4 to the power of 5, and the run that makes one full. */
	assert_in_range(add_runs(&cascade, 1023, 4, &nmerges), 1, 5 * 3 + 1);
}

static void a_fan_in_of_two_is_the_least(void **state)
{
	struct dit_cascade cascade = {0};
	unsigned nmerges = 0;
	(void)state;

	(void)add_runs(&cascade, 1u << 16, 2, &nmerges);
	assert_int_equal(nmerges, (1u << 16) - 1);
	assert_int_equal(cascade.nruns[16], 1);
}

static void fan_in_has_bounds(void **state)
{
	(void)state;

	assert_int_equal(dit_fan_in(4, 512, 256), 128);
	assert_int_equal(dit_fan_in(1, 512, 256), 256);
	assert_int_equal(dit_fan_in(1000, 512, 256), DIT_FAN_IN_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_of_a_level_become_one_of_the_next),
		cmocka_unit_test(the_number_of_runs_stays_small),
		cmocka_unit_test(a_fan_in_of_two_is_the_least),
		cmocka_unit_test(fan_in_has_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
