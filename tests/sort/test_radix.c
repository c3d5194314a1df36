/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorting in memory, compared with qsort().
 */
#include "sort/radix.h"

#include "test.h"

#define N_MAX 20000

/* Below, at and above the sizes where the algorithms change. */
static const size_t sizes[] = {0, 1, 2, 15, 16, 17, 63, 64, 65, 100, 1000, N_MAX};

#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))

struct buffers {
	uint64_t *a;
	uint64_t *b;
	uint64_t *expected;
	uint64_t random;
};

static uint64_t next_random(struct buffers *b)
{
	return test_random(&b->random);
}

static int setup(void **state)
{
	struct buffers *b = test_alloc(sizeof(*b));

	b->a = test_alloc(2 * N_MAX * sizeof(*b->a));
	b->b = test_alloc(2 * N_MAX * sizeof(*b->b));
	b->expected = test_alloc(2 * N_MAX * sizeof(*b->expected));
	b->random = 88172645463325252u;
	*state = b;
	return 0;
}

static int compare_words(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x;
	uint64_t b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

static int compare_pairs(const void *x, const void *y)
{
	const uint64_t *a = x;
	const uint64_t *b = y;

	return a[0] != b[0] ? compare_words(a, b) : compare_words(a + 1, b + 1);
}

/** Sort the words or pairs in a: deal them into b, and go on from there. */
static const uint64_t *sort(struct buffers *b, size_t n, unsigned width, bool in_order)
{
	struct dit_radix radix = {.width = width, .in_order = in_order};
	unsigned shift = width == 1 ? 32 : 0; /* of the key */

	if (n == 0) {
		return b->a;
	}
	for (size_t i = 0; i < n; i++) {
		dit_radix_count(&radix, b->a[i * width] >> shift, width, 1);
	}
	dit_radix_count_end(&radix);
	for (size_t i = 0; i < n; i++) {
		size_t at = dit_radix_place(&radix, b->a[i * width] >> shift, width, 1);

		memcpy(b->b + at * width, b->a + i * width, width * sizeof(*b->a));
	}
	return dit_radix_finish(&radix, b->b, b->a, n);
}

static void check_words(struct buffers *b, size_t n, bool low_in_order)
{
	const uint64_t *result = NULL;

	memcpy(b->expected, b->a, n * sizeof(*b->a));
	qsort(b->expected, n, sizeof(*b->a), compare_words);
	result = sort(b, n, 1, low_in_order);
	assert_true(result == b->a || result == b->b);
	assert_memory_equal(result, b->expected, n * sizeof(*b->a));
}

SETUP_TEST(words_sort_like_qsort)
{
	static const uint64_t masks[] = {UINT64_MAX, 0xff, 0xff00000000000000u,
	                                 0x00f0000000f00000u, 0};
	struct buffers *b = *state;

	for (size_t s = 0; s < N_SIZES; s++) {
		for (size_t m = 0; m < sizeof(masks) / sizeof(masks[0]); m++) {
			for (size_t i = 0; i < sizes[s]; i++) {
				b->a[i] = next_random(b) & masks[m];
			}
			check_words(b, sizes[s], false);
		}
	}
}

SETUP_TEST(words_with_ordered_low_halves_sort_by_high_halves)
{
	struct buffers *b = *state;

	for (size_t s = 0; s < N_SIZES; s++) {
		for (unsigned bits = 0; bits <= 32; bits += 8) {
			for (size_t i = 0; i < sizes[s]; i++) {
				uint64_t high = next_random(b) >> 32 >> (32 - bits);
				/* Bit 31 is set in the second half. */
				uint64_t low = i / 3 + (i > sizes[s] / 2 ? 1u << 31 : 0);

				b->a[i] = high << 32 | low;
			}
			check_words(b, sizes[s], true);
		}
	}
}

SETUP_TEST(sorted_pairs_stay_where_they_are)
{
	struct buffers *b = *state;
	struct dit_pair *pairs = (struct dit_pair *)b->a;

	for (size_t i = 0; i < N_MAX; i++) {
		pairs[i] = (struct dit_pair){i << 40, N_MAX - i};
	}
	assert_ptr_equal(dit_radix_sort(pairs, (struct dit_pair *)b->b, N_MAX), pairs);
	assert_int_equal(pairs[N_MAX - 1].key, (uint64_t)(N_MAX - 1) << 40);
	assert_int_equal(pairs[N_MAX - 1].value, 1);
}

SETUP_TEST(pairs_sort_by_key_then_value)
{
	struct buffers *b = *state;

	for (size_t s = 0; s < N_SIZES; s++) {
		size_t n = sizes[s];
		const uint64_t *result = NULL;

		for (size_t i = 0; i < n; i++) {
			b->a[2 * i] = next_random(b) % (n / 4 + 1) << 50;
			b->a[2 * i + 1] = next_random(b) >> (i % 64);
		}
		memcpy(b->expected, b->a, n * 16);
		qsort(b->expected, n, 16, compare_pairs);
		result = sort(b, n, 2, false);
		assert_memory_equal(result, b->expected, n * 16);
	}
}

SETUP_TEST(pairs_of_equal_keys_keep_their_order)
{
	struct buffers *b = *state;

	for (size_t s = 0; s < N_SIZES; s++) {
		size_t n = sizes[s];
		struct dit_pair *result = NULL;

		for (size_t i = 0; i < n; i++) {
			b->a[2 * i] = next_random(b) % (n / 10 + 1) * 0x123456789abcdu;
			b->a[2 * i + 1] = i;
		}
		result = dit_radix_sort((struct dit_pair *)b->a, (struct dit_pair *)b->b,
		                        n);
		for (size_t i = 1; i < n; i++) {
			assert_true(result[i - 1].key <= result[i].key);
			if (result[i - 1].key == result[i].key) {
				assert_true(result[i - 1].value < result[i].value);
			}
		}
	}
}

/* Many, some and few keys agree in a digit or two, or all do; the rest is random. */
SETUP_TEST(pairs_whose_digits_agree_sort_by_the_others)
{
	static const uint64_t masks[] = {
		UINT64_MAX,
		0x00000000ffffffffu,
		0x7fffffffu,
		0xffu,
		0xf80000ffu,
		0xf0000000000003ff,
		0xff80ffffffffu,
		0xfff0000000000000,
		0x000fff0000000000,
		0x000000ffffffff00,
		0,
	};
	struct buffers *b = *state;

	for (size_t s = 0; s < N_SIZES; s++) {
		for (size_t m = 0; m < 2 * sizeof(masks) / sizeof(masks[0]); m++) {
			bool keep_order = m % 2 != 0;
			size_t n = sizes[s];

			for (size_t i = 0; i < n; i++) {
				b->a[2 * i] = next_random(b) & masks[m / 2];
				b->a[2 * i + 1] = keep_order ? i : next_random(b);
			}
			memcpy(b->expected, b->a, n * 16);
			qsort(b->expected, n, 16, compare_pairs);
			assert_memory_equal(sort(b, n, 2, keep_order), b->expected,
			                    n * 16);
		}
	}
}
