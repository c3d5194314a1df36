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
 * Runs are merged by levels: as soon as a producer has fan_in runs of one level, these,
 * its newest, become one run of the next level. Runs stay in the order in which their
 * records were pushed.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "sort/sorter_private.h"

int dit_sort_memory(struct dit_sort_producer *producer)
{
	int r = dit_buffer_reserve(&producer->spare,
	                           producer->items_size * sizeof(*producer->items));

	if (r == 0 && producer->nitems > 0) {
		dit_sort_items(producer->items, producer->spare.data, producer->nitems);
	}
	return r;
}

static int write_record(struct dit_run_writer *writer,
                        const struct dit_sort_record *record)
{
	uint32_t lens[2] = {(uint32_t)record->key.len, (uint32_t)record->value.len};
	char *at = dit_run_room(writer, sizeof(lens));
	int r = 0;

	if (at == NULL) {
		return writer->error;
	}
	memcpy(at, lens, sizeof(lens));
	writer->at = at + sizeof(lens);
	r = dit_run_write(writer, record->key.data, record->key.len);
	if (r == 0) {
		r = dit_run_write(writer, record->value.data, record->value.len);
	}
	return r;
}

/** Write all records of a merge as one run. */
static int write_run(struct dit_sort_producer *producer, struct dit_sort_merge *merge,
                     struct dit_sort_run *ret)
{
	const struct dit_sorter *sorter = producer->sorter;
	struct dit_sort_record record = {0};
	struct dit_sort_run run = {.fd = -1};
	int r = dit_run_writer_begin(&producer->writer, sorter->tmpdir,
	                             sorter->block_bytes);

	if (r < 0) {
		return r;
	}
	while ((r = dit_sort_merge_next(merge, &record)) > 0) {
		/* A merge function may have made a value that no run can hold. */
		r = record.value.len > DIT_SORT_PART_MAX
		            ? -EINVAL
		            : write_record(&producer->writer, &record);
		if (r < 0) {
			return r;
		}
	}
	if (r < 0) {
		return r;
	}
	r = dit_run_segment_end(&producer->writer, &run.segment);
	if (r < 0) {
		return r;
	}
	run.fd = dit_run_writer_finish(&producer->writer);
	if (run.fd < 0) {
		return run.fd;
	}
	producer->run_bytes += run.segment.bytes;
	*ret = run;
	return 0;
}

static int reserve_run(struct dit_sort_producer *producer)
{
	size_t size = producer->runs_size == 0 ? 16 : producer->runs_size * 2;
	struct dit_sort_run *runs = NULL;

	if (producer->nruns < producer->runs_size) {
		return 0;
	}
	runs = reallocarray(producer->runs, size, sizeof(*runs));
	if (runs == NULL) {
		return -ENOMEM;
	}
	producer->runs = runs;
	producer->runs_size = size;
	return 0;
}

static int spill_memory(struct dit_sort_producer *producer)
{
	struct dit_sort_merge merge = {0};
	int r = reserve_run(producer);

	if (r == 0) {
		r = dit_sort_memory(producer);
	}
	if (r == 0) {
		r = dit_sort_merge_init(&merge, producer->sorter, 1);
	}
	if (r < 0) {
		return r;
	}
	dit_sort_merge_add_items(&merge, producer->items, producer->nitems);
	r = write_run(producer, &merge, &producer->runs[producer->nruns]);
	dit_sort_merge_deinit(&merge);
	if (r < 0) {
		return r;
	}
	producer->nruns++;
	producer->nitems = 0;
	producer->used_bytes = 0;
	if (producer->records.total_bytes > producer->sorter->share_bytes) {
		dit_arena_deinit(&producer->records); /* a huge record, most likely */
	} else {
		dit_arena_reset(&producer->records);
	}
	return 0;
}

/** Replace the newest @p n runs by one. */
static int merge_runs(struct dit_sort_producer *producer, size_t n)
{
	struct dit_sort_run *runs = producer->runs + producer->nruns - n;
	struct dit_sort_merge merge = {0};
	struct dit_sort_run run = {.fd = -1};
	int r = dit_sort_merge_init(&merge, producer->sorter, n);

	for (size_t i = 0; i < n && r == 0; i++) {
		r = dit_sort_merge_add_run(&merge, producer->sorter, &runs[i]);
	}
	if (r == 0) {
		r = write_run(producer, &merge, &run);
	}
	dit_sort_merge_deinit(&merge);
	if (r < 0) {
		return r;
	}
	run.level = runs[0].level + 1;
	for (size_t i = 0; i < n; i++) {
		(void)close(runs[i].fd); /* unnamed: nothing to lose */
	}
	runs[0] = run;
	producer->nruns -= n - 1;
	return 0;
}

int dit_sort_spill(struct dit_sort_producer *producer)
{
	size_t fan_in = producer->sorter->fan_in;
	int r = spill_memory(producer);

	while (r == 0 && producer->nruns >= fan_in &&
	       producer->runs[producer->nruns - fan_in].level ==
	               producer->runs[producer->nruns - 1].level) {
		r = merge_runs(producer, fan_in);
	}
	return r;
}
