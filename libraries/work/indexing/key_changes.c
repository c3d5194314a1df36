/* SPDX-License-Identifier: BSD-2-Clause */
#include "indexing/key_changes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "page/lmdb_format.h"
#include "sort/radix.h"
#include "tree/tree_merge.h"

static int add(void *ctx, unsigned db, struct dit_span key)
{
	const struct dit_key_changes *all = ctx;
	struct dit_table_changes *changes = &all->tables[db];
	char *copy = dit_arena_alloc(all->bytes, key.len + 1);

	if (copy == NULL ||
	    DIT_GROW_LARGE(changes->list, changes->size, changes->n + 1) < 0) {
		return -ENOMEM;
	}
	memcpy(copy, key.data, key.len);
	changes->list[changes->n++] = (struct dit_posting_change){
		.key = {copy, key.len}, .id = all->id, .is_added = all->is_newer};
	return 0;
}

int dit_key_changes_take(struct dit_key_changes *changes, uint64_t id,
                         const struct dit_entry *older, const struct dit_entry *newer)
{
	int r = dit_stored_keys_compare(changes->keys, older, newer);

	changes->id = id;
	changes->is_newer = false;
	r = r ?: dit_stored_keys_spell_changed(changes->keys, older, add, changes);
	changes->is_newer = true;
	return r ?: dit_stored_keys_spell_changed(changes->keys, newer, add, changes);
}

/* A word in whose order keys are, as far as it goes. */
static uint64_t word_of(struct dit_span key, bool is_integerkey)
{
	size_t len = key.len < sizeof(uint64_t) ? key.len : sizeof(uint64_t);
	uint64_t word = 0;

	if (is_integerkey && len == sizeof(word)) {
		memcpy(&word, key.data, len);
		return word;
	}
	for (size_t i = 0; i < len; i++) {
		unsigned char c =
			(unsigned char)key.data[is_integerkey ? len - 1 - i : i];

		word |= (uint64_t)c << (56 - 8 * i);
	}
	return word;
}

/* Both keys have one word. They are one if it is all of them. */
static int compare(const void *a, const void *b, void *keys)
{
	const struct dit_posting_change *x = a;
	const struct dit_posting_change *y = b;

	return x->key.len == y->key.len && x->key.len <= sizeof(uint64_t)
	               ? (x->id > y->id) - (x->id < y->id)
	               : dit_posting_change_compare(keys, x, y);
}

/* Those of one key stand in the order of IDs already. */
static void sort_equal(struct dit_posting_change *list, size_t n,
                       struct dit_key_orders *orders)
{
	for (size_t i = 1; i < n; i++) {
		if (compare(&list[i - 1], &list[i], &orders->keys) > 0) {
			qsort_r(list, n, sizeof(*list), compare, &orders->keys);
			return;
		}
	}
}

/* Several of one key and ID are one, or none. @return how many are left */
static size_t unite(const struct dit_posting_change *list, size_t n,
                    struct dit_key_orders *orders, struct dit_posting_change *ret)
{
	size_t nleft = 0;
	size_t end = 0;

	for (size_t i = 0; i < n; i = end) {
		bool is_in_both = false;

		for (end = i + 1; end < n && list[i].id == list[end].id &&
		                  compare(&list[i], &list[end], &orders->keys) == 0;
		     end++) {
			is_in_both |= list[end].is_added != list[i].is_added;
		}
		if (!is_in_both) {
			ret[nleft++] = list[i];
		}
	}
	return nleft;
}

/* @param pairs  in order, as the changes. @return how many are left */
static size_t sort_runs(struct dit_posting_change *list, const struct dit_pair *pairs,
                        size_t n, struct dit_key_orders *orders)
{
	size_t nleft = 0;
	size_t end = 0;

	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && pairs[end].key == pairs[i].key; end++) {
		}
		sort_equal(list + i, end - i, orders);
		nleft += unite(list + i, end - i, orders, list + nleft);
	}
	return nleft;
}

/* Words of all changes, and where these are. */
static void make_pairs(const struct dit_table_changes *const *parts, size_t nparts,
                       bool is_integerkey, struct dit_pair *pairs)
{
	for (size_t k = 0; k < nparts; k++) {
		for (size_t i = 0; i < parts[k]->n; i++) {
			const struct dit_posting_change *change = &parts[k]->list[i];

			*pairs++ = (struct dit_pair){word_of(change->key, is_integerkey),
			                             (uintptr_t)change};
		}
	}
}

int dit_key_changes_sort(const struct dit_table_changes *const *parts, size_t nparts,
                         bool is_integerkey, struct dit_table_changes *ret)
{
	struct dit_key_orders orders;
	const struct dit_pair *in_order = NULL;
	struct dit_pair *pairs = NULL;
	size_t n = 0;

	for (size_t k = 0; k < nparts; k++) {
		n += parts[k]->n;
	}
	if (n == 0) {
		return 0;
	}
	pairs = dit_slab_get(2 * n * sizeof(*pairs));
	if (pairs == NULL || DIT_GROW_LARGE(ret->list, ret->size, n) < 0) {
		dit_slab_put(pairs, 2 * n * sizeof(*pairs));
		return -ENOMEM;
	}
	make_pairs(parts, nparts, is_integerkey, pairs);
	in_order = dit_radix_sort(pairs, pairs + n, n);
	for (size_t i = 0; i < n; i++) {
		const void *change = (const void *)(uintptr_t)in_order[i].value;

		memcpy(&ret->list[i], change, sizeof(*ret->list));
	}
	dit_key_default_orders(is_integerkey ? DIT_DB_INTEGERKEY : 0u, &orders);
	ret->n = sort_runs(ret->list, in_order, n, &orders);
	dit_slab_put(pairs, 2 * n * sizeof(*pairs));
	return 0;
}
