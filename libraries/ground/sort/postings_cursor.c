/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cursors over one stream.
 *
 * The postings that are still in memory are made one sorted array first, of all producers
 * (postings_bucket.c), which needs no heap. Then chunks are given back.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "sort/postings_private.h"
#include "sort/radix.h"

/* Calls of a merge of runs, one list each, are many and short; the longest take
 * milliseconds. */
#define CALLS_PER_LOOK 16

struct dit_posting_cursor {
	struct dit_postings *postings;
	unsigned stream;
	unsigned width;
	struct dit_buffer sorted; /* the pairs in memory */
	struct dit_buffer spare;  /* while sorting */
	struct dit_posting_merge merge;
	struct dit_list list;
	unsigned ncalls;      /* of next; wraps */
	uint64_t total_bytes; /* of all that is merged */
};

static void discard_chunks(const struct dit_producer *producer, struct dit_bucket *bucket)
{
	struct dit_chunk *chunk = bucket->first;

	while (chunk != NULL) {
		struct dit_chunk *next = chunk->next;

		dit_chunk_discard(&producer->pool, chunk);
		chunk = next;
	}
	bucket->first = NULL;
	bucket->last = NULL;
	bucket->npairs = 0;
}

static void swap_buffers(struct dit_posting_cursor *cursor)
{
	struct dit_buffer swap = cursor->sorted;

	cursor->sorted = cursor->spare;
	cursor->spare = swap;
}

static int reserve_buffers(struct dit_posting_cursor *cursor, size_t nwords)
{
	struct dit_buffer_cache *cache = &cursor->postings->buffers;
	size_t size_bytes = nwords * sizeof(uint64_t);
	int r = dit_buffer_cache_take(cache, size_bytes, &cursor->sorted);

	if (r < 0) {
		return r;
	}
	r = dit_buffer_cache_take(cache, size_bytes, &cursor->spare);
	if (r < 0) {
		dit_buffer_cache_put(cache, &cursor->sorted);
	}
	return r;
}

/** Sort what the buckets hold, and give their chunks back. */
static int sort_buckets(struct dit_posting_cursor *cursor, struct dit_bucket **buckets)
{
	const struct dit_postings *postings = cursor->postings;
	uint64_t *sorted = NULL;
	int r = dit_buckets_sort((const struct dit_bucket *const *)buckets,
	                         postings->nproducers, cursor->sorted.data,
	                         cursor->spare.data, cursor->width, &sorted);

	if (r < 0) {
		return r;
	}
	for (unsigned i = 0; i < postings->nproducers; i++) {
		discard_chunks(postings->producers[i], buckets[i]);
	}
	if (sorted != cursor->sorted.data) {
		swap_buffers(cursor);
	}
	return 0;
}

/** Make the pairs in memory one sorted array and add it to the merge. */
static int add_memory(struct dit_posting_cursor *cursor)
{
	struct dit_postings *postings = cursor->postings;
	struct dit_bucket **buckets = calloc(postings->nproducers, sizeof(*buckets));
	size_t nwords = 0;
	int r = buckets == NULL ? -ENOMEM : 0;

	for (unsigned i = 0; i < postings->nproducers && r == 0; i++) {
		buckets[i] = &postings->producers[i]->buckets[cursor->stream];
		nwords += dit_bucket_nwords(buckets[i], cursor->width);
	}
	if (r == 0 && nwords > 0) {
		r = reserve_buffers(cursor, nwords);
	}
	if (r == 0 && nwords > 0) {
		r = sort_buckets(cursor, buckets);
		dit_buffer_cache_put(&postings->buffers, &cursor->spare);
	}
	if (r == 0 && nwords > 0) {
		dit_posting_merge_add_array(&cursor->merge, cursor->sorted.data, nwords,
		                            cursor->width);
		cursor->total_bytes += nwords * sizeof(uint64_t);
	}
	free(buckets);
	return r;
}

static int add_runs(struct dit_posting_cursor *cursor)
{
	const struct dit_postings *postings = cursor->postings;

	for (unsigned i = 0; i < postings->nproducers; i++) {
		const struct dit_producer *producer = postings->producers[i];

		for (size_t k = 0; k < producer->nruns; k++) {
			int r = dit_posting_merge_add_run(&cursor->merge, postings,
			                                  producer->runs[k],
			                                  cursor->stream);

			if (r < 0) {
				return r;
			}
			cursor->total_bytes +=
				producer->runs[k]->segments[cursor->stream].bytes;
		}
	}
	return 0;
}

int dit_posting_cursor_open(struct dit_posting_cursor **ret,
                            struct dit_postings *postings, unsigned stream)
{
	struct dit_posting_cursor *cursor = NULL;
	size_t nsources = 1;
	int r = 0;

	if (!postings->is_sealed || stream >= postings->nstreams ||
	    postings->is_opened[stream]) {
		return -EINVAL;
	}
	cursor = calloc(1, sizeof(*cursor));
	if (cursor == NULL) {
		return -ENOMEM;
	}
	postings->is_opened[stream] = true;
	cursor->postings = postings;
	cursor->stream = stream;
	cursor->width = dit_stream_width(postings, stream);
	dit_list_init(&cursor->list, postings->list_max);
	for (unsigned i = 0; i < postings->nproducers; i++) {
		nsources += postings->producers[i]->nruns;
	}
	r = dit_posting_merge_init(&cursor->merge, nsources);
	if (r == 0) {
		r = add_memory(cursor);
	}
	if (r == 0) {
		r = add_runs(cursor);
	}
	if (r < 0) {
		dit_posting_cursor_close(cursor);
		return r;
	}
	*ret = cursor;
	return 0;
}

static void finish_list(struct dit_posting_cursor *cursor, struct dit_posting_list *ret)
{
	const struct dit_late_table *late = &cursor->postings->late;

	ret->nids = dit_list_finish(&cursor->list, late, &ret->ids);
	ret->is_repeated = dit_list_is_repeated(&cursor->list, late);
}

ptrdiff_t dit_posting_cursor_next(struct dit_posting_cursor *cursor,
                                  struct dit_posting_list *ret, size_t max)
{
	size_t n = 0;
	int r = 1;

	if (++cursor->ncalls % CALLS_PER_LOOK == 0 &&
	    dit_stop_is_set(cursor->postings->stop)) {
		return DIT_E_STOPPED;
	}
	/* Lists that lie in an array stay there; all others have one place. */
	while (r > 0 && n < max && (n == 0 || dit_list_has_taken(&cursor->list))) {
		r = dit_posting_merge_next(&cursor->merge, &cursor->list,
		                           &ret[n].ordinal);
		if (r > 0) {
			finish_list(cursor, &ret[n++]);
		}
	}
	return r < 0 ? r : (ptrdiff_t)n;
}

static uint64_t left_of(const struct dit_posting_source *source)
{
	return source->width > 0
	               ? (uint64_t)(source->end - source->at) * sizeof(*source->at)
	               : source->reader.end - source->reader.offset;
}

uint64_t dit_posting_cursor_nread(const struct dit_posting_cursor *cursor,
                                  uint64_t *ret_total)
{
	uint64_t left = 0;

	for (size_t i = 0; i < cursor->merge.nsources; i++) {
		left += left_of(&cursor->merge.sources[i]);
	}
	*ret_total = cursor->total_bytes;
	return cursor->total_bytes - left;
}

/** The runs' disk space is given back stream by stream, while the database grows. */
static void free_segments(const struct dit_posting_cursor *cursor)
{
	const struct dit_postings *postings = cursor->postings;

	for (unsigned i = 0; i < postings->nproducers; i++) {
		const struct dit_producer *producer = postings->producers[i];

		for (size_t k = 0; k < producer->nruns; k++) {
			const struct dit_posting_run *run = producer->runs[k];

			dit_run_segment_free(run->fd, &run->segments[cursor->stream]);
		}
	}
}

void dit_posting_cursor_close(struct dit_posting_cursor *cursor)
{
	if (cursor == NULL) {
		return;
	}
	free_segments(cursor);
	dit_posting_merge_deinit(&cursor->merge);
	dit_buffer_cache_put(&cursor->postings->buffers, &cursor->sorted);
	dit_list_deinit(&cursor->list);
	free(cursor);
}
