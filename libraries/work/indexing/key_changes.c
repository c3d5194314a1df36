/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes are pairs of two words, and are sorted by the first one: the key, or where it
 * is. */
#include "indexing/key_changes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/object.h"

#define KEYS_BYTES (64u << 10)
#define ID_MAX     (UINT64_MAX >> 1)

int dit_key_changes_new(struct dit_key_changes **ret, const struct dit_index_set *indexes)
{
	struct dit_key_changes *changes = calloc(1, sizeof(*changes));
	int r = 0;

	if (changes == NULL) {
		return -ENOMEM;
	}
	changes->indexes = indexes;
	dit_arena_init_shared(&changes->bytes, KEYS_BYTES, NULL);
	changes->dbs = calloc(2 * dit_index_set_ndbs(indexes) + 1, sizeof(*changes->dbs));
	r = changes->dbs == NULL ? -ENOMEM : dit_stored_keys_new(&changes->keys, indexes);
	return DIT_HAND_OVER(r, ret, changes, dit_key_changes_free);
}

static void free_pairs(struct dit_db_changes *db)
{
	DIT_FREE_LARGE(db->list, db->size);
	*db = (struct dit_db_changes){.list = NULL};
}

void dit_key_changes_free(struct dit_key_changes *changes)
{
	size_t ndbs = 0;

	if (changes == NULL) {
		return;
	}
	ndbs = changes->dbs == NULL ? 0 : dit_index_set_ndbs(changes->indexes);
	for (size_t i = 0; i < 2 * ndbs; i++) {
		free_pairs(&changes->dbs[i]);
	}
	free(changes->dbs);
	dit_stored_keys_free(changes->keys);
	dit_arena_deinit(&changes->bytes);
	free(changes);
}

void dit_key_changes_clear(struct dit_key_changes *changes)
{
	for (size_t i = 0; i < 2 * dit_index_set_ndbs(changes->indexes); i++) {
		changes->dbs[i].n = 0;
	}
	dit_arena_reset(&changes->bytes);
}

/* ---- the changes of an entry ---- */

/* The highest bits of a word differ. */
static unsigned shift_of(const struct dit_index_db *db)
{
	return db->format == DIT_KEY_INT32 || db->format == DIT_KEY_BYTES32 ? 32 : 0;
}

static int add(void *ctx, unsigned number, const uint64_t *ordinals, size_t nkeys)
{
	const struct dit_key_changes *changes = ctx;
	struct dit_db_changes *db = &changes->dbs[(size_t)2 * number];
	unsigned shift = shift_of(dit_index_set_db(changes->indexes, number));

	if (DIT_GROW_LARGE(db->list, db->size, db->n + nkeys) < 0) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < nkeys; i++) {
		db->list[db->n++] =
			(struct dit_pair){ordinals[i] << shift, changes->value};
	}
	return 0;
}

static int add_wide(void *ctx, unsigned number, struct dit_span key)
{
	struct dit_key_changes *changes = ctx;
	struct dit_db_changes *db = &changes->dbs[(size_t)2 * number + 1];
	struct dit_span *copy = dit_arena_alloc(&changes->bytes, sizeof(*copy));

	if (copy == NULL) {
		return -ENOMEM;
	}
	*copy = dit_arena_copy(&changes->bytes, key);
	if (copy->data == NULL || DIT_GROW_LARGE(db->list, db->size, db->n + 1) < 0) {
		return -ENOMEM;
	}
	db->list[db->n++] = (struct dit_pair){(uintptr_t)copy, changes->value};
	return 0;
}

int dit_key_changes_take(struct dit_key_changes *changes, uint64_t id,
                         const struct dit_entry *older, const struct dit_entry *newer)
{
	int r = id > ID_MAX ? DIT_E_TOOLONG
	                    : dit_stored_keys_compare(changes->keys, older, newer);

	changes->value = 2 * id;
	r = r
	            ?: dit_stored_keys_make_changed(changes->keys, older, add, add_wide,
	                                            changes);
	changes->value = 2 * id + 1;
	return r
	               ?: dit_stored_keys_make_changed(changes->keys, newer, add,
	                                               add_wide, changes);
}

/* ---- keys without an ordinal ---- */

static struct dit_span wide_of(const struct dit_pair *pair)
{
	return *(const struct dit_span *)(uintptr_t)pair->key;
}

static int compare_wide(const void *a, const void *b)
{
	const struct dit_pair *x = a;
	const struct dit_pair *y = b;

	return dit_span_compare(wide_of(x), wide_of(y))
	               ?: DIT_ORDER_OF(x->value, y->value);
}

/* They are in order if they are one key, as those of presence are. Then equal keys are in
 * one place. */
static void sort_wide(struct dit_pair *list, size_t n)
{
	size_t i = 1;

	while (i < n && compare_wide(&list[i - 1], &list[i]) <= 0) {
		i++;
	}
	if (i < n) {
		qsort(list, n, sizeof(*list), compare_wide);
	}
	for (i = 1; i < n; i++) {
		if (dit_span_eq(wide_of(&list[i - 1]), wide_of(&list[i]))) {
			list[i].key = list[i - 1].key;
		}
	}
}

/* ---- lists ---- */

/* Several of one key and ID are one, or none. @return how many are left */
static size_t unite(const struct dit_pair *list, size_t n, struct dit_pair *ret)
{
	size_t nleft = 0;
	size_t end = 0;

	for (size_t i = 0; i < n; i = end) {
		bool is_in_both = false;

		for (end = i + 1; end < n && list[end].key == list[i].key &&
		                  list[end].value / 2 == list[i].value / 2;
		     end++) {
			is_in_both |= list[end].value != list[i].value;
		}
		if (!is_in_both) {
			ret[nleft++] = list[i];
		}
	}
	return nleft;
}

/* The changes of all parts, one after the other. The pairs of the parts are put back: the
 * sort needs as much memory. @return how many */
static size_t gather(struct dit_pair *list, size_t number,
                     struct dit_key_changes *const *parts, size_t nparts)
{
	size_t n = 0;

	for (size_t k = 0; k < nparts; k++) {
		struct dit_db_changes *db = &parts[k]->dbs[number];

		if (db->n > 0) {
			memcpy(list + n, db->list, db->n * sizeof(*list));
		}
		n += db->n;
		free_pairs(db);
	}
	return n;
}

static int sort(struct dit_pair *list, size_t n)
{
	struct dit_pair *spare = n == 0 ? NULL : dit_slab_get(n * sizeof(*spare));

	if (n > 0 && spare == NULL) {
		return -ENOMEM;
	}
	if (n > 0 && dit_radix_sort(list, spare, n) != list) {
		memcpy(list, spare, n * sizeof(*list));
	}
	dit_slab_put(spare, n * sizeof(*spare));
	return 0;
}

int dit_changed_lists_open(struct dit_changed_lists *ret, size_t db,
                           struct dit_key_changes *const *parts, size_t nparts)
{
	size_t nwide = 0;
	size_t n = 0;

	*ret = (struct dit_changed_lists){.db = dit_index_set_db(parts[0]->indexes, db)};
	for (size_t k = 0; k < nparts; k++) {
		ret->size += parts[k]->dbs[2 * db].n + parts[k]->dbs[2 * db + 1].n;
	}
	if (ret->size == 0) {
		return 0;
	}
	ret->list = dit_slab_get(ret->size * sizeof(*ret->list));
	if (ret->list == NULL) {
		return -ENOMEM;
	}
	nwide = gather(ret->list, 2 * db + 1, parts, nparts);
	n = gather(ret->list + nwide, 2 * db, parts, nparts);
	sort_wide(ret->list, nwide);
	if (sort(ret->list + nwide, n) < 0) {
		dit_changed_lists_close(ret);
		return -ENOMEM;
	}
	ret->nwide = unite(ret->list, nwide, ret->list);
	ret->n = ret->nwide + unite(ret->list + nwide, n, ret->list + ret->nwide);
	return 0;
}

void dit_changed_lists_close(struct dit_changed_lists *lists)
{
	dit_slab_put(lists->list, lists->size * sizeof(*lists->list));
	DIT_FREE_LARGE(lists->ids, lists->ids_size);
	*lists = (struct dit_changed_lists){.list = NULL};
}

static struct dit_span spell(struct dit_changed_lists *lists, const struct dit_pair *pair)
{
	struct dit_span key = {lists->key, 0};

	if (lists->at < lists->nwide) {
		return wide_of(pair);
	}
	key.len = dit_index_key_bytes(lists->db, pair->key >> shift_of(lists->db),
	                              lists->key);
	return key;
}

int dit_changed_lists_next(void *ctx, struct dit_span *ret_key,
                           struct dit_ids_change *ret)
{
	struct dit_changed_lists *lists = ctx;
	const struct dit_pair *list = lists->list + lists->at;
	size_t most = (lists->at < lists->nwide ? lists->nwide : lists->n) - lists->at;
	size_t nadded = 0;
	size_t n = 0;
	size_t a = 0;
	size_t k = 0;

	if (most == 0) {
		return 0;
	}
	while (n < most && list[n].key == list[0].key) {
		nadded += list[n++].value % 2;
	}
	if (DIT_GROW_LARGE(lists->ids, lists->ids_size, n) < 0) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		lists->ids[list[i].value % 2 != 0 ? a++ : nadded + k++] =
			list[i].value / 2;
	}
	*ret = (struct dit_ids_change){.added = lists->ids,
	                               .nadded = nadded,
	                               .removed = lists->ids + nadded,
	                               .nremoved = n - nadded};
	*ret_key = spell(lists, list);
	lists->at += n;
	return 1;
}
