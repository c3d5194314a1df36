/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index databases that are not what entries make (check_sums.h): the lists that the
 * entries' keys make, walked along with those that are stored.
 *
 *   keys of all entries ──▶ builders ──▶ lists in key order ─┐
 *   stored                            ──▶ lists in key order ─┴─▶ compared
 *
 * A stored list must be the list that was made. A stored range is right if it covers what
 * was made: slapd never turns a range back into a list, nor makes it much narrower, when
 * entries go. So a range of a key that no entry has is right as well.
 */
#include "check/check_content.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/ids.h"
#include "page/key_order.h"

#define ID_BYTES     sizeof(uint64_t)
#define KEY_SHOWN    32
#define KEY_TEXT     (2 * KEY_SHOWN + 4)
#define LISTS_A_LOOK 1024 /* between two looks at the stop flag */

struct index_check {
	struct dit_check_member *member;
	const struct dit_check_content *content; /* the member's */
	const struct dit_index_db *db;
	char key[KEY_TEXT];
	struct dit_index_cursor *cursor;
	const struct dit_output_list *made; /* ahead; NULL: no more */
	const struct dit_output_list *lists;
	size_t nlists; /* from `made` on */
	struct dit_tree_cursor *stored;
	int state; /* 1: a stored key is ahead; 0: no more; an error */
	struct dit_span stored_key;
	struct dit_span stored_ids; /* the first of them */
	unsigned nlooks;
};

/* ---- findings ---- */

#define FIND(check, kind, id, ...)                                                       \
 DIT_CHECK_FIND_AT((check)->member, (kind), (check)->db->name, (id), __VA_ARGS__)

static const char *show_key(struct index_check *check, struct dit_span key)
{
	size_t n = key.len < KEY_SHOWN ? key.len : KEY_SHOWN;

	for (size_t i = 0; i < n; i++) {
		(void)snprintf(check->key + 2 * i, 3, "%02x", (unsigned char)key.data[i]);
	}
	(void)snprintf(check->key + 2 * n, 4, "%s", n < key.len ? "..." : "");
	return check->key;
}

static void find_missing(struct index_check *check, struct dit_span key, uint64_t first,
                         uint64_t n)
{
	if (n == 1) {
		FIND(check, DIT_CHECK_POSTING_MISSING, first,
		     "the entry has the key %s, and is not in its list",
		     show_key(check, key));
	} else {
		FIND(check, DIT_CHECK_POSTING_MISSING, first,
		     "the entry and %llu others have the key %s, and are not in its list",
		     (unsigned long long)n - 1, show_key(check, key));
	}
}

static void find_surplus(struct index_check *check, struct dit_span key, uint64_t first,
                         uint64_t n)
{
	if (n == 1) {
		FIND(check, DIT_CHECK_POSTING_SURPLUS, first,
		     "the entry is in the list of the key %s, and does not have the key",
		     show_key(check, key));
	} else {
		FIND(check, DIT_CHECK_POSTING_SURPLUS, first,
		     "the entry and %llu others are in the list of the key %s, and do not "
		     "have the key",
		     (unsigned long long)n - 1, show_key(check, key));
	}
}

/* ---- stored IDs ---- */

/* All IDs of the key. -1: an error is in check->state. */
static int count_stored(struct index_check *check, uint64_t *ret)
{
	struct dit_span ids = check->stored_ids;
	int r = 1;

	*ret = 0;
	while (r > 0) {
		*ret += ids.len / ID_BYTES;
		r = dit_tree_cursor_more_items(check->stored, &ids);
	}
	return r;
}

/* ---- lists ---- */

struct difference {
	uint64_t nmissing;
	uint64_t first_missing;
	uint64_t nsurplus;
	uint64_t first_surplus;
};

static void miss(struct difference *difference, uint64_t id)
{
	if (difference->nmissing++ == 0) {
		difference->first_missing = id;
	}
}

/* Stored IDs next to those that were made from *at on. */
static void merge_block(const struct index_check *check, struct dit_span ids,
                        const struct dit_output_list *made, size_t *at,
                        struct difference *difference)
{
	size_t n = ids.len / ID_BYTES;

	if (n == 0) {
		return;
	}
	if (made->nids - *at >= n &&
	    memcmp(ids.data, made->ids + *at, n * ID_BYTES) == 0) {
		*at += n;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t id = dit_id_at(ids, i);

		while (*at < made->nids && made->ids[*at] < id) {
			miss(difference, made->ids[(*at)++]);
		}
		if (*at < made->nids && made->ids[*at] == id) {
			(*at)++;
		} else if (!dit_check_is_unread(check->content, id) &&
		           difference->nsurplus++ == 0) {
			difference->first_surplus = id;
		}
	}
}

static int compare_lists(struct index_check *check, const struct dit_output_list *made)
{
	struct difference difference = {.nmissing = 0};
	struct dit_span ids = check->stored_ids;
	size_t at = 0;
	int r = 1;

	while (r > 0) {
		merge_block(check, ids, made, &at, &difference);
		r = dit_tree_cursor_more_items(check->stored, &ids);
	}
	while (at < made->nids) {
		miss(&difference, made->ids[at++]);
	}
	if (difference.nmissing > 0) {
		find_missing(check, check->stored_key, difference.first_missing,
		             difference.nmissing);
	}
	if (difference.nsurplus > 0) {
		find_surplus(check, check->stored_key, difference.first_surplus,
		             difference.nsurplus);
	}
	return r;
}

/* ---- ranges ---- */

static bool is_range(const struct dit_output_list *list)
{
	return list->nids > 0 && list->ids[0] == 0;
}

static void find_range(struct index_check *check, uint64_t low, uint64_t high,
                       uint64_t id)
{
	FIND(check, DIT_CHECK_INDEX_RANGE, id,
	     "the entry has the key %s, whose range %llu to %llu leaves it out",
	     show_key(check, check->stored_key), (unsigned long long)low,
	     (unsigned long long)high);
}

/* @param made  NULL: no entry has the key */
static int compare_range(struct index_check *check, const struct dit_output_list *made)
{
	struct dit_span ids = check->stored_ids;
	uint64_t n = 0;
	uint64_t low = 0;
	uint64_t high = 0;
	int r = count_stored(check, &n);

	if (r < 0) {
		return r;
	}
	if (n != DIT_RANGE_IDS || ids.len != DIT_RANGE_IDS * ID_BYTES) {
		FIND(check, DIT_CHECK_INDEX_RANGE, 0,
		     "the list of the key %s begins with 0, which marks a range, and has "
		     "%llu numbers, not 3",
		     show_key(check, check->stored_key), (unsigned long long)n);
		return 0;
	}
	low = dit_id_at(ids, 1);
	high = dit_id_at(ids, 2);
	if (made != NULL) {
		size_t first = is_range(made) ? 1 : 0;

		if (made->ids[first] < low) {
			find_range(check, low, high, made->ids[first]);
		} else if (made->ids[made->nids - 1] > high) {
			find_range(check, low, high, made->ids[made->nids - 1]);
		}
	}
	return 0;
}

/* A list is stored where a range belongs. */
static int compare_with_range(struct index_check *check,
                              const struct dit_output_list *made)
{
	uint64_t n = 0;
	int r = count_stored(check, &n);

	if (r < 0) {
		return r;
	}
	if (n > check->content->list_max) {
		FIND(check, DIT_CHECK_INDEX_LENGTH, 0,
		     "the list of the key %s has %llu IDs; by idlexp one of more than %u "
		     "is a range",
		     show_key(check, check->stored_key), (unsigned long long)n,
		     check->content->list_max);
	} else {
		FIND(check, DIT_CHECK_POSTING_MISSING, made->ids[1],
		     "more than %u entries, this one among them, have the key %s, and its "
		     "list has %llu",
		     check->content->list_max, show_key(check, check->stored_key),
		     (unsigned long long)n);
	}
	return 0;
}

/* ---- keys ---- */

static int next_made(struct index_check *check)
{
	ptrdiff_t n = 0;

	if (check->nlists > 1) {
		check->nlists--;
		check->made++;
		return 0;
	}
	if (check->nlooks++ % LISTS_A_LOOK == 0 &&
	    dit_stop_is_set(check->content->stop)) {
		return DIT_E_STOPPED;
	}
	n = dit_index_cursor_next(check->cursor, &check->lists);
	check->made = n > 0 ? check->lists : NULL;
	check->nlists = n > 0 ? (size_t)n : 0;
	return n < 0 ? (int)n : 0;
}

static int next_stored(struct index_check *check)
{
	if (check->nlooks++ % LISTS_A_LOOK == 0 &&
	    dit_stop_is_set(check->content->stop)) {
		return DIT_E_STOPPED;
	}
	check->state = dit_tree_cursor_next_list(check->stored, &check->stored_key,
	                                         &check->stored_ids);
	return check->state < 0 ? check->state : 0;
}

static int compare_keys(const struct index_check *check, struct dit_span a,
                        struct dit_span b)
{
	const struct dit_key_order numbers = {.kind = DIT_ORDER_NUMBERS};

	return check->db->is_integerkey && a.len == b.len
	               ? dit_key_compare(&numbers, (struct dit_span){NULL, 0}, a, b)
	               : dit_span_compare(a, b);
}

static int only_made(struct index_check *check)
{
	const struct dit_output_list *made = check->made;
	bool is_of_range = is_range(made);

	find_missing(check, made->key, made->ids[is_of_range ? 1 : 0],
	             is_of_range ? (uint64_t)check->content->list_max + 1 : made->nids);
	return next_made(check);
}

static int only_stored(struct index_check *check)
{
	static const struct dit_output_list none = {.nids = 0};
	int r = dit_id_at(check->stored_ids, 0) == 0 ? compare_range(check, NULL)
	                                             : compare_lists(check, &none);

	return r < 0 ? r : next_stored(check);
}

static int both(struct index_check *check)
{
	int r = dit_id_at(check->stored_ids, 0) == 0 ? compare_range(check, check->made)
	        : is_range(check->made) ? compare_with_range(check, check->made)
	                                : compare_lists(check, check->made);

	if (r >= 0) {
		r = next_made(check);
	}
	return r < 0 ? r : next_stored(check);
}

static int compare(struct index_check *check)
{
	int r = next_made(check);

	if (r == 0) {
		r = next_stored(check);
	}
	while (r == 0 && (check->made != NULL || check->state > 0)) {
		int order = check->made == NULL ? 1
		            : check->state == 0 ? -1
		                                : compare_keys(check, check->made->key,
		                                               check->stored_key);

		r = order < 0    ? only_made(check)
		    : order == 0 ? both(check)
		                 : only_stored(check);
	}
	return r;
}

/* ---- a database ---- */

/* slapd makes a database that is missing, and does not fill it. */
static int check_missing(struct index_check *check)
{
	int r = next_made(check);

	if (r == 0 && check->made != NULL) {
		FIND(check, DIT_CHECK_INDEX_MISSING, 0,
		     "the index is configured, and its database is missing");
	}
	return r;
}

int dit_check_index(struct dit_check_member *member, size_t db)
{
	const struct dit_check_content *content = member->content;
	struct index_check check = {.member = member,
	                            .content = content,
	                            .db = dit_index_set_db(content->indexes, db)};
	int r = dit_index_cursor_open(&check.cursor, content->builders, db, 0);

	if (r == 0) {
		r = dit_snapshot_cursor_open(&check.stored, content->snapshot,
		                             member->reader, check.db->name);
		r = r == DIT_E_UNKNOWN ? check_missing(&check)
		    : r < 0            ? r
		                       : compare(&check);
	}
	dit_tree_cursor_close(check.stored);
	dit_index_cursor_close(check.cursor);
	return r;
}
