/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A feed: filled slots, ahead of their use.
 *
 *   dit_feed_new();  dit_feed_take(), use the slot, dit_feed_return() ...;
 *   dit_feed_free()
 *
 * The feed gives out the numbers of a fixed set of slots. With a thread of its own it
 * fills free slots while others are in use: a free slot belongs to that thread, from
 * take to return to the caller. The thread waits for nothing but a free slot,
 * so the number of slots is the bound: with N slots, of which the caller holds M, N - M
 * are filled ahead. Without a thread, take() fills the slot itself. The slots are filled
 * in turn: 0, 1, ..., 0 again.
 *
 * Threads: take, return and free are called by one thread.
 */
#ifndef DITKIT_FEED_H
#define DITKIT_FEED_H

#include "base/ticker.h"

struct dit_feed;

/**
 * Fill a slot with the next part of the input. Called by the feed's thread, or without
 * one by the thread that takes; one call at a time, none after one that returned no 1.
 *
 * @return 1; 0: end of input, the slot stays empty; negative: an error, likewise
 */
typedef int (*dit_feed_fn)(void *ctx, unsigned slot);

/**
 * @param nslots  at least 1; slots are numbered from 0
 * @param thread  start a thread of this name, of up to 15 characters; NULL: none
 *
 * @return 0; -ENOMEM; -EAGAIN and other codes of pthread_create()
 */
int dit_feed_new(struct dit_feed **ret, unsigned nslots, const char *thread,
                 dit_feed_fn fill, void *ctx);

/** Stops the thread after the slot it is filling. NULL is fine. */
void dit_feed_free(struct dit_feed *feed);

/**
 * Take the next filled slot, in the order of the input; blocks until it is filled. The
 * caller has returned at least one slot before it takes as many as there are.
 *
 * @param ticker  ticks while the thread is waited for; NULL: none
 *
 * @return 1 with the slot's number; 0: end of input; negative: the error of filling. Both
 *         come after the slots filled before them, and again at every further call.
 */
int dit_feed_take(struct dit_feed *feed, struct dit_ticker *ticker, unsigned *ret_slot);

/** Give the slot back that was taken before the others, to be filled again. */
void dit_feed_return(struct dit_feed *feed);

#endif
