/* SPDX-License-Identifier: BSD-2-Clause */
/* The indexes that a release of slapd opens at most. */
#include "test.h"

#include "bulk/index_limit.h"

static void each_release_has_its_limit(void **state)
{
	static const struct {
		unsigned minor;
		unsigned patch;
		size_t want;
	} cases[] = {
		{4, 57, 124}, {5, 0, 124}, {5, 13, 124}, {5, 14, 252}, {5, 20, 252},
		{6, 0, 123},  {6, 3, 123}, {6, 4, 251},  {6, 10, 251}, {7, 0, 251},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(dit_index_limit(cases[i].minor, cases[i].patch),
		                 cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_release_has_its_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
