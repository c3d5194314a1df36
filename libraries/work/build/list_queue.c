/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A block has the lists of many keys, as an array, and their keys and IDs in words of
 * 8 bytes:
 *
 *   key, filled up │ IDs │ key, filled up │ IDs │ ...
 *
 * Lock order: there is one lock, and nothing is called with it held.
 */
#include "build/list_queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define BLOCK_WORDS ((size_t)32 << 10)
/* Enough: the heavy work of a member, sorting, is done before its first block. */
#define QUEUE_BLOCKS 2
#define BLOCK_LISTS  2048

struct block {
	struct block *next;
	uint64_t *words;
	size_t nwords;
	size_t size;
	size_t nlists;
	struct dit_output_list lists[BLOCK_LISTS]; /* what they point to is in words */
};

struct queue {
	/* [own: its member until it is closed] */
	struct block *open; /* is being filled; NULL: none */

	/* [lock: lock] */
	struct block *first;
	struct block *last;
	size_t nblocks;
	bool is_closed;
	int error; /* why it was closed */
};

struct dit_list_queues {
	/* [const] */
	size_t nqueues;
	size_t limit;

	/* [own: main] */
	struct block *taken; /* its lists are given out */

	pthread_mutex_t lock;
	pthread_cond_t changed; /* anything below */
	/* [lock: lock] */
	struct queue *queues;
	struct block *spares;
	size_t nwaiting; /* blocks in all queues */
	size_t current;  /* the queue that main reads */
	bool is_cancelled;
};

static void free_blocks(struct block *block)
{
	while (block != NULL) {
		struct block *next = block->next;

		free(block->words);
		free(block);
		block = next;
	}
}

int dit_list_queues_new(struct dit_list_queues **ret, size_t nqueues, size_t limit)
{
	struct dit_list_queues *queues = calloc(1, sizeof(*queues));
	int r = 0;

	if (queues == NULL) {
		return -ENOMEM;
	}
	queues->nqueues = nqueues;
	queues->limit = limit;
	queues->queues = calloc(nqueues + 1, sizeof(*queues->queues));
	r = queues->queues == NULL ? -ENOMEM : -pthread_mutex_init(&queues->lock, NULL);
	if (r < 0) {
		free(queues->queues);
		free(queues);
		return r;
	}
	r = -pthread_cond_init(&queues->changed, NULL);
	if (r < 0) {
		(void)pthread_mutex_destroy(&queues->lock);
		free(queues->queues);
		free(queues);
		return r;
	}
	*ret = queues;
	return 0;
}

void dit_list_queues_free(struct dit_list_queues *queues)
{
	if (queues == NULL) {
		return;
	}
	for (size_t i = 0; i < queues->nqueues; i++) {
		free_blocks(queues->queues[i].open);
		free_blocks(queues->queues[i].first);
	}
	free_blocks(queues->taken);
	free_blocks(queues->spares);
	free(queues->queues);
	(void)pthread_cond_destroy(&queues->changed);
	(void)pthread_mutex_destroy(&queues->lock);
	free(queues);
}

/* ---- members ---- */

static bool must_wait(const struct dit_list_queues *queues, size_t number)
{
	if (queues->is_cancelled) {
		return false;
	}
	return queues->queues[number].nblocks >= QUEUE_BLOCKS ||
	       (queues->nwaiting >= queues->limit && number != queues->current);
}

/* The open block goes to main. */
static int push_open(struct dit_list_queues *queues, size_t number)
{
	struct queue *queue = &queues->queues[number];
	int r = 0;

	(void)pthread_mutex_lock(&queues->lock);
	while (must_wait(queues, number)) {
		(void)pthread_cond_wait(&queues->changed, &queues->lock);
	}
	if (queues->is_cancelled) {
		r = DIT_E_STOPPED;
	} else {
		if (queue->last == NULL) {
			queue->first = queue->open;
		} else {
			queue->last->next = queue->open;
		}
		queue->last = queue->open;
		queue->open = NULL;
		queue->nblocks++;
		queues->nwaiting++;
		(void)pthread_cond_broadcast(&queues->changed);
	}
	(void)pthread_mutex_unlock(&queues->lock);
	return r;
}

/* An empty block that holds so many words. */
static struct block *get_block(struct dit_list_queues *queues, size_t nwords)
{
	struct block *block = NULL;
	size_t size = nwords < BLOCK_WORDS ? BLOCK_WORDS : nwords;

	(void)pthread_mutex_lock(&queues->lock);
	block = queues->spares;
	if (block != NULL) {
		queues->spares = block->next;
	}
	(void)pthread_mutex_unlock(&queues->lock);
	if (block == NULL) {
		block = malloc(sizeof(*block));
		if (block == NULL) {
			return NULL;
		}
		block->words = NULL;
		block->size = 0;
	}
	if (block->size < size) {
		free(block->words);
		block->words = malloc(size * sizeof(*block->words));
		block->size = size;
	}
	if (block->words == NULL) {
		free(block);
		return NULL;
	}
	block->next = NULL;
	block->nwords = 0;
	block->nlists = 0;
	return block;
}

static size_t key_words(size_t key_len)
{
	return (key_len + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

static int put(struct dit_list_queues *queues, size_t number,
               const struct dit_output_list *list)
{
	struct queue *queue = &queues->queues[number];
	size_t nkey = key_words(list->key.len);
	size_t need = nkey + list->nids;
	struct block *block = queue->open;
	uint64_t *out = NULL;

	if (block != NULL &&
	    (block->nwords + need > block->size || block->nlists == BLOCK_LISTS)) {
		int r = push_open(queues, number);

		if (r < 0) {
			return r;
		}
		block = NULL;
	}
	if (block == NULL) {
		block = get_block(queues, need);
		if (block == NULL) {
			return -ENOMEM;
		}
		queue->open = block;
	}
	out = block->words + block->nwords;
	memcpy(out, list->key.data, list->key.len);
	memcpy(out + nkey, list->ids, list->nids * sizeof(*out));
	block->lists[block->nlists++] =
		(struct dit_output_list){.key = {(const char *)out, list->key.len},
	                                 .ids = out + nkey,
	                                 .nids = list->nids,
	                                 .is_repeated = list->is_repeated};
	block->nwords += need;
	return 0;
}

int dit_list_queues_put(struct dit_list_queues *queues, size_t number,
                        const struct dit_output_list *lists, size_t nlists)
{
	int r = 0;

	for (size_t i = 0; i < nlists && r == 0; i++) {
		r = put(queues, number, &lists[i]);
	}
	return r;
}

void dit_list_queues_close(struct dit_list_queues *queues, size_t number, int error)
{
	struct queue *queue = &queues->queues[number];

	if (queue->open != NULL && error == 0) {
		error = push_open(queues, number);
	}
	(void)pthread_mutex_lock(&queues->lock);
	queue->is_closed = true;
	queue->error = error;
	(void)pthread_cond_broadcast(&queues->changed);
	(void)pthread_mutex_unlock(&queues->lock);
}

/* ---- main ---- */

/* Give the block back that was read, and wait for the next one. 1; 0: end; error */
static int take_block(struct dit_list_queues *queues, size_t number)
{
	struct queue *queue = &queues->queues[number];
	int r = 1;

	(void)pthread_mutex_lock(&queues->lock);
	if (queues->taken != NULL) {
		queues->taken->next = queues->spares;
		queues->spares = queues->taken;
		queues->taken = NULL;
	}
	if (queues->current != number) {
		queues->current = number;
		(void)pthread_cond_broadcast(&queues->changed);
	}
	while (queue->nblocks == 0 && !queue->is_closed && !queues->is_cancelled) {
		(void)pthread_cond_wait(&queues->changed, &queues->lock);
	}
	if (queues->is_cancelled) {
		r = DIT_E_STOPPED;
	} else if (queue->nblocks > 0) {
		queues->taken = queue->first;
		queue->first = queue->first->next;
		queue->last = queue->first == NULL ? NULL : queue->last;
		queue->nblocks--;
		queues->nwaiting--;
		queues->taken->next = NULL;
		(void)pthread_cond_broadcast(&queues->changed);
	} else {
		r = queue->error;
	}
	(void)pthread_mutex_unlock(&queues->lock);
	return r;
}

ptrdiff_t dit_list_queues_next(struct dit_list_queues *queues, size_t number,
                               const struct dit_output_list **ret)
{
	int r = take_block(queues, number);

	if (r <= 0) {
		return r;
	}
	*ret = queues->taken->lists;
	return (ptrdiff_t)queues->taken->nlists;
}

void dit_list_queues_cancel(struct dit_list_queues *queues)
{
	(void)pthread_mutex_lock(&queues->lock);
	queues->is_cancelled = true;
	(void)pthread_cond_broadcast(&queues->changed);
	(void)pthread_mutex_unlock(&queues->lock);
}
