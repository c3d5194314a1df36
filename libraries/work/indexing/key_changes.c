/* SPDX-License-Identifier: BSD-2-Clause */
#include "indexing/key_changes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "page/lmdb_format.h"
#include "tree/tree_merge.h"

static int add(void *ctx, unsigned db, struct dit_span key)
{
	const struct dit_key_changes *all = ctx;
	struct dit_table_changes *changes = &all->tables[db];
	char *copy = dit_arena_alloc(all->bytes, key.len + 1);

	if (copy == NULL || DIT_GROW(changes->list, changes->size, changes->n + 1) < 0) {
		return -ENOMEM;
	}
	memcpy(copy, key.data, key.len);
	changes->list[changes->n++] = (struct dit_posting_change){
		.key = {copy, key.len}, .id = all->id, .is_added = all->is_newer};
	return 0;
}

static int make_keys(struct dit_key_changes *changes, const struct dit_entry_view *view,
                     bool is_newer)
{
	changes->id = view->id;
	changes->is_newer = is_newer;
	return dit_stored_keys_spell(changes->keys, view, add, changes);
}

int dit_key_changes_take(struct dit_key_changes *changes, struct dit_entry_view *older,
                         struct dit_entry_view *newer)
{
	int r = dit_stored_keys_leave_same(changes->keys, older, newer);

	r = r ?: make_keys(changes, older, false);
	return r ?: make_keys(changes, newer, true);
}

static int compare(const void *a, const void *b, void *keys)
{
	return dit_posting_change_compare(keys, a, b);
}

void dit_key_changes_sort(struct dit_table_changes *changes, bool is_integerkey)
{
	struct dit_key_orders orders;
	struct dit_posting_change *list = changes->list;
	size_t n = 0;
	size_t end = 0;

	dit_key_default_orders(is_integerkey ? DIT_DB_INTEGERKEY : 0u, &orders);
	if (changes->n > 0) {
		qsort_r(list, changes->n, sizeof(*list), compare, &orders.keys);
	}
	/* A version may have a key more than once. */
	for (size_t i = 0; i < changes->n; i = end) {
		bool is_in_both = false;

		for (end = i + 1;
		     end < changes->n && compare(&list[i], &list[end], &orders.keys) == 0;
		     end++) {
			is_in_both |= list[end].is_added != list[i].is_added;
		}
		if (!is_in_both) {
			list[n++] = list[i];
		}
	}
	changes->n = n;
}
