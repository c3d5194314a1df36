/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of records.
 *
 * A run is one segment of records in key order, each
 *
 *   4  length of the key, in the byte order of the machine; in one block with the next
 *   4  length of the value
 *   .. key, then value
 *
 * Runs are merged by levels (dit_fan_in()). They stay in the order in which their records
 * were pushed.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/grow.h"
#include "sort/sorter_private.h"

void dit_sort_run_drop(struct dit_sort_run *run)
{
	if (run == NULL ||
	    atomic_fetch_sub_explicit(&run->nrefs, 1, memory_order_acq_rel) > 1) {
		return;
	}
	if (run->fd >= 0) {
		(void)close(run->fd); /* unnamed: nothing to lose */
	}
	free(run->fences);
	free(run);
}

static struct dit_sort_run *run_new(void)
{
	struct dit_sort_run *run = calloc(1, sizeof(*run));

	if (run != NULL) {
		atomic_init(&run->nrefs, 1);
		run->fd = -1;
	}
	return run;
}

static int write_record(struct dit_run_writer *writer, struct dit_sort_run *run,
                        uint64_t *next_fence, const struct dit_sort_order *order,
                        const struct dit_sort_record *record)
{
	uint32_t lens[2] = {(uint32_t)record->key.len, (uint32_t)record->value.len};
	char *at = dit_run_room(writer, sizeof(lens));
	uint64_t place = dit_run_writer_place(writer);
	int r = 0;

	if (at == NULL) {
		return writer->error;
	}
	if (place >= *next_fence) {
		r = DIT_APPEND(run->fences, run->fences_size, run->nfences,
		               (struct dit_sort_fence){
				       dit_sort_prefix(order, record->key), place});
		*next_fence = (place / writer->block_bytes + 1) * writer->block_bytes;
	}
	if (r < 0) {
		return r;
	}
	memcpy(at, lens, sizeof(lens));
	writer->at = at + sizeof(lens);
	r = dit_run_write(writer, record->key.data, record->key.len);
	return r ?: dit_run_write(writer, record->value.data, record->value.len);
}

static int write_records(struct dit_run_writer *writer, struct dit_sort_merge *merge,
                         struct dit_sort_run *run)
{
	static const struct dit_sort_bounds all;
	struct dit_sort_record record = {0};
	uint64_t next_fence = 0;
	int r = dit_sort_merge_start(merge, &all);

	while (r == 0 && (r = dit_sort_merge_next(merge, &record)) > 0) {
		/* A merge function may have made a value that no run can hold. */
		r = record.value.len > DIT_SORT_PART_MAX
		            ? DIT_E_TOOLONG
		            : write_record(writer, run, &next_fence, merge->order,
		                           &record);
	}
	return r ?: dit_run_segment_end(writer, &run->segment);
}

/** @return the descriptor of the run's file, or an error */
static int fill_run(struct dit_sort_producer *producer, struct dit_sort_merge *merge,
                    struct dit_sort_run *run)
{
	const struct dit_sorter *sorter = producer->sorter;
	int r = dit_run_writer_begin(&producer->writer, sorter->tmpdir,
	                             sorter->block_bytes, sorter->opts.cipher);

	r = r < 0 ? r : write_records(&producer->writer, merge, run);
	return r < 0 ? r : dit_run_writer_finish(&producer->writer);
}

/** Write all records of a merge as one run. A failed one is removed. */
static int write_run(struct dit_sort_producer *producer, struct dit_sort_merge *merge,
                     struct dit_sort_run **ret)
{
	struct dit_sort_run *run = run_new();
	int r = 0;

	if (run == NULL) {
		return -ENOMEM;
	}
	r = fill_run(producer, merge, run);
	if (r < 0) {
		dit_run_writer_deinit(&producer->writer); /* gives the disk space back */
		dit_sort_run_drop(run);
		return r;
	}
	run->fd = r;
	*ret = run;
	return 0;
}

/** Room for one more run. Views copy the array under the lock. */
static int reserve_run(struct dit_sort_producer *producer)
{
	int r = 0;

	(void)pthread_mutex_lock(&producer->lock);
	r = DIT_GROW(producer->runs, producer->runs_size, producer->nruns + 1);
	(void)pthread_mutex_unlock(&producer->lock);
	return r;
}

int dit_sort_memory(struct dit_sort_producer *producer)
{
	struct dit_sort_extent extent = dit_sort_batch_extent(producer->batch);

	return dit_sort_extent(&producer->sorter->order, &extent, &producer->items,
	                       &producer->spare);
}

static int write_memory(struct dit_sort_producer *producer, struct dit_sort_run **ret)
{
	size_t nrecords = dit_sort_batch_extent(producer->batch).n;
	struct dit_sort_merge merge = {0};
	int r = dit_sort_memory(producer);

	r = r < 0 ? r : dit_sort_merge_init(&merge, producer->sorter, 1);
	if (r < 0) {
		return r;
	}
	dit_sort_merge_add_items(&merge, producer->items.data, nrecords);
	r = write_run(producer, &merge, ret);
	dit_sort_merge_deinit(&merge);
	return r;
}

/** Put the run into the list, and @p batch into the place of the one written. */
static void take_run(struct dit_sort_producer *producer, struct dit_sort_run *run,
                     struct dit_sort_batch *batch)
{
	struct dit_sort_batch *written = producer->batch;

	(void)pthread_mutex_lock(&producer->lock);
	producer->runs[producer->nruns++] = run;
	producer->run_bytes += run->segment.bytes;
	producer->batch = batch;
	producer->at = NULL;
	producer->end = NULL;
	producer->used_bytes = 0;
	(void)pthread_mutex_unlock(&producer->lock);
	dit_sort_batch_drop(written);
}

static int spill_memory(struct dit_sort_producer *producer)
{
	struct dit_sort_batch *batch = NULL;
	struct dit_sort_run *run = NULL;
	int r = reserve_run(producer);

	if (r < 0) {
		return r;
	}
	batch = dit_sort_batch_new(); /* before the run, so that nothing fails after it */
	r = batch == NULL ? -ENOMEM : write_memory(producer, &run);
	if (r < 0) {
		dit_sort_batch_drop(batch);
		return r;
	}
	take_run(producer, run, batch);
	return 0;
}

/** Put one run into the place of the newest @p n. */
static void replace_runs(struct dit_sort_producer *producer, size_t n,
                         struct dit_sort_run *run)
{
	struct dit_sort_run **runs = producer->runs + producer->nruns - n;
	struct dit_sort_run *first = runs[0];

	(void)pthread_mutex_lock(&producer->lock);
	runs[0] = run;
	producer->nruns -= n - 1;
	producer->run_bytes += run->segment.bytes;
	(void)pthread_mutex_unlock(&producer->lock);
	dit_sort_run_drop(first);
	for (size_t i = 1; i < n; i++) {
		dit_sort_run_drop(runs[i]); /* after the list's end */
	}
}

static int merge_runs(struct dit_sort_producer *producer, size_t n)
{
	struct dit_sort_run **runs = producer->runs + producer->nruns - n;
	struct dit_sort_merge merge = {0};
	struct dit_sort_run *run = NULL;
	int r = dit_sort_merge_init(&merge, producer->sorter, n);

	for (size_t i = 0; i < n && r == 0; i++) {
		r = dit_sort_merge_add_run(&merge, producer->sorter, runs[i]);
	}
	r = r ?: write_run(producer, &merge, &run);
	dit_sort_merge_deinit(&merge);
	if (r == 0) {
		run->level = runs[0]->level + 1;
		replace_runs(producer, n, run);
	}
	return r;
}

/** Are the newest @p fan_in runs of one level? */
static bool is_merge_due(const struct dit_sort_producer *producer, size_t fan_in)
{
	struct dit_sort_run *const *end = producer->runs + producer->nruns;

	return producer->nruns >= fan_in && end[-1]->level == (end - fan_in)[0]->level;
}

int dit_sort_spill(struct dit_sort_producer *producer)
{
	unsigned fan_in = producer->sorter->fan_in;
	int r = spill_memory(producer);

	while (r == 0 && is_merge_due(producer, fan_in)) {
		r = merge_runs(producer, fan_in);
	}
	return r;
}
