/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values come out sorted whatever the order in which they came; of values that are there
 * twice the one that slapadd 2.5.13 names is told.
 */
#include "test.h"

#include "entry/entry.h"

#define LONG 3000

struct numbers {
	char text[LONG][8];
	struct dit_span values[LONG];
	uint32_t places[LONG];
};

static int by_bytes(struct dit_span a, struct dit_span b)
{
	assert_int_equal(a.len, b.len);
	return memcmp(a.data, b.data, a.len);
}

static const struct dit_value_order order = {by_bytes, false};

static void set(struct numbers *n, uint32_t i, unsigned number)
{
	(void)snprintf(n->text[i], sizeof(n->text[i]), "%07u", number % 10000000);
	n->values[i] = (struct dit_span){n->text[i], 7};
}

/* Lists with values that are there twice, and the number slapadd tells for each; told at
 * every place where its sort can meet a pair. */
TEST(the_duplicate_that_slapadd_names_is_told)
{
	static const struct {
		uint32_t told;
		unsigned numbers[32]; /* up to a 0 */
	} cases[] = {
		{0, {5, 5}},
		{1, {4, 3, 3, 4}},
		{1, {3, 4, 4, 3}},
		{12,
	         {727, 482, 373, 241, 290, 987, 792, 106, 446, 614, 574, 719, 987, 442,
	          667, 731, 816}},
		{8, {562, 842, 235, 260, 272, 343, 152, 213, 235, 618, 992, 704,
	             164, 892, 804, 492, 908, 864, 204, 398, 309, 790, 329, 843}},
		{2, {506, 387, 449, 928, 144, 304, 825, 449, 521, 156}},
		{0, {342, 534, 853, 882, 214, 342, 103, 224, 882}},
		{11, {720, 972, 512, 474, 374, 854, 689, 135, 224, 989, 822, 512,
	              342, 265, 725, 617, 144, 853, 474, 965, 790, 634, 704, 678}},
		{0, {149, 223, 721, 251, 721, 149, 162, 561, 313, 905, 498, 401}},
		{9, {280, 585, 567, 705, 672, 658, 497, 185, 277, 672}},
		{16,
	         {478, 634, 305, 478, 995, 749, 183, 341, 105, 362, 881, 630, 799, 302,
	          115, 549, 302}},
		{0, {357, 586, 972, 422, 357, 995, 325, 754, 160}},
		{14, {291, 461, 905, 512, 107, 997, 409, 979, 196, 130,
	              425, 549, 353, 526, 353, 429, 603, 676, 455, 957,
	              508, 540, 313, 180, 383, 408, 572, 577, 725, 682}},
		{0,
	         {402, 226, 360, 417, 402, 330, 111, 282, 784, 751, 524, 378, 478, 753,
	          456, 430, 672}},
		{9, {221, 707, 691, 105, 305, 551, 618, 204, 489, 618,
	             380, 807, 290, 551, 639, 637, 778, 415, 247, 980}},
		{11, {182, 768, 989, 752, 714, 102, 215, 324, 272, 418, 324, 182}},
		{8, {872, 824, 448, 183, 439, 147, 219, 153, 872}},
	};
	static struct numbers n;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t len = 0;

		for (; len < 32 && cases[i].numbers[len] != 0; len++) {
			set(&n, len, cases[i].numbers[len]);
		}
		print_message("list %zu\n", i);
		assert_int_equal(dit_values_sort(n.values, n.places, len, order),
		                 cases[i].told);
	}
}

/* @p step has no divisor in common with @p n: every number below n comes once. */
static void check_sorted(struct numbers *n, uint32_t len, uint32_t step)
{
	for (uint32_t i = 0; i < len; i++) {
		set(n, i, (unsigned)((uint64_t)i * step % len));
	}
	assert_int_equal(dit_values_sort(n->values, n->places, len, order),
	                 DIT_VALUES_UNIQUE);
	for (uint32_t i = 0; i < len; i++) {
		assert_int_equal(atoi(n->values[i].data), i);
		assert_ptr_equal(n->values[i].data, n->text[n->places[i]]);
	}
}

TEST(different_values_are_sorted_with_their_places)
{
	static const uint32_t steps[] = {1, 7, 31, 1009, 4999};
	static struct numbers n;

	for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
		for (uint32_t len = 0; len <= 60; len++) {
			if (len == 0 || steps[s] == 1 || len % steps[s] != 0) {
				check_sorted(&n, len, steps[s]);
			}
		}
		check_sorted(&n, LONG - 1, steps[s]); /* 2999 is a prime number */
	}
	/* From the end. */
	check_sorted(&n, LONG - 1, LONG - 2);
}

/* Wherever two equal values stand, they are found and one of the two is told. */
TEST(every_pair_of_equal_values_is_found)
{
	static struct numbers n;
	const uint32_t len = 41;

	for (uint32_t a = 0; a < len; a++) {
		for (uint32_t b = a + 1; b < len; b++) {
			uint32_t found = 0;

			for (uint32_t i = 0; i < len; i++) {
				set(&n, i, i * 17 % len);
			}
			set(&n, b, a * 17 % len);
			found = dit_values_sort(n.values, n.places, len, order);
			assert_true(found == a || found == b);
		}
	}
}
