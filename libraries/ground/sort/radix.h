/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorting of machine words in memory, between two buffers of equal size.
 *
 * Items are words with a key of 32 bits above another number, or pairs of a key and a
 * value, which are two words. Their keys are counted first, and the items are dealt into
 * one of the buffers while they are made:
 *
 *   dit_radix_count() for each; dit_radix_count_end(); dit_radix_place() for each, in the
 *   same order; dit_radix_finish()
 *
 * Threads: no state.
 */
#ifndef DITKIT_RADIX_H
#define DITKIT_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DIT_RADIX_MAX UINT32_MAX /* most items of one call */

/* Digits of a key: the two highest, and, of 32 bits, the lowest. */
#define DIT_RADIX_VALUES     4096u /* of 12 bits */
#define DIT_RADIX_HIGH       52    /* shift */
#define DIT_RADIX_SECOND     40
#define DIT_RADIX_LOW_VALUES 256u

struct dit_pair {
	uint64_t key;
	uint64_t value;
};

struct dit_radix {
	unsigned width; /* words of an item, 1 or 2 */
	bool in_order;  /* items of equal keys come in their order, which saves work */
	/* How many items have each value of a digit; zero at first. After count_end: of
	 * the digit that is dealt first, where the next item of each value belongs. */
	uint32_t high[DIT_RADIX_VALUES];
	uint32_t second[DIT_RADIX_VALUES];
	uint32_t low[DIT_RADIX_LOW_VALUES];
};

/**
 * @param width  that of @p radix, a constant: each use compiles to its own loop
 * @param n      1, or 0: the item is not to be sorted. A number, since a branch would be
 *               guessed wrong half of the time
 */
static inline void dit_radix_count(struct dit_radix *radix, uint64_t key, unsigned width,
                                   unsigned n)
{
	const unsigned below = width == 1 ? 32 : 0; /* bits of the ID */

	radix->high[key >> (DIT_RADIX_HIGH - below)] += n;
	radix->second[(key >> (DIT_RADIX_SECOND - below)) % DIT_RADIX_VALUES] += n;
	if (width == 1) {
		radix->low[key % DIT_RADIX_LOW_VALUES] += n;
	}
}

/** All items are counted. */
void dit_radix_count_end(struct dit_radix *radix);

/** @return where the item belongs among those that are dealt, if @p n is 1 */
static inline size_t dit_radix_place(struct dit_radix *radix, uint64_t key,
                                     unsigned width, unsigned n)
{
	uint32_t *place =
		width == 1 ? &radix->low[key % DIT_RADIX_LOW_VALUES]
			   : &radix->second[(key >> DIT_RADIX_SECOND) % DIT_RADIX_VALUES];
	size_t at = *place;

	*place += n;
	return at;
}

/**
 * Sort items by key; those of equal keys by the rest, unless they are in order
 * already.
 *
 * @param dealt  @p n items in their places, at least 1; overwritten
 * @param spare  room for as many, not overlapping; overwritten
 *
 * @return whichever holds the result: as a rule @p dealt with words, @p spare with pairs
 */
uint64_t *dit_radix_finish(struct dit_radix *radix, uint64_t *dealt, uint64_t *spare,
                           size_t n);

/**
 * Sort pairs that are there already by key, equal ones in the order in which they stand.
 *
 * @param n  may be 0
 *
 * @return @p pairs or @p spare, whichever holds the result
 */
struct dit_pair *dit_radix_sort(struct dit_pair *pairs, struct dit_pair *spare, size_t n);

/* ---- few items ---- */

/** How few items are sorted; a constant: each use compiles to its own loop. */
struct dit_few {
	bool (*is_below)(const void *ctx, const uint64_t *a, const uint64_t *b);
	const void *ctx;
	size_t run; /* so many are sorted by insertion, then neighbours are merged */
};

#define DIT_FEW_INLINE static inline __attribute__((always_inline))

DIT_FEW_INLINE void dit_few_insert(uint64_t *items, size_t n, unsigned width,
                                   const struct dit_few *few)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t item[2] = {items[i * width], items[i * width + width - 1]};
		size_t at = i;

		while (at > 0 &&
		       few->is_below(few->ctx, item, items + (at - 1) * width)) {
			memcpy(items + at * width, items + (at - 1) * width, width * 8);
			at--;
		}
		memcpy(items + at * width, item, width * 8);
	}
}

/** Merge the items up to @p b with those from there to @p end. */
DIT_FEW_INLINE void dit_few_merge(const uint64_t *a, const uint64_t *b,
                                  const uint64_t *end, uint64_t *out, unsigned width,
                                  const struct dit_few *few)
{
	const uint64_t *a_end = b;

	while (a < a_end && b < end) {
		/* No branch, so arithmetic: which array is next cannot be guessed. */
		uint64_t take_b = few->is_below(few->ctx, b, a);
		uint64_t mask = 0 - take_b;

		out[0] = (a[0] & ~mask) | (b[0] & mask);
		if (width == 2) {
			out[1] = (a[1] & ~mask) | (b[1] & mask);
		}
		out += width;
		a += (1 - take_b) * width;
		b += take_b * width;
	}
	memcpy(out, a, (size_t)(a_end - a) * 8);
	memcpy(out + (a_end - a), b, (size_t)(end - b) * 8);
}

/** A stable merge sort. @return whichever holds the result */
DIT_FEW_INLINE uint64_t *dit_sort_few(uint64_t *items, uint64_t *spare, size_t n,
                                      unsigned width, const struct dit_few *few)
{
	for (size_t i = 0; i < n; i += few->run) {
		dit_few_insert(items + i * width, n - i < few->run ? n - i : few->run,
		               width, few);
	}
	for (size_t run = few->run; run < n; run *= 2) {
		uint64_t *swap = items;

		for (size_t i = 0; i < n; i += 2 * run) {
			size_t middle = n - i < run ? n : i + run;
			size_t end = n - middle < run ? n : middle + run;

			dit_few_merge(items + i * width, items + middle * width,
			              items + end * width, spare + i * width, width, few);
		}
		items = spare;
		spare = swap;
	}
	return items;
}

#endif
