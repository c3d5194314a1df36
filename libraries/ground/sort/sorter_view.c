/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Views and cursors.
 *
 * A view holds for each producer references on its runs and on its batch. A batch that
 * is still being filled gets sorted items of the view's own; when pushing has ended
 * all views share the producer's. A cursor is a merge over all that.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/object.h"

#include "sort/sorter_private.h"

#define ARENA_BLOCK 256

/** The part of a view that is from one producer. */
struct part {
	struct dit_sort_run **runs; /* references */
	size_t nruns;
	struct dit_sort_batch *batch; /* a reference */
	struct dit_buffer sorted;     /* the view's own items */
	const struct dit_pair *items;
	size_t nitems;
};

/** Const once it is open. */
struct dit_sort_view {
	struct dit_sorter *sorter;
	struct part *parts; /* one per producer */
	size_t nsources;
};

struct dit_sort_cursor {
	struct dit_sort_merge merge;
	struct dit_arena end; /* of the range */
	bool is_started;
};

static void part_deinit(struct part *part)
{
	for (size_t i = 0; i < part->nruns; i++) {
		dit_sort_run_drop(part->runs[i]);
	}
	free(part->runs);
	dit_sort_batch_drop(part->batch);
	dit_buffer_drop(&part->sorted);
}

/** Take references. With the producer's lock. */
static int pin(struct part *part, struct dit_sort_producer *producer)
{
	struct dit_sort_batch *batch = producer->batch;

	part->runs = calloc(producer->nruns + 1, sizeof(struct dit_sort_run *));
	if (part->runs == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < producer->nruns; i++) {
		struct dit_sort_run *run = producer->runs[i];

		atomic_fetch_add_explicit(&run->nrefs, 1, memory_order_relaxed);
		part->runs[part->nruns++] = run;
	}
	atomic_fetch_add_explicit(&batch->nrefs, 1, memory_order_relaxed);
	part->batch = batch;
	part->nitems = atomic_load_explicit(&batch->nrecords, memory_order_acquire);
	part->items = producer->is_sorted ? producer->items.data : NULL;
	return 0;
}

static int part_init(struct part *part, struct dit_sort_producer *producer)
{
	struct dit_buffer spare = {NULL, 0};
	int r = 0;

	(void)pthread_mutex_lock(&producer->lock);
	r = pin(part, producer);
	(void)pthread_mutex_unlock(&producer->lock);
	if (r == 0 && part->nitems > 0 && part->items == NULL) {
		r = dit_sort_batch_sort(&producer->sorter->order, part->batch,
		                        part->nitems, &part->sorted, &spare);
		part->items = part->sorted.data;
		dit_buffer_drop(&spare);
	}
	return r;
}

int dit_sort_view_open(struct dit_sort_view **ret, struct dit_sorter *sorter)
{
	struct dit_sort_view *view = calloc(1, sizeof(*view));
	int r = 0;

	if (view == NULL) {
		return -ENOMEM;
	}
	atomic_fetch_add(&sorter->nviews, 1);
	view->sorter = sorter;
	view->parts = calloc(sorter->opts.nproducers, sizeof(*view->parts));
	if (view->parts == NULL) {
		r = -ENOMEM;
	}
	for (unsigned i = 0; i < sorter->opts.nproducers && r == 0; i++) {
		r = part_init(&view->parts[i], sorter->producers[i]);
		view->nsources += view->parts[i].nruns + 1;
	}
	return DIT_HAND_OVER(r, ret, view, dit_sort_view_close);
}

void dit_sort_view_close(struct dit_sort_view *view)
{
	if (view == NULL) {
		return;
	}
	for (unsigned i = 0; view->parts != NULL && i < view->sorter->opts.nproducers;
	     i++) {
		part_deinit(&view->parts[i]);
	}
	atomic_fetch_sub(&view->sorter->nviews, 1);
	free(view->parts);
	free(view);
}

static int add_sources(struct dit_sort_merge *merge, const struct dit_sort_view *view)
{
	for (unsigned i = 0; i < view->sorter->opts.nproducers; i++) {
		const struct part *part = &view->parts[i];

		for (size_t k = 0; k < part->nruns; k++) {
			int r = dit_sort_merge_add_run(merge, view->sorter,
			                               part->runs[k]);

			if (r < 0) {
				return r;
			}
		}
		if (part->nitems > 0) {
			dit_sort_merge_add_items(merge, part->items, part->nitems);
		}
	}
	return 0;
}

int dit_sort_cursor_open(struct dit_sort_cursor **ret, const struct dit_sort_view *view)
{
	struct dit_sort_cursor *cursor = calloc(1, sizeof(*cursor));
	int r = 0;

	if (cursor == NULL) {
		return -ENOMEM;
	}
	dit_arena_init(&cursor->end, ARENA_BLOCK);
	r = dit_sort_merge_init(&cursor->merge, view->sorter, view->nsources);
	r = r ?: add_sources(&cursor->merge, view);
	return DIT_HAND_OVER(r, ret, cursor, dit_sort_cursor_close);
}

void dit_sort_cursor_close(struct dit_sort_cursor *cursor)
{
	if (cursor == NULL) {
		return;
	}
	dit_sort_merge_deinit(&cursor->merge);
	dit_arena_deinit(&cursor->end);
	free(cursor);
}

/** The end of the range is kept, the caller has only lent it; with it a range of one key
 * begins. */
static int start(struct dit_sort_cursor *cursor, struct dit_sort_bounds bounds)
{
	dit_arena_reset(&cursor->end);
	if (bounds.to.data != NULL || bounds.has_to) {
		bounds.to = dit_arena_copy(&cursor->end, bounds.to);
		if (bounds.to.data == NULL) {
			return -ENOMEM;
		}
	}
	if (bounds.has_to) {
		bounds.from = bounds.to;
	}
	cursor->is_started = true;
	return dit_sort_merge_start(&cursor->merge, &bounds);
}

int dit_sort_cursor_range(struct dit_sort_cursor *cursor, struct dit_span from,
                          struct dit_span to)
{
	return start(cursor, (struct dit_sort_bounds){.from = from, .to = to});
}

int dit_sort_cursor_next(struct dit_sort_cursor *cursor, struct dit_sort_record *ret)
{
	const struct dit_sort_bounds all = {.has_to = false};
	int r = cursor->is_started ? 0 : start(cursor, all);

	return r < 0 ? r : dit_sort_merge_next(&cursor->merge, ret);
}

int dit_sort_cursor_get(struct dit_sort_cursor *cursor, struct dit_span key,
                        struct dit_sort_record *ret)
{
	int r = start(cursor, (struct dit_sort_bounds){.to = key, .has_to = true});

	return r < 0 ? r : dit_sort_merge_next(&cursor->merge, ret);
}
