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

/* A side that is an array. */
struct list {
	const char *rest; /* the elements that come after the present one */
	size_t n;         /* of these */
	size_t size;
	int (*compare)(const void *a, const void *b);
	const char *at; /* the present one */
};

static int next_of_list(void *side)
{
	struct list *list = side;

	if (list->n == 0) {
		return 0;
	}
	list->at = list->rest;
	list->rest += list->size;
	list->n--;
	return 1;
}

static int order_of_lists(const void *first, const void *second)
{
	const struct list *a = first;
	const struct list *b = second;

	return a->compare(a->at, b->at);
}

void dit_pairs_subtract(void *const lists[2], size_t n[2], size_t size,
                        int (*compare)(const void *a, const void *b))
{
	struct list sides[2] = {{lists[0], n[0], size, compare, NULL},
	                        {lists[1], n[1], size, compare, NULL}};
	struct dit_pairs pairs = {.next = next_of_list,
	                          .order = order_of_lists,
	                          .sides = {&sides[0], &sides[1]}};
	int which = 0;

	n[0] = n[1] = 0;
	while ((which = dit_pairs_next(&pairs)) > 0) {
		int i = which == DIT_PAIR_SECOND;

		if (which != DIT_PAIR_BOTH) {
			memmove((char *)lists[i] + n[i]++ * size, sides[i].at, size);
		}
	}
}
