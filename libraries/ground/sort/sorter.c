/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The general sorter: collecting records.
 *
 * Records are copied into the producer's batch. When they, with the items that sorting
 * them needs (16 bytes each, and 16 more while sorting), would pass the producer's share,
 * they are sorted and written as a run. The rest is sorted in memory at the end and
 * merged with the runs.
 *
 * A batch is a list of slabs, filled one after the other.
 * Records lie one after the other and do not move, so a view can walk the first n of them
 * while the producer appends: how many lie in a slab is known for all but the last one
 * that the view saw, and there it is the rest of n.
 *
 *     slab  3 records   slab  4 records   slab (filled now)      n = 9
 *     [a b c    ]  -->  [d e f g ]   -->  [h i j ..             j came after n was read
 */
#include "sort/sort.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/object.h"
#include "base/version.h"
#include "sort/sorter_private.h"
#include "system/tmp_files.h"

#define SHARE_MAX        ((size_t)64 << 30) /* keeps items below DIT_RADIX_MAX */
#define SLAB_MAX         ((size_t)1 << 20)
#define SLABS_PER_SHARE  16
#define ITEM_BYTES       (2 * sizeof(struct dit_pair))
#define BLOCKS_PER_SHARE 64
#define BLOCK_MAX        ((size_t)16 << 10) /* a look-up reads one of each run */

#define RUNS_WANTED 256u
#define FAN_IN_MAX  64u

/* ---- records in memory ---- */

struct dit_sort_batch *dit_sort_batch_new(void)
{
	struct dit_sort_batch *batch = calloc(1, sizeof(*batch));

	if (batch != NULL) {
		atomic_init(&batch->nrefs, 1);
	}
	return batch;
}

void dit_sort_batch_drop(struct dit_sort_batch *batch)
{
	struct dit_sort_slab *slab = NULL;

	if (batch == NULL ||
	    atomic_fetch_sub_explicit(&batch->nrefs, 1, memory_order_acq_rel) > 1) {
		return;
	}
	slab = batch->first;
	while (slab != NULL) {
		struct dit_sort_slab *next = slab->next;

		dit_slab_put(slab, slab->size_bytes);
		slab = next;
	}
	dit_buffer_drop(&batch->sorted);
	free(batch);
}

/** Takes the slab, of dit_slab_get(), to go on in. With the producer's lock. */
static void batch_enter(struct dit_sort_batch *batch, struct dit_sort_slab *slab)
{
	size_t nrecords = atomic_load_explicit(&batch->nrecords, memory_order_relaxed);

	slab->next = NULL;
	if (batch->current == NULL) {
		batch->first = slab;
	} else {
		batch->current->next = slab;
		batch->current->nrecords = nrecords - batch->nclosed;
	}
	batch->nclosed = nrecords;
	batch->current = slab;
}

struct dit_sort_extent dit_sort_batch_extent(const struct dit_sort_batch *batch)
{
	return (struct dit_sort_extent){
		.batch = batch,
		.last = batch->current,
		.n = atomic_load_explicit(&batch->nrecords, memory_order_acquire),
	};
}

/* ---- the sorter ---- */

static void producer_free(struct dit_sort_producer *producer)
{
	if (producer == NULL) {
		return;
	}
	for (size_t i = 0; i < producer->nruns; i++) {
		dit_sort_run_drop(producer->runs[i]);
	}
	free(producer->runs);
	dit_run_writer_deinit(&producer->writer);
	dit_buffer_drop(&producer->items);
	dit_buffer_drop(&producer->spare);
	dit_sort_batch_drop(producer->batch);
	(void)pthread_mutex_destroy(&producer->lock);
	free(producer);
}

static int producer_new(struct dit_sort_producer **ret, struct dit_sorter *sorter)
{
	struct dit_sort_producer *producer = calloc(1, sizeof(*producer));
	int r = 0;

	if (producer == NULL) {
		return -ENOMEM;
	}
	producer->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	producer->sorter = sorter;
	producer->writer = DIT_RUN_WRITER_INIT;
	producer->batch = dit_sort_batch_new();
	r = producer->batch == NULL ? -ENOMEM : 0;
	return DIT_HAND_OVER(r, ret, producer, producer_free);
}

static void choose_sizes(struct dit_sorter *sorter)
{
	sorter->share_bytes = sorter->opts.memory_bytes / sorter->opts.nproducers;
	if (sorter->share_bytes > SHARE_MAX) {
		sorter->share_bytes = SHARE_MAX;
	}
	sorter->slab_bytes = SLAB_MAX;
	while (sorter->slab_bytes > sorter->share_bytes / SLABS_PER_SHARE) {
		sorter->slab_bytes /= 2; /* a power of two, as blocks are */
	}
	sorter->block_bytes = sorter->share_bytes / BLOCKS_PER_SHARE;
	if (sorter->block_bytes > BLOCK_MAX) {
		sorter->block_bytes = BLOCK_MAX;
	}
	sorter->fan_in =
		sorter->opts.fan_in
			?: dit_fan_in(sorter->opts.nproducers, RUNS_WANTED, FAN_IN_MAX);
}

static int sorter_new(struct dit_sorter **ret, const struct dit_sorter_opts *opts)
{
	struct dit_sorter *sorter = NULL;
	int r = 0;

	if (opts->nproducers == 0 || opts->fan_in == 1 ||
	    opts->memory_bytes / opts->nproducers < DIT_SORT_SHARE_MIN) {
		return -EINVAL;
	}
	sorter = calloc(1, sizeof(*sorter));
	if (sorter == NULL) {
		return -ENOMEM;
	}
	sorter->opts = *opts;
	sorter->order = (struct dit_sort_order){opts->order, opts->order_ctx};
	choose_sizes(sorter);
	sorter->tmpdir = strdup(dit_tmp_dir(opts->tmpdir));
	sorter->producers = calloc(opts->nproducers, sizeof(struct dit_sort_producer *));
	if (sorter->tmpdir == NULL || sorter->producers == NULL) {
		r = -ENOMEM;
	}
	for (unsigned i = 0; i < opts->nproducers && r == 0; i++) {
		r = producer_new(&sorter->producers[i], sorter);
	}
	return DIT_HAND_OVER(r, ret, sorter, dit_sorter_free);
}

int dit_sorter_new(struct dit_sorter **ret, const struct dit_sorter_opts *opts)
{
	struct dit_sorter_opts own;
	int r = dit_opts_take(&own, sizeof(own), opts);

	return r < 0 ? r : sorter_new(ret, &own);
}

void dit_sorter_free(struct dit_sorter *sorter)
{
	if (sorter == NULL) {
		return;
	}
	dit_sort_cursor_close(sorter->cursor);
	dit_sort_view_close(sorter->view);
	assert(atomic_load(&sorter->nviews) == 0);
	for (unsigned i = 0; sorter->producers != NULL && i < sorter->opts.nproducers;
	     i++) {
		producer_free(sorter->producers[i]);
	}
	free(sorter->producers);
	free(sorter->tmpdir);
	free(sorter);
}

/** Go on in another slab. */
static int next_slab(struct dit_sort_producer *producer, size_t size)
{
	struct dit_sort_slab *slab = NULL;

	size += sizeof(*slab);
	if (size < producer->sorter->slab_bytes) {
		size = producer->sorter->slab_bytes;
	}
	slab = dit_slab_get(size);
	if (slab == NULL) {
		return -ENOMEM;
	}
	slab->size_bytes = size;
	(void)pthread_mutex_lock(&producer->lock);
	batch_enter(producer->batch, slab);
	(void)pthread_mutex_unlock(&producer->lock);
	producer->used_bytes += (size_t)(producer->end - producer->at);
	producer->at = slab->bytes;
	producer->end = (char *)slab + size;
	return 0;
}

/** Make room for a record of @p size bytes; write a run if the share is used up. */
static int make_room(struct dit_sort_producer *producer, size_t size, size_t nrecords)
{
	size_t needed = producer->used_bytes + size + (nrecords + 1) * ITEM_BYTES;
	int r = 0;

	if (nrecords > 0 && needed > producer->sorter->share_bytes) {
		r = dit_sort_spill(producer);
	}
	return r < 0 || (size_t)(producer->end - producer->at) >= size
	               ? r
	               : next_slab(producer, size);
}

static int push(struct dit_sort_producer *producer, struct dit_span key,
                struct dit_span value)
{
	size_t size = dit_sort_stored_size(key.len, value.len);
	struct dit_sort_stored *stored = NULL;
	size_t nrecords = atomic_load_explicit(&producer->batch->nrecords,
	                                       memory_order_relaxed); /* our own */
	int r = make_room(producer, size, nrecords);

	if (r < 0) {
		return r;
	}
	stored = (void *)producer->at;
	stored->key_len = (uint32_t)key.len;
	stored->value_len = (uint32_t)value.len;
	(void)dit_span_put(dit_span_put(stored->bytes, key), value);
	producer->at += size;
	producer->used_bytes += size;
	/* Views may have it from here on. A run may have begun another batch. */
	nrecords = atomic_load_explicit(&producer->batch->nrecords, memory_order_relaxed);
	atomic_store_explicit(&producer->batch->nrecords, nrecords + 1,
	                      memory_order_release);
	return 0;
}

int dit_sorter_push(struct dit_sorter *sorter, unsigned producer, struct dit_span key,
                    struct dit_span value)
{
	struct dit_sort_producer *p = NULL;

	if (producer >= sorter->opts.nproducers || sorter->was_finished) {
		return -EINVAL;
	}
	p = sorter->producers[producer];
	if (p->error < 0) {
		return p->error;
	}
	if (key.len > DIT_SORT_PART_MAX || value.len > DIT_SORT_PART_MAX) {
		p->error = DIT_E_TOOLONG;
	} else {
		p->error = push(p, key, value);
	}
	return p->error;
}

/** Sort what a producer holds in memory, for all to use, and let go of its scratch. */
static int finish_producer(struct dit_sort_producer *producer)
{
	int r = dit_sort_memory(producer);

	if (r == 0) {
		(void)pthread_mutex_lock(&producer->lock);
		producer->batch->sorted = producer->items;
		(void)pthread_mutex_unlock(&producer->lock);
		producer->items = (struct dit_buffer){NULL, 0};
	}
	dit_buffer_drop(&producer->spare);
	dit_run_writer_deinit(&producer->writer);
	return r;
}

int dit_sorter_seal(struct dit_sorter *sorter)
{
	int r = 0;

	if (sorter->was_finished) {
		return -EINVAL;
	}
	sorter->was_finished = true;
	for (unsigned i = 0; i < sorter->opts.nproducers && r == 0; i++) {
		r = sorter->producers[i]->error;
	}
	for (unsigned i = 0; i < sorter->opts.nproducers && r == 0; i++) {
		r = finish_producer(sorter->producers[i]);
	}
	r = r ?: dit_sort_view_open(&sorter->view, sorter);
	return r ?: dit_sort_cursor_open(&sorter->cursor, sorter->view);
}

int dit_sorter_next(struct dit_sorter *sorter, struct dit_sort_record *ret)
{
	if (sorter->cursor == NULL) {
		return -EINVAL;
	}
	return dit_sort_cursor_next(sorter->cursor, ret);
}

uint64_t dit_sorter_run_bytes(const struct dit_sorter *sorter)
{
	uint64_t run_bytes = 0;

	for (unsigned i = 0; i < sorter->opts.nproducers; i++) {
		struct dit_sort_producer *producer = sorter->producers[i];

		(void)pthread_mutex_lock(&producer->lock);
		run_bytes += producer->run_bytes;
		(void)pthread_mutex_unlock(&producer->lock);
	}
	return run_bytes;
}

size_t dit_sorter_nruns(const struct dit_sorter *sorter)
{
	size_t nruns = 0;

	for (unsigned i = 0; i < sorter->opts.nproducers; i++) {
		struct dit_sort_producer *producer = sorter->producers[i];

		(void)pthread_mutex_lock(&producer->lock);
		nruns += producer->nruns;
		(void)pthread_mutex_unlock(&producer->lock);
	}
	return nruns;
}
