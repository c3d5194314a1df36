/* SPDX-License-Identifier: BSD-2-Clause */
/* The feed: three counts of slots, under one lock. */
#include "base/feed.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/monitor.h"
#include "base/object.h"

struct dit_feed {
	/* [const] */
	dit_feed_fn fill;
	void *ctx;
	unsigned nslots;
	bool is_threaded;
	pthread_t thread;

	/* [lock: monitor] */
	struct dit_monitor monitor; /* tells of changes of all that follows */
	/* Since the beginning; none is above the one before it, and the first is at most
	 * nslots above the last. */
	uint64_t nfilled; /* by the thread */
	uint64_t ntaken;
	uint64_t nreturned;
	int end; /* 1: still reading; 0: end of input; negative: failed */
	bool is_stopping;
};

static unsigned slot_of(const struct dit_feed *feed, uint64_t n)
{
	return (unsigned)(n % feed->nslots);
}

/* Waits for a free slot; false: the feed is being stopped. Called with the lock held. */
static bool wait_for_free(struct dit_feed *feed)
{
	while (feed->nfilled - feed->nreturned == feed->nslots && !feed->is_stopping) {
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
		unsigned slot = slot_of(feed, feed->nfilled);

		dit_monitor_leave(&feed->monitor);
		r = feed->fill(feed->ctx, slot);
		dit_monitor_enter(&feed->monitor);
		feed->nfilled += r > 0;
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
	dit_monitor_init(&feed->monitor);
	feed->fill = fill;
	feed->ctx = ctx;
	feed->nslots = nslots;
	feed->end = 1;
	r = thread == NULL ? 0 : start_thread(feed, thread);
	return DIT_HAND_OVER(r, ret, feed, dit_feed_free);
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
	dit_monitor_deinit(&feed->monitor);
	free(feed);
}

static int take_unthreaded(struct dit_feed *feed, unsigned *ret_slot)
{
	unsigned slot = slot_of(feed, feed->ntaken);

	if (feed->end > 0) {
		feed->end = feed->fill(feed->ctx, slot);
	}
	if (feed->end > 0) {
		*ret_slot = slot;
		feed->ntaken++;
	}
	return feed->end;
}

int dit_feed_take(struct dit_feed *feed, struct dit_ticker *ticker, unsigned *ret_slot)
{
	int r = 1;

	if (!feed->is_threaded) {
		return take_unthreaded(feed, ret_slot);
	}
	dit_monitor_enter(&feed->monitor);
	while (feed->nfilled == feed->ntaken && feed->end > 0) {
		dit_monitor_wait_ticking(&feed->monitor, ticker);
	}
	if (feed->nfilled > feed->ntaken) {
		*ret_slot = slot_of(feed, feed->ntaken++);
	} else {
		r = feed->end;
	}
	dit_monitor_leave(&feed->monitor);
	return r;
}

void dit_feed_return(struct dit_feed *feed)
{
	dit_monitor_enter(&feed->monitor);
	feed->nreturned++;
	dit_monitor_tell(&feed->monitor);
	dit_monitor_leave(&feed->monitor);
}
