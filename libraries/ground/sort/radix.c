/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Radix sort from the lowest digit up.
 *
 * The items are dealt into one pile per value of the lowest digit, the piles are put one
 * after the other, and so on for each higher digit. Dealing keeps the order inside a
 * pile, so after the highest digit all is sorted. With digits of one decimal:
 *
 *     32 11 31 12   by the lower digit    11 31 | 32 12
 *                   by the upper digit    11 12 | 31 32
 *
 * Digits have 11 bits: three rounds for 32 bits. With 8 bits there are four, each a
 * little faster. Best of several runs on one core, in nanoseconds per packed pair:
 *
 *     pairs       0.2 million   1 million   4 million
 *     8 bits      8.5           7.1         20.2
 *     11 bits     5.6           7.6         15.3
 *
 * Dealing by the top digit first, so that the rest happens inside the cache, took 13
 * instead of 16 ns with 8 million pairs and gained nothing with a million; it is not
 * worth its code.
 *
 * Pairs have keys of 64 bits, six rounds. Only the two highest digits are dealt at first;
 * then keys that agree so far lie together, and what differs among them is sorted there.
 * Most keys are hashes: with four million different ones, one or two agree in 22 bits.
 * Other keys, such as times, may all agree; they take the six rounds.
 *
 * All digits are counted in one reading. A digit that is the same in all items costs
 * nothing more (the upper bytes of times, for example), and neither do sorted items.
 * Few items are merged instead: the counters alone would cost more.
 */
#include "sort/radix.h"

#include <assert.h>
#include <string.h>

#define DIGIT_BITS   11
#define DIGIT_VALUES (1u << DIGIT_BITS)
#define DIGITS_MAX   6   /* 64 bits */
#define FEW          320 /* where both ways take the same time */
#define SHORT_RUN    16
#define TOP_SHIFT    42 /* of the two highest digits */

/*
 * Items are one word or two. `width` and `word` (which of the two words is looked at)
 * are constants where these functions are used, so that each use compiles to its own
 * loop.
 */
#define INLINE static inline __attribute__((always_inline))

struct digits {
	unsigned shifts[DIGITS_MAX];
};

static const struct digits all_digits = {{0, 11, 22, 33, 44, 55}};
/* Bit 31 belongs to the lower half, whose order is known; it does no harm. */
static const struct digits upper_digits = {{31, 42, 53}};
static const struct digits top_digits = {{TOP_SHIFT, 53}};

INLINE unsigned digit(uint64_t w, unsigned shift)
{
	return (w >> shift) & (DIGIT_VALUES - 1);
}

/** Count all digits. @return true if the words ascend already */
INLINE bool count_digits(const uint64_t *items, size_t n, unsigned width, unsigned word,
                         const struct digits *digits, unsigned ndigits,
                         uint32_t counts[DIGITS_MAX][DIGIT_VALUES])
{
	uint64_t previous = 0;
	bool is_sorted = true;

	memset(counts, 0, ndigits * sizeof(counts[0]));
	for (size_t i = 0; i < n; i++) {
		uint64_t w = items[i * width + word];

		is_sorted &= previous <= w;
		previous = w;
		/* Written out: at -O2 compilers would leave a loop here. */
		counts[0][digit(w, digits->shifts[0])]++;
		counts[1][digit(w, digits->shifts[1])]++;
		if (ndigits > 2) {
			counts[2][digit(w, digits->shifts[2])]++;
		}
		if (ndigits == DIGITS_MAX) {
			counts[3][digit(w, digits->shifts[3])]++;
			counts[4][digit(w, digits->shifts[4])]++;
			counts[5][digit(w, digits->shifts[5])]++;
		}
	}
	return is_sorted;
}

/** Deal the items into piles; @p counts becomes the place after each pile. */
INLINE void deal(const uint64_t *from, uint64_t *to, size_t n, unsigned width,
                 unsigned word, unsigned shift, uint32_t counts[DIGIT_VALUES])
{
	uint32_t place = 0;

	for (unsigned v = 0; v < DIGIT_VALUES; v++) {
		uint32_t count = counts[v];

		counts[v] = place;
		place += count;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t w = from[i * width + word];
		size_t at = counts[digit(w, shift)]++;

		to[at * width] = from[i * width];
		if (width == 2) {
			to[at * width + 1] = from[i * width + 1];
		}
	}
}

/** Sort by one word. @return the buffer that holds the result */
INLINE uint64_t *radix_sort(uint64_t *items, uint64_t *spare, size_t n, unsigned width,
                            unsigned word, const struct digits *digits, unsigned ndigits)
{
	uint32_t counts[DIGITS_MAX][DIGIT_VALUES];
	uint64_t first = items[word];

	if (count_digits(items, n, width, word, digits, ndigits, counts)) {
		return items;
	}
	for (unsigned d = 0; d < ndigits; d++) {
		unsigned shift = digits->shifts[d];
		uint64_t *swap = items;

		if (counts[d][digit(first, shift)] == n) {
			continue;
		}
		deal(items, spare, n, width, word, shift, counts[d]);
		items = spare;
		spare = swap;
	}
	return items;
}

INLINE bool is_less(const uint64_t *a, const uint64_t *b, unsigned width, bool by_value)
{
	if (width == 1 || !by_value) {
		return a[0] < b[0];
	}
	return (a[0] < b[0]) | ((a[0] == b[0]) & (a[1] < b[1]));
}

INLINE void insertion_sort(uint64_t *items, size_t n, unsigned width, bool by_value)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t item[2] = {items[i * width], items[i * width + width - 1]};
		size_t at = i;

		while (at > 0 &&
		       is_less(item, items + (at - 1) * width, width, by_value)) {
			memcpy(items + at * width, items + (at - 1) * width, width * 8);
			at--;
		}
		memcpy(items + at * width, item, width * 8);
	}
}

INLINE void merge(const uint64_t *a, size_t na, const uint64_t *b, size_t nb,
                  uint64_t *out, unsigned width, bool by_value)
{
	const uint64_t *a_end = a + na * width;
	const uint64_t *b_end = b + nb * width;

	while (a < a_end && b < b_end) {
		/* No branch, so arithmetic: which array is next cannot be guessed. */
		uint64_t take_b = is_less(b, a, width, by_value);
		uint64_t mask = 0 - take_b;

		out[0] = (a[0] & ~mask) | (b[0] & mask);
		if (width == 2) {
			out[1] = (a[1] & ~mask) | (b[1] & mask);
		}
		out += width;
		a += (1 - take_b) * width;
		b += take_b * width;
	}
	if (a < a_end) {
		memcpy(out, a, (size_t)(a_end - a) * 8);
	}
	if (b < b_end) {
		memcpy(out + (a_end - a), b, (size_t)(b_end - b) * 8);
	}
}

/** Sort few items: short runs by insertion, then merge neighbours until one is left. */
INLINE uint64_t *merge_sort(uint64_t *items, uint64_t *spare, size_t n, unsigned width,
                            bool by_value)
{
	for (size_t i = 0; i < n; i += SHORT_RUN) {
		insertion_sort(items + i * width, n - i < SHORT_RUN ? n - i : SHORT_RUN,
		               width, by_value);
	}
	for (size_t run = SHORT_RUN; run < n; run *= 2) {
		uint64_t *swap = items;

		for (size_t i = 0; i < n; i += 2 * run) {
			size_t na = n - i < run ? n - i : run;
			size_t nb = n - i - na < run ? n - i - na : run;

			merge(items + i * width, na, items + (i + na) * width, nb,
			      spare + i * width, width, by_value);
		}
		items = spare;
		spare = swap;
	}
	return items;
}

uint64_t *dit_radix_words(uint64_t *words, uint64_t *spare, size_t n, bool low_in_order)
{
	assert(n <= DIT_RADIX_MAX);
	if (n <= FEW) {
		return merge_sort(words, spare, n, 1, false);
	}
	if (low_in_order) {
		return radix_sort(words, spare, n, 1, 0, &upper_digits, 3);
	}
	return radix_sort(words, spare, n, 1, 0, &all_digits, DIGITS_MAX);
}

/* Pairs whose upper digits agree: sort them by the others, in place, keeping the order of
 * equal ones. */
static void sort_group(uint64_t *items, uint64_t *spare, size_t n)
{
	uint64_t *result =
		n <= FEW ? merge_sort(items, spare, n, 2, false)
			 : radix_sort(items, spare, n, 2, 0, &all_digits, DIGITS_MAX);

	if (result != items) {
		memcpy(items, result, n * sizeof(struct dit_pair));
	}
}

/* Pairs in order of their upper digits: see to the lower ones. */
static void sort_groups(uint64_t *items, uint64_t *spare, size_t n)
{
	size_t first = 0;
	uint64_t differ = 0; /* bits in which keys of the group differ */

	for (size_t i = 1; i <= n; i++) {
		uint64_t change = i < n ? items[i * 2] ^ items[first * 2] : UINT64_MAX;

		if (change >> TOP_SHIFT == 0) {
			differ |= change;
			continue;
		}
		if (differ != 0) {
			sort_group(items + first * 2, spare + first * 2, i - first);
		}
		first = i;
		differ = 0;
	}
}

struct dit_pair *dit_radix_pairs(struct dit_pair *pairs, struct dit_pair *spare, size_t n,
                                 bool keep_order)
{
	uint64_t *a = (uint64_t *)pairs;
	uint64_t *b = (uint64_t *)spare;
	uint64_t *result = a;

	assert(n <= DIT_RADIX_MAX);
	if (n <= FEW) {
		return (struct dit_pair *)(keep_order ? merge_sort(a, b, n, 2, false)
		                                      : merge_sort(a, b, n, 2, true));
	}
	if (!keep_order) {
		result = radix_sort(a, b, n, 2, 1, &all_digits, DIGITS_MAX);
	}
	result = radix_sort(result, result == a ? b : a, n, 2, 0, &top_digits, 2);
	sort_groups(result, result == a ? b : a, n);
	return (struct dit_pair *)result;
}

void dit_merge_words(const uint64_t *a, size_t na, const uint64_t *b, size_t nb,
                     uint64_t *out)
{
	merge(a, na, b, nb, out, 1, false);
}

void dit_merge_pairs(const struct dit_pair *a, size_t na, const struct dit_pair *b,
                     size_t nb, struct dit_pair *out)
{
	merge((const uint64_t *)a, na, (const uint64_t *)b, nb, (uint64_t *)out, 2, true);
}
