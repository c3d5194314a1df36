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
 * Keys of 32 bits have three digits of 8, 12 and 12 bits, those of 64 bits only the two
 * highest ones. Then keys that agree so far lie together, and what differs among them is
 * sorted there, by those bytes in which they differ, eight rounds at most:
 *
 *   32 bits  FNV-1 multiplies, then adds a character. So hashes of texts that differ in
 *            the last one differ in the low 8 bits only: all digits are needed.
 *   64 bits  FNV-1a adds, then multiplies by 2^40 + 435. So those hashes differ from bit
 *            40 up, and with 11 bits a digit they would not. With four million different
 *            hashes, one or two agree in 24 bits.
 *   others   Ordinals of times or numbers may all agree there.
 *
 * The first round deals items out of the chunks in which they were collected, so no round
 * copies only. Keys are counted for all digits in one reading. A digit that is the same
 * in all items costs nothing more. Few items are merged instead: the counters alone would
 * cost more.
 */
#include "sort/radix.h"

#include <assert.h>
#include <string.h>

#define FEW         64 /* where both ways take the same time */
#define SHORT_RUN   16 /* of these, sorted by insertion */
#define BYTE_VALUES 256u

/*
 * Items are one word or two. `width` and `word` (which of the two words is looked at)
 * are constants where these functions are used, so that each use compiles to its own
 * loop.
 */
#define INLINE static inline __attribute__((always_inline))

/** Items are dealt by these bits. */
struct digit {
	unsigned word; /* of the item */
	unsigned shift;
	unsigned nvalues;
	uint32_t *places; /* of its piles */
};

/** Turn the size of each pile into the place where it begins. */
INLINE void place_piles(uint32_t *counts, unsigned nvalues)
{
	uint32_t place = 0;

	for (unsigned v = 0; v < nvalues; v++) {
		uint32_t count = counts[v];

		counts[v] = place;
		place += count;
	}
}

/** Deal the items into piles; each of @p places becomes the place after a pile. */
INLINE void deal(const uint64_t *from, uint64_t *to, size_t n, unsigned width,
                 const struct digit *digit)
{
	uint32_t *places = digit->places;

#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++) {
		uint64_t w = from[i * width + digit->word];
		size_t at = places[(w >> digit->shift) % digit->nvalues]++;

		to[at * width] = from[i * width];
		if (width == 2) {
			to[at * width + 1] = from[i * width + 1];
		}
	}
}

/**
 * Sort by one word, byte by byte.
 *
 * @param differ  bits in which the words differ
 *
 * @return the buffer that holds the result
 */
INLINE uint64_t *sort_by_bytes(uint64_t *items, uint64_t *spare, size_t n, unsigned width,
                               unsigned word, uint64_t differ)
{
	for (unsigned shift = 0; shift < 64; shift += 8) {
		uint32_t counts[BYTE_VALUES] = {0};
		uint64_t *swap = items;

		if ((differ >> shift) % BYTE_VALUES == 0) {
			continue;
		}
		for (size_t i = 0; i < n; i++) {
			counts[(items[i * width + word] >> shift) % BYTE_VALUES]++;
		}
		place_piles(counts, BYTE_VALUES);
		deal(items, spare, n, width,
		     &(struct digit){word, shift, BYTE_VALUES, counts});
		items = spare;
		spare = swap;
	}
	return items;
}

static inline bool is_key_below(const void *ctx, const uint64_t *a, const uint64_t *b)
{
	(void)ctx;
	return a[0] < b[0];
}

static inline bool is_pair_below(const void *ctx, const uint64_t *a, const uint64_t *b)
{
	(void)ctx;
	return (a[0] < b[0]) | ((a[0] == b[0]) & (a[1] < b[1]));
}

static const struct dit_few by_key = {.is_below = is_key_below, .run = SHORT_RUN};
static const struct dit_few by_pair = {.is_below = is_pair_below, .run = SHORT_RUN};

/** Sort items whose upper digits agree, in place. */
INLINE void sort_group(uint64_t *items, uint64_t *spare, size_t n, unsigned width,
                       uint64_t differ, bool in_order)
{
	uint64_t *result = items;

	if (n <= FEW) {
		result = in_order || width == 1
		                 ? dit_sort_few(items, spare, n, width, &by_key)
		                 : dit_sort_few(items, spare, n, width, &by_pair);
	} else {
		if (width == 2 && !in_order) {
			result = sort_by_bytes(items, spare, n, 2, 1, UINT64_MAX);
		}
		result = sort_by_bytes(result, result == items ? spare : items, n, width,
		                       0, differ);
	}
	if (result != items) {
		memcpy(items, result, n * width * sizeof(*items));
	}
}

/** Items in order of the digits, and groups of them agree in the upper ones: see to the
 * rest. */
INLINE void sort_groups(uint64_t *items, uint64_t *spare, size_t n, unsigned width,
                        bool in_order)
{
	size_t next = 0;

	for (size_t first = 0; first < n; first = next) {
		uint64_t key = items[first * width];
		uint64_t differ = 0; /* bits in which keys of the group differ */

		for (next = first + 1; next < n; next++) {
			uint64_t change = items[next * width] ^ key;

			if (change >> DIT_RADIX_SECOND != 0) {
				break;
			}
			differ |= change;
		}
		if (differ != 0 || (!in_order && next - first > 1)) {
			sort_group(items + first * width, spare + first * width,
			           next - first, width, differ, in_order);
		}
	}
}

/** Deal the items by one of the upper digits, if it differs. @return where they are */
INLINE uint64_t *deal_upper(uint64_t *items, uint64_t *spare, size_t n, unsigned width,
                            const struct digit *digit)
{
	if (digit->places[(items[0] >> digit->shift) % digit->nvalues] == n) {
		return items;
	}
	place_piles(digit->places, digit->nvalues);
	deal(items, spare, n, width, digit);
	return spare;
}

/** dit_radix_finish() for one width. */
INLINE uint64_t *finish(struct dit_radix *radix, uint64_t *dealt, uint64_t *spare,
                        size_t n, unsigned width)
{
	uint64_t *middle = dealt;
	uint64_t *result = NULL;
	uint64_t *other = NULL;

	if (width == 1) {
		middle = deal_upper(dealt, spare, n, width,
		                    &(struct digit){0, DIT_RADIX_SECOND, DIT_RADIX_VALUES,
		                                    radix->second});
	}
	result = deal_upper(
		middle, middle == dealt ? spare : dealt, n, width,
		&(struct digit){0, DIT_RADIX_HIGH, DIT_RADIX_VALUES, radix->high});
	other = result == dealt ? spare : dealt;

	if (!radix->in_order) {
		sort_groups(result, other, n, width, false);
	} else if (width == 2) {
		sort_groups(result, other, n, width, true);
	}
	return result;
}

void dit_radix_count_end(struct dit_radix *radix)
{
	if (radix->width == 1) {
		place_piles(radix->low, DIT_RADIX_LOW_VALUES);
	} else {
		place_piles(radix->second, DIT_RADIX_VALUES);
	}
}

uint64_t *dit_radix_finish(struct dit_radix *radix, uint64_t *dealt, uint64_t *spare,
                           size_t n)
{
	assert(n <= DIT_RADIX_MAX);
	return radix->width == 1 ? finish(radix, dealt, spare, n, 1)
	                         : finish(radix, dealt, spare, n, 2);
}

struct dit_pair *dit_radix_sort(struct dit_pair *pairs, struct dit_pair *spare, size_t n)
{
	struct dit_radix radix = {.width = 2, .in_order = true};
	bool is_sorted = true;

	if (n <= FEW) {
		return (void *)dit_sort_few((void *)pairs, (void *)spare, n, 2, &by_key);
	}
	for (size_t i = 0; i < n; i++) {
		is_sorted &= i == 0 || pairs[i - 1].key <= pairs[i].key;
		dit_radix_count(&radix, pairs[i].key, 2, 1);
	}
	if (is_sorted) {
		return pairs;
	}
	dit_radix_count_end(&radix);
	for (size_t i = 0; i < n; i++) {
		spare[dit_radix_place(&radix, pairs[i].key, 2, 1)] = pairs[i];
	}
	return (struct dit_pair *)dit_radix_finish(&radix, &spare->key, &pairs->key, n);
}
