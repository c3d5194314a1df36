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

#include "base/error.h"
#include "base/grow.h"
#include "sort/sorter_private.h"
#include "system/file_io.h"

void dit_sort_run_drop(struct dit_sort_run *run)
{
	if (run == NULL ||
	    atomic_fetch_sub_explicit(&run->nrefs, 1, memory_order_acq_rel) > 1) {
		return;
	}
	dit_close(run->fd); /* unnamed: nothing to lose */
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

/** Write all records of a merge. */
static int fill_run(struct dit_sort_producer *producer, struct dit_sort_merge *merge,
                    struct dit_sort_run *run)
{
	const struct dit_sorter *sorter = producer->sorter;
	int r = dit_run_writer_begin(&producer->writer, sorter->opts.tmpdir,
	                             sorter->block_bytes, sorter->opts.cipher);

	r = r ?: write_records(&producer->writer, merge, run);
	r = r ?: dit_run_writer_finish(&producer->writer);
	run->fd = r < 0 ? -1 : r;
	return r < 0 ? r : 0;
}

int dit_sort_memory(struct dit_sort_producer *producer)
{
	const struct dit_sort_batch *batch = producer->batch;

	return dit_sort_batch_sort(
		&producer->sorter->order, batch,
		atomic_load_explicit(&batch->nrecords, memory_order_relaxed),
		&producer->items, &producer->spare);
}

/** Records for a run: of runs @p first and up; if there are none, those in memory. */
static int add_sources(struct dit_sort_producer *producer, size_t first,
                       struct dit_sort_merge *merge)
{
	const struct dit_sorter *sorter = producer->sorter;
	bool is_merge = first < producer->nruns;
	int r = is_merge ? 0 : dit_sort_memory(producer);

	r = r < 0 ? r : dit_sort_merge_init(merge, sorter, producer->nruns - first + 1);
	if (r == 0 && !is_merge) {
		dit_sort_merge_add_items(merge, producer->items.data,
		                         atomic_load_explicit(&producer->batch->nrecords,
		                                              memory_order_relaxed));
	}
	for (size_t i = first; i < producer->nruns && r == 0; i++) {
		r = dit_sort_merge_add_run(merge, sorter, producer->runs[i]);
	}
	return r;
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

/** Put a run into the place of runs @p first and up, or, with an empty batch, of the
 * records in memory. */
static void take_run(struct dit_sort_producer *producer, size_t first,
                     struct dit_sort_run *run, struct dit_sort_batch *batch)
{
	struct dit_sort_batch *written = batch == NULL ? NULL : producer->batch;
	struct dit_sort_run *merged = NULL;
	size_t end = producer->nruns;

	(void)pthread_mutex_lock(&producer->lock);
	merged = first < end ? producer->runs[first] : NULL;
	producer->runs[first] = run;
	producer->nruns = first + 1;
	if (batch != NULL) {
		producer->batch = batch;
	}
	(void)pthread_mutex_unlock(&producer->lock);
	atomic_fetch_add_explicit(&producer->sorter->run_bytes, run->segment.bytes,
	                          memory_order_relaxed);
	atomic_fetch_add_explicit(&producer->sorter->nruns, first + 1 - end,
	                          memory_order_relaxed);
	dit_sort_batch_drop(written);
	dit_sort_run_drop(merged);
	for (size_t i = first + 1; i < end; i++) {
		dit_sort_run_drop(producer->runs[i]); /* after the list's end */
	}
}

/** Write a new run: from memory if @p first is the number of runs, else of runs @p first
 * and up, which it replaces. */
static int make_run(struct dit_sort_producer *producer, size_t first)
{
	bool is_merge = first < producer->nruns;
	/* Before the run, so that nothing fails after it. */
	struct dit_sort_batch *batch =
		is_merge ? NULL : dit_sort_batch_new(producer->sorter);
	struct dit_sort_run *run = run_new();
	struct dit_sort_merge merge = {0};
	int r = run == NULL || (!is_merge && batch == NULL) ? -ENOMEM
	                                                    : reserve_run(producer);

	r = r ?: add_sources(producer, first, &merge);
	r = r ?: fill_run(producer, &merge, run);
	dit_sort_merge_deinit(&merge);
	if (r < 0) {
		dit_run_writer_deinit(&producer->writer); /* gives the disk space back */
		dit_sort_run_drop(run);
		dit_sort_batch_drop(batch);
		return r;
	}
	run->level = is_merge ? producer->runs[first]->level + 1 : 0;
	take_run(producer, first, run, batch);
	return 0;
}

/** Are the newest @p fan_in runs of one level? */
static bool is_merge_due(const struct dit_sort_producer *producer, size_t fan_in)
{
	struct dit_sort_run *const *end = producer->runs + producer->nruns;

	return producer->nruns >= fan_in && end[-1]->level == (end - fan_in)[0]->level;
}

int dit_sort_spill(struct dit_sort_producer *producer)
{
	unsigned fan_in = producer->sorter->opts.fan_in;
	int r = make_run(producer, producer->nruns);

	while (r == 0 && is_merge_due(producer, fan_in)) {
		r = make_run(producer, producer->nruns - fan_in);
	}
	return r;
}
