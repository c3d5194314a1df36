/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree summed up. H, G and w are digests, each with a seed of its own:
 *
 *   record                               adds to names     to nodes   to counts
 *   under P: child C, name N, count n    + H(C, P, N)                 + w(C) n - w(P) n
 *   under K: self, parent P, name N      - H(K, P, N)      + G(K)     - w(K)
 *   of id2e: ID I                                          - G(I)
 *
 * The root has no record under a parent: its w is 0. All three sums must be 0:
 *
 *   nodes    Each node has one record of its own, and one in id2e, where IDs are keys.
 *   names    So each node has one record below a parent, and both records say the same.
 *   counts   n(C) = 1 + n of the children of C, for each node C.
 *
 * For example, the suffix 1 with the leaf 2 below it: the child records have the counts 2
 * and 1. The sum is w(1) 2 + w(2) 1 - w(1) 1 for them, - w(1) - w(2) for the own records.
 *
 * The sum of counts is that of w(C) e(C), where e(C) is the error of C: n(C) - 1 - n of
 * its children; of a key without a record of its own it is - n of its children. Weights
 * have 64 bits, and the sum is taken modulo 2^128, where one wrong count is never lost:
 * from 0 < |e| < 2^64 follows 0 < |w e| < 2^128. In 64 bits a count that is 2^63 too high
 * would be lost with every second w. If more counts are wrong, all weights but one leave
 * that one a single value: with e below 2^64, w e has another value for each w. An e of
 * 2^64 or more needs several children with such counts, and leaves w as many values as
 * there are of them, out of 2^64.
 *
 * So the counts are right as whole numbers. Then each node counts more than any of its
 * children, and no circle of parents is possible.
 */
#include "check/check_tree_sums.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* As in check_sums.c: digests of few bytes. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "codec/name_codec.h"

#define ID_BYTES sizeof(uint64_t)

__extension__ typedef unsigned __int128 uint128;

/* [own: the member] */
struct member {
	uint128 counts;
	uint64_t names;
	uint64_t nodes;
	uint64_t nroots;
	bool is_open; /* there is something that sums cannot tell */
	char apart[DIT_CHECK_APART_BYTES];
};

struct dit_check_tree_sums {
	/* [const] */
	struct {
		uint64_t text;
		uint64_t name;
		uint64_t node;
		uint64_t weight;
	} seeds;
	struct dit_span suffix;
	unsigned nmembers;
	struct member *members;
};

/* ---- digests ---- */

/* flatten: with a constant length little is left of the function of the library. */
__attribute__((flatten)) static inline uint64_t id_digest(uint64_t seed, uint64_t id)
{
	return XXH3_64bits_withSeed(&id, sizeof(id), seed);
}

/* H */
__attribute__((flatten)) static inline uint64_t name_digest(
	const struct dit_check_tree_sums *sums, uint64_t id, uint64_t parent,
	const struct dit_name *name)
{
	/* The NUL between them is in the record. */
	size_t len = name->norm.len + 1 + name->pretty.len;
	uint64_t parts[] = {id, parent,
	                    XXH3_64bits_withSeed(name->norm.data, len, sums->seeds.text)};

	return XXH3_64bits_withSeed(parts, sizeof(parts), sums->seeds.name);
}

/* w */
static inline uint64_t weight(const struct dit_check_tree_sums *sums, uint64_t id)
{
	return id == 0 ? 0 : id_digest(sums->seeds.weight, id);
}

/* ---- records of dn2i ---- */

static void add_child(const struct dit_check_tree_sums *sums, struct member *own,
                      uint64_t parent, const struct dit_name *name)
{
	own->names += name_digest(sums, name->id, parent, name);
	own->counts += (uint128)weight(sums, name->id) * name->nsubs;
	own->counts -= (uint128)weight(sums, parent) * name->nsubs;
}

static void add_self(const struct dit_check_tree_sums *sums, struct member *own,
                     uint64_t id, const struct dit_name *name)
{
	own->names -= name_digest(sums, id, name->id, name);
	own->nodes += id_digest(sums->seeds.node, id);
	own->counts -= weight(sums, id);
	if (name->id == 0 && sums->suffix.len > 0 &&
	    !dit_span_eq(name->norm, sums->suffix)) {
		own->is_open = true;
	}
}

/* The root has no name, and ID 0 is no child's. */
static void add_record(const struct dit_check_tree_sums *sums, struct member *own,
                       uint64_t id, struct dit_span record)
{
	struct dit_name name;

	if (id == 0 && dit_name_is_dummy(record)) {
		own->nroots++;
	} else if (dit_name_decode(record, &name) < 0 ||
	           (name.is_child ? name.id == 0 : id == 0)) {
		own->is_open = true;
	} else if (name.is_child) {
		add_child(sums, own, id, &name);
	} else {
		add_self(sums, own, id, &name);
	}
}

void dit_check_tree_sums_note(struct dit_check_tree_sums *sums, unsigned member,
                              const struct dit_walk_list *list)
{
	struct member *own = &sums->members[member];
	uint64_t id = 0;

	if (!list->is_more) {
		return; /* the items follow */
	}
	if (list->key.len != ID_BYTES) {
		own->is_open = true;
		return;
	}
	memcpy(&id, list->key.data, ID_BYTES);
	add_record(sums, own, id, list->items);
}

/* ---- records of id2e ---- */

void dit_check_tree_sums_take(struct dit_check_tree_sums *sums, unsigned member,
                              const struct dit_entry_view *entry)
{
	struct member *own = &sums->members[member];

	if (entry->id == 0 || entry->is_hole || entry->record_error != 0) {
		own->is_open = true;
	}
	own->nodes -= id_digest(sums->seeds.node, entry->id);
}

/* ---- the whole ---- */

bool dit_check_tree_sums_agree(const struct dit_check_tree_sums *sums)
{
	struct member all = {.nroots = 0};

	for (unsigned i = 0; i < sums->nmembers; i++) {
		const struct member *member = &sums->members[i];

		all.counts += member->counts;
		all.names += member->names;
		all.nodes += member->nodes;
		all.nroots += member->nroots;
		all.is_open = all.is_open || member->is_open;
	}
	return !all.is_open && all.nroots == 1 && all.names == 0 && all.nodes == 0 &&
	       all.counts == 0;
}

int dit_check_tree_sums_new(struct dit_check_tree_sums **ret, unsigned nmembers,
                            struct dit_span suffix)
{
	struct dit_check_tree_sums *sums = calloc(1, sizeof(*sums));

	if (sums == NULL) {
		return -ENOMEM;
	}
	sums->suffix = suffix;
	sums->nmembers = nmembers;
	sums->members = calloc(nmembers, sizeof(*sums->members));
	if (sums->members == NULL) {
		free(sums);
		return -ENOMEM;
	}
	if (getrandom(&sums->seeds, sizeof(sums->seeds), 0) < 0) {
		int r = -errno;

		dit_check_tree_sums_free(sums);
		return r;
	}
	*ret = sums;
	return 0;
}

void dit_check_tree_sums_reset(struct dit_check_tree_sums *sums)
{
	memset(sums->members, 0, sums->nmembers * sizeof(*sums->members));
}

void dit_check_tree_sums_free(struct dit_check_tree_sums *sums)
{
	if (sums != NULL) {
		free(sums->members);
		free(sums);
	}
}
