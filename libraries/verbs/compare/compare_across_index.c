/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index databases of two formats. The first's IDs are replaced by those that the same
 * entries have in the second; then keys and lists have to be equal, but for this:
 *
 *   ranges   A range of the first is wider than its entries when some were deleted, and
 *            the second has a list where few are left. So a range is right if it has all
 *            entries of the other side's list; two ranges are not compared.
 *   hashes   of 4 and of 8 bytes have nothing in common. Then the lists of presence are
 *            compared, and the entries that have any key: an entry that is in the lists
 *            of one side alone is a difference. ditcheck of each database compares the
 *            keys with the entries.
 */
#include "compare/compare_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/ids.h"

static const struct dit_span presence = {"\0\0\0\0", 4};

/* ---- IDs ---- */

void dit_across_map(const struct dit_across *across, uint64_t *ids, size_t n)
{
	bool is_sorted = true;

	if (n == 3 && ids[0] == 0) {
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (!dit_across_find(across, ids[i], &ids[i])) {
			ids[i] |= DIT_ACROSS_ALONE;
		}
		is_sorted = is_sorted && (i == 0 || ids[i - 1] < ids[i]);
	}
	if (!is_sorted) {
		qsort(ids, n, sizeof(*ids), dit_compare_ids);
	}
}

static bool is_within(uint64_t id, const struct dit_compare_records *range)
{
	return id >= range->ids[1] && id <= range->ids[2];
}

/* The first's range has IDs of the first. */
static bool first_has_all(const struct dit_across *across,
                          const struct dit_compare_records *range,
                          const struct dit_compare_records *list)
{
	for (size_t i = 0; i < list->nids; i++) {
		size_t at = 0;

		if (!dit_across_twin(across, list->ids[i], &at) ||
		    !across->twins[at].has_first ||
		    !is_within(across->twins[at].first, range)) {
			return false;
		}
	}
	return true;
}

static bool second_has_all(const struct dit_compare_records *range,
                           const struct dit_compare_records *list)
{
	for (size_t i = 0; i < list->nids; i++) {
		if (!is_within(list->ids[i], range)) {
			return false;
		}
	}
	return true;
}

bool dit_across_same_ranges(const struct dit_across *across,
                            const struct dit_compare_records *a,
                            const struct dit_compare_records *b)
{
	bool are_ranges[2] = {dit_compare_is_range(a), dit_compare_is_range(b)};

	if (are_ranges[0] && are_ranges[1]) {
		return true;
	}
	return are_ranges[0] ? first_has_all(across, a, b) : second_has_all(b, a);
}

/* ---- hashes of two lengths ---- */

/* The entries that an index has, by number of the twin. */
struct having {
	bool *is_listed;
	bool has_range;
	uint64_t lowest; /* of all ranges, IDs of this side */
	uint64_t highest;
};

static void note_range(struct having *having, const struct dit_compare_records *lists)
{
	if (!having->has_range || lists->ids[1] < having->lowest) {
		having->lowest = lists->ids[1];
	}
	if (!having->has_range || lists->ids[2] > having->highest) {
		having->highest = lists->ids[2];
	}
	having->has_range = true;
}

/* Entries of one side alone are told with the entries. */
static void note_ids(const struct dit_across *across, struct having *having,
                     const struct dit_compare_records *lists)
{
	for (size_t i = 0; i < lists->nids; i++) {
		size_t at = 0;

		if (dit_across_twin(across, lists->ids[i], &at)) {
			having->is_listed[at] = true;
		}
	}
}

static int note_lists(struct dit_compare *c, const struct dit_compare_pair *pair,
                      int side, struct having *having)
{
	struct dit_compare_records lists = {.cursor = NULL};
	int r = dit_compare_records_open(&lists, c, pair, side);

	having->is_listed = calloc(pair->across->ntwins + 1, sizeof(bool));
	if (having->is_listed == NULL) {
		r = r < 0 ? r : -ENOMEM;
	}
	while (r == 0 && (r = dit_compare_records_next(&lists)) > 0) {
		if (dit_compare_is_range(&lists)) {
			note_range(having, &lists);
		} else {
			note_ids(pair->across, having, &lists);
		}
		r = dit_compare_step(c, side == 0 ? lists.nids : 0);
	}
	dit_compare_records_close(&lists);
	return r;
}

static bool is_in_range(const struct having *having, uint64_t id)
{
	return having->has_range && id >= having->lowest && id <= having->highest;
}

static void compare_having(struct dit_compare *c, const struct dit_across *across,
                           const struct having having[2])
{
	for (size_t i = 0; i < across->ntwins; i++) {
		const struct dit_twin *twin = &across->twins[i];
		bool are_listed[2] = {having[0].is_listed[i], having[1].is_listed[i]};

		if (!twin->has_first || are_listed[0] == are_listed[1] ||
		    is_in_range(&having[0], twin->first) ||
		    is_in_range(&having[1], twin->second)) {
			continue;
		}
		dit_compare_say(c, "entry %" PRIu64 " has keys only in the %s",
		                twin->second, are_listed[0] ? "first" : "second");
	}
}

/* The key that all formats share. A database may have none. */
static int compare_presence(struct dit_compare *c, const struct dit_compare_pair *pair)
{
	struct dit_compare_records lists[2] = {{.cursor = NULL}, {.cursor = NULL}};
	int found[2] = {0, 0};
	int r = 0;

	for (int i = 0; i < 2 && r >= 0; i++) {
		r = dit_compare_records_open(&lists[i], c, pair, i);
		if (r == 0) {
			r = found[i] = dit_compare_records_seek(&lists[i], presence);
		}
	}
	if (r >= 0 && found[0] != found[1]) {
		dit_compare_say(c, "keys of presence, only in the %s",
		                found[1] > 0 ? "second" : "first");
	} else if (r > 0) {
		dit_compare_list(c, &lists[0], &lists[1]);
	}
	dit_compare_records_close(&lists[0]);
	dit_compare_records_close(&lists[1]);
	return r < 0 ? r : 0;
}

static int compare_hashed(struct dit_compare *c, const struct dit_compare_pair *pair)
{
	struct having having[2] = {{.is_listed = NULL}, {.is_listed = NULL}};
	int r = compare_presence(c, pair);

	for (int i = 0; i < 2 && r == 0; i++) {
		r = note_lists(c, pair, i, &having[i]);
	}
	if (r == 0) {
		compare_having(c, pair->across, having);
	}
	free(having[0].is_listed);
	free(having[1].is_listed);
	return r;
}

/* 1: it has keys of 8 bytes, as hashes of 64 bits; 0; error */
static int has_long_keys(struct dit_compare *c, const struct dit_compare_pair *pair,
                         int side)
{
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span value;
	struct dit_span key;
	int r = dit_snapshot_cursor_open(&cursor, c->sides[side].snapshot, 0,
	                                 pair->names[side]);

	while (r == 0 && (r = dit_tree_cursor_next_key(cursor, &key, &value)) > 0) {
		if (key.len == 8) {
			break;
		}
		r = 0;
	}
	dit_tree_cursor_close(cursor);
	return r;
}

/* ---- all of them ---- */

static int compare_pair(const struct dit_across *across, const struct dit_stored_db *a,
                        const struct dit_stored_db *b)
{
	struct dit_compare *c = across->c;
	const struct dit_compare_pair pair = {.names = {a->name, b->name},
	                                      .flags = {a->flags, b->flags},
	                                      .is_index = true,
	                                      .across = across};
	int first = 0;
	int second = 0;

	if (c->opts.ignore_generated && dit_compare_is_generated(dit_span_of(a->name))) {
		return 0;
	}
	first = has_long_keys(c, &pair, 0);
	second = first < 0 ? 0 : has_long_keys(c, &pair, 1);
	if (first < 0 || second < 0) {
		return first < 0 ? first : second;
	}
	return first == second ? dit_compare_pair(c, &pair) : compare_hashed(c, &pair);
}

static bool is_index(const struct dit_stored_db *db)
{
	return (db->flags & DIT_DB_DUPFIXED) != 0;
}

static const struct dit_stored_db *find(const struct dit_compare_side *side,
                                        const char *name)
{
	for (size_t i = 0; i < side->ndbs; i++) {
		if (is_index(&side->dbs[i]) && strcasecmp(side->dbs[i].name, name) == 0) {
			return &side->dbs[i];
		}
	}
	return NULL;
}

/* slapd 2.7 adds an index of objectClass that is not configured. */
static void say_alone(struct dit_compare *c, const char *name, int side)
{
	if (strcasecmp(name, "objectClass") != 0 ||
	    !dit_snapshot_is_lmdb_10(c->sides[side].snapshot)) {
		dit_compare_say(c, "this database is only in the %s",
		                side == 0 ? "first" : "second");
	}
}

int dit_across_indexes(struct dit_across *across)
{
	struct dit_compare *c = across->c;
	int r = 0;

	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < c->sides[side].ndbs && r == 0; i++) {
			const struct dit_stored_db *db = &c->sides[side].dbs[i];
			const struct dit_stored_db *other =
				is_index(db) ? find(&c->sides[1 - side], db->name) : NULL;

			c->db = db->name;
			if (is_index(db) && other == NULL) {
				say_alone(c, db->name, side);
			} else if (other != NULL && side == 0) {
				r = compare_pair(across, db, other);
			}
			r = dit_compare_db_end(c, r);
		}
	}
	return r;
}
