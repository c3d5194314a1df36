/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The second phase of a load: the index databases.
 *
 * They are sorted and merged by the tool threads, one database a thread, in
 * database order, and written by the single writer in the same order:
 *
 *   thread 1   merge uid ──▶ [ 2 blocks ] ─┐
 *   thread 2   merge cn  ──▶ [ 2 blocks ] ─┴─▶ writer: uid, cn, sn, ...
 *
 * A block is a buffer of lists: ordinal, count, IDs, one after the other. A thread whose
 * queue is full waits: that bounds the memory, two blocks for each thread. The bound
 * cannot deadlock, because a database is only drawn when all before it have been, so the
 * one that the writer waits for always has a thread. Two blocks are enough, since the
 * threads' heavy work, sorting, is done before their first block.
 *
 * With one thread the writer pulls the lists itself.
 *
 * Lock order: there is one lock, and nothing is called with it held.
 */
#include "bulk/load_private.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_WORDS  ((size_t)32 << 10) /* 256 KiB; a longer list gets a larger block */
#define QUEUE_BLOCKS 2

struct index_block {
	struct index_block *next;
	uint64_t *words;
	size_t nwords;
	size_t size;
};

struct index_queue {
	struct index_block *first; /* [lock] */
	struct index_block *last;
	unsigned nblocks;
	bool is_closed;
	int error; /* why it was closed early */
};

struct load_index {
	/* [const] */
	struct load_target *target;
	size_t ndbs;

	/* [atomic: databases are drawn in order; relaxed] */
	_Atomic size_t next_db;

	pthread_mutex_t lock;
	pthread_cond_t changed; /* a queue, the spares or the flag */
	/* [lock: lock] */
	struct index_queue *queues; /* one per database */
	struct index_block *spares;
	bool is_cancelled;
};

static void block_free(struct index_block *block)
{
	if (block != NULL) {
		free(block->words);
		free(block);
	}
}

static void blocks_free(struct index_block *block)
{
	while (block != NULL) {
		struct index_block *next = block->next;

		block_free(block);
		block = next;
	}
}

static int block_reserve(struct index_block *block, size_t nwords)
{
	size_t size = nwords < BLOCK_WORDS ? BLOCK_WORDS : nwords;
	uint64_t *words = NULL;

	if (block->size >= size) {
		return 0;
	}
	words = realloc(block->words, size * sizeof(*words));
	if (words == NULL) {
		return -ENOMEM;
	}
	block->words = words;
	block->size = size;
	return 0;
}

/* An empty block: a spare one, or new. */
static struct index_block *block_get(struct load_index *merge)
{
	struct index_block *block = NULL;

	(void)pthread_mutex_lock(&merge->lock);
	block = merge->spares;
	if (block != NULL) {
		merge->spares = block->next;
	}
	(void)pthread_mutex_unlock(&merge->lock);
	if (block == NULL) {
		block = calloc(1, sizeof(*block));
	}
	if (block != NULL) {
		block->next = NULL;
		block->nwords = 0;
	}
	return block;
}

static void block_put(struct load_index *merge, struct index_block *block)
{
	(void)pthread_mutex_lock(&merge->lock);
	block->next = merge->spares;
	merge->spares = block;
	(void)pthread_mutex_unlock(&merge->lock);
}

/* Takes the block. Blocks while the queue is full; DIT_E_STOPPED: cancelled. */
static int queue_push(struct load_index *merge, struct index_queue *queue,
                      struct index_block *block)
{
	(void)pthread_mutex_lock(&merge->lock);
	while (queue->nblocks == QUEUE_BLOCKS && !merge->is_cancelled) {
		(void)pthread_cond_wait(&merge->changed, &merge->lock);
	}
	if (merge->is_cancelled) {
		(void)pthread_mutex_unlock(&merge->lock);
		block_free(block);
		return DIT_E_STOPPED;
	}
	if (queue->last == NULL) {
		queue->first = block;
	} else {
		queue->last->next = block;
	}
	queue->last = block;
	queue->nblocks++;
	(void)pthread_cond_broadcast(&merge->changed);
	(void)pthread_mutex_unlock(&merge->lock);
	return 0;
}

static void queue_close(struct load_index *merge, struct index_queue *queue, int error)
{
	(void)pthread_mutex_lock(&merge->lock);
	queue->is_closed = true;
	queue->error = error;
	(void)pthread_cond_broadcast(&merge->changed);
	(void)pthread_mutex_unlock(&merge->lock);
}

/* @return 1 with a block; 0: the database is complete; or the error that ended it */
static int queue_pop(struct load_index *merge, struct index_queue *queue,
                     struct index_block **ret)
{
	int r = 0;

	(void)pthread_mutex_lock(&merge->lock);
	while (queue->nblocks == 0 && !queue->is_closed) {
		(void)pthread_cond_wait(&merge->changed, &merge->lock);
	}
	if (queue->nblocks > 0) {
		*ret = queue->first;
		queue->first = queue->first->next;
		if (queue->first == NULL) {
			queue->last = NULL;
		}
		queue->nblocks--;
		(void)pthread_cond_broadcast(&merge->changed);
		r = 1;
	} else {
		r = queue->error;
	}
	(void)pthread_mutex_unlock(&merge->lock);
	return r;
}

/* ---- tool threads ---- */

/* Append a list; a full block goes into the queue and a fresh one takes its place. */
static int block_add(struct load_index *merge, struct index_queue *queue,
                     struct index_block **block, const struct dit_posting_list *list)
{
	size_t need = 2 + list->nids;
	struct index_block *b = *block;
	int r = 0;

	if (b == NULL || b->nwords + need > b->size) {
		*block = NULL;
		if (b != NULL) {
			r = queue_push(merge, queue, b);
		}
		if (r < 0) {
			return r;
		}
		b = block_get(merge);
		*block = b;
		if (b == NULL) {
			return -ENOMEM;
		}
		r = block_reserve(b, need);
		if (r < 0) {
			return r;
		}
	}
	b->words[b->nwords] = list->ordinal;
	b->words[b->nwords + 1] = list->nids;
	memcpy(b->words + b->nwords + 2, list->ids, list->nids * sizeof(uint64_t));
	b->nwords += need;
	return 0;
}

static int merge_db(struct load_index *merge, size_t db)
{
	struct index_queue *queue = &merge->queues[db];
	struct dit_posting_cursor *cursor = NULL;
	struct dit_posting_list list = {0};
	struct index_block *block = NULL;
	int r = 0;

	r = dit_posting_cursor_open(&cursor, merge->target->postings, (unsigned)db);
	if (r < 0) {
		return r;
	}
	r = dit_posting_cursor_next(cursor, &list);
	while (r > 0) {
		r = block_add(merge, queue, &block, &list);
		if (r == 0) {
			r = dit_posting_cursor_next(cursor, &list);
		}
	}
	dit_posting_cursor_close(cursor);
	if (r == 0 && block != NULL) {
		return queue_push(merge, queue, block);
	}
	block_free(block);
	return r;
}

void load_index_round(struct load_target *target)
{
	struct load_index *merge = target->merge;

	for (;;) {
		const struct dit_index_db *info = NULL;
		size_t db = atomic_fetch_add_explicit(&merge->next_db, 1,
		                                      memory_order_relaxed);

		if (db >= merge->ndbs) {
			return;
		}
		info = dit_index_set_db(target->indexes, db);
		if (info->format == DIT_KEY_WIDE) {
			continue; /* the writer reads those itself */
		}
		queue_close(merge, &merge->queues[db], merge_db(merge, db));
	}
}

/* ---- the writer ---- */

static int put_list(struct load_target *target, const struct dit_index_db *db,
                    uint64_t ordinal, const uint64_t *ids, size_t nids)
{
	char key[8];
	size_t len = dit_index_key_bytes(db, ordinal, key);

	return dit_staging_put_postings(target->staging, (struct dit_span){key, len}, ids,
	                                nids);
}

static int write_block(struct load_target *target, const struct dit_index_db *db,
                       const struct index_block *block, uint64_t *nkeys)
{
	int r = 0;

	for (size_t i = 0; i < block->nwords && r == 0; i += 2 + block->words[i + 1]) {
		r = put_list(target, db, block->words[i], block->words + i + 2,
		             block->words[i + 1]);
		(*nkeys)++;
	}
	return r;
}

static int write_merged(struct load_target *target, const struct dit_index_db *db,
                        size_t number, uint64_t *nkeys)
{
	struct load_index *merge = target->merge;
	struct index_block *block = NULL;
	int r = queue_pop(merge, &merge->queues[number], &block);

	while (r > 0) {
		r = write_block(target, db, block, nkeys);
		block_put(merge, block);
		if (r == 0) {
			r = queue_pop(merge, &merge->queues[number], &block);
		}
	}
	return r;
}

static int write_unthreaded(struct load_target *target, const struct dit_index_db *db,
                            size_t number, uint64_t *nkeys)
{
	struct dit_posting_cursor *cursor = NULL;
	struct dit_posting_list list = {0};
	int r = dit_posting_cursor_open(&cursor, target->postings, (unsigned)number);

	if (r < 0) {
		return r;
	}
	r = dit_posting_cursor_next(cursor, &list);
	while (r > 0) {
		r = put_list(target, db, list.ordinal, list.ids, list.nids);
		(*nkeys)++;
		if (r == 0) {
			r = dit_posting_cursor_next(cursor, &list);
		}
	}
	dit_posting_cursor_close(cursor);
	return r;
}

static int write_db(struct load_target *target, size_t number)
{
	const struct dit_index_db *db = dit_index_set_db(target->indexes, number);
	struct dit_load_index_stats *stats = &target->stats->indexes[number];
	int r = dit_staging_begin_index(target->staging, db->name, db->is_integerkey);

	if (r < 0) {
		return r;
	}
	if (db->format == DIT_KEY_WIDE) {
		return load_wide_write(target, (unsigned)number, stats);
	}
	stats->npostings =
		dit_postings_stream_npushed(target->postings, (unsigned)number);
	if (target->loader->nthreads == 1) {
		return write_unthreaded(target, db, number, &stats->nkeys);
	}
	return write_merged(target, db, number, &stats->nkeys);
}

int load_index_write(struct load_target *target)
{
	size_t ndbs = dit_index_set_ndbs(target->indexes);
	int r = 0;

	for (size_t db = 0; db < ndbs && r == 0; db++) {
		r = write_db(target, db);
	}
	return r;
}

/* ---- beginning and end ---- */

int load_index_start(struct load_target *target)
{
	struct load_index *merge = calloc(1, sizeof(*merge));
	int r = 0;

	if (merge == NULL) {
		return -ENOMEM;
	}
	r = -pthread_mutex_init(&merge->lock, NULL);
	if (r < 0) {
		free(merge);
		return r;
	}
	r = -pthread_cond_init(&merge->changed, NULL);
	if (r < 0) {
		(void)pthread_mutex_destroy(&merge->lock);
		free(merge);
		return r;
	}
	merge->target = target;
	merge->ndbs = dit_index_set_ndbs(target->indexes);
	target->merge = merge;
	merge->queues = calloc(merge->ndbs + 1, sizeof(*merge->queues));
	return merge->queues == NULL ? -ENOMEM : 0;
}

void load_index_cancel(struct load_target *target)
{
	struct load_index *merge = target->merge;

	if (merge == NULL) {
		return;
	}
	(void)pthread_mutex_lock(&merge->lock);
	merge->is_cancelled = true;
	(void)pthread_cond_broadcast(&merge->changed);
	(void)pthread_mutex_unlock(&merge->lock);
}

void load_index_free(struct load_target *target)
{
	struct load_index *merge = target->merge;

	if (merge == NULL) {
		return;
	}
	for (size_t db = 0; merge->queues != NULL && db < merge->ndbs; db++) {
		blocks_free(merge->queues[db].first);
	}
	blocks_free(merge->spares);
	free(merge->queues);
	(void)pthread_cond_destroy(&merge->changed);
	(void)pthread_mutex_destroy(&merge->lock);
	free(merge);
	target->merge = NULL;
}
