/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The merge of sorted sources into posting lists: a binary heap holds the sources by
 * their current (key, ID). The README of this room has an example.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "sort/postings_private.h"

int dit_posting_merge_init(struct dit_posting_merge *merge, size_t max)
{
	*merge = (struct dit_posting_merge){0};
	merge->sources = calloc(max + 1, sizeof(*merge->sources));
	if (merge->sources == NULL || dit_heap_init(&merge->heap, max) < 0) {
		dit_posting_merge_deinit(merge);
		return -ENOMEM;
	}
	return 0;
}

void dit_posting_merge_deinit(struct dit_posting_merge *merge)
{
	for (size_t i = 0; i < merge->nsources; i++) {
		if (merge->sources[i].width == 0) {
			dit_run_reader_close(&merge->sources[i].reader);
		}
	}
	free(merge->sources);
	dit_heap_deinit(&merge->heap);
	*merge = (struct dit_posting_merge){0};
}

static int array_next(struct dit_posting_source *source)
{
	uint64_t *at = source->at;

	if (at == source->end) {
		return 0;
	}
	if (source->width == 1) {
		source->key = at[0] >> 32;
		source->id = (uint32_t)at[0];
	} else {
		source->key = at[0];
		source->id = at[1];
	}
	source->at = at + source->width;
	return 1;
}

/** The next list of a cell: its key, and its first ID or its range. */
static int cell_next_list(struct dit_posting_source *source)
{
	struct dit_run_reader *reader = &source->reader;
	uint64_t distance = 0;
	uint64_t count = 0;
	uint64_t first = 0;
	uint64_t size = 0;

	if (!dit_varint_get(&reader->at, reader->limit, &distance) ||
	    !dit_varint_get(&reader->at, reader->limit, &count)) {
		return DIT_E_CORRUPT;
	}
	source->key += distance;
	source->is_range = count == 1;
	source->is_repeat = false;
	source->id = 0;
	if (!source->is_range) {
		source->nleft = count >> 1;
		return source->nleft == 0 ? DIT_E_CORRUPT : 1;
	}
	if (!dit_varint_get(&reader->at, reader->limit, &first) ||
	    !dit_varint_get(&reader->at, reader->limit, &size)) {
		return DIT_E_CORRUPT;
	}
	source->id = first;
	source->highest = first + size;
	return 1;
}

/** 1; 0: the last cell is at its end; errors */
static int next_block(struct dit_posting_source *source)
{
	int r = dit_run_fill(&source->reader);

	while (r == 0 && source->next_cell < source->end_cell) {
		dit_run_reader_move(&source->reader, source->next_cell++);
		source->key = 0;
		r = dit_run_fill(&source->reader);
	}
	return r;
}

static int cells_next(struct dit_posting_source *source)
{
	struct dit_run_reader *reader = &source->reader;
	uint64_t distance = 0;
	int r = 0;

	if (source->nleft == 0) {
		r = reader->at == reader->limit ? next_block(source) : 1;
		r = r <= 0 ? r : cell_next_list(source);
		if (r <= 0 || source->is_range) {
			return r;
		}
	}
	if (reader->at == reader->limit) {
		r = dit_run_fill(reader);
		if (r <= 0) {
			return r < 0 ? r : DIT_E_CORRUPT;
		}
	}
	if (!dit_varint_get(&reader->at, reader->limit, &distance)) {
		return DIT_E_CORRUPT;
	}
	source->id += distance >> 1;
	source->is_repeat = (distance & 1) != 0;
	source->nleft--;
	return 1;
}

static int source_next(struct dit_posting_source *source)
{
	return source->width > 0 ? array_next(source) : cells_next(source);
}

static bool is_before(const void *x, const void *y)
{
	const struct dit_posting_source *a = x;
	const struct dit_posting_source *b = y;

	return a->key != b->key ? a->key < b->key : a->id < b->id;
}

void dit_posting_merge_add_array(struct dit_posting_merge *merge,
                                 const struct dit_sorted_words *sorted, unsigned width)
{
	struct dit_posting_source *source = &merge->sources[merge->nsources];

	if (sorted->nwords == 0) {
		return;
	}
	merge->nsources++;
	source->width = width;
	source->at = sorted->words.data;
	source->end = source->at + sorted->nwords;
	(void)array_next(source);
	dit_heap_add(&merge->heap, source, is_before);
}

/* ---- parts of streams in runs ---- */

/* A part has the cells from `first` up to `end`, without `end`. */
struct cells {
	unsigned first;
	unsigned end;
};

static struct cells cells_of(const struct dit_posting_stream *stream, unsigned part)
{
	return (struct cells){part * DIT_POSTING_PARTS_MAX / stream->nparts,
	                      (part + 1) * DIT_POSTING_PARTS_MAX / stream->nparts};
}

struct dit_key_range dit_posting_part_range(const struct dit_postings *postings,
                                            unsigned stream, unsigned part)
{
	unsigned shift = dit_posting_cell_shift(dit_stream_width(postings, stream));
	struct cells cells = cells_of(&postings->streams[stream], part);

	return (struct dit_key_range){
		.first = (uint64_t)cells.first << shift,
		.last = ((uint64_t)cells.end - 1) << shift | (((uint64_t)1 << shift) - 1),
	};
}

int dit_posting_merge_add_run(struct dit_posting_merge *merge,
                              const struct dit_postings *postings,
                              const struct dit_posting_run *run, unsigned stream,
                              unsigned part)
{
	struct dit_posting_source *source = &merge->sources[merge->nsources];
	struct cells cells = cells_of(&postings->streams[stream], part);
	const struct dit_run_segment *first = &run->cells[stream][cells.first];
	const struct dit_run_segment *end = &run->cells[stream][cells.end];
	int r = 0;

	while (first < end && first->bytes == 0) {
		first++;
	}
	if (first == end) {
		return 0;
	}
	r = dit_run_reader_open(&source->reader, run->fd, postings->block_bytes, first,
	                        postings->shared.cipher);
	if (r < 0) {
		return r;
	}
	merge->nsources++;
	source->next_cell = first + 1;
	source->end_cell = end;
	r = cells_next(source);
	if (r <= 0) {
		return r < 0 ? r : DIT_E_CORRUPT;
	}
	dit_heap_add(&merge->heap, source, is_before);
	return 0;
}

/* ---- lists ---- */

/** Add items of the top source to the list up to the runner-up's, or to the key's end. */
static int drain(struct dit_posting_merge *merge, uint64_t key, struct dit_list *list)
{
	struct dit_posting_source *source = dit_heap_top(&merge->heap);
	uint64_t bound = UINT64_MAX;
	int r = 0;

	for (size_t i = 1; i < merge->heap.n && i < 3; i++) {
		const struct dit_posting_source *child = merge->heap.sources[i];

		if (child->key == key && child->id < bound) {
			bound = child->id;
		}
	}
	do {
		if (source->is_range) {
			dit_list_add_range(list, source->id, source->highest);
		} else {
			r = dit_list_add(list, source->id);
			if (r == 0 && source->is_repeat) {
				r = dit_list_add_repeat(list);
			}
		}
		if (r < 0) {
			return r;
		}
		r = source_next(source);
	} while (r > 0 && source->key == key && source->id <= bound);
	if (r < 0) {
		return r;
	}
	dit_heap_settle(&merge->heap, r == 0, is_before);
	return 0;
}

/* The only source left is an array: no items, no heap. */
static int next_of_array(struct dit_posting_merge *merge, struct dit_list *list)
{
	struct dit_posting_source *source = dit_heap_top(&merge->heap);
	unsigned width = source->width;
	uint64_t *words = source->at - width; /* the current item is read already */
	size_t n = (size_t)(source->end - words) / width;
	ptrdiff_t ntaken = dit_list_take(list, words, n, width);

	if (ntaken < 0) {
		return (int)ntaken;
	}
	source->at = words + (size_t)ntaken * width;
	if (array_next(source) == 0) {
		merge->heap.n = 0;
	}
	return 0;
}

static bool is_on_top(const struct dit_posting_merge *merge, uint64_t key)
{
	const struct dit_posting_source *source = dit_heap_top(&merge->heap);

	return merge->heap.n > 0 && source->key == key;
}

int dit_posting_merge_next(struct dit_posting_merge *merge, struct dit_list *list,
                           uint64_t *ret_key)
{
	const struct dit_posting_source *top = NULL;
	uint64_t key = 0;
	int r = 0;

	if (merge->heap.n == 0) {
		return 0;
	}
	top = dit_heap_top(&merge->heap);
	key = top->key;
	dit_list_reset(list);
	if (merge->heap.n == 1 && top->width > 0) {
		r = next_of_array(merge, list);
	}
	while (r >= 0 && is_on_top(merge, key)) {
		r = drain(merge, key, list);
	}
	*ret_key = key;
	return r < 0 ? r : 1;
}
