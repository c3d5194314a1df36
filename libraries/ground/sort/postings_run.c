/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of postings: what does not fit into memory.
 *
 * A run has some segments for each stream, for cells of keys: lists in key order, each
 *
 *   varint  key, as the distance from the key before in the cell
 *   varint  2 * number of IDs; 1: a range
 *   IDs     varint  2 * distance from the ID before, plus 1 if the ID was pushed again
 *   range   varint  lowest ID;  varint  highest - lowest
 *
 * The list 2 5 7* of key 0x100, first in its segment, is 80 02  06  04 06 05. The mark
 * of a repeated ID is what the rule for full lists needs (posting_list.c). A list that
 * is longer than the limit within one run is a range in the end, whatever the other runs
 * hold, and is written as one. A number never straddles two blocks.
 *
 * Runs of one producer are merged by levels (dit_fan_in()).
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "sort/postings_private.h"
#include "system/file_io.h"

#define HEAD_MAX (4 * DIT_VARINT_MAX)

void dit_posting_run_free(struct dit_posting_run *run)
{
	if (run != NULL) {
		dit_close(run->fd); /* unnamed: nothing to lose */
		free(run);
	}
}

void dit_posting_run_drop(const struct dit_posting_run *run, unsigned stream)
{
	const struct dit_run_segment *first = run->cells[stream];
	const struct dit_run_segment *last = first + DIT_POSTING_PARTS_MAX - 1;
	const struct dit_run_segment all = {first->offset,
	                                    last->offset + last->bytes - first->offset};

	dit_run_segment_free(run->fd, &all);
}

static int write_ids(struct dit_run_writer *writer, const struct dit_list *list)
{
	uint64_t previous = 0;
	size_t repeat = 0;

	for (size_t i = 0; i < list->nids; i++) {
		uint64_t id = list->ids[i];
		char *at = dit_run_room(writer, DIT_VARINT_MAX);
		bool is_repeat = repeat < list->nrepeats && list->repeats[repeat] == id;

		if (at == NULL) {
			return writer->error;
		}
		writer->at = dit_varint_put(at, (id - previous) << 1 | is_repeat);
		repeat += is_repeat;
		previous = id;
	}
	return 0;
}

static int write_list(struct dit_run_writer *writer, uint64_t key_distance,
                      const struct dit_list *list)
{
	char *at = dit_run_room(writer, HEAD_MAX);

	if (at == NULL) {
		return writer->error;
	}
	at = dit_varint_put(at, key_distance);
	if (list->is_range) {
		at = dit_varint_put(at, 1);
		at = dit_varint_put(at, list->lowest);
		writer->at = dit_varint_put(at, list->highest - list->lowest);
		return 0;
	}
	writer->at = dit_varint_put(at, (uint64_t)list->nids << 1);
	return write_ids(writer, list);
}

/** Cells up to @p end have all their lists. */
static int end_cells(struct dit_producer *producer, struct dit_run_segment *cells,
                     unsigned *cell, unsigned end)
{
	int r = 0;

	for (; *cell < end && r == 0; (*cell)++) {
		r = dit_run_segment_end(&producer->writer, &cells[*cell]);
		atomic_fetch_add_explicit(&producer->postings->run_bytes,
		                          r < 0 ? 0 : cells[*cell].bytes,
		                          memory_order_relaxed);
	}
	return r;
}

/** Write all lists of a merge as the cells of a stream. */
static int write_cells(struct dit_producer *producer, struct dit_posting_merge *merge,
                       unsigned width, struct dit_run_segment *ret)
{
	unsigned shift = dit_posting_cell_shift(width);
	uint64_t previous = 0;
	unsigned cell = 0;
	int r = 0;

	for (;;) {
		uint64_t key = 0;

		r = dit_stop_is_set(producer->postings->shared.stop)
		            ? DIT_E_STOPPED
		            : dit_posting_merge_next(merge, &producer->list, &key);

		if (r <= 0) {
			break;
		}
		if (key >> shift != cell) {
			r = end_cells(producer, ret, &cell, (unsigned)(key >> shift));
			previous = 0;
		}
		r = r < 0 ? r
		          : write_list(&producer->writer, key - previous,
		                       &producer->list);
		if (r < 0) {
			break;
		}
		previous = key;
	}
	return r < 0 ? r : end_cells(producer, ret, &cell, DIT_POSTING_PARTS_MAX);
}

/** Sort one bucket, write it, and put its chunks back. */
static int spill_bucket(struct dit_producer *producer, unsigned stream,
                        struct dit_run_segment *ret)
{
	unsigned width = dit_stream_width(producer->postings, stream);
	struct dit_posting_merge merge = {0};
	int r = dit_buckets_sort(&producer, 1, stream, NULL, &producer->sorted);

	r = r < 0 ? r : dit_posting_merge_init(&merge, 1);
	if (r == 0) {
		dit_posting_merge_add_array(&merge, &producer->sorted, width);
		r = write_cells(producer, &merge, width, ret);
	}
	dit_posting_merge_deinit(&merge);
	if (r == 0) {
		dit_bucket_empty(producer, &producer->buckets[stream]);
	}
	return r;
}

static int spill_buckets(struct dit_producer *producer, struct dit_posting_run *run)
{
	int r = 0;

	for (unsigned i = 0; i < producer->postings->nstreams && r == 0; i++) {
		if (producer->buckets[i].npairs > 0) {
			r = spill_bucket(producer, i, run->cells[i]);
		}
	}
	return r;
}

static int merge_cells(struct dit_producer *producer, struct dit_posting_run **runs,
                       size_t nruns, unsigned stream, struct dit_run_segment *ret)
{
	struct dit_posting_merge merge = {0};
	int r = dit_posting_merge_init(&merge, nruns);

	for (size_t i = 0; i < nruns && r == 0; i++) {
		r = dit_posting_merge_add_run(&merge, producer->postings, runs[i], stream,
		                              0);
	}
	r = r
	            ?: write_cells(producer, &merge,
	                           dit_stream_width(producer->postings, stream), ret);
	dit_posting_merge_deinit(&merge);
	return r;
}

static int merge_streams(struct dit_producer *producer, size_t first,
                         struct dit_posting_run *run)
{
	struct dit_posting_run **runs = producer->runs + first;
	size_t nruns = producer->nruns - first;
	int r = 0;

	for (unsigned i = 0; i < producer->postings->nstreams && r == 0; i++) {
		r = merge_cells(producer, runs, nruns, i, run->cells[i]);
		for (size_t k = 0; k < nruns && r == 0; k++) {
			dit_posting_run_drop(runs[k], i);
		}
	}
	return r;
}

/** Put a run into the place of runs @p first and up; there may be none. */
static int append_run(struct dit_producer *producer, size_t first,
                      struct dit_posting_run *run)
{
	if (DIT_GROW(producer->runs, producer->runs_size, producer->nruns + 1) < 0) {
		return -ENOMEM;
	}
	for (size_t i = first; i < producer->nruns; i++) {
		dit_posting_run_free(producer->runs[i]);
	}
	producer->runs[first] = run;
	producer->nruns = first + 1;
	return 0;
}

/**
 * Write a new run: from memory if @p first is the number of runs, else by merging runs
 * @p first and up, which it replaces.
 */
static int make_run(struct dit_producer *producer, size_t first)
{
	const struct dit_postings *postings = producer->postings;
	bool is_merge = first < producer->nruns;
	struct dit_posting_run *run =
		calloc(1, sizeof(*run) + postings->nstreams * sizeof(run->cells[0]));
	int r = -ENOMEM;

	if (run == NULL) {
		return r;
	}
	run->fd = -1;
	run->level = is_merge ? producer->runs[first]->level + 1 : 0;
	r = dit_run_writer_begin(&producer->writer, postings->shared.tmpdir,
	                         postings->block_bytes, postings->shared.cipher);
	r = r < 0      ? r
	    : is_merge ? merge_streams(producer, first, run)
	               : spill_buckets(producer, run);
	r = r < 0 ? r : dit_run_writer_finish(&producer->writer);
	if (r >= 0) {
		run->fd = r;
		r = append_run(producer, first, run);
	}
	if (r < 0) {
		dit_posting_run_free(run);
	}
	return r;
}

/** Forget what a run has needed; give memory back that does not fit what it needed. */
static void reset_memory(struct dit_producer *producer)
{
	if (dit_producer_used_bytes(producer) < producer->postings->share_bytes / 2) {
		dit_sorted_words_drop(&producer->sorted);
	}
	producer->nchunks = 0;
	producer->nwords_biggest = 0;
}

/** Are the newest @p fan_in runs of one level? */
static bool is_merge_due(const struct dit_producer *producer, size_t fan_in)
{
	struct dit_posting_run *const *end = producer->runs + producer->nruns;

	return producer->nruns >= fan_in && end[-1]->level == (end - fan_in)[0]->level;
}

int dit_producer_spill(struct dit_producer *producer)
{
	unsigned fan_in = producer->postings->fan_in;
	int r = make_run(producer, producer->nruns);

	if (r < 0) {
		return r;
	}
	reset_memory(producer);
	while (r == 0 && is_merge_due(producer, fan_in)) {
		r = make_run(producer, producer->nruns - fan_in);
	}
	return r;
}
