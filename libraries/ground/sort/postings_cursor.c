/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cursors over one stream, or a part of it.
 *
 * Both looks of a part at all pairs in memory cost two fifths of sorting a pair. So half
 * of a stream takes 0.7 of its time, and nothing has to be dealt among the parts first.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/object.h"
#include "sort/postings_private.h"

/* Calls of a merge of runs, one list each, are many and short; the longest take
 * milliseconds. */
#define CALLS_PER_LOOK 16

struct dit_posting_cursor {
	struct dit_postings *postings;
	unsigned stream;
	unsigned part;
	unsigned width;
	struct dit_sorted_words sorted; /* the pairs in memory */
	struct dit_posting_merge merge;
	struct dit_list list;
	unsigned ncalls;      /* of next; wraps */
	uint64_t total_bytes; /* of all that is merged */
};

/** Make the pairs in memory one sorted array and add it to the merge. */
static int add_memory(struct dit_posting_cursor *cursor)
{
	const struct dit_postings *postings = cursor->postings;
	const struct dit_key_range range =
		dit_posting_part_range(postings, cursor->stream, cursor->part);
	bool is_whole = postings->streams[cursor->stream].nparts == 1;
	int r = dit_buckets_sort(postings->producers, postings->shared.nthreads,
	                         cursor->stream, is_whole ? NULL : &range,
	                         &cursor->sorted);

	if (r < 0) {
		return r;
	}
	dit_buffer_drop(&cursor->sorted.spare);
	dit_posting_merge_add_array(&cursor->merge, &cursor->sorted, cursor->width);
	return 0;
}

static int add_runs(struct dit_posting_cursor *cursor)
{
	const struct dit_postings *postings = cursor->postings;

	for (unsigned i = 0; i < postings->shared.nthreads; i++) {
		const struct dit_producer *producer = postings->producers[i];

		for (size_t k = 0; k < producer->nruns; k++) {
			int r = dit_posting_merge_add_run(&cursor->merge, postings,
			                                  producer->runs[k],
			                                  cursor->stream, cursor->part);

			if (r < 0) {
				return r;
			}
		}
	}
	return 0;
}

static uint64_t left_of(const struct dit_posting_source *source)
{
	const struct dit_run_segment *last = NULL;

	if (source->width > 0) {
		return (uint64_t)(source->end - source->at) * sizeof(*source->at);
	}
	last = source->end_cell - 1;
	return last->offset + last->bytes - source->reader.offset;
}

/** Bytes of all sources that lists are still to be made of. */
static uint64_t bytes_left(const struct dit_posting_cursor *cursor)
{
	uint64_t left = 0;

	for (size_t i = 0; i < cursor->merge.nsources; i++) {
		left += left_of(&cursor->merge.sources[i]);
	}
	return left;
}

int dit_posting_cursor_open(struct dit_posting_cursor **ret,
                            struct dit_postings *postings, unsigned stream, unsigned part)
{
	struct dit_posting_cursor *cursor = NULL;
	size_t nsources = 1;
	int r = 0;

	if (!postings->is_finished || stream >= postings->nstreams ||
	    part >= postings->streams[stream].nparts) {
		return -EINVAL;
	}
	cursor = calloc(1, sizeof(*cursor));
	if (cursor == NULL) {
		return -ENOMEM;
	}
	if ((atomic_fetch_or_explicit(&postings->streams[stream].opened, 1u << part,
	                              memory_order_relaxed) &
	     1u << part) != 0) {
		free(cursor);
		return -EINVAL;
	}
	cursor->postings = postings;
	cursor->stream = stream;
	cursor->part = part;
	cursor->width = dit_stream_width(postings, stream);
	dit_list_init(&cursor->list, postings->list_max);
	for (unsigned i = 0; i < postings->shared.nthreads; i++) {
		nsources += postings->producers[i]->nruns;
	}
	r = dit_posting_merge_init(&cursor->merge, nsources);
	r = r ?: add_memory(cursor);
	r = r ?: add_runs(cursor);
	cursor->total_bytes = r < 0 ? 0 : bytes_left(cursor);
	return DIT_HAND_OVER(r, ret, cursor, dit_posting_cursor_close);
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
	const struct dit_list *list = &cursor->list;
	size_t n = 0;
	int r = 1;

	if (++cursor->ncalls % CALLS_PER_LOOK == 0 &&
	    dit_stop_is_set(cursor->postings->shared.stop)) {
		return DIT_E_STOPPED;
	}
	/* Lists that lie in an array stay there; all others have one memory. */
	while (r > 0 && n < max &&
	       (n == 0 || (list->ids != list->space && !list->is_range))) {
		r = dit_posting_merge_next(&cursor->merge, &cursor->list,
		                           &ret[n].ordinal);
		if (r > 0) {
			finish_list(cursor, &ret[n++]);
		}
	}
	return r < 0 ? r : (ptrdiff_t)n;
}

uint64_t dit_posting_cursor_nread(const struct dit_posting_cursor *cursor)
{
	const struct dit_postings *postings = cursor->postings;
	uint64_t npushed = dit_postings_stream_npushed(postings, cursor->stream) /
	                   postings->streams[cursor->stream].nparts;
	uint64_t total = cursor->total_bytes;

	return total == 0
	               ? npushed
	               : (uint64_t)((double)npushed *
	                            (double)(total - bytes_left(cursor)) / (double)total);
}

/** The last part gives the stream's memory and disk space back, while the database
 * grows. */
static void leave_stream(const struct dit_posting_cursor *cursor)
{
	const struct dit_postings *postings = cursor->postings;
	struct dit_posting_stream *stream = &postings->streams[cursor->stream];

	if (atomic_fetch_add_explicit(&stream->nclosed, 1, memory_order_acq_rel) + 1 <
	    stream->nparts) {
		return;
	}
	for (unsigned i = 0; i < postings->shared.nthreads; i++) {
		const struct dit_producer *producer = postings->producers[i];

		dit_bucket_empty(producer, &producer->buckets[cursor->stream]);
		for (size_t k = 0; k < producer->nruns; k++) {
			dit_posting_run_drop(producer->runs[k], cursor->stream);
		}
	}
}

void dit_posting_cursor_close(struct dit_posting_cursor *cursor)
{
	if (cursor == NULL) {
		return;
	}
	leave_stream(cursor);
	dit_posting_merge_deinit(&cursor->merge);
	dit_sorted_words_drop(&cursor->sorted);
	dit_list_deinit(&cursor->list);
	free(cursor);
}
