/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes are pairs of two words, and are sorted by the first one. That of a key without
 * an ordinal is its first bytes while it is sorted, then where the key is. */
#include "indexing/key_changes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/object.h"

#define KEYS_BYTES (64u << 10)
#define ID_MAX     (UINT64_MAX >> 1)

struct dit_wide_change {
	struct dit_span key;
	uint64_t value; /* as in a pair */
};

int dit_key_changes_new(struct dit_key_changes **ret, const struct dit_index_set *indexes)
{
	struct dit_key_changes *changes = calloc(1, sizeof(*changes));
	int r = 0;

	if (changes == NULL) {
		return -ENOMEM;
	}
	changes->indexes = indexes;
	dit_arena_init_shared(&changes->bytes, KEYS_BYTES, NULL);
	changes->dbs = calloc(dit_index_set_ndbs(indexes) + 1, sizeof(*changes->dbs));
	r = changes->dbs == NULL ? -ENOMEM : dit_stored_keys_new(&changes->keys, indexes);
	return DIT_HAND_OVER(r, ret, changes, dit_key_changes_free);
}

static void free_pairs(struct dit_db_changes *db)
{
	DIT_FREE_LARGE(db->list, db->size);
	db->list = NULL;
	db->n = 0;
	db->size = 0;
}

void dit_key_changes_free(struct dit_key_changes *changes)
{
	size_t ndbs = 0;

	if (changes == NULL) {
		return;
	}
	ndbs = changes->dbs == NULL ? 0 : dit_index_set_ndbs(changes->indexes);
	for (size_t i = 0; i < ndbs; i++) {
		free_pairs(&changes->dbs[i]);
		DIT_FREE_LARGE(changes->dbs[i].wide, changes->dbs[i].wide_size);
	}
	free(changes->dbs);
	dit_stored_keys_free(changes->keys);
	dit_arena_deinit(&changes->bytes);
	free(changes);
}

void dit_key_changes_clear(struct dit_key_changes *changes)
{
	for (size_t i = 0; i < dit_index_set_ndbs(changes->indexes); i++) {
		changes->dbs[i].n = 0;
		changes->dbs[i].nwide = 0;
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
	struct dit_db_changes *db = &changes->dbs[number];
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
	struct dit_db_changes *db = &changes->dbs[number];
	struct dit_span copy = dit_arena_copy(&changes->bytes, key);

	if (copy.data == NULL ||
	    DIT_GROW_LARGE(db->wide, db->wide_size, db->nwide + 1) < 0) {
		return -ENOMEM;
	}
	db->wide[db->nwide++] = (struct dit_wide_change){copy, changes->value};
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

/* A word in whose order keys are, as far as it goes. */
static uint64_t word_of(struct dit_span key)
{
	uint64_t word = 0;

	memcpy(&word, key.data, key.len < sizeof(word) ? key.len : sizeof(word));
	return be64toh(word);
}

static const struct dit_wide_change *wide_of(uint64_t word)
{
	return (const struct dit_wide_change *)(uintptr_t)word;
}

static int compare_wide(const void *a, const void *b)
{
	const struct dit_pair *x = a;
	const struct dit_pair *y = b;
	const struct dit_wide_change *v = wide_of(x->value);
	const struct dit_wide_change *w = wide_of(y->value);
	return dit_span_compare(v->key, w->key) ?: DIT_ORDER_OF(v->value, w->value);
}

/* Those of one key stand in the order of IDs already. */
static void sort_equal(struct dit_pair *list, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (compare_wide(&list[i - 1], &list[i]) > 0) {
			qsort(list, n, sizeof(*list), compare_wide);
			return;
		}
	}
}

/* The first bytes have their order. */
static void finish_wide(struct dit_pair *list, size_t n)
{
	const struct dit_wide_change *key = NULL; /* the first one that has it */
	size_t end = 0;

	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && list[end].key == list[i].key; end++) {
		}
		sort_equal(list + i, end - i);
	}
	for (size_t i = 0; i < n; i++) {
		const struct dit_wide_change *change = wide_of(list[i].value);

		key = key != NULL && dit_span_eq(key->key, change->key) ? key : change;
		list[i] = (struct dit_pair){(uintptr_t)key, change->value};
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

/* All changes, part after part. The pairs of the parts are put back: the sort needs as
 * much memory. */
static void gather(struct dit_changed_lists *lists, size_t number,
                   struct dit_key_changes *const *parts, size_t nparts)
{
	struct dit_pair *to = lists->list;

	for (size_t k = 0; k < nparts; k++) {
		const struct dit_db_changes *db = &parts[k]->dbs[number];

		for (size_t i = 0; i < db->nwide; i++) {
			*to++ = (struct dit_pair){word_of(db->wide[i].key),
			                          (uintptr_t)&db->wide[i]};
		}
	}
	for (size_t k = 0; k < nparts; k++) {
		struct dit_db_changes *db = &parts[k]->dbs[number];

		if (db->n > 0) {
			memcpy(to, db->list, db->n * sizeof(*to));
		}
		to += db->n;
		free_pairs(db);
	}
}

static void sort_part(struct dit_pair *list, struct dit_pair *spare, size_t n)
{
	if (dit_radix_sort(list, spare, n) != list) {
		memcpy(list, spare, n * sizeof(*list));
	}
}

int dit_changed_lists_open(struct dit_changed_lists *ret, size_t db,
                           struct dit_key_changes *const *parts, size_t nparts)
{
	size_t nwide = 0;
	size_t n = 0;
	struct dit_pair *spare = NULL;

	*ret = (struct dit_changed_lists){.db = dit_index_set_db(parts[0]->indexes, db)};
	for (size_t k = 0; k < nparts; k++) {
		nwide += parts[k]->dbs[db].nwide;
		n += parts[k]->dbs[db].n;
	}
	if (nwide + n == 0) {
		return 0;
	}
	ret->size = nwide + n;
	ret->list = dit_slab_get(ret->size * sizeof(*ret->list));
	if (ret->list == NULL) {
		return -ENOMEM;
	}
	gather(ret, db, parts, nparts);
	spare = dit_slab_get(ret->size * sizeof(*spare));
	if (spare == NULL) {
		dit_changed_lists_close(ret);
		return -ENOMEM;
	}
	sort_part(ret->list, spare, nwide);
	finish_wide(ret->list, nwide);
	sort_part(ret->list + nwide, spare, n);
	dit_slab_put(spare, ret->size * sizeof(*spare));
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

static struct dit_span spell(struct dit_changed_lists *lists, uint64_t word)
{
	struct dit_span key = {lists->key, 0};

	if (lists->at < lists->nwide) {
		return wide_of(word)->key;
	}
	key.len = dit_index_key_bytes(lists->db, word >> shift_of(lists->db), lists->key);
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
	*ret_key = spell(lists, list[0].key);
	lists->at += n;
	return 1;
}
