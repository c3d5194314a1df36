/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/pairs.h"

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

static int next_of_list(void *side)
{
	struct dit_pair_list *list = side;

	if (list->n == 0) {
		return 0;
	}
	list->at = list->rest;
	list->rest = (const char *)list->rest + list->size;
	list->n--;
	return 1;
}

static int order_of_lists(const void *first, const void *second)
{
	const struct dit_pair_list *a = first;
	const struct dit_pair_list *b = second;

	return a->compare(a->at, b->at);
}

struct dit_pairs dit_pairs_of_lists(struct dit_pair_list lists[2])
{
	return (struct dit_pairs){.next = next_of_list,
	                          .order = order_of_lists,
	                          .sides = {&lists[0], &lists[1]}};
}
