/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records in memory: a list of slabs, filled one after the other.
 *
 * Records lie one after the other and do not move, so a view can walk the first n of them
 * while the producer appends: how many lie in a slab is known for all but the last one
 * that the view saw, and there it is the rest of n.
 *
 *     slab  3 records   slab  4 records   slab (filled now)      n = 9
 *     [a b c    ]  -->  [d e f g ]   -->  [h i j ..             j came after n was read
 *
 * The items that sorting needs are made when it begins.
 */
#include <stdlib.h>

#include "sort/sorter_private.h"

struct dit_sort_batch *dit_sort_batch_new(void)
{
	struct dit_sort_batch *batch = calloc(1, sizeof(*batch));

	if (batch != NULL) {
		atomic_init(&batch->nrefs, 1);
	}
	return batch;
}

void dit_sort_batch_drop(struct dit_sort_batch *batch)
{
	struct dit_sort_slab *slab = NULL;

	if (batch == NULL ||
	    atomic_fetch_sub_explicit(&batch->nrefs, 1, memory_order_acq_rel) > 1) {
		return;
	}
	slab = batch->first;
	while (slab != NULL) {
		struct dit_sort_slab *next = slab->next;

		dit_slab_put(slab, slab->size_bytes);
		slab = next;
	}
	dit_buffer_drop(&batch->sorted);
	free(batch);
}

void dit_sort_batch_enter(struct dit_sort_batch *batch, struct dit_sort_slab *slab)
{
	size_t nrecords = atomic_load_explicit(&batch->nrecords, memory_order_relaxed);

	slab->next = NULL;
	if (batch->current == NULL) {
		batch->first = slab;
	} else {
		batch->current->next = slab;
		batch->current->nrecords = nrecords - batch->nclosed;
	}
	batch->nclosed = nrecords;
	batch->current = slab;
}

struct dit_sort_extent dit_sort_batch_extent(const struct dit_sort_batch *batch)
{
	return (struct dit_sort_extent){
		.batch = batch,
		.last = batch->current,
		.n = atomic_load_explicit(&batch->nrecords, memory_order_acquire),
	};
}

void dit_sort_extent_items(const struct dit_sort_extent *extent, struct dit_pair *items)
{
	const struct dit_sort_slab *slab = extent->batch->first;
	size_t left = extent->n;

	while (left > 0) {
		size_t n = slab == extent->last ? left : slab->nrecords;
		const char *at = slab->bytes;

		for (size_t i = 0; i < n; i++) {
			const struct dit_sort_stored *stored = (const void *)at;

			(items++)->value = (uintptr_t)stored;
			at += dit_sort_stored_size(stored->key_len, stored->value_len);
		}
		left -= n;
		if (left > 0) {
			slab = slab->next; /* of the last slab it may be changing */
		}
	}
}
