/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree summed up. H, G and w are digests, each with a seed of its own:
 *
 *   record                               adds to digests        to counts
 *   under P: child C, name N, count n    C: + H(C, P, N)        C: + w(C) n  P: - w(P) n
 *   under K: self, parent P, name N      K: - H(K, P, N) + G(K) K: - w(K)
 *   of id2e: ID I                        I: - G(I)
 *
 * each in the bucket of the node in front of the colon. The root has no record under a
 * parent: its w is 0. Both sums of a bucket must be 0:
 *
 *   digests  Each node has one record of its own, and one in id2e, where IDs are keys.
 *            So each node has one record below a parent, and both records say the same.
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

#include "base/object.h"

#define ID_BYTES sizeof(uint64_t)

__extension__ typedef unsigned __int128 uint128;

struct node_sums {
	uint128 counts;
	uint64_t digests;
	bool is_inconclusive; /* some nodes must be compared record by record */
};

/* [own: the member] */
struct tree_adder {
	struct node_sums sums[DIT_CHECK_NBUCKETS];
	uint64_t nroots;
	char cache_line_pad[DIT_CHECK_CACHE_LINE_BYTES];
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
	struct tree_adder *members;
	struct dit_check_buckets wrong; /* after the last record */
};

/* ---- digests ---- */

/* flatten: with a constant length little is left of the function of the library. */
__attribute__((flatten)) static inline uint64_t id_digest(uint64_t seed, uint64_t id)
{
	return XXH3_64bits_withSeed(&id, sizeof(id), seed);
}

uint64_t dit_check_tree_sums_digest(const struct dit_check_tree_sums *sums,
                                    const struct dit_name *name)
{
	/* The NUL between them is in the record. */
	size_t len = name->norm.len + 1 + name->pretty.len;

	return XXH3_64bits_withSeed(name->norm.data, len, sums->seeds.text);
}

/* H */
__attribute__((flatten)) static inline uint64_t name_digest(
	const struct dit_check_tree_sums *sums, uint64_t id, uint64_t parent,
	const struct dit_name *name)
{
	uint64_t parts[] = {id, parent, dit_check_tree_sums_digest(sums, name)};

	return XXH3_64bits_withSeed(parts, sizeof(parts), sums->seeds.name);
}

/* w */
static inline uint64_t weight(const struct dit_check_tree_sums *sums, uint64_t id)
{
	return id == 0 ? 0 : id_digest(sums->seeds.weight, id);
}

static inline struct node_sums *sums_of(struct tree_adder *own, uint64_t id)
{
	return &own->sums[dit_check_bucket(dit_check_hash(id))];
}

/* ---- records of dn2i ---- */

static void add_child(const struct dit_check_tree_sums *sums, struct tree_adder *own,
                      uint64_t parent, const struct dit_name *name)
{
	struct node_sums *of_child = sums_of(own, name->id);
	struct node_sums *of_parent = sums_of(own, parent);

	of_child->digests += name_digest(sums, name->id, parent, name);
	of_child->counts += (uint128)weight(sums, name->id) * name->nsubs;
	of_parent->counts -= (uint128)weight(sums, parent) * name->nsubs;
	/* Else a parent without any other record would not be seen. */
	of_parent->is_inconclusive |= name->nsubs == 0;
}

static void add_self(const struct dit_check_tree_sums *sums, struct tree_adder *own,
                     uint64_t id, const struct dit_name *name)
{
	struct node_sums *of_node = sums_of(own, id);

	of_node->digests -= name_digest(sums, id, name->id, name);
	of_node->digests += id_digest(sums->seeds.node, id);
	of_node->counts -= weight(sums, id);
	of_node->is_inconclusive |= name->id == 0 && sums->suffix.len > 0 &&
	                            !dit_span_eq(name->norm, sums->suffix);
}

/* The root has no name, and ID 0 is no child's. */
static void add_record(const struct dit_check_tree_sums *sums, struct tree_adder *own,
                       uint64_t id, struct dit_span record)
{
	struct dit_name name;

	if (id == 0 && dit_name_is_dummy(record)) {
		own->nroots++;
	} else if (dit_name_decode(record, &name) < 0 ||
	           (name.is_child ? name.id == 0 : id == 0)) {
		sums_of(own, id)->is_inconclusive = true;
	} else if (name.is_child) {
		add_child(sums, own, id, &name);
	} else {
		add_self(sums, own, id, &name);
	}
}

void dit_check_tree_sums_note(struct dit_check_tree_sums *sums, unsigned member,
                              const struct dit_walk_list *list)
{
	struct tree_adder *own = &sums->members[member];
	uint64_t id = 0;

	if (!list->is_more) {
		return; /* the items follow */
	}
	if (list->key.len != ID_BYTES) {
		sums_of(own, 0)->is_inconclusive = true;
		return;
	}
	memcpy(&id, list->key.data, ID_BYTES);
	add_record(sums, own, id, list->items);
}

/* ---- records of id2e ---- */

void dit_check_tree_sums_take(struct dit_check_tree_sums *sums, unsigned member,
                              const struct dit_entry_view *entry)
{
	struct node_sums *own = sums_of(&sums->members[member], entry->id);

	own->is_inconclusive |= entry->id == 0 || entry->is_hole;
	own->digests -= id_digest(sums->seeds.node, entry->id);
}

/* ---- the whole ---- */

static bool is_bucket_wrong(const struct dit_check_tree_sums *sums, unsigned bucket)
{
	struct node_sums all = {.counts = 0};

	for (unsigned i = 0; i < sums->nmembers; i++) {
		const struct node_sums *own = &sums->members[i].sums[bucket];

		all.counts += own->counts;
		all.digests += own->digests;
		all.is_inconclusive |= own->is_inconclusive;
	}
	return all.is_inconclusive || all.digests != 0 || all.counts != 0;
}

bool dit_check_tree_sums_end(struct dit_check_tree_sums *sums)
{
	uint64_t nroots = 0;
	bool is_wrong = false;

	sums->wrong = (struct dit_check_buckets){{0}};
	for (unsigned i = 0; i < sums->nmembers; i++) {
		nroots += sums->members[i].nroots;
	}
	for (unsigned i = 0; i < DIT_CHECK_NBUCKETS; i++) {
		if (is_bucket_wrong(sums, i) ||
		    (i == dit_check_bucket(dit_check_hash(0)) && nroots != 1)) {
			dit_check_buckets_add(&sums->wrong, i);
			is_wrong = true;
		}
	}
	return !is_wrong;
}

bool dit_check_tree_sums_is_wanted(const struct dit_check_tree_sums *sums, uint64_t id)
{
	return dit_check_buckets_has(&sums->wrong, dit_check_bucket(dit_check_hash(id)));
}

int dit_check_tree_sums_new(struct dit_check_tree_sums **ret, unsigned nmembers,
                            struct dit_span suffix)
{
	struct dit_check_tree_sums *sums = calloc(1, sizeof(*sums));
	int r = 0;

	if (sums == NULL) {
		return -ENOMEM;
	}
	sums->suffix = suffix;
	sums->nmembers = nmembers;
	sums->members = calloc(nmembers, sizeof(*sums->members));
	r = sums->members == NULL                                 ? -ENOMEM
	    : getrandom(&sums->seeds, sizeof(sums->seeds), 0) < 0 ? -errno
	                                                          : 0;
	return DIT_HAND_OVER(r, ret, sums, dit_check_tree_sums_free);
}

void dit_check_tree_sums_free(struct dit_check_tree_sums *sums)
{
	if (sums != NULL) {
		free(sums->members);
		free(sums);
	}
}
