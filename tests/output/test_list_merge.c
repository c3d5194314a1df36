/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is stored under a key when IDs have been added (list_merge.h): lists stay sorted
 * and become ranges by slapd's rule.
 */
#include "test.h"

#include "base/error.h"
#include "output/list_merge.h"

#define LIST_MAX 4

static const struct {
	const char *name;
	uint64_t stored[8];
	size_t nstored;
	uint64_t more[8];
	size_t nmore;
	bool is_repeated;
	uint64_t want[8];
	size_t nwant;
} cases[] = {
	{"nothing is stored", {0}, 0, {7}, 1, false, {7}, 1},
	{"full at once", {0}, 0, {1, 2, 3, 4}, 4, false, {1, 2, 3, 4}, 4},
	{"full at once, repeated", {0}, 0, {1, 2, 3, 4}, 4, true, {0, 1, 4}, 3},
	{"too long at once", {0}, 0, {1, 2, 3, 4, 9}, 5, false, {0, 1, 9}, 3},
	{"a new range", {0}, 0, {0, 2, 9}, 3, false, {0, 2, 9}, 3},
	{"above", {1, 2}, 2, {5, 6}, 2, false, {1, 2, 5, 6}, 4},
	{"below", {5, 6}, 2, {1}, 1, false, {1, 5, 6}, 3},
	{"between", {2, 8}, 2, {1, 5}, 2, false, {1, 2, 5, 8}, 4},
	{"between, the last is stored", {2, 8}, 2, {3, 5}, 2, false, {2, 3, 5, 8}, 4},
	{"full, repeated", {1, 2}, 2, {5, 6}, 2, true, {0, 1, 6}, 3},
	{"repeated, not full", {1, 2}, 2, {5}, 1, true, {1, 2, 5}, 3},
	{"too long", {5, 6, 7}, 3, {1, 2}, 2, false, {0, 1, 7}, 3},
	{"a range comes", {5, 6}, 2, {0, 2, 9}, 3, false, {0, 2, 9}, 3},
	{"a range comes inside", {1, 12}, 2, {0, 2, 9}, 3, false, {0, 1, 12}, 3},
	{"a range is stored", {0, 2, 9}, 3, {12}, 1, false, {0, 2, 12}, 3},
	{"inside of a range", {0, 2, 9}, 3, {5}, 1, true, {0, 2, 9}, 3},
	{"below a range", {0, 2, 9}, 3, {1}, 1, false, {0, 1, 9}, 3},
	{"two ranges", {0, 2, 9}, 3, {0, 1, 12}, 3, false, {0, 1, 12}, 3},
};

static void lists_merge_by_slapds_rule(void **state)
{
	struct dit_list_merge merge = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_output_list more = {.key = DIT_SPAN("key"),
		                               .ids = cases[i].more,
		                               .nids = cases[i].nmore,
		                               .is_repeated = cases[i].is_repeated};
		struct dit_output_list got = {0};

		print_message("  %s\n", cases[i].name);
		assert_int_equal(dit_list_merge(&merge, cases[i].stored, cases[i].nstored,
		                                &more, LIST_MAX, &got),
		                 0);
		assert_true(dit_span_eq(got.key, DIT_SPAN("key")));
		assert_int_equal(got.nids, cases[i].nwant);
		assert_memory_equal(got.ids, cases[i].want,
		                    cases[i].nwant * sizeof(*got.ids));
	}
	dit_list_merge_deinit(&merge);
}

static void a_range_has_three_words(void **state)
{
	static const uint64_t stored[] = {0, 1};
	static const uint64_t ids[] = {5};
	struct dit_output_list more = {.key = DIT_SPAN("k"), .ids = ids, .nids = 1};
	struct dit_list_merge merge = {0};
	struct dit_output_list got = {0};

	(void)state;
	assert_int_equal(dit_list_merge(&merge, stored, 2, &more, LIST_MAX, &got),
	                 DIT_E_CORRUPT);
	dit_list_merge_deinit(&merge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_merge_by_slapds_rule),
		cmocka_unit_test(a_range_has_three_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
