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

/** Expand units into words. @p id: the ID before. @return after the last word */
INLINE uint64_t *expand(const uint32_t *at, const uint32_t *end, uint64_t *id,
                        uint64_t *words, unsigned width)
{
	uint64_t current = *id;

	while (at < end) {
		uint32_t head = *at++;
		size_t n = head & COUNT_MAX;

		if (n == 0) {
			current = get_number(at, width);
			at += width;
			continue;
		}
		current += head >> COUNT_BITS;
		for (size_t i = 0; i < n; i++) {
			uint64_t key = get_number(at + i * width, width);

			words[i * width] = width == 1 ? key << 32 | current : key;
			if (width == 2) {
				words[i * width + 1] = current;
			}
		}
		at += n * width;
		words += n * width;
	}
	*id = current;
	return words;
}

void dit_bucket_copy(const struct dit_bucket *bucket, uint64_t *words, unsigned width)
{
	uint64_t *at = words;
	uint64_t id = 0;

	for (const struct dit_chunk *c = bucket->first; c != NULL; c = c->next) {
		const uint32_t *end = c == bucket->last ? bucket->at : c->end;

		at = width == 1 ? expand(c->units, end, &id, at, 1)
		                : expand(c->units, end, &id, at, 2);
	}
	assert(at == words + dit_bucket_nwords(bucket, width));
}

uint64_t *dit_bucket_sort(const struct dit_bucket *bucket, uint64_t *words,
                          uint64_t *spare, size_t nwords, unsigned width)
{
	if (width == 1) {
		return dit_radix_words(words, spare, nwords, bucket->is_ascending);
	}
	return (uint64_t *)dit_radix_pairs((struct dit_pair *)words,
	                                   (struct dit_pair *)spare, nwords / 2,
	                                   bucket->is_ascending);
}
