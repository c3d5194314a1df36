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
 * comparison. Missing bytes count as zero; keys that end inside a group are told apart
 * by length and come before those that go on. Few items are merged with plain
 * comparisons, and so are keys that are equal for long, which bounds the recursion, and
 * all keys that have an order of the caller's.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "sort/sorter_private.h"

#define WORD      sizeof(uint64_t)
#define FEW       64
#define SHORT_RUN 8
#define DEPTH_MAX 1024 /* bytes */

/** How to compare items. */
struct comparison {
	const struct dit_sort_order *order;
	/* Bytewise: the items' words are those of the keys from here on. Else 0. */
	size_t at;
};

uint64_t dit_sort_word(const char *key, size_t key_len, size_t at)
{
	size_t left = key_len > at ? key_len - at : 0;
	uint64_t word = 0;

	if (left > 0) {
		memcpy(&word, key + at, left < WORD ? left : WORD);
	}
	return be64toh(word);
}

static inline bool is_below(const void *ctx, const uint64_t *a, const uint64_t *b)
{
	const struct comparison *by = ctx;
	const struct dit_sort_stored *x = dit_sort_stored((const void *)a);
	const struct dit_sort_stored *y = dit_sort_stored((const void *)b);
	struct dit_span key_a = {x->bytes + by->at, x->key_len - by->at};
	struct dit_span key_b = {y->bytes + by->at, y->key_len - by->at};

	return by->order->compare == NULL && a[0] != b[0]
	               ? a[0] < b[0]
	               : dit_sort_compare(by->order, key_a, key_b) < 0;
}

static void put_back(struct dit_pair *items, const struct dit_pair *sorted, size_t n)
{
	if (sorted != items) {
		memcpy(items, sorted, n * sizeof(*items));
	}
}

/** Sort by comparing. */
static void merge_sort(const struct comparison *by, struct dit_pair *items,
                       struct dit_pair *spare, size_t n)
{
	const struct dit_few few = {is_below, by, SHORT_RUN};

	put_back(items, (void *)dit_sort_few((void *)items, (void *)spare, n, 2, &few),
	         n);
}

static void radix_sort(struct dit_pair *items, struct dit_pair *spare, size_t n)
{
	put_back(items, dit_radix_sort(items, spare, n), n);
}

/**
 * Put the keys that end before @p end in front, shorter ones first.
 *
 * @return how many these are
 */
static size_t sort_ended(struct dit_pair *items, struct dit_pair *spare, size_t n,
                         size_t end)
{
	size_t nended = 0;

	for (size_t i = 0; i < n; i++) {
		size_t key_len = dit_sort_stored(&items[i])->key_len;

		items[i].key = key_len <= end ? key_len : end + 1;
		nended += key_len <= end;
	}
	if (nended > 0) {
		radix_sort(items, spare, n);
	}
	return nended;
}

/** Sort items whose keys are equal before by->at and reach it, bytewise. */
static void sort_from(const struct comparison *by, struct dit_pair *items,
                      struct dit_pair *spare, size_t n)
{
	struct comparison deeper = {by->order, by->at + WORD};
	size_t end = 0;

	for (size_t i = 0; i < n; i++) {
		const struct dit_sort_stored *stored = dit_sort_stored(&items[i]);

		items[i].key = dit_sort_word(stored->bytes, stored->key_len, by->at);
	}
	if (n <= FEW || by->at >= DEPTH_MAX) {
		merge_sort(by, items, spare, n);
		return;
	}
	radix_sort(items, spare, n);
	for (size_t first = 0; first < n; first = end) {
		size_t nended = 0;

		end = first + 1;
		while (end < n && items[end].key == items[first].key) {
			end++;
		}
		if (end - first > 1) {
			nended = sort_ended(items + first, spare, end - first, deeper.at);
		}
		if (end - first - nended > 1) {
			sort_from(&deeper, items + first + nended, spare,
			          end - first - nended);
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
	struct comparison by = {order, 0};
	size_t size_bytes = n * sizeof(struct dit_pair);

	if (dit_buffer_reserve(items, size_bytes) < 0 ||
	    dit_buffer_reserve(spare, size_bytes) < 0) {
		return -ENOMEM;
	}
	make_items(batch, n, items->data);
	if (order->compare == NULL) {
		sort_from(&by, items->data, spare->data, n);
	} else {
		merge_sort(&by, items->data, spare->data, n);
	}
	return 0;
}
