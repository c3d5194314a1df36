/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sort of an attribute's values.
 *
 * The result would be the same with any sort. But a value that is there twice is reported
 * by its number, and slapd reports the pair that its sort happens to meet first; so this
 * is the sort that meets the same pairs in the same order: Quicksort with the median of
 * three as pivot and insertion sort for ranges of up to eight, the textbook's but for two
 * habits found by experiment. The lower part keeps the pivot at its end, which matters
 * where that makes nine values of eight; and of two parts of one size the lower one goes
 * first. Which of the two numbers is told depends on where they meet:
 *
 *   insertion            the one that stands still
 *   first against last   the last           (of the range, while the pivot is chosen)
 *   middle against last  the last
 *   first against middle the first
 *   any against pivot    the pivot
 */
#include "entry/entry.h"

#include <errno.h>

#define INSERTION_MAX 8
/* The larger part waits, so each one is at most half of the one below it. */
#define WAITING_MAX 32

struct range {
	uint32_t first;
	uint32_t last;
};

struct sort {
	struct dit_span *values;
	uint32_t *origins; /* where each value was at first */
	struct dit_value_order order;
	uint32_t found; /* origin of a value that is there twice */
};

static void swap(struct sort *sort, uint32_t i, uint32_t j)
{
	struct dit_span value = sort->values[i];
	uint32_t origin = sort->origins[i];

	sort->values[i] = sort->values[j];
	sort->origins[i] = sort->origins[j];
	sort->values[j] = value;
	sort->origins[j] = origin;
}

static bool has_found(const struct sort *sort)
{
	return sort->found != DIT_VALUES_UNIQUE;
}

static void sort_by_insertion(struct sort *sort, struct range range)
{
	for (uint32_t end = range.first + 1; end <= range.last; end++) {
		struct dit_span value = sort->values[end];
		uint32_t origin = sort->origins[end];
		uint32_t i = end;

		for (; i > range.first; i--) {
			int order = dit_value_compare(sort->order, sort->values[i - 1],
			                              value);

			if (order == 0) {
				sort->found = sort->origins[i - 1];
				return;
			}
			if (order < 0) {
				break;
			}
			sort->values[i] = sort->values[i - 1];
			sort->origins[i] = sort->origins[i - 1];
		}
		sort->values[i] = value;
		sort->origins[i] = origin;
	}
}

/* Put two values in order; equal ones are told as the one at @p told. */
static void put_in_order(struct sort *sort, uint32_t low, uint32_t high, uint32_t told)
{
	int order = 0;

	if (has_found(sort)) {
		return;
	}
	order = dit_value_compare(sort->order, sort->values[low], sort->values[high]);
	if (order == 0) {
		sort->found = sort->origins[told];
	} else if (order > 0) {
		swap(sort, low, high);
	}
}

/*
 * Afterwards the values from first to *ret_split are below or equal to the pivot, which
 * is the last of them, and those after it are above.
 */
static void partition(struct sort *sort, struct range range, uint32_t *ret_split)
{
	uint32_t pivot = range.first + 1;
	uint32_t up = pivot;
	uint32_t down = range.last;

	swap(sort, range.first + (range.last - range.first) / 2, pivot);
	put_in_order(sort, range.first, range.last, range.last);
	put_in_order(sort, pivot, range.last, range.last);
	put_in_order(sort, range.first, pivot, range.first);
	while (!has_found(sort)) {
		int order = 0;

		/* The last value is above the pivot, and the pivot itself stops the way
		 * down. */
		do {
			order = dit_value_compare(sort->order, sort->values[++up],
			                          sort->values[pivot]);
		} while (order < 0);
		if (order == 0) {
			break;
		}
		do {
			order = dit_value_compare(sort->order, sort->values[--down],
			                          sort->values[pivot]);
		} while (order > 0);
		if (down < up) {
			swap(sort, pivot, down);
			*ret_split = down;
			return;
		}
		if (order == 0) {
			break;
		}
		swap(sort, up, down);
	}
	if (!has_found(sort)) {
		sort->found = sort->origins[pivot];
	}
}

uint32_t dit_values_sort(struct dit_span *values, uint32_t *origins, uint32_t n,
                         struct dit_value_order order)
{
	struct sort sort = {values, origins, order, DIT_VALUES_UNIQUE};
	struct range waiting[WAITING_MAX];
	struct range range = {0, n - 1};
	unsigned nwaiting = 0;

	for (uint32_t i = 0; i < n; i++) {
		origins[i] = i;
	}
	while (n > 1 && !has_found(&sort)) {
		uint32_t split = 0;

		if (range.last - range.first < INSERTION_MAX) {
			sort_by_insertion(&sort, range);
			if (nwaiting == 0) {
				break;
			}
			range = waiting[--nwaiting];
			continue;
		}
		partition(&sort, range, &split);
		if (has_found(&sort)) {
			break;
		}
		if (split - range.first <= range.last - split - 1) {
			waiting[nwaiting++] = (struct range){split + 1, range.last};
			range.last = split;
		} else {
			waiting[nwaiting++] = (struct range){range.first, split};
			range.first = split + 1;
		}
	}
	return sort.found;
}

int dit_attr_sort(struct dit_attr *attr, struct dit_arena *arena, uint32_t *ret_twice)
{
	const struct dit_value_order order = {dit_value_order(attr->ad->type), false};
	uint32_t n = attr->nvalues;
	struct dit_span *keys = dit_arena_alloc(arena, n * sizeof(*keys));
	struct dit_span *values = dit_arena_alloc(arena, n * sizeof(*values));
	uint32_t *origins = dit_arena_alloc(arena, n * sizeof(*origins));

	if (keys == NULL || values == NULL || origins == NULL) {
		return -ENOMEM;
	}
	memcpy(keys, dit_attr_keys(attr), n * sizeof(*keys));
	memcpy(values, attr->values, n * sizeof(*values));
	*ret_twice = dit_values_sort(keys, origins, n, order);
	if (*ret_twice != DIT_VALUES_UNIQUE) {
		return 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		attr->values[i] = values[origins[i]];
	}
	if (attr->normal != NULL) {
		memcpy(attr->normal, keys, n * sizeof(*keys));
	}
	return 0;
}

uint32_t dit_values_position(const struct dit_span *sorted, uint32_t n,
                             dit_value_order_fn order, struct dit_span key)
{
	uint32_t low = 0;
	uint32_t high = n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (order(sorted[middle], key) < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

uint32_t dit_attr_position(const struct dit_attr *attr, struct dit_span key)
{
	return attr->is_sorted ? dit_values_position(dit_attr_keys(attr), attr->nvalues,
	                                             dit_value_order(attr->ad->type), key)
	                       : attr->nvalues;
}
