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
	if (merge->sources == NULL || dit_heap_init(&merge->heap, max) < 0) {
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
	dit_heap_deinit(&merge->heap);
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

static bool is_before(const void *x, const void *y)
{
	const struct dit_sort_source *a = x;
	const struct dit_sort_source *b = y;
	int order = 0;

	if (a->prefix != b->prefix) {
		return a->prefix < b->prefix;
	}
	order = compare_keys(a->record.key, b->record.key);
	return order != 0 ? order < 0 : a->number < b->number;
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
	dit_heap_add(&merge->heap, source, is_before);
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
		dit_heap_add(&merge->heap, source, is_before);
	}
	return r < 0 ? r : 0;
}

/** Move the source on top to its next record. */
static int advance(struct dit_sort_merge *merge)
{
	struct dit_sort_source *source = dit_heap_top(&merge->heap);
	int r = source_next(source);

	if (r < 0) {
		return r;
	}
	dit_heap_settle(&merge->heap, r == 0, is_before);
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
	struct dit_sort_source *source = dit_heap_top(&merge->heap);
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

static bool is_on_top(const struct dit_sort_merge *merge, struct dit_span key)
{
	const struct dit_sort_source *source = dit_heap_top(&merge->heap);

	return merge->heap.n > 0 && dit_span_eq(source->record.key, key);
}

static int next_combined(struct dit_sort_merge *merge, struct dit_sort_record *ret)
{
	struct dit_sort_source *source = dit_heap_top(&merge->heap);
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
	while (r == 0 && is_on_top(merge, record.key)) {
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
	const struct dit_sort_source *source = NULL;

	if (merge->is_given) {
		int r = advance(merge);

		if (r < 0) {
			return r;
		}
		merge->is_given = false;
	}
	if (merge->heap.n == 0) {
		return 0;
	}
	if (merge->merge != NULL) {
		return next_combined(merge, ret);
	}
	source = dit_heap_top(&merge->heap);
	*ret = source->record;
	merge->is_given = true;
	return 1;
}
