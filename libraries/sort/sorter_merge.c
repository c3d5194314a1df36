/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The merge of sorted records.
 *
 * A binary heap holds the sources by their current record: by key, and where keys are
 * equal, older sources first. So records of equal keys come out in the order in which
 * they were pushed, which is also the order in which their values are combined.
 *
 * A record read from a run is gone when its source moves on. Without a merge function
 * the record on top is given out as it is and its source moves on at the next call; with
 * one, key and value are copied first, since the next record has to be looked at.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "sort/sorter_private.h"

#define ARENA_BLOCK 8192
#define HEAD        8 /* lengths of key and value in a run */

int dit_sort_merge_init(struct dit_sort_merge *merge, const struct dit_sorter *sorter,
                        size_t max)
{
	*merge = (struct dit_sort_merge){
		.merge = sorter->opts.merge,
		.merge_ctx = sorter->opts.merge_ctx,
	};
	dit_arena_init(&merge->arena, ARENA_BLOCK);
	merge->sources = calloc(max + 1, sizeof(*merge->sources));
	merge->heap = calloc(max + 1, sizeof(*merge->heap));
	if (merge->sources == NULL || merge->heap == NULL) {
		dit_sort_merge_deinit(merge);
		return -ENOMEM;
	}
	return 0;
}

void dit_sort_merge_deinit(struct dit_sort_merge *merge)
{
	for (size_t i = 0; i < merge->nsources; i++) {
		if (merge->sources[i].is_run) {
			dit_run_reader_close(&merge->sources[i].reader);
			free(merge->sources[i].buffer);
		}
	}
	free(merge->sources);
	free(merge->heap);
	dit_arena_deinit(&merge->arena);
	*merge = (struct dit_sort_merge){0};
}

static void set_record(struct dit_sort_source *source, const char *bytes, size_t key_len,
                       size_t value_len)
{
	source->record.key = (struct dit_span){bytes, key_len};
	source->record.value = (struct dit_span){bytes + key_len, value_len};
	source->prefix = dit_sort_word(bytes, key_len, 0);
}

/** Copy a record that straddles blocks. */
static int gather(struct dit_sort_source *source, size_t size, const char **ret)
{
	int r = 0;

	if (size > source->buffer_size) {
		char *buffer = realloc(source->buffer, size);

		if (buffer == NULL) {
			return -ENOMEM;
		}
		source->buffer = buffer;
		source->buffer_size = size;
	}
	r = dit_run_read(&source->reader, source->buffer, size);
	*ret = source->buffer;
	return r;
}

static int run_next(struct dit_sort_source *source)
{
	struct dit_run_reader *reader = &source->reader;
	uint32_t lens[2] = {0};
	const char *bytes = NULL;
	size_t size = 0;
	int r = 0;

	if (reader->at == reader->limit) {
		r = dit_run_fill(reader);
		if (r <= 0) {
			return r;
		}
	}
	if (reader->limit - reader->at < HEAD) {
		return DIT_E_CORRUPT; /* lengths never straddle blocks */
	}
	memcpy(lens, reader->at, HEAD);
	reader->at += HEAD;
	if (lens[0] > DIT_SORT_PART_MAX || lens[1] > DIT_SORT_PART_MAX) {
		return DIT_E_CORRUPT;
	}
	size = (size_t)lens[0] + lens[1];
	bytes = reader->at;
	if ((size_t)(reader->limit - reader->at) >= size) {
		reader->at += size;
	} else {
		r = gather(source, size, &bytes);
		if (r < 0) {
			return r;
		}
	}
	set_record(source, bytes, lens[0], lens[1]);
	return 1;
}

static int source_next(struct dit_sort_source *source)
{
	const struct dit_sort_stored *stored = NULL;

	if (source->is_run) {
		return run_next(source);
	}
	if (source->at == source->end) {
		return 0;
	}
	stored = dit_sort_stored(source->at++);
	set_record(source, stored->bytes, stored->key_len, stored->value_len);
	return 1;
}

static int compare_keys(struct dit_span a, struct dit_span b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n > 0 ? memcmp(a.data, b.data, n) : 0;

	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static bool is_before(const struct dit_sort_source *a, const struct dit_sort_source *b)
{
	int order = 0;

	if (a->prefix != b->prefix) {
		return a->prefix < b->prefix;
	}
	order = compare_keys(a->record.key, b->record.key);
	return order != 0 ? order < 0 : a->number < b->number;
}

/** Put @p source where it belongs, beginning at the free place @p at. */
static void sift_down(struct dit_sort_merge *merge, size_t at,
                      struct dit_sort_source *source)
{
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= merge->nheap) {
			break;
		}
		if (child + 1 < merge->nheap &&
		    is_before(merge->heap[child + 1], merge->heap[child])) {
			child++;
		}
		if (!is_before(merge->heap[child], source)) {
			break;
		}
		merge->heap[at] = merge->heap[child];
		at = child;
	}
	merge->heap[at] = source;
}

static void heap_add(struct dit_sort_merge *merge, struct dit_sort_source *source)
{
	size_t at = merge->nheap++;

	while (at > 0 && is_before(source, merge->heap[(at - 1) / 2])) {
		merge->heap[at] = merge->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	merge->heap[at] = source;
}

void dit_sort_merge_add_items(struct dit_sort_merge *merge, const struct dit_pair *items,
                              size_t nitems)
{
	struct dit_sort_source *source = &merge->sources[merge->nsources];

	if (nitems == 0) {
		return;
	}
	source->number = merge->nsources++;
	source->at = items;
	source->end = items + nitems;
	(void)source_next(source); /* there is one */
	heap_add(merge, source);
}

int dit_sort_merge_add_run(struct dit_sort_merge *merge, const struct dit_sorter *sorter,
                           const struct dit_sort_run *run)
{
	struct dit_sort_source *source = &merge->sources[merge->nsources];
	int r = dit_run_reader_open(&source->reader, run->fd, sorter->block_bytes,
	                            &run->segment);

	if (r < 0) {
		return r;
	}
	source->is_run = true;
	source->number = merge->nsources++;
	r = source_next(source);
	if (r > 0) {
		heap_add(merge, source);
	}
	return r < 0 ? r : 0;
}

/** Move the source on top to its next record. */
static int advance(struct dit_sort_merge *merge)
{
	struct dit_sort_source *source = merge->heap[0];
	int r = source_next(source);

	if (r < 0) {
		return r;
	}
	if (r == 0) {
		merge->nheap--;
		source = merge->heap[merge->nheap];
	}
	if (merge->nheap > 0) {
		sift_down(merge, 0, source);
	}
	return 0;
}

/** Copy what a run would overwrite. */
static int keep(struct dit_sort_merge *merge, const struct dit_sort_source *source,
                struct dit_span *span)
{
	if (source->is_run) {
		*span = dit_arena_copy(&merge->arena, *span);
		if (span->data == NULL) {
			return -ENOMEM;
		}
	}
	return 0;
}

/** Combine the value on top with what has been collected for its key. */
static int combine(struct dit_sort_merge *merge, struct dit_sort_record *record)
{
	struct dit_sort_source *source = merge->heap[0];
	struct dit_span newer = source->record.value;
	struct dit_span value = {NULL, 0};
	int r = merge->merge(merge->merge_ctx, record->key, record->value, newer,
	                     &merge->arena, &value);

	if (r < 0) {
		return r;
	}
	if (value.data == newer.data) {
		r = keep(merge, source, &value);
		if (r < 0) {
			return r;
		}
	}
	record->value = value;
	return advance(merge);
}

static int next_combined(struct dit_sort_merge *merge, struct dit_sort_record *ret)
{
	struct dit_sort_source *source = merge->heap[0];
	struct dit_sort_record record = source->record;
	int r = 0;

	dit_arena_reset(&merge->arena);
	r = keep(merge, source, &record.key);
	if (r == 0) {
		r = keep(merge, source, &record.value);
	}
	if (r == 0) {
		r = advance(merge);
	}
	while (r == 0 && merge->nheap > 0 &&
	       dit_span_eq(merge->heap[0]->record.key, record.key)) {
		r = combine(merge, &record);
	}
	if (r < 0) {
		return r;
	}
	*ret = record;
	return 1;
}

int dit_sort_merge_next(struct dit_sort_merge *merge, struct dit_sort_record *ret)
{
	if (merge->is_given) {
		int r = advance(merge);

		if (r < 0) {
			return r;
		}
		merge->is_given = false;
	}
	if (merge->nheap == 0) {
		return 0;
	}
	if (merge->merge != NULL) {
		return next_combined(merge, ret);
	}
	*ret = merge->heap[0]->record;
	merge->is_given = true;
	return 1;
}
