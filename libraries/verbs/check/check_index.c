/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wrong buckets of an index (check_sums.h): the postings that entries make, next to the
 * lists that are stored.
 *
 *   keys of all entries ──▶ sorted in memory ──▶ looked up ─┐
 *   stored              ──▶ list after list ────────────────┴─▶ compared
 *
 * A stored list must be the list that was made. A stored range is right if it covers what
 * was made: slapd never turns a range back into a list, nor makes it much narrower, when
 * entries go. So a range of a key that no entry has is right as well.
 */
#include "check/check_content.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/ids.h"

#define ID_BYTES  sizeof(uint64_t)
#define KEY_SHOWN 32
#define KEY_TEXT  (2 * KEY_SHOWN + 4)

/* The IDs of a key that entries make: words[0] is the key, or points to one of more than
 * eight bytes. */
struct made {
	struct dit_check_piece *list; /* by ID */
	size_t n;                     /* more than list_max: of a range */
};

enum {
	WORD_KEY,
	WORD_LENGTH, /* of the key; the number of its index, above 16 bits */
	WORD_STORED, /* of the first piece: the key is stored */
};

struct index_check {
	struct dit_check_content *content;
	const char *name; /* of the index */
	char key[KEY_TEXT];
	struct dit_tree_cursor *stored;
	struct dit_span stored_key;
	struct dit_span stored_ids; /* the first of them */
};

/* ---- findings ---- */

#define FIND(check, kind, id, ...)                                                       \
 DIT_CHECK_REPORT_AT((check)->content, (kind), (check)->name, (id), __VA_ARGS__)

static const char *show_key(struct index_check *check, struct dit_span key)
{
	size_t n = key.len < KEY_SHOWN ? key.len : KEY_SHOWN;

	for (size_t i = 0; i < n; i++) {
		(void)snprintf(check->key + 2 * i, 3, "%02x", (unsigned char)key.data[i]);
	}
	(void)snprintf(check->key + 2 * n, 4, "%s", n < key.len ? "..." : "");
	return check->key;
}

/* Entries that are in the list of a key or have the key, but not both. */
struct difference {
	uint64_t n;
	uint64_t first; /* of their IDs */
};

static void add(struct difference *difference, uint64_t id)
{
	if (difference->n++ == 0) {
		difference->first = id;
	}
}

static void find_difference(struct index_check *check, bool is_missing,
                            struct dit_span key, const struct difference *difference)
{
	uint64_t n = difference->n;
	char others[40];

	(void)snprintf(others, sizeof(others), n > 1 ? " and %lu other%s" : "", n - 1,
	               n == 2 ? "" : "s");
	if (n > 0 && is_missing) {
		FIND(check, DIT_CHECK_POSTING_MISSING, difference->first,
		     "the entry%s %s the key %s, and %s not in its list", others,
		     n == 1 ? "has" : "have", show_key(check, key),
		     n == 1 ? "is" : "are");
	} else if (n > 0) {
		FIND(check, DIT_CHECK_POSTING_SURPLUS, difference->first,
		     "the entry%s %s in the list of the key %s, and %s not have the key",
		     others, n == 1 ? "is" : "are", show_key(check, key),
		     n == 1 ? "does" : "do");
	}
}

/* ---- IDs ---- */

/* The stored list of a key next to the IDs that were made. */
struct lists {
	uint64_t nstored;
	struct difference missing;
	struct difference surplus;
};

/* Stored IDs next to those that were made from *at on. */
static void merge_block(const struct index_check *check, struct dit_span ids,
                        const struct made *made, size_t *at, struct lists *lists)
{
	size_t n = ids.len / ID_BYTES;

	lists->nstored += n;
	for (size_t i = 0; i < n; i++) {
		uint64_t id = dit_id_at(ids, i);

		while (*at < made->n && made->list[*at].rank < id) {
			add(&lists->missing, made->list[(*at)++].rank);
		}
		if (*at < made->n && made->list[*at].rank == id) {
			(*at)++;
		} else if (!dit_check_is_unread(check->content, id)) {
			add(&lists->surplus, id);
		}
	}
}

static int merge(const struct index_check *check, const struct made *made,
                 struct lists *ret)
{
	struct dit_span ids = check->stored_ids;
	size_t at = 0;
	int r = 1;

	*ret = (struct lists){.nstored = 0};
	while (r > 0) {
		merge_block(check, ids, made, &at, ret);
		r = dit_tree_cursor_more_items(check->stored, &ids);
	}
	while (at < made->n) {
		add(&ret->missing, made->list[at++].rank);
	}
	return r;
}

/* ---- ranges ---- */

static void find_range(struct index_check *check, uint64_t low, uint64_t high,
                       uint64_t id)
{
	FIND(check, DIT_CHECK_INDEX_RANGE, id,
	     "the entry has the key %s, whose range %lu to %lu leaves it out",
	     show_key(check, check->stored_key), low, high);
}

static void compare_range(struct index_check *check, const struct made *made, uint64_t n)
{
	struct dit_span ids = check->stored_ids;
	uint64_t low = 0;
	uint64_t high = 0;

	if (n != DIT_RANGE_IDS || ids.len != DIT_RANGE_IDS * ID_BYTES) {
		FIND(check, DIT_CHECK_INDEX_RANGE, 0,
		     "the list of the key %s begins with 0, which marks a range, and has "
		     "%lu numbers, not 3",
		     show_key(check, check->stored_key), n);
		return;
	}
	low = dit_id_at(ids, 1);
	high = dit_id_at(ids, 2);
	if (made->n > 0) {
		if (made->list[0].rank < low) {
			find_range(check, low, high, made->list[0].rank);
		} else if (made->list[made->n - 1].rank > high) {
			find_range(check, low, high, made->list[made->n - 1].rank);
		}
	}
}

/* A list is stored where a range belongs. */
static void find_list(struct index_check *check, const struct made *made, uint64_t n)
{
	if (n > check->content->list_max) {
		FIND(check, DIT_CHECK_INDEX_LENGTH, 0,
		     "the list of the key %s has %lu IDs; by idlexp one of more than %u "
		     "is a range",
		     show_key(check, check->stored_key), n, check->content->list_max);
	} else {
		FIND(check, DIT_CHECK_POSTING_MISSING, made->list[0].rank,
		     "more than %u entries, this one among them, have the key %s, and its "
		     "list has %lu",
		     check->content->list_max, show_key(check, check->stored_key), n);
	}
}

/* ---- keys ---- */

/* False: the key is not compared in this pass. */
static bool want(const struct dit_check_content *content, size_t db, struct dit_span key,
                 uint64_t *ret_hash)
{
	uint64_t hash = 0;
	bool is_wanted = dit_check_sums_is_wanted(content->sums, db, key, &hash);

	*ret_hash = hash ^ dit_check_hash(db);
	return is_wanted && dit_check_pieces_want(&content->postings, *ret_hash);
}

int dit_check_index_push(struct dit_check_content *content, unsigned db, uint64_t id,
                         struct dit_span key)
{
	struct dit_check_piece posting = {.rank = id};
	const char *text = NULL;

	if (!want(content, db, key, &posting.hash)) {
		return 0;
	}
	posting.words[WORD_LENGTH] = (uint64_t)db << 16 | key.len;
	if (key.len <= sizeof(posting.words[0])) {
		memcpy(&posting.words[WORD_KEY], key.len == 0 ? "" : key.data, key.len);
	} else {
		text = dit_arena_copy(&content->postings.texts, key).data;
		content->postings.text_bytes += key.len;
		if (text == NULL) {
			return -ENOMEM;
		}
		memcpy(&posting.words[WORD_KEY], &text, sizeof(text));
	}
	return dit_check_pieces_add(&content->postings, &posting);
}

static struct dit_span key_of(const struct dit_check_piece *posting)
{
	struct dit_span key = {.len = posting->words[WORD_LENGTH] & 0xffff};

	if (key.len <= sizeof(posting->words[0])) {
		key.data = (const char *)&posting->words[WORD_KEY];
	} else {
		memcpy(&key.data, &posting->words[WORD_KEY], sizeof(key.data));
	}
	return key;
}

static int compare_key(struct index_check *check, uint64_t hash)
{
	const struct dit_check_pieces *postings = &check->content->postings;
	size_t at =
		dit_first_id(postings->list, postings->n, sizeof(*postings->list), hash);
	struct made made = {.list = postings->list + at};
	struct lists lists;
	bool is_range = false;
	int r = 0;

	if (at < postings->n && made.list->hash == hash) {
		made.n = dit_check_pieces_same(postings, at);
		made.list->words[WORD_STORED] = 1;
	}
	is_range = dit_id_at(check->stored_ids, 0) == 0;
	r = merge(check, &made, &lists);
	if (r < 0) {
		return r;
	}
	if (is_range) {
		compare_range(check, &made, lists.nstored);
	} else if (made.n > check->content->list_max) {
		find_list(check, &made, lists.nstored);
	} else {
		find_difference(check, true, check->stored_key, &lists.missing);
		find_difference(check, false, check->stored_key, &lists.surplus);
	}
	return 0;
}

static int compare_stored(struct index_check *check, size_t db)
{
	uint64_t hash = 0;
	int r = 0;

	while (r >= 0 && (r = dit_tree_cursor_next_list(check->stored, &check->stored_key,
	                                                &check->stored_ids)) > 0) {
		if (dit_stop_is_set(check->content->stop)) {
			return DIT_E_STOPPED;
		}
		if (want(check->content, db, check->stored_key, &hash)) {
			r = compare_key(check, hash);
		}
	}
	return r;
}

int dit_check_index(struct dit_check_content *content, size_t db)
{
	struct index_check check = {.content = content,
	                            .name = dit_index_set_db(content->indexes, db)->name};
	int r = dit_snapshot_cursor_open(&check.stored, content->snapshot, 0, check.name);

	r = r < 0 ? r : compare_stored(&check, db);
	dit_tree_cursor_close(check.stored);
	return r;
}

int dit_check_index_rest(struct dit_check_content *content)
{
	const struct dit_check_pieces *postings = &content->postings;
	struct index_check check = {.content = content};
	size_t n = 0;

	for (size_t i = 0; i < postings->n; i += n) {
		const struct dit_check_piece *first = &postings->list[i];
		size_t db = first->words[WORD_LENGTH] >> 16;

		if (dit_stop_is_set(content->stop)) {
			return DIT_E_STOPPED;
		}
		n = dit_check_pieces_same(postings, i);
		check.name = dit_index_set_db(content->indexes, db)->name;
		if (first->words[WORD_STORED] == 0) {
			const struct difference missing = {n, first->rank};

			find_difference(&check, true, key_of(first), &missing);
		}
	}
	return 0;
}
