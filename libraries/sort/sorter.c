/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The general sorter: collecting records.
 *
 * Records are copied into the producer's arena; an item per record (16 bytes, and 16
 * more while sorting) points at them. When the two would pass the producer's share, the
 * records are sorted and written as a run. What is left at the end is sorted in memory
 * and merged with the runs.
 */
#include "sort/sort.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sort/sorter_private.h"

#define SHARE_MIN        ((size_t)64 << 10)
#define SHARE_MAX        ((size_t)64 << 30) /* keeps items below DIT_RADIX_MAX */
#define ARENA_BLOCK_MAX  ((size_t)1 << 20)
#define ITEMS_FIRST      64
#define ITEM_BYTES       (2 * sizeof(struct dit_pair))
#define BLOCKS_PER_SHARE 64

/* As for postings: descriptors are bounded by fan_in - 1 per producer and level. */
#define RUNS_WANTED 256u
#define FAN_IN_MIN  4u
#define FAN_IN_MAX  64u

static void producer_free(struct dit_sort_producer *producer)
{
	if (producer == NULL) {
		return;
	}
	for (size_t i = 0; i < producer->nruns; i++) {
		(void)close(producer->runs[i].fd); /* unnamed: nothing to lose */
	}
	free(producer->runs);
	free(producer->items);
	dit_run_writer_deinit(&producer->writer);
	dit_buffer_drop(&producer->spare);
	dit_arena_deinit(&producer->records);
	free(producer);
}

static struct dit_sort_producer *producer_new(struct dit_sorter *sorter)
{
	struct dit_sort_producer *producer = calloc(1, sizeof(*producer));
	size_t block_bytes = sorter->share_bytes / 16;

	if (producer == NULL) {
		return NULL;
	}
	producer->sorter = sorter;
	producer->writer = DIT_RUN_WRITER_INIT;
	dit_arena_init(&producer->records,
	               block_bytes < ARENA_BLOCK_MAX ? block_bytes : ARENA_BLOCK_MAX);
	return producer;
}

static void choose_sizes(struct dit_sorter *sorter)
{
	unsigned fan_in = RUNS_WANTED / sorter->opts.nproducers;

	sorter->share_bytes = sorter->opts.memory_bytes / sorter->opts.nproducers;
	if (sorter->share_bytes > SHARE_MAX) {
		sorter->share_bytes = SHARE_MAX;
	}
	sorter->block_bytes = sorter->share_bytes / BLOCKS_PER_SHARE;
	if (sorter->block_bytes > DIT_RUN_BLOCK_MAX) {
		sorter->block_bytes = DIT_RUN_BLOCK_MAX;
	}
	fan_in = fan_in < FAN_IN_MIN ? FAN_IN_MIN : fan_in;
	sorter->fan_in = fan_in > FAN_IN_MAX ? FAN_IN_MAX : fan_in;
}

int dit_sorter_new(struct dit_sorter **ret, const struct dit_sorter_opts *opts)
{
	struct dit_sorter *sorter = NULL;

	if (opts->nproducers == 0 || opts->memory_bytes / opts->nproducers < SHARE_MIN) {
		return -EINVAL;
	}
	sorter = calloc(1, sizeof(*sorter));
	if (sorter == NULL) {
		return -ENOMEM;
	}
	sorter->opts = *opts;
	choose_sizes(sorter);
	sorter->tmpdir = strdup(opts->tmpdir);
	sorter->producers = calloc(opts->nproducers, sizeof(struct dit_sort_producer *));
	if (sorter->tmpdir == NULL || sorter->producers == NULL) {
		goto nomem;
	}
	for (unsigned i = 0; i < opts->nproducers; i++) {
		sorter->producers[i] = producer_new(sorter);
		if (sorter->producers[i] == NULL) {
			goto nomem;
		}
	}
	*ret = sorter;
	return 0;

nomem:
	dit_sorter_free(sorter);
	return -ENOMEM;
}

void dit_sorter_free(struct dit_sorter *sorter)
{
	if (sorter == NULL) {
		return;
	}
	dit_sort_merge_deinit(&sorter->merge);
	for (unsigned i = 0; sorter->producers != NULL && i < sorter->opts.nproducers;
	     i++) {
		producer_free(sorter->producers[i]);
	}
	free(sorter->producers);
	free(sorter->tmpdir);
	free(sorter);
}

/** Make room for one more record of @p size bytes; write a run if there is none left. */
static int make_room(struct dit_sort_producer *producer, size_t size)
{
	size_t items_size = producer->items_size;
	struct dit_pair *items = NULL;

	if (producer->nitems == items_size) {
		items_size = items_size == 0 ? ITEMS_FIRST : items_size * 2;
	}
	if (producer->nitems > 0 &&
	    producer->used_bytes + size + items_size * ITEM_BYTES >
	            producer->sorter->share_bytes) {
		return dit_sort_spill(producer);
	}
	if (items_size > producer->items_size) {
		items = reallocarray(producer->items, items_size, sizeof(*items));
		if (items == NULL) {
			return -ENOMEM;
		}
		producer->items = items;
		producer->items_size = items_size;
	}
	return 0;
}

static int push(struct dit_sort_producer *producer, struct dit_span key,
                struct dit_span value)
{
	size_t size = sizeof(struct dit_sort_stored) + key.len + value.len;
	struct dit_sort_stored *stored = NULL;
	int r = make_room(producer, size);

	if (r < 0) {
		return r;
	}
	stored = dit_arena_alloc(&producer->records, size);
	if (stored == NULL) {
		return -ENOMEM;
	}
	stored->key_len = (uint32_t)key.len;
	stored->value_len = (uint32_t)value.len;
	if (key.len > 0) {
		memcpy(stored->bytes, key.data, key.len);
	}
	if (value.len > 0) {
		memcpy(stored->bytes + key.len, value.data, value.len);
	}
	producer->items[producer->nitems++].value = (uintptr_t)stored;
	producer->used_bytes += (size + 7) & ~(size_t)7;
	return 0;
}

int dit_sorter_push(struct dit_sorter *sorter, unsigned producer, struct dit_span key,
                    struct dit_span value)
{
	struct dit_sort_producer *p = sorter->producers[producer];

	assert(!sorter->is_sealed && producer < sorter->opts.nproducers);
	if (p->error < 0) {
		return p->error;
	}
	if (key.len > DIT_SORT_PART_MAX || value.len > DIT_SORT_PART_MAX) {
		p->error = -EINVAL;
	} else {
		p->error = push(p, key, value);
	}
	return p->error;
}

/** Add what one producer holds, oldest first. */
static int add_producer(struct dit_sorter *sorter, struct dit_sort_producer *producer)
{
	int r = dit_sort_memory(producer);

	dit_buffer_drop(&producer->spare);
	dit_run_writer_deinit(&producer->writer);
	for (size_t i = 0; i < producer->nruns && r == 0; i++) {
		r = dit_sort_merge_add_run(&sorter->merge, sorter, &producer->runs[i]);
	}
	if (r == 0) {
		dit_sort_merge_add_items(&sorter->merge, producer->items,
		                         producer->nitems);
	}
	return r;
}

int dit_sorter_seal(struct dit_sorter *sorter)
{
	size_t nsources = 0;
	int r = 0;

	if (sorter->merge.sources != NULL) {
		return -EINVAL; /* tried before */
	}
	for (unsigned i = 0; i < sorter->opts.nproducers && r == 0; i++) {
		r = sorter->producers[i]->error;
		nsources += sorter->producers[i]->nruns + 1;
	}
	if (r == 0) {
		r = dit_sort_merge_init(&sorter->merge, sorter, nsources);
	}
	for (unsigned i = 0; i < sorter->opts.nproducers && r == 0; i++) {
		r = add_producer(sorter, sorter->producers[i]);
	}
	if (r == 0) {
		sorter->is_sealed = true;
	}
	return r;
}

int dit_sorter_next(struct dit_sorter *sorter, struct dit_sort_record *ret)
{
	if (!sorter->is_sealed) {
		return -EINVAL;
	}
	return dit_sort_merge_next(&sorter->merge, ret);
}

uint64_t dit_sorter_run_bytes(const struct dit_sorter *sorter)
{
	uint64_t run_bytes = 0;

	for (unsigned i = 0; i < sorter->opts.nproducers; i++) {
		run_bytes += sorter->producers[i]->run_bytes;
	}
	return run_bytes;
}
