/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Putting records in key order.
 *
 * Each item carries eight bytes of its record's key as a number. Items are sorted by that
 * number, without a look at the records; items with equal numbers form a group, which
 * gets the next eight bytes and is sorted in turn:
 *
 *     "dc=com"  "ou=people,a"  "ou=people,b"  "ou=p"
 *
 *     by bytes 0..7    dc=com.. | ou=p.... | ou=peopl  ou=peopl
 *     by bytes 8..15                         e,a.....  e,b.....
 *
 * So a record is looked at once per eight bytes that it shares with others, not once per
 * comparison. Missing bytes count as zero. Few items are merged with plain comparisons,
 * and so are keys that are equal for long, which bounds the recursion, keys that differ
 * in their length alone, and all keys that have an order of the caller's.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "sort/sorter_private.h"

#define WORD      sizeof(uint64_t)
#define FEW       64
#define SHORT_RUN 8
#define DEPTH_MAX 1024 /* bytes */

uint64_t dit_sort_word(const char *key, size_t key_len, size_t at)
{
	size_t left = key_len > at ? key_len - at : 0;
	uint64_t word = 0;

	if (left > 0) {
		memcpy(&word, key + at, left < WORD ? left : WORD);
	}
	return be64toh(word);
}

static struct dit_span key_of(const uint64_t *item)
{
	const struct dit_sort_stored *stored = dit_sort_stored((const void *)item);

	return (struct dit_span){stored->bytes, stored->key_len};
}

/** Items of keys that are equal up to their words, or that have an order. */
static inline bool is_below(const void *ctx, const uint64_t *a, const uint64_t *b)
{
	const struct dit_sort_order *order = ctx;

	return order->compare == NULL && a[0] != b[0]
	               ? a[0] < b[0]
	               : dit_sort_compare(order, key_of(a), key_of(b)) < 0;
}

static void put_back(struct dit_pair *items, const struct dit_pair *sorted, size_t n)
{
	if (sorted != items) {
		memcpy(items, sorted, n * sizeof(*items));
	}
}

/** Sort by comparing. */
static void merge_sort(const struct dit_sort_order *order, struct dit_pair *items,
                       struct dit_pair *spare, size_t n)
{
	const struct dit_few few = {is_below, order, SHORT_RUN};

	put_back(items, (void *)dit_sort_few((void *)items, (void *)spare, n, 2, &few),
	         n);
}

/** Sort items whose keys are equal before @p at, bytewise. */
static void sort_from(const struct dit_sort_order *order, size_t at,
                      struct dit_pair *items, struct dit_pair *spare, size_t n)
{
	size_t shortest = SIZE_MAX;
	size_t longest = 0;
	size_t end = 0;

	for (size_t i = 0; i < n; i++) {
		const struct dit_sort_stored *stored = dit_sort_stored(&items[i]);
		size_t len = stored->key_len;

		items[i].key = dit_sort_word(stored->bytes, len, at);
		shortest = len < shortest ? len : shortest;
		longest = len > longest ? len : longest;
	}
	if (longest <= at && shortest == longest) {
		return; /* they are one key */
	}
	if (n <= FEW || longest <= at || at >= DEPTH_MAX) {
		merge_sort(order, items, spare, n);
		return;
	}
	put_back(items, dit_radix_sort(items, spare, n), n);
	for (size_t first = 0; first < n; first = end) {
		end = first + 1;
		while (end < n && items[end].key == items[first].key) {
			end++;
		}
		if (end - first > 1) {
			sort_from(order, at + WORD, items + first, spare, end - first);
		}
	}
}

/** Point items at the records. */
static void make_items(const struct dit_sort_batch *batch, size_t n,
                       struct dit_pair *items)
{
	const struct dit_sort_stored *stored = batch->first;

	for (size_t i = 0; i < n; i++) {
		if (stored->key_len == DIT_SORT_LINK) {
			memcpy(&stored, stored->bytes, sizeof(stored));
		}
		items[i].value = (uintptr_t)stored;
		stored = (const void *)((const char *)stored +
		                        dit_sort_stored_size(stored->key_len,
		                                             stored->value_len));
	}
}

int dit_sort_batch_sort(const struct dit_sort_order *order,
                        const struct dit_sort_batch *batch, size_t n,
                        struct dit_buffer *items, struct dit_buffer *spare)
{
	size_t size_bytes = n * sizeof(struct dit_pair);

	if (dit_buffer_reserve(items, size_bytes) < 0 ||
	    dit_buffer_reserve(spare, size_bytes) < 0) {
		return -ENOMEM;
	}
	make_items(batch, n, items->data);
	if (order->compare == NULL) {
		sort_from(order, 0, items->data, spare->data, n);
	} else {
		merge_sort(order, items->data, spare->data, n);
	}
	return 0;
}
