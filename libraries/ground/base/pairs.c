/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/pairs.h"

#include <string.h>

/* ---- in one order ---- */

#define READ  1
#define ENDED (-1)

static int merge(struct dit_pairs *pairs)
{
	int *states = pairs->states;
	int order = 0;

	for (int i = 0; i < 2; i++) {
		if (states[i] == 0) {
			int r = pairs->next(pairs->sides[i]);

			if (r < 0) {
				return r;
			}
			states[i] = r > 0 ? READ : ENDED;
		}
	}
	if (states[0] != states[1]) {
		order = states[1] - states[0];
	} else if (states[0] == ENDED) {
		return DIT_PAIR_NONE;
	} else {
		order = pairs->order(pairs->sides[0], pairs->sides[1]);
	}
	states[0] = order <= 0 ? 0 : states[0];
	states[1] = order >= 0 ? 0 : states[1];
	return order < 0 ? DIT_PAIR_FIRST : order > 0 ? DIT_PAIR_SECOND : DIT_PAIR_BOTH;
}

/* ---- without an order ---- */

static int search(struct dit_pairs *pairs)
{
	for (; pairs->searcher < 2; pairs->searcher++) {
		void *side = pairs->sides[pairs->searcher];
		void *other = pairs->sides[1 - pairs->searcher];
		int r = 0;

		while ((r = pairs->next(side)) > 0) {
			r = pairs->seek(other, side);
			if (r < 0) {
				return r;
			}
			if (r == 0) {
				return DIT_PAIR_FIRST << pairs->searcher;
			}
			if (pairs->searcher == 0) {
				return DIT_PAIR_BOTH;
			}
		}
		if (r < 0) {
			return r;
		}
	}
	return DIT_PAIR_NONE;
}

int dit_pairs_next(struct dit_pairs *pairs)
{
	return pairs->order != NULL ? merge(pairs) : search(pairs);
}

/* ---- arrays ---- */

void dit_pairs_subtract(void *const lists[2], size_t n[2], size_t size,
                        int (*compare)(const void *a, const void *b))
{
	const char *at[2] = {lists[0], lists[1]};
	size_t left[2] = {n[0], n[1]};

	n[0] = n[1] = 0;
	while (left[0] > 0 || left[1] > 0) {
		int order = left[0] == 0 ? 1 : left[1] == 0 ? -1 : compare(at[0], at[1]);

		if (order != 0) {
			int i = order > 0;

			memmove((char *)lists[i] + n[i]++ * size, at[i], size);
		}
		if (order <= 0) {
			at[0] += size;
			left[0]--;
		}
		if (order >= 0) {
			at[1] += size;
			left[1]--;
		}
	}
}
