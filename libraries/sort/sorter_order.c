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
 * comparisons, and so are keys that are equal for long, which bounds the recursion.
 */
#include <endian.h>
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

/** Compare keys of equal words from @p at on, which both have reached. */
static bool is_less(const struct dit_pair *a, const struct dit_pair *b, size_t at)
{
	const struct dit_sort_stored *x = dit_sort_stored(a);
	const struct dit_sort_stored *y = dit_sort_stored(b);
	size_t n = x->key_len < y->key_len ? x->key_len : y->key_len;
	int order = 0;

	if (a->key != b->key) {
		return a->key < b->key;
	}
	order = n > at ? memcmp(x->bytes + at, y->bytes + at, n - at) : 0;
	return order != 0 ? order < 0 : x->key_len < y->key_len;
}

static void insertion_sort(struct dit_pair *items, size_t n, size_t at)
{
	for (size_t i = 1; i < n; i++) {
		struct dit_pair item = items[i];
		size_t k = i;

		while (k > 0 && is_less(&item, &items[k - 1], at)) {
			items[k] = items[k - 1];
			k--;
		}
		items[k] = item;
	}
}

static void merge(const struct dit_pair *a, size_t na, const struct dit_pair *b,
                  size_t nb, struct dit_pair *out, size_t at)
{
	while (na > 0 && nb > 0) {
		if (is_less(b, a, at)) {
			*out++ = *b++;
			nb--;
		} else {
			*out++ = *a++;
			na--;
		}
	}
	memcpy(out, a, na * sizeof(*out));
	memcpy(out + na, b, nb * sizeof(*out));
}

/** Sort by comparing. The words of the items are those at @p at. */
static void merge_sort(struct dit_pair *items, struct dit_pair *spare, size_t n,
                       size_t at)
{
	struct dit_pair *from = items;
	struct dit_pair *to = spare;

	for (size_t i = 0; i < n; i += SHORT_RUN) {
		insertion_sort(items + i, n - i < SHORT_RUN ? n - i : SHORT_RUN, at);
	}
	for (size_t run = SHORT_RUN; run < n; run *= 2) {
		struct dit_pair *swap = from;

		for (size_t i = 0; i < n; i += 2 * run) {
			size_t na = n - i < run ? n - i : run;
			size_t nb = n - i - na < run ? n - i - na : run;

			merge(from + i, na, from + i + na, nb, to + i, at);
		}
		from = to;
		to = swap;
	}
	if (from != items) {
		memcpy(items, from, n * sizeof(*items));
	}
}

static void radix_sort(struct dit_pair *items, struct dit_pair *spare, size_t n)
{
	struct dit_pair *sorted = dit_radix_pairs(items, spare, n, true);

	if (sorted != items) {
		memcpy(items, sorted, n * sizeof(*items));
	}
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

/** Sort items whose keys are equal before @p at and reach it. */
static void sort_from(struct dit_pair *items, struct dit_pair *spare, size_t n, size_t at)
{
	size_t end = 0;

	for (size_t i = 0; i < n; i++) {
		const struct dit_sort_stored *stored = dit_sort_stored(&items[i]);

		items[i].key = dit_sort_word(stored->bytes, stored->key_len, at);
	}
	if (n <= FEW || at >= DEPTH_MAX) {
		merge_sort(items, spare, n, at);
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
			nended = sort_ended(items + first, spare, end - first, at + WORD);
		}
		if (end - first - nended > 1) {
			sort_from(items + first + nended, spare, end - first - nended,
			          at + WORD);
		}
	}
}

void dit_sort_items(struct dit_pair *items, struct dit_pair *spare, size_t n)
{
	sort_from(items, spare, n, 0);
}
