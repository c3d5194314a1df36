/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Postings: collecting pairs.
 *
 * Chunks in use, plus twice the words of the largest stream (which is dealt into one
 * array and sorted with a spare one), stay within the producer's share of the budget.
 * With one stream a fifth of it holds pairs, with many equal streams nearly all. Scratch
 * is kept for the next run, unless streams change so much that half of the share would
 * lie idle.
 */
#include "sort/postings.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/object.h"
#include "sort/postings_private.h"
#include "sort/sort.h"

/*
 * Keeps the pairs of one sort below DIT_RADIX_MAX: each takes 4 bytes and 16 of
 * scratch.
 */
#define MEMORY_MAX ((size_t)64 << 30)
#define CHUNK_MIN  ((size_t)256)
#define CHUNK_MAX  ((size_t)32 << 10)
/* So that half-empty chunks do not matter, nor the scratch of one not filled yet. */
#define CHUNKS_PER_STREAM 16
#define BLOCKS_PER_SHARE  64
#define ID_MAX            (((uint64_t)1 << 48) - 1)

/*
 * With 4 producers there are 508 descriptors for each level, and each level means 128
 * times the data. Merging writes everything again, while the other producers wait for
 * this one: the fewer levels, the better.
 */
#define RUNS_WANTED 512u
#define FAN_IN_MAX  256u

/** Largest power of two that is at most @p n, within limits that are powers of two. */
static size_t power_of_two(size_t n, size_t min, size_t max)
{
	size_t size = min;

	while (size < max && size * 2 <= n) {
		size *= 2;
	}
	return size;
}

static void producer_free(struct dit_producer *producer)
{
	if (producer == NULL) {
		return;
	}
	for (size_t i = 0; i < producer->nruns; i++) {
		dit_posting_run_free(producer->runs[i]);
	}
	free(producer->runs);
	dit_run_writer_deinit(&producer->writer);
	dit_sorted_words_drop(&producer->sorted);
	dit_list_deinit(&producer->list);
	for (unsigned i = 0;
	     producer->buckets != NULL && i < producer->postings->nstreams; i++) {
		dit_bucket_empty(producer, &producer->buckets[i]);
	}
	free(producer->buckets);
	free(producer);
}

static struct dit_producer *producer_new(struct dit_postings *postings)
{
	struct dit_producer *producer = calloc(1, sizeof(*producer));
	size_t chunk_bytes = 0;

	if (producer == NULL) {
		return NULL;
	}
	producer->postings = postings;
	producer->writer = DIT_RUN_WRITER_INIT;
	dit_list_init(&producer->list, postings->list_max);
	chunk_bytes =
		postings->share_bytes / CHUNKS_PER_STREAM / (postings->nstreams + 1);
	chunk_bytes = power_of_two(chunk_bytes, CHUNK_MIN, CHUNK_MAX);
	producer->chunk_bytes = chunk_bytes;
	producer->buckets = calloc(postings->nstreams, sizeof(*producer->buckets));
	if (producer->buckets == NULL && postings->nstreams > 0) {
		producer_free(producer);
		return NULL;
	}
	for (unsigned i = 0; i < postings->nstreams; i++) {
		producer->buckets[i].is_ascending = true;
	}
	return producer;
}

int dit_postings_new(struct dit_postings **ret, const struct dit_postings_opts *opts)
{
	struct dit_postings *p = NULL;
	unsigned nproducers = opts->shared.nthreads;
	int r = 0;

	if (nproducers == 0 || opts->list_max == 0 ||
	    opts->memory_bytes / nproducers < DIT_SORT_SHARE_MIN) {
		return -EINVAL;
	}
	p = calloc(1, sizeof(*p));
	if (p == NULL) {
		return -ENOMEM;
	}
	p->nstreams = opts->nstreams;
	p->shared = opts->shared;
	p->list_max = opts->list_max;
	p->share_bytes = opts->memory_bytes / nproducers;
	if (p->share_bytes > MEMORY_MAX / nproducers) {
		p->share_bytes = MEMORY_MAX / nproducers;
	}
	p->block_bytes = power_of_two(p->share_bytes / BLOCKS_PER_SHARE,
	                              DIT_RUN_BLOCK_MIN, DIT_RUN_BLOCK_MAX);
	p->fan_in = dit_fan_in(nproducers, RUNS_WANTED, FAN_IN_MAX);
	p->is_64bit = calloc((size_t)p->nstreams + 1, sizeof(*p->is_64bit));
	p->streams = calloc((size_t)p->nstreams + 1, sizeof(*p->streams));
	p->producers = calloc(nproducers, sizeof(*p->producers));
	if (p->is_64bit == NULL || p->streams == NULL || p->producers == NULL) {
		r = -ENOMEM;
	}
	for (unsigned i = 0; i < p->nstreams && r == 0; i++) {
		p->is_64bit[i] = opts->is_64bit[i];
		p->streams[i].nparts = 1;
	}
	for (unsigned i = 0; i < nproducers && r == 0; i++) {
		p->producers[i] = producer_new(p);
		r = p->producers[i] == NULL ? -ENOMEM : 0;
	}
	return DIT_HAND_OVER(r, ret, p, dit_postings_free);
}

void dit_postings_free(struct dit_postings *postings)
{
	if (postings == NULL) {
		return;
	}
	for (unsigned i = 0; postings->producers != NULL && i < postings->shared.nthreads;
	     i++) {
		producer_free(postings->producers[i]);
	}
	free(postings->producers);
	free(postings->streams);
	free(postings->is_64bit);
	free(postings->late.ids);
	free(postings);
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/**
 * Would one chunk more, and sorting with so many words in the largest bucket, pass the
 * share? What earlier runs needed is still held, whether it is needed now or not.
 */
static bool is_share_used_up(const struct dit_producer *producer, size_t nwords)
{
	size_t chunk_bytes = (producer->nchunks + 1) * producer->chunk_bytes;
	size_t scratch_bytes = larger(
		dit_producer_sort_bytes(producer, producer->nchunks + 1, nwords),
		producer->sorted.words.size_bytes + producer->sorted.spare.size_bytes);

	return chunk_bytes + scratch_bytes > producer->postings->share_bytes;
}

/**
 * Another producer has begun a run: write one, too, if most of the share is used up.
 * Producers wait for each other once per batch, so they write their runs at the same
 * time, and not one after the other.
 */
static int follow(struct dit_producer *producer, uint32_t nspills)
{
	producer->nspills_seen = nspills;
	return dit_producer_used_bytes(producer) > producer->postings->share_bytes / 4 * 3
	               ? dit_producer_spill(producer)
	               : 0;
}

static void bucket_add_chunk(struct dit_bucket *bucket, struct dit_chunk *chunk,
                             size_t nunits)
{
	chunk->next = NULL;
	if (bucket->last == NULL) {
		bucket->first = chunk;
	} else {
		bucket->last->end = bucket->at;
		bucket->last->next = chunk;
	}
	bucket->last = chunk;
	bucket->at = chunk->units;
	bucket->end = chunk->units + nunits;
}

/** Give the bucket another chunk, after writing a run if the share is used up. */
static int bucket_grow(struct dit_producer *producer, struct dit_bucket *bucket,
                       unsigned width)
{
	size_t nunits = dit_chunk_nunits(producer);
	/* A unit becomes a word at most, in 64-bit streams as well. */
	size_t biggest =
		larger(bucket->npairs * width + nunits, producer->nwords_biggest);
	struct dit_chunk *chunk = NULL;

	if (producer->nchunks > 0 && is_share_used_up(producer, biggest)) {
		int r = 0;

		producer->nspills_seen =
			atomic_fetch_add_explicit(&producer->postings->nspills, 1,
		                                  memory_order_relaxed) +
			1;
		r = dit_producer_spill(producer);

		if (r < 0) {
			return r;
		}
		biggest = nunits;
	}
	chunk = dit_slab_get(producer->chunk_bytes);
	if (chunk == NULL) {
		return -ENOMEM;
	}
	bucket_add_chunk(bucket, chunk, nunits);
	producer->nchunks++;
	producer->nwords_biggest = biggest;
	return 0;
}

int dit_postings_push(struct dit_postings *postings, unsigned producer, unsigned stream,
                      uint64_t id, const uint64_t *ordinals, size_t nkeys)
{
	struct dit_producer *p = postings->producers[producer];
	struct dit_bucket *bucket = &p->buckets[stream];
	unsigned width = dit_stream_width(postings, stream);
	uint32_t nspills = atomic_load_explicit(&postings->nspills, memory_order_relaxed);
	uint64_t npushed = 0;

	assert(!postings->is_finished && stream < postings->nstreams);
	if (p->error == 0 && nspills != p->nspills_seen) {
		p->error = follow(p, nspills);
	}
	if (p->error < 0) {
		return p->error;
	}
	if (id == 0 || id > (width == 2 ? ID_MAX : UINT32_MAX)) {
		p->error = id == 0 ? -EINVAL : -EOVERFLOW;
		return p->error;
	}
	npushed = atomic_load_explicit(&bucket->npushed, memory_order_relaxed) + nkeys;
	atomic_store_explicit(&bucket->npushed, npushed, memory_order_relaxed);
	while (nkeys > 0) {
		size_t n = dit_bucket_put(bucket, id, ordinals, nkeys, width);

		if (n == 0) {
			p->error = bucket_grow(p, bucket, width);
			if (p->error < 0) {
				return p->error;
			}
		}
		ordinals += n;
		nkeys -= n;
	}
	return 0;
}

int dit_postings_note_late(struct dit_postings *postings, uint64_t id, uint64_t next_id)
{
	struct dit_late_table *late = &postings->late;

	if (DIT_GROW(late->ids, late->size, late->n + 1) < 0) {
		return -ENOMEM;
	}
	late->ids[late->n] = (struct dit_late_id){id, next_id, late->n};
	late->n++;
	return 0;
}

const struct dit_late_table *dit_postings_late(const struct dit_postings *postings)
{
	return &postings->late;
}

int dit_postings_finish(struct dit_postings *postings)
{
	struct dit_late_table *late = &postings->late;
	int error = 0;

	dit_sort_items(late->ids, late->n, sizeof(*late->ids), dit_compare_ids);
	for (unsigned i = 0; i < postings->shared.nthreads; i++) {
		struct dit_producer *p = postings->producers[i];

		dit_run_writer_deinit(&p->writer);
		dit_sorted_words_drop(&p->sorted);
		dit_list_deinit(&p->list);
		error = error ?: p->error;
	}
	postings->is_finished = true;
	return error;
}

uint64_t dit_postings_run_bytes(const struct dit_postings *postings)
{
	return atomic_load_explicit(&postings->run_bytes, memory_order_relaxed);
}

uint64_t dit_postings_stream_npushed(const struct dit_postings *postings, unsigned stream)
{
	uint64_t npushed = 0;

	for (unsigned i = 0; i < postings->shared.nthreads; i++) {
		npushed += atomic_load_explicit(
			&postings->producers[i]->buckets[stream].npushed,
			memory_order_relaxed);
	}
	return npushed;
}

void dit_postings_cut(struct dit_postings *postings, unsigned stream, unsigned nparts)
{
	assert(postings->is_finished && nparts >= 1 &&
	       DIT_POSTING_PARTS_MAX % nparts == 0);
	postings->streams[stream].nparts = nparts;
}
