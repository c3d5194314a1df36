/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorting of machine words in memory, between two buffers of equal size.
 *
 * Threads: no state.
 */
#ifndef DITKIT_RADIX_H
#define DITKIT_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIT_RADIX_MAX UINT32_MAX /* most items of one call */

struct dit_pair {
	uint64_t key;
	uint64_t value;
};

/**
 * Sort words ascending.
 *
 * @param words         sorted in place or into @p spare; both are overwritten
 * @param spare         @p n words, not overlapping
 * @param low_in_order  the lower halves ascend already from first to last, which saves
 *                      half of the work
 *
 * @return @p words or @p spare, whichever holds the result
 */
uint64_t *dit_radix_words(uint64_t *words, uint64_t *spare, size_t n, bool low_in_order);

/**
 * Sort pairs by key. Pairs of equal keys come out by value, or, with @p keep_order, in
 * the order in which they stood. Otherwise as dit_radix_words().
 */
struct dit_pair *dit_radix_pairs(struct dit_pair *pairs, struct dit_pair *spare, size_t n,
                                 bool keep_order);

/** Merge two sorted arrays, equal items of @p a first. @p out: @p na + @p nb items */
void dit_merge_words(const uint64_t *a, size_t na, const uint64_t *b, size_t nb,
                     uint64_t *out);
/** The same for pairs, by key, then value. */
void dit_merge_pairs(const struct dit_pair *a, size_t na, const struct dit_pair *b,
                     size_t nb, struct dit_pair *out);

#endif
