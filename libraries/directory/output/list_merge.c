/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/list_merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"

void dit_list_merge_deinit(struct dit_list_merge *merge)
{
	free(merge->ids);
	*merge = (struct dit_list_merge){0};
}

static bool is_range(const uint64_t *ids, size_t nids)
{
	return nids > 0 && ids[0] == 0;
}

static uint64_t lowest_of(const uint64_t *ids)
{
	return ids[0] == 0 ? ids[1] : ids[0];
}

static int make_range(struct dit_list_merge *merge, const uint64_t *stored,
                      size_t nstored, struct dit_output_list *ret)
{
	uint64_t lowest = lowest_of(ret->ids);
	uint64_t highest = ret->ids[ret->nids - 1];

	if (nstored > 0) {
		uint64_t low = lowest_of(stored);
		uint64_t high = stored[nstored - 1];

		lowest = low < lowest ? low : lowest;
		highest = high > highest ? high : highest;
	}
	merge->range[0] = 0;
	merge->range[1] = lowest;
	merge->range[2] = highest;
	ret->ids = merge->range;
	ret->nids = 3;
	return 0;
}

/* New IDs are nearly always above all that are stored. */
static int unite(struct dit_list_merge *merge, const uint64_t *stored, size_t nstored,
                 struct dit_output_list *ret)
{
	const uint64_t *more = ret->ids;
	size_t nmore = ret->nids;
	uint64_t *out = dit_grow(merge->ids, &merge->size, nstored + nmore, sizeof(*out));
	size_t i = 0;
	size_t k = 0;
	size_t n = 0;

	if (out == NULL) {
		return -ENOMEM;
	}
	merge->ids = out;
	if (more[0] > stored[nstored - 1]) {
		memcpy(out, stored, nstored * sizeof(*out));
		memcpy(out + nstored, more, nmore * sizeof(*out));
		n = nstored + nmore;
	}
	while (n < nstored + nmore) {
		bool is_stored = k == nmore || (i < nstored && stored[i] < more[k]);

		out[n++] = is_stored ? stored[i++] : more[k++];
	}
	ret->ids = out;
	ret->nids = n;
	return 0;
}

int dit_list_merge(struct dit_list_merge *merge, const uint64_t *stored, size_t nstored,
                   const struct dit_output_list *more, uint64_t list_max,
                   struct dit_output_list *ret)
{
	size_t n = nstored + more->nids;

	*ret = *more;
	if (is_range(stored, nstored) && nstored != 3) {
		return DIT_E_CORRUPT;
	}
	if (is_range(stored, nstored) || is_range(more->ids, more->nids) ||
	    n > list_max || (n == list_max && more->is_repeated)) {
		return make_range(merge, stored, nstored, ret);
	}
	return nstored == 0 ? 0 : unite(merge, stored, nstored, ret);
}
