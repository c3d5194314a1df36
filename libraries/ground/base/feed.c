/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The feed: two rings of slot numbers, free and filled, under one lock.
 *
 * Both rings are as long as there are slots, so neither can overflow.
 */
#include "base/feed.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/monitor.h"

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
	struct dit_ticker *ticker; /* [own: the thread that takes] NULL: none */

	/* [lock: monitor] */
	struct dit_monitor monitor; /* tells of changes of all that follows */
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
		dit_monitor_wait(&feed->monitor);
	}
	return !feed->is_stopping;
}

static void *feed_main(void *arg)
{
	struct dit_feed *feed = arg;
	int r = 1;

	dit_monitor_enter(&feed->monitor);
	while (r > 0 && wait_for_free(feed)) {
		unsigned slot = ring_pop(&feed->free, feed->nslots);

		dit_monitor_leave(&feed->monitor);
		r = feed->fill(feed->ctx, slot);
		dit_monitor_enter(&feed->monitor);
		if (r > 0) {
			ring_push(&feed->filled, feed->nslots, slot);
		}
		feed->end = r;
		dit_monitor_tell(&feed->monitor);
	}
	dit_monitor_leave(&feed->monitor);
	return NULL;
}

static int start_thread(struct dit_feed *feed, const char *name)
{
	int r = pthread_create(&feed->thread, NULL, feed_main, feed);

	if (r != 0) {
		return -r;
	}
	feed->is_threaded = true;
	(void)pthread_setname_np(feed->thread, name);
	return 0;
}

int dit_feed_new(struct dit_feed **ret, unsigned nslots, const char *thread,
                 dit_feed_fn fill, void *ctx)
{
	struct dit_feed *feed = calloc(1, sizeof(*feed));
	int r = 0;

	if (feed == NULL) {
		return -ENOMEM;
	}
	r = dit_monitor_init(&feed->monitor);
	if (r < 0) {
		free(feed); /* dit_feed_free() would end a monitor that is none */
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
	if (thread != NULL) {
		r = start_thread(feed, thread);
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
		dit_monitor_enter(&feed->monitor);
		feed->is_stopping = true;
		dit_monitor_tell(&feed->monitor);
		dit_monitor_leave(&feed->monitor);
		(void)pthread_join(feed->thread, NULL);
	}
	free(feed->free.slots);
	free(feed->filled.slots);
	dit_monitor_deinit(&feed->monitor);
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

void dit_feed_tick(struct dit_feed *feed, struct dit_ticker *ticker)
{
	feed->ticker = ticker;
}

/* Called with the lock held, which is not needed to tick. */
static void wait_for_filled(struct dit_feed *feed)
{
	if (feed->ticker == NULL) {
		dit_monitor_wait(&feed->monitor);
		return;
	}
	dit_monitor_wait_ms(&feed->monitor, DIT_TICK_MS);
	if (feed->filled.n == 0 && feed->end > 0) {
		dit_monitor_leave(&feed->monitor);
		dit_tick(feed->ticker);
		dit_monitor_enter(&feed->monitor);
	}
}

int dit_feed_take(struct dit_feed *feed, unsigned *ret_slot)
{
	int r = 1;

	if (!feed->is_threaded) {
		return take_unthreaded(feed, ret_slot);
	}
	dit_monitor_enter(&feed->monitor);
	while (feed->filled.n == 0 && feed->end > 0) {
		wait_for_filled(feed);
	}
	if (feed->filled.n > 0) {
		*ret_slot = ring_pop(&feed->filled, feed->nslots);
	} else {
		r = feed->end;
	}
	dit_monitor_leave(&feed->monitor);
	return r;
}

void dit_feed_return(struct dit_feed *feed, unsigned slot)
{
	dit_monitor_enter(&feed->monitor);
	ring_push(&feed->free, feed->nslots, slot);
	dit_monitor_tell(&feed->monitor);
	dit_monitor_leave(&feed->monitor);
}
