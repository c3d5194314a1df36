/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The general sorter: collecting records.
 *
 * Records are copied into the producer's batch. When they, with the items that sorting
 * them needs (16 bytes each, and 16 more while sorting), would pass the producer's share,
 * they are sorted and written as a run. The rest is sorted in memory at the end and
 * merged with the runs.
 *
 * Records of a batch lie one after the other, up to a link, and do not move. So a view
 * can walk the first n of them while the producer appends:
 *
 *     [a b c link]  -->  [d e f g link]  -->  [h i j ..    n = 9: j came after n was read
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
#define LINK_BYTES       (sizeof(struct dit_sort_stored) + sizeof(void *))
#define BLOCKS_PER_SHARE 64
#define BLOCK_MAX        ((size_t)16 << 10) /* a look-up reads one of each run */

#define RUNS_WANTED 256u
#define FAN_IN_MAX  64u

/* ---- records in memory ---- */

struct dit_sort_batch *dit_sort_batch_new(const struct dit_sorter *sorter)
{
	struct dit_sort_batch *batch = calloc(1, sizeof(*batch));

	if (batch != NULL) {
		atomic_init(&batch->nrefs, 1);
		dit_arena_init_shared(&batch->records, sorter->slab_bytes, NULL);
	}
	return batch;
}

void dit_sort_batch_drop(struct dit_sort_batch *batch)
{
	if (batch != NULL &&
	    atomic_fetch_sub_explicit(&batch->nrefs, 1, memory_order_acq_rel) == 1) {
		dit_arena_deinit(&batch->records);
		free(batch);
	}
}

/** Memory of the records; the unused ends of blocks count, but for the newest one's. */
static size_t used_bytes(const struct dit_sort_batch *batch)
{
	const struct dit_arena *records = &batch->records;

	return records->total_bytes - (size_t)(records->end - records->at);
}

/** A record of @p size bytes after the newest one. NULL: no memory */
static struct dit_sort_stored *add_record(struct dit_sort_batch *batch, size_t size)
{
	struct dit_sort_stored *end = (void *)batch->records.at;
	struct dit_sort_stored *stored =
		dit_arena_alloc(&batch->records, size + LINK_BYTES);

	if (stored == NULL) {
		return NULL;
	}
	dit_arena_trim(&batch->records, stored, size);
	if (end == NULL) {
		batch->first = stored;
	} else if (stored != end) {
		end->key_len = DIT_SORT_LINK;
		memcpy(end->bytes, &stored, sizeof(stored));
	}
	return stored;
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
	producer->batch = dit_sort_batch_new(sorter);
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
	sorter->opts.fan_in =
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
	sorter->opts.tmpdir = strdup(dit_tmp_dir(opts->tmpdir));
	sorter->producers = calloc(opts->nproducers, sizeof(struct dit_sort_producer *));
	if (sorter->opts.tmpdir == NULL || sorter->producers == NULL) {
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
	free((char *)sorter->opts.tmpdir);
	free(sorter);
}

/** Write a run if the share is used up. */
static int make_room(struct dit_sort_producer *producer, size_t size)
{
	const struct dit_sort_batch *batch = producer->batch;
	size_t nrecords = atomic_load_explicit(&batch->nrecords,
	                                       memory_order_relaxed); /* our own */
	size_t needed = used_bytes(batch) + size + (nrecords + 1) * ITEM_BYTES;

	return nrecords > 0 && needed > producer->sorter->share_bytes
	               ? dit_sort_spill(producer)
	               : 0;
}

static int push(struct dit_sort_producer *producer, struct dit_span key,
                struct dit_span value)
{
	size_t size = dit_sort_stored_size(key.len, value.len);
	int r = make_room(producer, size);
	struct dit_sort_batch *batch = producer->batch; /* a run may have begun another */
	struct dit_sort_stored *stored = r < 0 ? NULL : add_record(batch, size);

	if (stored == NULL) {
		return r < 0 ? r : -ENOMEM;
	}
	stored->key_len = (uint32_t)key.len;
	stored->value_len = (uint32_t)value.len;
	(void)dit_span_put(dit_span_put(stored->bytes, key), value);
	/* Views may have it from here on. */
	atomic_fetch_add_explicit(&batch->nrecords, 1, memory_order_release);
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

	(void)pthread_mutex_lock(&producer->lock);
	producer->is_sorted = r == 0;
	(void)pthread_mutex_unlock(&producer->lock);
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
	return atomic_load_explicit(&sorter->run_bytes, memory_order_relaxed);
}

size_t dit_sorter_nruns(const struct dit_sorter *sorter)
{
	return atomic_load_explicit(&sorter->nruns, memory_order_relaxed);
}
