/* SPDX-License-Identifier: BSD-2-Clause */
#include "filter/filter_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/ids.h"
#include "indexing/stored_keys.h"
#include "values/value.h"

struct finder {
	const struct dit_candidates_opts *opts;
	struct dit_index_set *indexes;
	struct dit_stored_keys *keys;
	struct dit_tree_cursor **cursors; /* by database of the set; NULL: of no use */

	struct dit_candidates *best; /* the shortest list so far; empty: there is none */
	struct dit_candidates next;  /* the list that is read */
};

void dit_candidates_deinit(struct dit_candidates *candidates)
{
	free(candidates->ids);
	*candidates = (struct dit_candidates){.ids = NULL};
}

static int add(struct dit_candidates *list, uint64_t id)
{
	return DIT_APPEND(list->ids, list->size, list->n, id);
}

/* ---- keys ---- */

/* The list of a key goes to "next". 1; 0: it is no shorter than the best one, or it is a
 * range; error */
static int read_list(struct finder *finder, struct dit_tree_cursor *cursor,
                     struct dit_span key)
{
	size_t max = finder->best->n > 0 ? finder->best->n : finder->opts->max + 1;
	struct dit_span found;
	struct dit_span item;
	int r = dit_tree_cursor_find(cursor, key, &found, &item);

	finder->next.n = 0;
	r = r < 0 || add(&finder->next, 0) == 0 ? r : -ENOMEM;
	while (r > 0 && dit_span_eq(found, key)) {
		uint64_t id = 0;

		if (item.len != sizeof(id) || finder->next.n == max) {
			return 0;
		}
		memcpy(&id, item.data, sizeof(id));
		if (id == 0) {
			return 0; /* a range begins so */
		}
		r = add(&finder->next, id);
		r = r ?: dit_tree_cursor_next(cursor, &found, &item);
	}
	return r < 0 ? r : 1;
}

static int look_up(void *ctx, unsigned db, struct dit_span key)
{
	struct finder *finder = ctx;
	struct dit_candidates best = *finder->best;
	int r = 0;

	if (finder->cursors[db] == NULL || best.n == 1) {
		return 0;
	}
	r = read_list(finder, finder->cursors[db], key);
	if (r > 0) {
		*finder->best = finder->next;
		finder->next = best;
	}
	return r < 0 ? r : 0;
}

/* ---- filters ---- */

/*
 * Do equal values have equal keys, in all subtypes that the database has? Values with a
 * place in front equal those without.
 */
static bool is_sound(const struct finder *finder, const struct dit_attr_type *type)
{
	const struct dit_ad_names *names = finder->opts->names;

	if (type->equality == NULL || dit_type_is_ordered(type)) {
		return false;
	}
	for (uint32_t i = 0; i < names->n; i++) {
		const struct dit_ad_name *name = dit_ad_names_get(names, i);
		const struct dit_attr_type *other =
			name == NULL || name->ad == NULL ? NULL : name->ad->type;

		if (other != NULL && dit_type_is_a(other, type) &&
		    (other->equality != type->equality || other->syntax != type->syntax ||
		     other->flags != type->flags)) {
			return false;
		}
	}
	return true;
}

static int look_up_value(struct finder *finder, const struct dit_ad *ad,
                         const struct dit_filter *filter)
{
	bool has_normal = dit_attr_has_normal(ad->type);
	const struct dit_attr_view attr = {.ad = ad,
	                                   .nvalues = 1,
	                                   .values = &filter->value,
	                                   .normal = has_normal ? &filter->value : NULL};
	const struct dit_entry_view view = {.id = 1, .nattrs = 1, .attrs = &attr};

	return dit_stored_keys_spell(finder->keys, &view, look_up, finder);
}

static int look_up_pieces(struct finder *finder, const struct dit_ad *ad,
                          const struct dit_filter *filter)
{
	int r = 0;

	for (uint32_t i = 0; i < filter->npieces && r == 0; i++) {
		enum dit_index_clue clue = i == 0                     ? DIT_CLUE_INITIAL
		                           : i + 1 == filter->npieces ? DIT_CLUE_FINAL
		                                                      : DIT_CLUE_MIDDLE;

		if (filter->pieces[i].len > 0) {
			r = dit_stored_keys_clue(finder->keys, ad, clue,
			                         filter->pieces[i], look_up, finder);
		}
	}
	return r;
}

/*
 * Keys are made of normal values, which subtypes have by rules of their own. Options are
 * left out: an index of cn;lang-de has no keys of cn;lang-de;lang-en, which matches as
 * well.
 */
static int find_item(struct finder *finder, const struct dit_filter *filter)
{
	const struct dit_ad *ad = &filter->ad->type->ad;

	if (filter->kind == DIT_FILTER_PRESENT) {
		return dit_stored_keys_clue(finder->keys, ad, DIT_CLUE_PRESENT,
		                            (struct dit_span){0}, look_up, finder);
	}
	if (!is_sound(finder, ad->type)) {
		return 0;
	}
	return filter->kind == DIT_FILTER_EQUAL ? look_up_value(finder, ad, filter)
	                                        : look_up_pieces(finder, ad, filter);
}

static int find(struct finder *finder, const struct dit_filter *filter);

/* The lists of all children, if that is shorter than the best one. */
static int find_or(struct finder *finder, const struct dit_filter *filter)
{
	struct dit_candidates *best = finder->best;
	struct dit_candidates list = {0};
	struct dit_candidates all = {0};
	bool has_all = true;
	int r = add(&all, 0);

	finder->best = &list;
	for (const struct dit_filter *at = filter->first; at != NULL && r == 0 && has_all;
	     at = at->next) {
		list.n = 0;
		r = find(finder, at);
		has_all = list.n > 0;
		for (size_t i = 0; i < list.n && r == 0; i++) {
			r = add(&all, list.ids[i]);
		}
	}
	finder->best = best;
	if (r == 0 && has_all && (best->n == 0 || all.n < best->n)) {
		struct dit_candidates swap = *best;

		*best = all;
		all = swap;
	}
	dit_candidates_deinit(&list);
	dit_candidates_deinit(&all);
	return r;
}

/* 0, or an error. */
static int find(struct finder *finder, const struct dit_filter *filter)
{
	int r = 0;

	switch (filter->kind) {
	case DIT_FILTER_AND:
		for (const struct dit_filter *at = filter->first; at != NULL && r == 0;
		     at = at->next) {
			r = find(finder, at);
		}
		return r;
	case DIT_FILTER_OR:
		return find_or(finder, filter);
	case DIT_FILTER_EQUAL:
	case DIT_FILTER_PRESENT:
	case DIT_FILTER_SUBSTRINGS:
		return find_item(finder, filter);
	default:
		return 0;
	}
}

/* ---- beginning and end ---- */

static int open_index(struct finder *finder, size_t number)
{
	struct dit_snapshot *snapshot = finder->opts->snapshot;
	size_t key_len = 0;
	int r = dit_stored_keys_fit(finder->indexes, number, snapshot, &key_len);

	if (r == DIT_E_INVALID) {
		return 0;
	}
	return r <= 0 ? r
	              : dit_snapshot_cursor_open(
				&finder->cursors[number], snapshot, 0,
				dit_index_set_db(finder->indexes, number)->name);
}

static int open_indexes(struct finder *finder)
{
	const struct dit_candidates_opts *opts = finder->opts;
	size_t n = 0;
	int r = dit_index_set_new(&finder->indexes, opts->settings, opts->db->indexes,
	                          opts->db->nindexes, true);

	if (r < 0) {
		return r;
	}
	n = dit_index_set_ndbs(finder->indexes);
	finder->cursors = calloc(n + 1, sizeof(*finder->cursors));
	if (finder->cursors == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < n && r == 0; i++) {
		r = open_index(finder, i);
	}
	return r < 0 ? r : dit_stored_keys_new(&finder->keys, finder->indexes);
}

static void close_indexes(struct finder *finder)
{
	size_t n = finder->cursors == NULL ? 0 : dit_index_set_ndbs(finder->indexes);

	for (size_t i = 0; i < n; i++) {
		dit_tree_cursor_close(finder->cursors[i]);
	}
	free(finder->cursors);
	dit_stored_keys_free(finder->keys);
	dit_index_set_free(finder->indexes);
	dit_candidates_deinit(&finder->next);
}

static void sort(struct dit_candidates *list)
{
	size_t n = 0;

	qsort(list->ids, list->n, sizeof(*list->ids), dit_compare_ids);
	for (size_t i = 0; i < list->n; i++) {
		if (n == 0 || list->ids[i] != list->ids[n - 1]) {
			list->ids[n++] = list->ids[i];
		}
	}
	list->n = n;
}

int dit_candidates_find(struct dit_candidates *ret, const struct dit_filter *filter,
                        const struct dit_candidates_opts *opts)
{
	struct finder finder = {.opts = opts, .best = ret};
	int r = 0;

	*ret = (struct dit_candidates){.ids = NULL};
	r = open_indexes(&finder);
	r = r ?: find(&finder, filter);
	close_indexes(&finder);
	if (r < 0) {
		dit_candidates_deinit(ret);
		return r;
	}
	if (ret->n > 0) {
		sort(ret);
	}
	return 0;
}
