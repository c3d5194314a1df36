/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The merge of sorted records.
 *
 * A heap holds the sources by their current record: by key, and where keys are equal,
 * older sources first. So records of equal keys come out in the order in which they were
 * pushed, which is also the order in which their values are combined.
 *
 * A record read from a run is gone when its source moves on. Without a merge function
 * the record on top is given out as it is and its source moves on at the next call; with
 * one, key and value are copied first, since the next record has to be looked at.
 */
#include <errno.h>
#include <stdlib.h>

#include "sort/sorter_private.h"

#define ARENA_BLOCK 1024

int dit_sort_merge_init(struct dit_sort_merge *merge, const struct dit_sorter *sorter,
                        size_t max)
{
	*merge = (struct dit_sort_merge){.order = &sorter->order};
	dit_sort_combiner_init(&merge->combiner, sorter->opts.merge,
	                       sorter->opts.merge_ctx);
	dit_arena_init(&merge->key, ARENA_BLOCK);
	merge->sources = calloc(max + 1, sizeof(*merge->sources));
	if (merge->sources == NULL) {
		return -ENOMEM; /* the combiner and the arena hold nothing yet */
	}
	if (dit_heap_init(&merge->heap, max) < 0) {
		dit_sort_merge_deinit(merge);
		return -ENOMEM;
	}
	return 0;
}

void dit_sort_merge_deinit(struct dit_sort_merge *merge)
{
	for (size_t i = 0; i < merge->nsources; i++) {
		if (merge->sources[i].run != NULL) {
			dit_run_reader_close(&merge->sources[i].reader);
			free(merge->sources[i].buffer);
		}
	}
	free(merge->sources);
	dit_heap_deinit(&merge->heap);
	dit_sort_combiner_deinit(&merge->combiner);
	dit_arena_deinit(&merge->key);
	*merge = (struct dit_sort_merge){0};
}

static struct dit_sort_source *add_source(struct dit_sort_merge *merge)
{
	struct dit_sort_source *source = &merge->sources[merge->nsources];

	source->order = merge->order;
	source->number = merge->nsources++;
	return source;
}

void dit_sort_merge_add_items(struct dit_sort_merge *merge, const struct dit_pair *items,
                              size_t nitems)
{
	struct dit_sort_source *source = add_source(merge);

	source->items = items;
	source->nitems = nitems;
}

int dit_sort_merge_add_run(struct dit_sort_merge *merge, const struct dit_sorter *sorter,
                           const struct dit_sort_run *run)
{
	struct dit_sort_source *source = &merge->sources[merge->nsources];
	int r = dit_run_reader_open(&source->reader, run->fd, sorter->block_bytes,
	                            &run->segment, sorter->opts.cipher);

	if (r == 0) {
		add_source(merge)->run = run;
	}
	return r;
}

static bool is_before(const void *x, const void *y)
{
	const struct dit_sort_source *a = x;
	const struct dit_sort_source *b = y;
	int order = 0;

	if (a->prefix != b->prefix) {
		return a->prefix < b->prefix;
	}
	order = dit_sort_compare(a->order, a->record.key, b->record.key);
	return order != 0 ? order < 0 : a->number < b->number;
}

int dit_sort_merge_start(struct dit_sort_merge *merge,
                         const struct dit_sort_bounds *bounds)
{
	merge->bounds = *bounds;
	merge->heap.n = 0;
	merge->is_given = false;
	merge->error = 0;
	for (size_t i = 0; i < merge->nsources; i++) {
		int r = dit_sort_source_start(&merge->sources[i], bounds->from);

		if (r < 0) {
			merge->error = r;
			return r;
		}
		if (r > 0) {
			dit_heap_add(&merge->heap, &merge->sources[i], is_before);
		}
	}
	return 0;
}

/** Move the source on top to its next record. */
static int advance(struct dit_sort_merge *merge)
{
	int r = dit_sort_source_next(dit_heap_top(&merge->heap));

	if (r < 0) {
		return r;
	}
	dit_heap_settle(&merge->heap, r == 0, is_before);
	return 0;
}

/** The next record to come; NULL at the end of what is to be read. */
static const struct dit_sort_source *top(const struct dit_sort_merge *merge)
{
	const struct dit_sort_bounds *bounds = &merge->bounds;
	const struct dit_sort_source *source = dit_heap_top(&merge->heap);
	int order = 0;

	if (merge->heap.n == 0 || bounds->to.data == NULL) {
		return merge->heap.n == 0 ? NULL : source;
	}
	order = dit_sort_compare(merge->order, source->record.key, bounds->to);
	return order < 0 || (order == 0 && bounds->has_to) ? source : NULL;
}

/** Does the source on top have another value of this key? */
static bool is_on_top(const struct dit_sort_merge *merge, struct dit_span key)
{
	const struct dit_sort_source *source = dit_heap_top(&merge->heap);

	if (merge->heap.n == 0) {
		return false;
	}
	if (merge->order->compare == NULL) {
		return dit_span_eq(source->record.key, key);
	}
	return dit_sort_compare(merge->order, source->record.key, key) == 0;
}

/** Add the value on top to those of its key, and move on. */
static int take_value(struct dit_sort_merge *merge, struct dit_span key)
{
	const struct dit_sort_source *source = dit_heap_top(&merge->heap);
	int r = dit_sort_combiner_add(&merge->combiner, key, source->record.value,
	                              source->run != NULL);

	return r < 0 ? r : advance(merge);
}

static int next_combined(struct dit_sort_merge *merge,
                         const struct dit_sort_source *source,
                         struct dit_sort_record *ret)
{
	struct dit_sort_record record = source->record;
	int r = 0;

	dit_sort_combiner_reset(&merge->combiner);
	if (source->run != NULL) {
		dit_arena_reset(&merge->key);
		record.key = dit_arena_copy(&merge->key, record.key);
		if (record.key.data == NULL) {
			return -ENOMEM;
		}
	}
	do {
		r = take_value(merge, record.key);
	} while (r == 0 && is_on_top(merge, record.key));
	if (r == 0) {
		r = dit_sort_combiner_finish(&merge->combiner, record.key, &record.value);
	}
	if (r < 0) {
		return r;
	}
	*ret = record;
	return 1;
}

static int next(struct dit_sort_merge *merge, struct dit_sort_record *ret)
{
	const struct dit_sort_source *source = NULL;

	if (merge->is_given) {
		int r = advance(merge);

		if (r < 0) {
			return r;
		}
		merge->is_given = false;
	}
	source = top(merge);
	if (source == NULL) {
		return 0;
	}
	if (merge->combiner.merge != NULL) {
		return next_combined(merge, source, ret);
	}
	*ret = source->record;
	merge->is_given = true;
	return 1;
}

int dit_sort_merge_next(struct dit_sort_merge *merge, struct dit_sort_record *ret)
{
	if (merge->error == 0) {
		int r = next(merge, ret);

		if (r >= 0) {
			return r;
		}
		merge->error = r;
	}
	return merge->error;
}
