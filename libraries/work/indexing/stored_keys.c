/* SPDX-License-Identifier: BSD-2-Clause */
/* A stored entry in the shape that keys are made of. */
#include "indexing/stored_keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/object.h"
#include "codec/entry_codec.h"

struct dit_stored_keys {
	const struct dit_index_set *indexes;
	struct dit_index_work *work;
	struct dit_view_attrs attrs[2]; /* of the current entry, or of two versions */

	/* To compare two versions of an entry. */
	size_t ndbs;
	bool *marks; /* databases whose keys may differ; owned */
};

int dit_view_attrs_take(struct dit_view_attrs *list, const struct dit_entry_view *view,
                        struct dit_entry *ret)
{
	if (DIT_GROW(list->attrs, list->size, (size_t)view->nattrs + 1) < 0) {
		return -ENOMEM;
	}
	ret->attrs = list->attrs;
	ret->nattrs = 0;
	for (uint32_t i = 0; i < view->nattrs; i++) {
		const struct dit_attr_view *attr = &view->attrs[i];

		if (attr->ad != NULL) {
			list->attrs[ret->nattrs++] = dit_attr_of_view(attr);
		}
	}
	return 0;
}

int dit_stored_keys_new(struct dit_stored_keys **ret, const struct dit_index_set *indexes)
{
	struct dit_stored_keys *keys = calloc(1, sizeof(*keys));
	int r = 0;

	if (keys == NULL) {
		return -ENOMEM;
	}
	keys->indexes = indexes;
	keys->ndbs = dit_index_set_ndbs(indexes);
	keys->marks = calloc(keys->ndbs + 1, sizeof(*keys->marks));
	r = keys->marks == NULL ? -ENOMEM : dit_index_work_new(&keys->work, indexes);
	return DIT_HAND_OVER(r, ret, keys, dit_stored_keys_free);
}

void dit_stored_keys_free(struct dit_stored_keys *keys)
{
	if (keys != NULL) {
		dit_index_work_free(keys->work);
		free(keys->attrs[0].attrs);
		free(keys->attrs[1].attrs);
		free(keys->marks);
		free(keys);
	}
}

/* ---- the format of stored keys ---- */

/* The keys of presence have 4 bytes, all zero, whatever the others have. */
static bool is_presence(struct dit_span key)
{
	return key.len == 4 && memcmp(key.data, "\0\0\0\0", 4) == 0;
}

/*
 * The length of the keys of an index database, from its first key other than the
 * presence key. 0: it has no key.
 */
static int find_key_len(struct dit_snapshot *snapshot, const char *name, size_t *ret)
{
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key = {0};
	struct dit_span ids = {0};
	int r = dit_snapshot_cursor_open(&cursor, snapshot, 0, name);

	*ret = 0;
	r = r ?: dit_tree_cursor_next_list(cursor, &key, &ids);
	if (r > 0 && is_presence(key)) {
		r = dit_tree_cursor_next_list(cursor, &key, &ids);
	}
	if (r > 0) {
		*ret = key.len;
	}
	dit_tree_cursor_close(cursor);
	return r < 0 ? r : 0;
}

/* Hashes have one length; the keys of other indexes may be of any. */
static bool fits_length(enum dit_key_format format, size_t key_len)
{
	return key_len == 0 || (format == DIT_KEY_BYTES32   ? key_len == 4
	                        : format == DIT_KEY_BYTES64 ? key_len == 8
	                                                    : true);
}

int dit_stored_keys_fit(struct dit_index_set *indexes, size_t db,
                        struct dit_snapshot *snapshot, size_t *ret_key_len)
{
	const struct dit_index_db *index = dit_index_set_db(indexes, db);
	const struct dit_stored_db *stored = dit_snapshot_db(snapshot, index->name);
	int r = 0;

	*ret_key_len = 0;
	if (stored == NULL) {
		return 0;
	}
	r = find_key_len(snapshot, index->name, ret_key_len);
	if (r == 0) {
		r = dit_index_set_stored(indexes, db,
		                         (stored->flags & DIT_DB_INTEGERKEY) != 0,
		                         *ret_key_len);
	}
	if (r == 0 && !fits_length(index->format, *ret_key_len)) {
		r = DIT_E_INVALID;
	}
	return r < 0 ? r : 1;
}

/* ---- keys of an entry ---- */

int dit_stored_keys_want(void *ctx, const struct dit_ad *ad)
{
	const struct dit_stored_keys *keys = ctx;

	return dit_index_has_mark(keys->work, ad, NULL);
}

/* 0 or -ENOMEM. Without attributes there are no keys. */
static int fill_entry(struct dit_view_attrs *attrs, const struct dit_entry_view *view,
                      struct dit_entry *ret)
{
	*ret = (struct dit_entry){.nattrs = 0};
	if (view->is_hole || view->id == 0 || view->nattrs == 0) {
		return 0;
	}
	return dit_view_attrs_take(attrs, view, ret);
}

int dit_stored_keys_make(struct dit_stored_keys *keys, const struct dit_entry_view *view,
                         dit_index_keys_fn push, dit_index_wide_fn push_wide, void *ctx)
{
	struct dit_entry entry;
	int r = fill_entry(&keys->attrs[0], view, &entry);

	return r < 0 ? r : dit_index_entry(keys->work, &entry, push, push_wide, ctx);
}

struct spelling {
	const struct dit_index_set *indexes;
	dit_index_wide_fn take;
	void *ctx;
};

static int spell_keys(void *ctx, unsigned db, const uint64_t *ordinals, size_t nkeys)
{
	const struct spelling *spelling = ctx;
	const struct dit_index_db *index = dit_index_set_db(spelling->indexes, db);
	int r = 0;

	for (size_t i = 0; i < nkeys && r == 0; i++) {
		char bytes[sizeof(uint64_t)];
		size_t len = dit_index_key_bytes(index, ordinals[i], bytes);

		r = spelling->take(spelling->ctx, db, (struct dit_span){bytes, len});
	}
	return r;
}

static int spell_wide(void *ctx, unsigned db, struct dit_span key)
{
	const struct spelling *spelling = ctx;

	return spelling->take(spelling->ctx, db, key);
}

int dit_stored_keys_spell(struct dit_stored_keys *keys, const struct dit_entry_view *view,
                          dit_index_wide_fn take, void *ctx)
{
	struct spelling spelling = {keys->indexes, take, ctx};

	return dit_stored_keys_make(keys, view, spell_keys, spell_wide, &spelling);
}

int dit_stored_keys_clue(struct dit_stored_keys *keys, const struct dit_ad *ad,
                         enum dit_index_clue clue, struct dit_span piece,
                         dit_index_wide_fn take, void *ctx)
{
	struct spelling spelling = {keys->indexes, take, ctx};

	return dit_index_clue(keys->work, ad, clue, piece, spell_keys, spell_wide,
	                      &spelling);
}

/* ---- two versions ---- */

int dit_stored_keys_read(struct dit_stored_keys *keys, struct dit_entry_reader *reader,
                         uint64_t id, bool is_newer, struct dit_stored_version *ret)
{
	struct dit_index_refusal refusal;
	struct dit_entry_view view;
	int r = dit_entry_reader_seek(reader, id, &view);

	*ret = (struct dit_stored_version){.reason = NULL};
	if (r <= 0 || view.id != id) {
		return r < 0 ? r : 0;
	}
	ret->reason = view.reason;
	r = view.record_error != 0
	            ? DIT_E_INVALID
	            : fill_entry(&keys->attrs[is_newer], &view, &ret->entry);
	r = r ?: dit_index_check(keys->work, &ret->entry, &refusal);
	if (r == DIT_E_INVALID) {
		ret->entry.nattrs = 0;
	}
	return r;
}

static bool are_same(const struct dit_span *a, const struct dit_span *b, uint32_t n)
{
	/* Versions share the lists of what a change left alone. */
	return a == b || (a != NULL && b != NULL && dit_spans_eq(a, b, n));
}

/* Has the entry the same attribute with the same values? @param at  maybe there, after
 * the latest one that was found */
static bool has_same(const struct dit_entry *entry, uint32_t *at,
                     const struct dit_attr *attr)
{
	const struct dit_attr *other =
		*at < entry->nattrs && entry->attrs[*at].ad == attr->ad
			? &entry->attrs[*at]
			: dit_entry_find(entry, attr->ad);

	if (other == NULL) {
		return false;
	}
	*at = (uint32_t)(other - entry->attrs) + 1;
	return other->nvalues == attr->nvalues &&
	       are_same(other->values, attr->values, attr->nvalues) &&
	       are_same(other->normal, attr->normal, attr->nvalues);
}

static int mark_different(struct dit_stored_keys *keys, const struct dit_entry *entry,
                          const struct dit_entry *other)
{
	uint32_t at = 0;
	int r = 0;

	for (uint32_t i = 0; i < entry->nattrs && r == 0; i++) {
		const struct dit_attr *attr = &entry->attrs[i];

		r = has_same(other, &at, attr)
		            ? 0
		            : dit_index_mark_dbs(keys->work, attr->ad, keys->marks);
	}
	return r;
}

int dit_stored_keys_compare(struct dit_stored_keys *keys, const struct dit_entry *older,
                            const struct dit_entry *newer)
{
	int r = 0;

	memset(keys->marks, 0, keys->ndbs * sizeof(*keys->marks));
	r = mark_different(keys, older, newer);
	return r ?: mark_different(keys, newer, older);
}

int dit_stored_keys_push_changed(struct dit_stored_keys *keys,
                                 const struct dit_entry *entry,
                                 struct dit_builders *builders, unsigned producer,
                                 uint64_t id)
{
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_entry one = {.attrs = &entry->attrs[i], .nattrs = 1};
		int r = dit_index_has_mark(keys->work, one.attrs->ad, keys->marks);

		r = r <= 0 ? r
		           : dit_builders_push_entry(builders, producer, keys->work, &one,
		                                     id);
		if (r < 0) {
			return r;
		}
	}
	return 0;
}

/* ---- into builders ---- */

int dit_stored_keys_push(struct dit_stored_keys *keys, const struct dit_entry_view *view,
                         struct dit_builders *builders, unsigned producer,
                         struct dit_index_refusal *ret)
{
	struct dit_entry entry;
	int r = fill_entry(&keys->attrs[0], view, &entry);

	r = r ?: dit_index_check(keys->work, &entry, ret);
	return r
	               ?: dit_builders_push_entry(builders, producer, keys->work, &entry,
	                                          view->id);
}
