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
#include <errno.h>
#include <stdlib.h>
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
#pragma GCC unroll 8
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

/* A bucket that is read from its beginning. */
struct reading {
	const struct dit_chunk *chunk;
	const struct dit_chunk *last;
	const uint32_t *at; /* the next group */
	const uint32_t *end;
	const uint32_t *last_end;
	uint64_t id;   /* that the next distance is added to */
	uint64_t next; /* the ID of the next group, once it is known */
};

static void reading_init(struct reading *reading, const struct dit_bucket *bucket)
{
	const struct dit_chunk *first = bucket->first;

	*reading =
		(struct reading){.chunk = first,
	                         .last = bucket->last,
	                         .at = first->units,
	                         .end = first == bucket->last ? bucket->at : first->end,
	                         .last_end = bucket->at};
}

static bool next_chunk(struct reading *reading)
{
	if (reading->chunk == reading->last) {
		return false;
	}
	reading->chunk = reading->chunk->next;
	reading->at = reading->chunk->units;
	reading->end =
		reading->chunk == reading->last ? reading->last_end : reading->chunk->end;
	return true;
}

/** Count a key, or, if there are @p words, put its pair into its place among them.
 * @param n  1; 0: the key is not counted, and not placed */
INLINE void deal_key(struct dit_radix *radix, uint64_t key, uint64_t id, uint64_t *words,
                     unsigned width, unsigned n)
{
	uint64_t nowhere[2];
	uint64_t *to = nowhere;
	size_t at = 0;

	if (words == NULL) {
		dit_radix_count(radix, key, width, n);
		return;
	}
	at = dit_radix_place(radix, key, width, n) * width;
	to = n == 0 ? nowhere : words + at;
	to[0] = width == 1 ? key << 32 | id : key;
	if (width == 2) {
		to[1] = id;
	}
}

/**
 * Do that with the keys of the groups that come, up to an ID.
 *
 * @param range  other keys are left out; NULL, a constant: none are
 *
 * @return are there more?
 */
INLINE bool deal_keys(struct reading *reading, uint64_t bound, struct dit_radix *radix,
                      uint64_t *words, unsigned width, const struct dit_key_range *range)
{
	const uint64_t first = range == NULL ? 0 : range->first;
	const uint64_t size = range == NULL ? 0 : range->last - range->first;
	uint64_t id = reading->id;

	do {
		const uint32_t *at = reading->at;
		const uint32_t *end = reading->end;

		while (at < end) {
			size_t n = *at & COUNT_MAX;

			if (n == 0) {
				id = get_number(at + 1, width);
				at += 1 + width;
				continue;
			}
			if (id + (*at >> COUNT_BITS) > bound) {
				reading->id = id;
				reading->next = id + (*at >> COUNT_BITS);
				reading->at = at;
				return true;
			}
			id += *at++ >> COUNT_BITS;
#pragma GCC unroll 4
			for (; n > 0; n--) {
				uint64_t key = get_number(at, width);

				at += width;
				deal_key(radix, key, id, words, width,
				         range == NULL || key - first <= size);
			}
		}
	} while (next_chunk(reading));
	return false;
}

static bool is_before(const void *a, const void *b)
{
	return ((const struct reading *)a)->next < ((const struct reading *)b)->next;
}

/** The lowest ID that another bucket goes on with. */
static uint64_t bound_of(const struct dit_heap *heap)
{
	uint64_t bound = UINT64_MAX;

	for (size_t i = 1; i < heap->n && i < 3; i++) {
		const struct reading *reading = heap->sources[i];

		bound = reading->next < bound ? reading->next : bound;
	}
	return bound;
}

/* The pairs of some buckets, on their way to one sorted array. */
struct sort {
	struct reading *readings; /* one for each bucket; owned */
	struct dit_heap heap;     /* of those that have pairs, by their next ID */
	unsigned width;
	const struct dit_key_range *range; /* NULL: all keys */
	size_t npairs;                     /* counted */
	struct dit_radix radix;
};

/** Count the keys of a bucket, and get ready to read it again. */
INLINE void count_as(struct reading *reading, const struct dit_bucket *bucket,
                     struct dit_radix *radix, unsigned width,
                     const struct dit_key_range *range)
{
	reading_init(reading, bucket);
	(void)deal_keys(reading, UINT64_MAX, radix, NULL, width, range);
	reading_init(reading, bucket);
	(void)deal_keys(reading, 0, radix, NULL, width, range);
}

static void count_keys(struct sort *sort, struct reading *reading,
                       const struct dit_bucket *bucket)
{
	const struct dit_key_range *range = sort->range;

	if (sort->width == 1 && range == NULL) {
		count_as(reading, bucket, &sort->radix, 1, NULL);
	} else if (sort->width == 1) {
		count_as(reading, bucket, &sort->radix, 1, range);
	} else if (range == NULL) {
		count_as(reading, bucket, &sort->radix, 2, NULL);
	} else {
		count_as(reading, bucket, &sort->radix, 2, range);
	}
}

static size_t count_of_range(const struct dit_radix *radix)
{
	size_t n = 0;

	for (size_t i = 0; i < DIT_RADIX_VALUES; i++) {
		n += radix->high[i];
	}
	return n;
}

static void count_buckets(struct sort *sort, struct dit_producer *const *producers,
                          unsigned nproducers, unsigned stream)
{
	for (unsigned i = 0; i < nproducers; i++) {
		const struct dit_bucket *bucket = &producers[i]->buckets[stream];

		if (bucket->npairs > 0) {
			count_keys(sort, &sort->readings[i], bucket);
			dit_heap_add(&sort->heap, &sort->readings[i], is_before);
			sort->radix.in_order &= bucket->is_ascending;
			sort->npairs += bucket->npairs;
		}
	}
	if (sort->range != NULL) {
		sort->npairs = count_of_range(&sort->radix);
	}
}

INLINE void deal_as(struct sort *sort, uint64_t *words, unsigned width,
                    const struct dit_key_range *range)
{
	struct dit_heap *heap = &sort->heap;

	while (heap->n > 0) {
		bool has_more = deal_keys(dit_heap_top(heap), bound_of(heap),
		                          &sort->radix, words, width, range);

		dit_heap_settle(heap, !has_more, is_before);
	}
}

static int deal(struct sort *sort, struct dit_sorted_words *ret)
{
	size_t nbytes = sort->npairs * sort->width * sizeof(uint64_t);
	uint64_t *first = NULL;
	uint64_t *other = NULL;

	if (dit_buffer_reserve(&ret->words, nbytes) < 0 ||
	    dit_buffer_reserve(&ret->spare, nbytes) < 0) {
		return -ENOMEM;
	}
	/* Words are dealt twice more, pairs once, and should end in the same buffer. */
	first = sort->width == 1 ? ret->words.data : ret->spare.data;
	other = sort->width == 1 ? ret->spare.data : ret->words.data;
	dit_radix_count_end(&sort->radix);
	if (sort->width == 1 && sort->range == NULL) {
		deal_as(sort, first, 1, NULL);
	} else if (sort->width == 1) {
		deal_as(sort, first, 1, sort->range);
	} else if (sort->range == NULL) {
		deal_as(sort, first, 2, NULL);
	} else {
		deal_as(sort, first, 2, sort->range);
	}
	if (dit_radix_finish(&sort->radix, first, other, sort->npairs) !=
	    ret->words.data) {
		struct dit_buffer swap = ret->words;

		ret->words = ret->spare;
		ret->spare = swap;
	}
	return 0;
}

int dit_buckets_sort(struct dit_producer *const *producers, unsigned nproducers,
                     unsigned stream, const struct dit_key_range *range,
                     struct dit_sorted_words *ret)
{
	struct sort *sort = calloc(1, sizeof(*sort)); /* its counters take 33 KiB */
	int r = 0;

	if (sort == NULL) {
		return -ENOMEM;
	}
	sort->readings = calloc(nproducers, sizeof(*sort->readings));
	if (sort->readings == NULL || dit_heap_init(&sort->heap, nproducers) < 0) {
		r = -ENOMEM;
	} else {
		sort->width = dit_stream_width(producers[0]->postings, stream);
		sort->range = range;
		sort->radix.width = sort->width;
		sort->radix.in_order = true;
		count_buckets(sort, producers, nproducers, stream);
		ret->nwords = sort->npairs * sort->width;
		r = sort->npairs == 0 ? 0 : deal(sort, ret);
	}
	dit_heap_deinit(&sort->heap);
	free(sort->readings);
	free(sort);
	return r;
}

void dit_bucket_empty(const struct dit_producer *producer, struct dit_bucket *bucket)
{
	struct dit_chunk *chunk = bucket->first;

	while (chunk != NULL) {
		struct dit_chunk *next = chunk->next;

		dit_slab_put(chunk, producer->chunk_bytes);
		chunk = next;
	}
	/* Other threads may look at how many were pushed. */
	bucket->at = NULL;
	bucket->end = NULL;
	bucket->first = NULL;
	bucket->last = NULL;
	bucket->npairs = 0;
	bucket->last_id = 0;
	bucket->is_ascending = true;
}
