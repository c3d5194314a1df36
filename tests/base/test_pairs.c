/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of two sequences next to each other:
 * - each element is returned once, with the one of the other side that equals it;
 * - sides in one order are read once; without an order elements are sought, and the first
 *   side comes first;
 * - the first error ends the walk.
 */
#include "test.h"

#include "base/pairs.h"

/* A side whose elements are letters. */
struct letters {
	const char *all;
	const char *rest; /* NULL: from the beginning */
	char at;
	char bad;       /* next() and seek() fail there */
	unsigned nread; /* by next() */
};

static int next(void *side)
{
	struct letters *letters = side;

	letters->rest = letters->rest == NULL ? letters->all : letters->rest;
	letters->at = *letters->rest;
	if (letters->at == '\0') {
		return 0;
	}
	letters->rest++;
	letters->nread++;
	return letters->at == letters->bad ? -EIO : 1;
}

static int order(const void *first, const void *second)
{
	const struct letters *a = first;
	const struct letters *b = second;

	return a->at - b->at;
}

static int seek(void *side, const void *other)
{
	const struct letters *wanted = other;
	struct letters *letters = side;

	letters->rest = NULL;
	letters->at = wanted->at;
	return letters->at == letters->bad                 ? -EIO
	       : strchr(letters->all, letters->at) != NULL ? 1
	                                                   : 0;
}

/* Each pair as "1a", "2a", "3a": the sides and the letter. */
static int join(struct letters sides[2], bool is_ordered, char *ret)
{
	struct dit_pairs pairs = {.next = next,
	                          .order = is_ordered ? order : NULL,
	                          .seek = seek,
	                          .sides = {&sides[0], &sides[1]}};
	int r = 0;

	while ((r = dit_pairs_next(&pairs)) > 0) {
		*ret++ = (char)('0' + r);
		*ret++ = sides[r == DIT_PAIR_SECOND].at;
		if (r == DIT_PAIR_BOTH) {
			assert_int_equal(sides[0].at, sides[1].at);
		}
	}
	*ret = '\0';
	return r < 0 ? r : dit_pairs_next(&pairs);
}

TEST(each_element_comes_once_with_its_equal)
{
	static const struct {
		const char *first;
		const char *second;
		const char *merged;
		const char *sought;
	} cases[] = {
		{"", "", "", ""},
		{"a", "", "1a", "1a"},
		{"", "a", "2a", "2a"},
		{"abd", "bcd", "1a3b2c3d", "1a3b3d2c"},
		{"ab", "cd", "1a1b2c2d", "1a1b2c2d"},
		{"cd", "ab", "2a2b1c1d", "1c1d2a2b"},
		{"abc", "abc", "3a3b3c", "3a3b3c"},
		{"aab", "abb", "3a1a3b2b", NULL},
		{"dab", "bcd", NULL, "3d1a3b2c"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char found[32];

		for (int is_ordered = 0; is_ordered < 2; is_ordered++) {
			const char *wanted =
				is_ordered ? cases[i].merged : cases[i].sought;
			struct letters sides[2] = {{.all = cases[i].first},
			                           {.all = cases[i].second}};

			if (wanted != NULL) {
				assert_int_equal(join(sides, is_ordered, found), 0);
				assert_string_equal(found, wanted);
			}
			if (wanted != NULL && is_ordered) {
				assert_int_equal(sides[0].nread, strlen(cases[i].first));
				assert_int_equal(sides[1].nread, strlen(cases[i].second));
			}
		}
	}
}

TEST(an_error_ends_the_walk)
{
	static const struct {
		bool is_ordered;
		char bad[2];
		const char *before;
	} cases[] = {
		{true, {'c', '\0'}, "1a3b"},    {true, {'\0', 'c'}, "1a3b"},
		{false, {'b', '\0'}, "1a"},     {false, {'\0', 'd'}, "1a3b"},
		{false, {'\0', 'c'}, "1a3b3d"}, {false, {'c', '\0'}, "1a3b3d"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct letters sides[2] = {{.all = "abd", .bad = cases[i].bad[0]},
		                           {.all = "bcd", .bad = cases[i].bad[1]}};
		char found[32];

		if (cases[i].is_ordered && cases[i].bad[0] == 'c') {
			sides[0].all = "abcd";
		}
		assert_int_equal(join(sides, cases[i].is_ordered, found), -EIO);
		assert_string_equal(found, cases[i].before);
	}
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

TEST(arrays_lose_what_both_have)
{
	int first[] = {1, 3, 3, 5};
	int second[] = {2, 3, 6};
	size_t n[2] = {4, 3};

	dit_pairs_subtract((void *const[]){first, second}, n, sizeof(int), compare_ints);
	assert_int_equal(n[0], 3);
	assert_memory_equal(first, ((const int[]){1, 3, 5}), 3 * sizeof(int));
	assert_int_equal(n[1], 2);
	assert_memory_equal(second, ((const int[]){2, 6}), 2 * sizeof(int));
}
