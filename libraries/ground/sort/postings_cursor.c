/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cursors over one stream.
 *
 * The postings that are still in memory are made one sorted array first: each
 * producer's pairs are dealt into one of two buffers and sorted, then neighbours are
 * merged from one buffer into the other until one array is left.
 *
 *     A   [producer 0 ][producer 1 ][producer 2 ]    sorted each
 *     B   [0 and 1 merged          ][producer 2 ]
 *     A   [all merged                           ]    read by the cursor
 *
 * A merge of two arrays takes some 3.5 ns a pair on one core, and the array then needs no
 * heap at all. Chunks are given back as soon as their pairs are sorted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/** Sort each producer's pairs. @p ends: where each part ends, in words */
static unsigned sort_parts(struct dit_posting_cursor *cursor, size_t *ends)
{
	struct dit_postings *postings = cursor->postings;
	unsigned nparts = 0;
	size_t at = 0;

	for (unsigned i = 0; i < postings->nproducers; i++) {
		struct dit_producer *producer = postings->producers[i];
		struct dit_bucket *bucket = &producer->buckets[cursor->stream];
		size_t n = dit_bucket_nwords(bucket, cursor->width);
		uint64_t *words = (uint64_t *)cursor->sorted.data + at;
		uint64_t *sorted = NULL;

		if (n == 0) {
			continue;
		}
		sorted = dit_bucket_sort(bucket, words,
		                         (uint64_t *)cursor->spare.data + at,
		                         cursor->width);
		discard_chunks(producer, bucket);
		if (sorted != words && nparts == 0 && i + 1 == postings->nproducers) {
			swap_buffers(cursor);
		} else if (sorted != words) {
			memcpy(words, sorted, n * sizeof(*words));
		}
		at += n;
		ends[nparts++] = at;
	}
	return nparts;
}

/** Merge words [from, middle) and [middle, to) of one buffer into the other. */
static void merge_two(struct dit_posting_cursor *cursor, size_t from, size_t middle,
                      size_t to)
{
	const uint64_t *words = cursor->sorted.data;
	uint64_t *out = (uint64_t *)cursor->spare.data + from;

	if (cursor->width == 1) {
		dit_merge_words(words + from, middle - from, words + middle, to - middle,
		                out);
	} else {
		dit_merge_pairs((const struct dit_pair *)(words + from),
		                (middle - from) / 2,
		                (const struct dit_pair *)(words + middle),
		                (to - middle) / 2, (struct dit_pair *)out);
	}
}

static void merge_parts(struct dit_posting_cursor *cursor, size_t *ends, unsigned nparts)
{
	while (nparts > 1) {
		unsigned n = 0;
		size_t from = 0;

		for (unsigned i = 0; i < nparts; i += 2) {
			unsigned last = i + 1 < nparts ? i + 1 : i;

			merge_two(cursor, from, ends[i], ends[last]);
			from = ends[last];
			ends[n++] = from;
		}
		nparts = n;
		swap_buffers(cursor);
	}
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

/** Make the pairs in memory one sorted array and add it to the merge. */
static int add_memory(struct dit_posting_cursor *cursor)
{
	struct dit_postings *postings = cursor->postings;
	size_t *ends = calloc(postings->nproducers, sizeof(*ends));
	size_t nwords = 0;
	int r = ends == NULL ? -ENOMEM : 0;

	for (unsigned i = 0; i < postings->nproducers; i++) {
		const struct dit_producer *p = postings->producers[i];

		nwords += dit_bucket_nwords(&p->buckets[cursor->stream], cursor->width);
	}
	if (r == 0 && nwords > 0) {
		r = reserve_buffers(cursor, nwords);
	}
	if (r == 0 && nwords > 0) {
		unsigned nparts = sort_parts(cursor, ends);

		merge_parts(cursor, ends, nparts);
		dit_buffer_cache_put(&postings->buffers, &cursor->spare);
		dit_posting_merge_add_array(&cursor->merge, cursor->sorted.data, nwords,
		                            cursor->width);
		cursor->total_bytes += nwords * sizeof(uint64_t);
	}
	free(ends);
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
