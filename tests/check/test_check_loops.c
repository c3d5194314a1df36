/* SPDX-License-Identifier: BSD-2-Clause */
/* Circles of parents are found, each once, and named from their lowest ID on. */
#include "test.h"

#include <errno.h>

#include "check/check_loops.h"
#include "nomem.h"

struct told {
	char text[2000];
	size_t len;
};

static void note(void *ctx, const char *ids, uint64_t lowest)
{
	struct told *told = ctx;

	told->len +=
		(size_t)snprintf(told->text + told->len, sizeof(told->text) - told->len,
	                         "%llu: %s\n", (unsigned long long)lowest, ids);
}

/* Parents of 1, 2, 3 ... */
static void find(const uint64_t *parents, size_t n, struct told *told)
{
	struct dit_loops loops = {.n = 0};

	*told = (struct told){.len = 0};
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(dit_loops_add(&loops, i + 1, parents[i]), 0);
	}
	if (n > 0) {
		/* Left out: there is one. */
		assert_int_equal(dit_loops_add(&loops, 1, 1), 0);
	}
	assert_int_equal(dit_loops_find(&loops, note, told), 0);
	dit_loops_deinit(&loops);
}

static void trees_have_no_circle(void **state)
{
	static const uint64_t tree[] = {0, 1, 1, 2, 99, 5};
	struct told told;
	(void)state;

	find(tree, 6, &told);
	assert_string_equal(told.text, "");
	find(NULL, 0, &told);
	assert_string_equal(told.text, "");
}

static void each_circle_is_told_once(void **state)
{
	/* 2 > 4 > 3 > 2 with 5 and 6 above it; 7 by itself; 1 is right. */
	static const uint64_t parents[] = {0, 4, 2, 3, 4, 5, 7};
	struct told told;
	(void)state;

	find(parents, 7, &told);
	assert_string_equal(told.text, "2: 2, 4, 3, 2\n7: 7, 7\n");
}

static void long_circles_are_cut(void **state)
{
	uint64_t parents[30];
	struct told told;
	(void)state;

	for (size_t i = 0; i < 30; i++) {
		parents[i] = i == 29 ? 1 : i + 2;
	}
	find(parents, 30, &told);
	assert_string_equal(told.text, "1: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ..., 1\n");
}

static void no_memory_is_an_error(void **state)
{
	struct dit_loops loops = {.n = 0};
	(void)state;

	countdown = 0;
	assert_int_equal(dit_loops_add(&loops, 1, 0), -ENOMEM);
	countdown = -1;
	assert_int_equal(dit_loops_add(&loops, 1, 0), 0);
	countdown = 0;
	assert_int_equal(dit_loops_find(&loops, note, NULL), -ENOMEM);
	countdown = -1;
	dit_loops_deinit(&loops);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees_have_no_circle),
		cmocka_unit_test(each_circle_is_told_once),
		cmocka_unit_test(long_circles_are_cut),
		cmocka_unit_test(no_memory_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
