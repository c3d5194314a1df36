/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparison of a database of LMDB 0.9 with one of 1.0, of which one was loaded from what
 * the other held: what the parts share. compare_across.c has entries,
 * compare_across_index.c index databases.
 *
 * Such a load gives entries new IDs and attribute descriptions new numbers. So entries
 * are found by their DN, attributes by their name, and the IDs of an index are those of
 * the entries with the same DN.
 *
 * Threads: as compare.h says.
 */
#ifndef DITKIT_COMPARE_ACROSS_H
#define DITKIT_COMPARE_ACROSS_H

#include "compare/compare_impl.h"

/** An entry of the second database, and the one of the first with its DN. */
struct dit_twin {
	uint64_t second;
	uint64_t first;
	uint64_t hash; /* of the normal DN */
	bool has_first;
};

/** The other way round. */
struct dit_twin_pair {
	uint64_t first;
	uint64_t second;
};

struct dit_across {
	struct dit_compare *c;
	struct dit_twin *twins; /* while entries are compared by hash, then by `second` */
	size_t ntwins;
	struct dit_twin_pair *pairs; /* by `first` */
	size_t npairs;
};

/** The second's ID of an entry of the first. */
bool dit_across_find(const struct dit_across *across, uint64_t first,
                     uint64_t *ret_second);
/** The number of a twin, by its ID. False: the second has no such entry */
bool dit_across_twin(const struct dit_across *across, uint64_t second, size_t *ret);

/** In an ID of the first whose entry the second does not have. */
#define DIT_ACROSS_ALONE ((uint64_t)1 << 63)

/** IDs of the first, or a range of them, become those of the second; a range stays. */
void dit_across_map(const struct dit_across *across, uint64_t *ids, size_t n);
/** Two ranges, or a range that has all entries of a list. */
bool dit_across_same_ranges(const struct dit_across *across,
                            const struct dit_compare_lists *a,
                            const struct dit_compare_lists *b);

/** All index databases, by name. 0; error */
int dit_across_indexes(struct dit_across *across);

#endif
