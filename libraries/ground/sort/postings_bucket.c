/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Buckets: the pairs of one stream of one producer, as small as they come.
 *
 * A page of memory that is touched for the first time costs more than what is done with
 * it, so an ID is not kept with each of its keys. A chunk holds groups of 32-bit units,
 * one group for each push as a rule:
 *
 *   unit 0    distance from the ID before << 12 | number of keys, 1 .. 4095
 *   units     the keys: one unit each, in 64-bit streams two
 *
 *   unit 0    0: the next group has an ID that is lower, or 2^20 and more ahead
 *   units     the value to add the next distance to: one unit, in 64-bit streams two
 *
 * The first ID before is 0. Keys 7 and 9 of entry 3, then key 7 of entry 2, are
 *
 *   0x3002 7 9   0 2   0x0001 7
 *
 * A group never straddles two chunks: what does not fit follows as another group, at
 * distance 0. So a pair of an entry with many keys takes 4 bytes, in 64-bit streams 8,
 * and twice as much when it is sorted: then it is one word, key above ID, or two words.
 * The pairs of a bucket are dealt out of its chunks by the first digit of the sort.
 */
#include <assert.h>
#include <string.h>

#include "sort/postings_private.h"
#include "sort/radix.h"

#define COUNT_BITS   12
#define COUNT_MAX    ((1u << COUNT_BITS) - 1)
#define DISTANCE_MAX (UINT32_MAX >> COUNT_BITS)

/*
 * The width of a stream is the units of its keys here, and the words of its sorted pairs.
 * It is a constant where these functions are used, so that each use compiles to its own
 * loop.
 */
#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t get_number(const uint32_t *at, unsigned width)
{
	uint64_t number = at[0];

	if (width == 2) {
		memcpy(&number, at, sizeof(number));
	}
	return number;
}

INLINE void put_number(uint32_t *at, uint64_t number, unsigned width)
{
	if (width == 2) {
		memcpy(at, &number, sizeof(number));
	} else {
		at[0] = (uint32_t)number;
	}
}

INLINE size_t put_group(struct dit_bucket *bucket, uint64_t id, const uint64_t *ordinals,
                        size_t nkeys, unsigned width)
{
	uint32_t *at = bucket->at;
	size_t room = (size_t)(bucket->end - at);
	uint64_t distance = id - bucket->last_id; /* huge if negative */
	size_t escape = distance > DISTANCE_MAX ? 1 + width : 0;
	size_t n = nkeys < COUNT_MAX ? nkeys : COUNT_MAX;

	if (room < escape + 1 + width) {
		return 0;
	}
	if (n > (room - escape - 1) / width) {
		n = (room - escape - 1) / width;
	}
	if (escape > 0) {
		at[0] = 0;
		put_number(at + 1, id, width);
		at += escape;
		distance = 0;
	}
	*at++ = (uint32_t)(distance << COUNT_BITS | n);
	for (size_t i = 0; i < n; i++) {
		put_number(at + i * width, ordinals[i], width);
	}
	bucket->at = at + n * width;
	return n;
}

size_t dit_bucket_put(struct dit_bucket *bucket, uint64_t id, const uint64_t *ordinals,
                      size_t nkeys, unsigned width)
{
	size_t n = width == 1 ? put_group(bucket, id, ordinals, nkeys, 1)
	                      : put_group(bucket, id, ordinals, nkeys, 2);

	if (n > 0) {
		bucket->is_ascending &= id >= bucket->last_id;
		bucket->last_id = id;
		bucket->npairs += n;
	}
	return n;
}

/** Count a key, or, if there are @p words, put its pair into its place among them. */
INLINE void deal_key(struct dit_radix *radix, uint64_t key, uint64_t id, uint64_t *words,
                     unsigned width)
{
	size_t at = 0;

	if (words == NULL) {
		dit_radix_count(radix, key, width);
		return;
	}
	at = dit_radix_place(radix, key, width) * width;
	words[at] = width == 1 ? key << 32 | id : key;
	if (width == 2) {
		words[at + 1] = id;
	}
}

/** Do that with all keys of the bucket, in the order in which they were put in. */
INLINE void deal_keys(const struct dit_bucket *bucket, struct dit_radix *radix,
                      uint64_t *words, unsigned width)
{
	uint64_t id = 0;

	for (const struct dit_chunk *c = bucket->first; c != NULL; c = c->next) {
		const uint32_t *end = c == bucket->last ? bucket->at : c->end;

		for (const uint32_t *at = c->units; at < end;) {
			uint32_t head = *at++;
			size_t n = head & COUNT_MAX;

			if (n == 0) {
				id = get_number(at, width);
				at += width;
				continue;
			}
			id += head >> COUNT_BITS;
			for (; n > 0; n--) {
				deal_key(radix, get_number(at, width), id, words, width);
				at += width;
			}
		}
	}
}

INLINE uint64_t *sort(const struct dit_bucket *bucket, uint64_t *words, uint64_t *spare,
                      unsigned width)
{
	struct dit_radix radix = {.width = width, .in_order = bucket->is_ascending};
	/* Words are dealt twice more, pairs once, and should end in the same buffer. */
	uint64_t *first = width == 1 ? words : spare;

	deal_keys(bucket, &radix, NULL, width);
	dit_radix_count_end(&radix);
	deal_keys(bucket, &radix, first, width);
	return dit_radix_finish(&radix, first, first == words ? spare : words,
	                        bucket->npairs);
}

uint64_t *dit_bucket_sort(const struct dit_bucket *bucket, uint64_t *words,
                          uint64_t *spare, unsigned width)
{
	return width == 1 ? sort(bucket, words, spare, 1) : sort(bucket, words, spare, 2);
}
