/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A database of LMDB 0.9 next to one of 1.0, of which one was loaded from what the other
 * held. Such a load gives entries new IDs and attribute descriptions new numbers. So
 * entries are found by their DN, attributes by their name, and the IDs of an index are
 * those of the entries with the same DN.
 *
 * Entries of two databases, by DN:
 *
 *   second   all entries: hash of the normal DN, ID; sorted by hash
 *   first    entry by entry: its twin is sought, and their attributes are compared
 *   second   entries without a twin
 *
 * Necessary differences are passed over (storage-2.7.md 2.1 to 2.6): IDs, numbers of
 * attribute descriptions, the order of attributes in an entry, ixck, the index of
 * objectClass that slapd 2.7 adds, and upper and lower case in the names of attributes.
 * Whether values are sorted or kept apart is a matter of the configuration.
 */
#include "compare/compare_impl.h"

#include <errno.h>
#include <stdlib.h>

#include <xxhash.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/ids.h"
#include "reader/entry_reader.h"

struct comparison {
	struct dit_across across;
	struct dit_entry_reader *readers[2];
	size_t twins_size;
	size_t pairs_size;
};

/* ---- twins ---- */

static uint64_t hash_of(const struct dit_entry_view *entry)
{
	return XXH3_64bits(entry->norm_dn.data == NULL ? "" : entry->norm_dn.data,
	                   entry->norm_dn.len);
}

static int compare_hashes(const void *a, const void *b)
{
	const struct dit_twin *x = a;
	const struct dit_twin *y = b;

	return x->hash != y->hash ? (x->hash > y->hash ? 1 : -1)
	                          : (x->second > y->second) - (x->second < y->second);
}

static int add_twin(struct comparison *comparison, const struct dit_entry_view *entry)
{
	struct dit_across *across = &comparison->across;

	if (DIT_GROW(across->twins, comparison->twins_size, across->ntwins + 1) < 0) {
		return -ENOMEM;
	}
	across->twins[across->ntwins++] =
		(struct dit_twin){.hash = hash_of(entry), .second = entry->id};
	return 0;
}

static int add_pair(struct comparison *comparison, struct dit_twin *twin, uint64_t first)
{
	struct dit_across *across = &comparison->across;

	if (DIT_GROW(across->pairs, comparison->pairs_size, across->npairs + 1) < 0) {
		return -ENOMEM;
	}
	across->pairs[across->npairs++] =
		(struct dit_twin_pair){.first = first, .second = twin->second};
	twin->first = first;
	twin->has_first = true;
	return 0;
}

/*
 * The struct that begins with an ID, in a list of them. IDs are dense most often: then
 * the place is known.
 */
static inline const void *find(const void *list, size_t n, size_t size, uint64_t id)
{
	uint64_t lowest = 0;

	if (n > 0) {
		memcpy(&lowest, list, sizeof(lowest));
	}
	if (id >= lowest && id - lowest < n) {
		const char *at = (const char *)list + (id - lowest) * size;

		if (memcmp(at, &id, sizeof(id)) == 0) {
			return at;
		}
	}
	return n == 0 ? NULL : bsearch(&id, list, n, size, dit_compare_ids);
}

bool dit_across_find(const struct dit_across *across, uint64_t first,
                     uint64_t *ret_second)
{
	const struct dit_twin_pair *pair =
		find(across->pairs, across->npairs, sizeof(*pair), first);

	if (pair != NULL) {
		*ret_second = pair->second;
	}
	return pair != NULL;
}

bool dit_across_twin(const struct dit_across *across, uint64_t second, size_t *ret)
{
	const struct dit_twin *twin =
		find(across->twins, across->ntwins, sizeof(*twin), second);

	if (twin != NULL) {
		*ret = (size_t)(twin - across->twins);
	}
	return twin != NULL;
}

/* ---- two entries ---- */

static void say_entry(struct dit_compare *c, const struct dit_entry_view *entry,
                      const char *what)
{
	dit_compare_line_begin(c);
	dit_compare_put_entry(c, entry);
	dit_compare_put(c, "%s", what);
	dit_compare_line_end(c);
}

static void say_names(struct dit_compare *c, const struct dit_entry_view entries[2])
{
	dit_compare_line_begin(c);
	dit_compare_put_entry(c, &entries[0]);
	dit_compare_put(c, " | ");
	dit_compare_put_entry(c, &entries[1]);
	dit_compare_line_end(c);
}

static void compare_entries(struct dit_compare *c, struct dit_entry_view entries[2])
{
	uint64_t before = c->ndb;

	dit_arena_reset(&c->arena);
	if (entries[0].record_error < 0 || entries[1].record_error < 0) {
		say_entry(c, &entries[0],
		          entries[0].record_error < 0 ? ", the first is damaged"
		                                      : ", the second is damaged");
		return;
	}
	dit_compare_join_blocks(c, entries);
	if (!dit_span_eq(entries[0].dn, entries[1].dn)) {
		say_names(c, entries);
	}
	if (entries[0].oc_flags != entries[1].oc_flags) {
		say_entry(c, &entries[0], ", the flags of object classes differ");
	}
	dit_compare_attrs(c, entries);
	dit_compare_entry_end(c, before);
}

/* ---- all entries ---- */

/* The one of equal hashes with this DN. 1: @p ret is it; 0: none; error */
static int find_twin(struct comparison *comparison, const struct dit_entry_view *first,
                     struct dit_twin **ret, struct dit_entry_view *ret_second)
{
	struct dit_across *across = &comparison->across;
	uint64_t hash = hash_of(first);
	size_t from = 0;
	size_t end = across->ntwins;

	while (from < end) {
		size_t middle = from + (end - from) / 2;

		if (across->twins[middle].hash < hash) {
			from = middle + 1;
		} else {
			end = middle;
		}
	}
	for (; from < across->ntwins && across->twins[from].hash == hash; from++) {
		struct dit_twin *twin = &across->twins[from];
		int r = dit_entry_reader_seek(comparison->readers[1], twin->second,
		                              ret_second);

		if (r < 0) {
			return r;
		}
		if (r > 0 && ret_second->id == twin->second && !twin->has_first &&
		    dit_span_eq(ret_second->norm_dn, first->norm_dn)) {
			*ret = twin;
			return 1;
		}
	}
	return 0;
}

/* An entry whose DN cannot be read has no twin. */
static int take_first(struct comparison *comparison, const struct dit_entry_view *entry)
{
	struct dit_compare *c = comparison->across.c;
	struct dit_entry_view both[2] = {*entry};
	struct dit_twin *twin = NULL;
	int r = entry->name_error < 0 ? 0 : find_twin(comparison, entry, &twin, &both[1]);

	if (r == 0) {
		say_entry(c, entry, ", only in the first");
	} else if (r > 0) {
		compare_entries(c, both);
		r = add_pair(comparison, twin, entry->id);
	}
	return r;
}

static int take_second(struct comparison *comparison, const struct dit_entry_view *entry)
{
	if (entry->name_error == 0) {
		return add_twin(comparison, entry);
	}
	say_entry(comparison->across.c, entry, ", only in the second: the DN is damaged");
	return 0;
}

/* Those that are left: they are sorted by ID. */
static int take_alone(struct comparison *comparison, const struct dit_entry_view *entry)
{
	const struct dit_across *across = &comparison->across;
	size_t at = 0;

	if (dit_across_twin(across, entry->id, &at) && !across->twins[at].has_first) {
		say_entry(across->c, entry, ", only in the second");
	}
	return 0;
}

/* Entries in the order of IDs, without holes. */
static int for_all(struct comparison *comparison, int side,
                   int (*take)(struct comparison *comparison,
                               const struct dit_entry_view *entry))
{
	struct dit_entry_reader *reader = comparison->readers[side];
	struct dit_entry_view entry;
	int r = dit_entry_reader_seek(reader, 0, &entry);

	while (r > 0) {
		r = entry.is_hole ? 0 : take(comparison, &entry);
		if (r == 0) {
			r = dit_compare_step(comparison->across.c, side == 0 ? 1 : 0);
		}
		if (r == 0) {
			r = dit_entry_reader_next(reader, &entry);
		}
	}
	return r;
}

static int compare_all(struct comparison *comparison)
{
	struct dit_across *across = &comparison->across;
	int r = for_all(comparison, 1, take_second);

	if (r == 0 && across->ntwins > 0) {
		qsort(across->twins, across->ntwins, sizeof(*across->twins),
		      compare_hashes);
	}
	if (r == 0) {
		r = for_all(comparison, 0, take_first);
	}
	if (r == 0 && across->ntwins > 0) {
		qsort(across->twins, across->ntwins, sizeof(*across->twins),
		      dit_compare_ids);
	}
	return r == 0 && across->npairs < across->ntwins
	               ? for_all(comparison, 1, take_alone)
	               : r;
}

static int open_side(struct comparison *comparison, int number)
{
	struct dit_compare_side *side = &comparison->across.c->sides[number];
	const struct dit_entry_reader_opts opts = {.snapshot = side->snapshot,
	                                           .names = &side->names};

	return side->names.list == NULL
	               ? DIT_E_UNKNOWN
	               : dit_entry_reader_new(&comparison->readers[number], &opts);
}

int dit_compare_across(struct dit_compare *c)
{
	struct comparison comparison = {.across.c = c};
	int r = open_side(&comparison, 0);

	c->is_across = true;
	if (r == 0) {
		r = open_side(&comparison, 1);
	}
	if (r == 0) {
		c->db = "id2e";
		r = compare_all(&comparison);
		r = dit_compare_db_end(c, r);
	}
	for (int i = 0; i < 2; i++) {
		dit_entry_reader_free(comparison.readers[i]);
	}
	if (r == 0) {
		r = dit_across_indexes(&comparison.across);
	}
	free(comparison.across.twins);
	free(comparison.across.pairs);
	return r;
}
