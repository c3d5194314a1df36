/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tests of a program (TEST in test.h), and the main() of those that do without one.
 */
#include "test.h"

#define TESTS_MAX 100

static struct test_case cases[TESTS_MAX]; /* in the order of the file */
static size_t ncases;

void test_add(const struct test_case *test)
{
	size_t i = ncases++;

	if (ncases > TESTS_MAX) {
		abort();
	}
	for (; i > 0 && cases[i - 1].line > test->line; i--) {
		cases[i] = cases[i - 1];
	}
	cases[i] = *test;
}

int test_run(const char *group, CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
	struct CMUnitTest tests[TESTS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < ncases; i++) {
		if (cases[i].groups == NULL || strstr(cases[i].groups, group) != NULL) {
			tests[n++] = cases[i].test;
		}
	}
	return _cmocka_run_group_tests(group, tests, n, set_up, tear_down);
}

__attribute__((weak)) int main(void)
{
	return test_run("tests", NULL, NULL);
}
