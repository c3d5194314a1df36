/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two sequences next to each other: the elements of one side alone, and those of both.
 *
 *     struct dit_pairs pairs = {.next = next, .order = order, .sides = {&first, &other}};
 *
 *     while ((r = dit_pairs_next(&pairs)) > 0) {
 *             r says which sides have an element; next() left it in the side
 *     }
 *
 *       first     a b   d        DIT_PAIR_FIRST    a
 *       second      b c d        DIT_PAIR_BOTH     b
 *                                DIT_PAIR_SECOND   c
 *                                DIT_PAIR_BOTH     d
 *
 *   in one order     The sides are merged, and each is read once. Each of several equal
 *                    elements of a side takes one of the other side.
 *   otherwise        Without `order` each element of the first side is sought in the
 *                    second one, then each of the second in the first.
 *
 * The sides are the callers', of any kind: records of a tree, entries of a file, arrays.
 * Where one side has other IDs than the other, its next() turns them into those of the
 * other side.
 *
 * Threads: as the sides.
 */
#ifndef DITKIT_PAIRS_H
#define DITKIT_PAIRS_H

#include <stddef.h>

enum dit_pair {
	DIT_PAIR_NONE = 0,
	DIT_PAIR_FIRST = 1,
	DIT_PAIR_SECOND = 2,
	DIT_PAIR_BOTH = DIT_PAIR_FIRST | DIT_PAIR_SECOND,
};

struct dit_pairs {
	/** The next element of a side; after seek() its first one. 1; 0: end; error */
	int (*next)(void *side);
	/** Compares the present elements: negative, 0, positive. NULL: no order */
	int (*order)(const void *first, const void *second);
	/**
	 * Without an order: go to the element that is equal to the present one of the
	 * other side. An element that is sought in the first side need not be read.
	 *
	 * @return 1; 0: there is none; error
	 */
	int (*seek)(void *side, const void *other);
	void *sides[2]; /* borrowed */

	/* The rest is dit_pairs_next()'s; zero at first. */
	int states[2]; /* of the sides: 0: its next element is wanted */
	int searcher;  /* the side whose elements are sought in the other one */
};

/** @return enum dit_pair, DIT_PAIR_NONE at the end; what next() or seek() failed with */
int dit_pairs_next(struct dit_pairs *pairs);

/**
 * Remove the elements that two arrays share, each together with an equal one of the other
 * array. Both arrays have the same order.
 *
 * @param n        elements of each; gets how many are left
 * @param size     bytes of an element
 * @param compare  as of qsort()
 */
void dit_pairs_subtract(void *const lists[2], size_t n[2], size_t size,
                        int (*compare)(const void *a, const void *b));

#endif
