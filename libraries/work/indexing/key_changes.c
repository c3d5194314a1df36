/* SPDX-License-Identifier: BSD-2-Clause */
#include "indexing/key_changes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/ids.h"
#include "base/object.h"
#include "sort/sort.h"

int dit_key_changes_new(struct dit_key_changes **ret,
                        const struct dit_builders_opts *opts)
{
	struct dit_key_changes *changes = calloc(1, sizeof(*changes));
	size_t least = opts->shared.nthreads * DIT_SORT_SHARE_MIN;
	int r = 0;

	if (changes == NULL) {
		return -ENOMEM;
	}
	changes->opts = *opts;
	changes->opts.memory_bytes =
		opts->memory_bytes / 2 < least ? least : opts->memory_bytes / 2;
	changes->opts.list_max = UINT32_MAX;
	changes->opts.takes_all_ids = true;
	changes->keys = calloc(opts->shared.nthreads, sizeof(struct dit_stored_keys *));
	r = changes->keys == NULL ? -ENOMEM : 0;
	for (unsigned i = 0; i < opts->shared.nthreads && r == 0; i++) {
		r = dit_stored_keys_new(&changes->keys[i], opts->indexes);
	}
	return DIT_HAND_OVER(r, ret, changes, dit_key_changes_free);
}

static void free_builders(struct dit_key_changes *changes)
{
	for (unsigned side = 0; side < 2; side++) {
		dit_builders_free(changes->builders[side]);
		changes->builders[side] = NULL;
	}
}

void dit_key_changes_free(struct dit_key_changes *changes)
{
	if (changes == NULL) {
		return;
	}
	for (unsigned i = 0; changes->keys != NULL && i < changes->opts.shared.nthreads;
	     i++) {
		dit_stored_keys_free(changes->keys[i]);
	}
	free(changes->keys);
	free_builders(changes);
	free(changes);
}

int dit_key_changes_begin(struct dit_key_changes *changes)
{
	int r = 0;

	free_builders(changes);
	for (unsigned side = 0; side < 2 && r == 0; side++) {
		r = dit_builders_new(&changes->builders[side], &changes->opts);
	}
	return r;
}

int dit_key_changes_take(struct dit_key_changes *changes, unsigned producer, uint64_t id,
                         const struct dit_entry *older, const struct dit_entry *newer)
{
	struct dit_stored_keys *keys = changes->keys[producer];
	int r = dit_stored_keys_compare(keys, older, newer);

	r = r
	            ?: dit_stored_keys_push_changed(keys, older, changes->builders[0],
	                                            producer, id);
	return r
	               ?: dit_stored_keys_push_changed(keys, newer, changes->builders[1],
	                                               producer, id);
}

int dit_key_changes_finish(struct dit_key_changes *changes)
{
	int r = dit_builders_finish(changes->builders[0]);

	return r ?: dit_builders_finish(changes->builders[1]);
}

/* ---- lists ---- */

static int next_list(void *ctx)
{
	struct dit_changed_side *side = ctx;

	side->lists++;
	if (--side->nlists <= 0) {
		side->nlists = dit_index_cursor_next(side->cursor, &side->lists);
	}
	return side->nlists < 0 ? (int)side->nlists : side->nlists > 0;
}

static int order_lists(const void *older, const void *newer)
{
	const struct dit_changed_side *x = older;
	const struct dit_changed_side *y = newer;

	return dit_key_compare(x->order, (struct dit_span){0}, x->lists->key,
	                       y->lists->key);
}

int dit_changed_lists_open(struct dit_changed_lists *ret,
                           const struct dit_key_changes *changes, size_t db)
{
	bool is_integerkey = dit_index_set_db(changes->opts.indexes, db)->is_integerkey;
	int r = 0;

	*ret = (struct dit_changed_lists){
		.pairs = {.next = next_list,
	                  .order = order_lists,
	                  .sides = {&ret->sides[0], &ret->sides[1]}}};
	dit_key_default_orders(is_integerkey ? DIT_DB_INTEGERKEY : 0, &ret->orders);
	for (unsigned side = 0; side < 2 && r == 0; side++) {
		ret->sides[side].order = &ret->orders.keys;
		r = dit_index_cursor_open(&ret->sides[side].cursor,
		                          changes->builders[side], db, 0);
	}
	return r;
}

void dit_changed_lists_close(struct dit_changed_lists *lists)
{
	for (unsigned side = 0; side < 2; side++) {
		dit_index_cursor_close(lists->sides[side].cursor);
		DIT_FREE_LARGE(lists->sides[side].ids, lists->sides[side].ids_size);
	}
	*lists = (struct dit_changed_lists){.n = 0};
}

static int copy_ids(struct dit_changed_side *side)
{
	const struct dit_posting_list *list = side->lists;

	if (DIT_GROW_LARGE(side->ids, side->ids_size, list->nids) < 0) {
		return -ENOMEM;
	}
	memcpy(side->ids, list->ids, list->nids * sizeof(*side->ids));
	return 0;
}

/* The next key of one side or both, and its IDs. @return enum dit_pair; error */
static int next_key(struct dit_changed_lists *lists, struct dit_span *ret_key,
                    size_t ret_n[2])
{
	int found = dit_pairs_next(&lists->pairs);
	int r = 0;

	for (unsigned i = 0; found > 0 && i < 2 && r == 0; i++) {
		struct dit_changed_side *side = &lists->sides[i];

		ret_n[i] = 0;
		if ((found & DIT_PAIR_FIRST << i) != 0) {
			*ret_key = side->lists->key;
			ret_n[i] = side->lists->nids;
			r = copy_ids(side);
		}
	}
	return r ?: found;
}

int dit_changed_lists_next(void *ctx, struct dit_span *ret_key,
                           struct dit_ids_change *ret)
{
	struct dit_changed_lists *lists = ctx;
	uint64_t *older = NULL;
	uint64_t *newer = NULL;
	size_t n[2] = {0, 0};

	while (n[0] + n[1] == 0) {
		int r = next_key(lists, ret_key, n);

		if (r <= 0) {
			return r;
		}
		older = lists->sides[0].ids;
		newer = lists->sides[1].ids;
		if (r == DIT_PAIR_BOTH) {
			dit_pairs_subtract((void *[2]){older, newer}, n, sizeof(*older),
			                   dit_compare_ids);
		}
	}
	lists->n += n[0] + n[1];
	*ret = (struct dit_ids_change){
		.added = newer, .nadded = n[1], .removed = older, .nremoved = n[0]};
	return 1;
}
