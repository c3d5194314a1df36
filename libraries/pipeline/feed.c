/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The feed: two rings of slot numbers, free and filled, under one lock.
 *
 * Both rings are as long as there are slots, so neither can overflow.
 */
#include "pipeline/feed.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct slot_ring {
	unsigned *slots;
	unsigned first;
	unsigned n;
};

struct dit_feed {
	/* [const] */
	dit_feed_fn fill;
	void *ctx;
	unsigned nslots;
	bool is_threaded;
	pthread_t thread;

	/* [lock: lock] */
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a ring, or a flag below */
	struct slot_ring free;
	struct slot_ring filled;
	int end; /* 1: still reading; 0: end of input; negative: failed */
	bool is_stopping;
};

static void ring_push(struct slot_ring *ring, unsigned nslots, unsigned slot)
{
	ring->slots[(ring->first + ring->n) % nslots] = slot;
	ring->n++;
}

static unsigned ring_pop(struct slot_ring *ring, unsigned nslots)
{
	unsigned slot = ring->slots[ring->first];

	ring->first = (ring->first + 1) % nslots;
	ring->n--;
	return slot;
}

/* Waits for a free slot; false: the feed is being stopped. Called with the lock held. */
static bool wait_for_free(struct dit_feed *feed)
{
	while (feed->free.n == 0 && !feed->is_stopping) {
		(void)pthread_cond_wait(&feed->changed, &feed->lock);
	}
	return !feed->is_stopping;
}

static void *reader_main(void *arg)
{
	struct dit_feed *feed = arg;
	int r = 1;

	(void)pthread_mutex_lock(&feed->lock);
	while (r > 0 && wait_for_free(feed)) {
		unsigned slot = ring_pop(&feed->free, feed->nslots);

		(void)pthread_mutex_unlock(&feed->lock);
		r = feed->fill(feed->ctx, slot);
		(void)pthread_mutex_lock(&feed->lock);
		if (r > 0) {
			ring_push(&feed->filled, feed->nslots, slot);
		}
		feed->end = r;
		(void)pthread_cond_broadcast(&feed->changed);
	}
	(void)pthread_mutex_unlock(&feed->lock);
	return NULL;
}

static int start_reader(struct dit_feed *feed)
{
	int r = pthread_create(&feed->thread, NULL, reader_main, feed);

	if (r != 0) {
		return -r;
	}
	feed->is_threaded = true;
	(void)pthread_setname_np(feed->thread, "reader");
	return 0;
}

int dit_feed_new(struct dit_feed **ret, unsigned nslots, bool is_threaded,
                 dit_feed_fn fill, void *ctx)
{
	struct dit_feed *feed = calloc(1, sizeof(*feed));
	int r = 0;

	if (feed == NULL) {
		return -ENOMEM;
	}
	/* A lock cannot be destroyed before it is made: these two failures are freed by hand. */
	r = -pthread_mutex_init(&feed->lock, NULL);
	if (r < 0) {
		free(feed);
		return r;
	}
	r = -pthread_cond_init(&feed->changed, NULL);
	if (r < 0) {
		(void)pthread_mutex_destroy(&feed->lock);
		free(feed);
		return r;
	}
	feed->fill = fill;
	feed->ctx = ctx;
	feed->nslots = nslots;
	feed->end = 1;
	feed->free.slots = calloc(nslots, sizeof(unsigned));
	feed->filled.slots = calloc(nslots, sizeof(unsigned));
	if (feed->free.slots == NULL || feed->filled.slots == NULL) {
		r = -ENOMEM;
		goto fail;
	}
	for (unsigned i = 0; i < nslots; i++) {
		ring_push(&feed->free, nslots, i);
	}
	if (is_threaded) {
		r = start_reader(feed);
		if (r < 0) {
			goto fail;
		}
	}
	*ret = feed;
	return 0;

fail:
	dit_feed_free(feed);
	return r;
}

void dit_feed_free(struct dit_feed *feed)
{
	if (feed == NULL) {
		return;
	}
	if (feed->is_threaded) {
		(void)pthread_mutex_lock(&feed->lock);
		feed->is_stopping = true;
		(void)pthread_cond_broadcast(&feed->changed);
		(void)pthread_mutex_unlock(&feed->lock);
		(void)pthread_join(feed->thread, NULL);
	}
	free(feed->free.slots);
	free(feed->filled.slots);
	(void)pthread_cond_destroy(&feed->changed);
	(void)pthread_mutex_destroy(&feed->lock);
	free(feed);
}

static int take_unthreaded(struct dit_feed *feed, unsigned *ret_slot)
{
	unsigned slot = feed->free.slots[feed->free.first];

	if (feed->end > 0) {
		feed->end = feed->fill(feed->ctx, slot);
	}
	if (feed->end > 0) {
		*ret_slot = ring_pop(&feed->free, feed->nslots);
	}
	return feed->end;
}

int dit_feed_take(struct dit_feed *feed, unsigned *ret_slot)
{
	int r = 1;

	if (!feed->is_threaded) {
		return take_unthreaded(feed, ret_slot);
	}
	(void)pthread_mutex_lock(&feed->lock);
	while (feed->filled.n == 0 && feed->end > 0) {
		(void)pthread_cond_wait(&feed->changed, &feed->lock);
	}
	if (feed->filled.n > 0) {
		*ret_slot = ring_pop(&feed->filled, feed->nslots);
	} else {
		r = feed->end;
	}
	(void)pthread_mutex_unlock(&feed->lock);
	return r;
}

void dit_feed_return(struct dit_feed *feed, unsigned slot)
{
	(void)pthread_mutex_lock(&feed->lock);
	ring_push(&feed->free, feed->nslots, slot);
	(void)pthread_cond_broadcast(&feed->changed);
	(void)pthread_mutex_unlock(&feed->lock);
}
