/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IDs: their order, for qsort() and bsearch(); lists of them as they are stored; IDs and
 * other numbers in keys of sorters, which compare bytes.
 *
 * Threads: no state.
 */
#ifndef DITKIT_IDS_H
#define DITKIT_IDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/span.h"

/** A stored range has so many numbers: 0, the lowest ID, the highest (storage.md 5.4). */
#define DIT_RANGE_IDS 3

/** One key of an index and its IDs. */
struct dit_posting_list {
	struct dit_span key; /* integer keys: all of 4 or all of 8 bytes */
	uint64_t ordinal; /* of sorts whose keys are numbers; these leave the key out */
	const uint64_t *ids; /* ascending, distinct; or {0, lowest, highest}: a range */
	size_t nids;         /* a range has 3, and ids[0] is 0 */
	/* The ID that was inserted last was inserted more than once: for those who add
	 * the list to another, since a list that is exactly full then becomes a range
	 * (storage.md 5.4). Not of ranges. */
	bool is_repeated;
};

/** @param ids  IDs one after the other, of any alignment. @param i  there is one */
static inline uint64_t dit_id_at(struct dit_span ids, size_t i)
{
	uint64_t id = 0;

	memcpy(&id, ids.data + i * sizeof(id), sizeof(id));
	return id;
}

/** The order of two numbers: negative if the first is less, 0 if equal, or positive. */
#define DIT_ORDER_OF(a, b) (((a) > (b)) - ((a) < (b)))

/** Two IDs, or two structs that begin with one. */
static inline int dit_compare_ids(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;

	return DIT_ORDER_OF(*x, *y);
}

/** Two structs that begin with two numbers in 64 bits. */
static inline int dit_compare_id_pairs(const void *a, const void *b)
{
	int order = dit_compare_ids(a, b);

	return order != 0 ? order
	                  : dit_compare_ids((const uint64_t *)a + 1,
	                                    (const uint64_t *)b + 1);
}

/** Two numbers in 32 bits, or two structs that begin with one. */
static inline int dit_compare_numbers(const void *a, const void *b)
{
	const uint32_t *x = a;
	const uint32_t *y = b;

	return DIT_ORDER_OF(*x, *y);
}

/** Put the lowest @p nbytes bytes of a number, the most significant one first. @param out
 * needs no alignment */
static inline void dit_be_put(char *out, uint64_t value, int nbytes)
{
	for (int i = nbytes - 1; i >= 0; i--) {
		out[i] = (char)value;
		value >>= 8;
	}
}

static inline uint64_t dit_be_get(const char *at, int nbytes)
{
	uint64_t value = 0;

	for (int i = 0; i < nbytes; i++) {
		value = value << 8 | (unsigned char)at[i];
	}
	return value;
}

/**
 * The first of @p n IDs, or structs that begin with one, that is @p least or above; n:
 * there is none.
 *
 * @param list  by ascending ID
 * @param size  bytes of an ID or struct
 */
static inline size_t dit_first_id(const void *list, size_t n, size_t size, uint64_t least)
{
	size_t first = 0;

	while (first < n) {
		size_t middle = first + (n - first) / 2;
		uint64_t id = 0;

		memcpy(&id, (const char *)list + middle * size, sizeof(id));
		if (id < least) {
			first = middle + 1;
		} else {
			n = middle;
		}
	}
	return first;
}

#endif
