/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The feed of a load: filled batches, ahead of their use.
 *
 *   dit_feed_new();  dit_feed_take(), use the slot, dit_feed_return() ...;
 *   dit_feed_free()
 *
 * The feed owns a fixed number of slots. With a thread of its own it fills free slots
 * while others are in use: a free slot belongs to the reader thread, from take to return
 * to the caller. It never waits for anything but a free slot, so the number of slots is
 * the bound: with N slots and the caller holding three (parse, resolve, keys), N - 3 are
 * read ahead. Without a thread, take() fills the slot itself.
 *
 * Threads: take, return and free are called by one thread.
 */
#ifndef DITKIT_LOAD_FEED_H
#define DITKIT_LOAD_FEED_H

#include <stdbool.h>

#include "ldif/ldif_reader.h"

struct dit_feed;

/**
 * @param reader     borrowed; the feed's alone until dit_feed_free()
 * @param batches    the slots' batches, borrowed; the array itself is copied
 * @param nslots     how many
 * @param is_threaded  start a reader thread
 */
int dit_feed_new(struct dit_feed **ret, struct dit_ldif_reader *reader,
                 struct dit_ldif_batch **batches, unsigned nslots, bool is_threaded);

/** Stops the thread after the batch it is reading. NULL is fine. */
void dit_feed_free(struct dit_feed *feed);

/**
 * Take the next batch, in input order; blocks until it is read.
 *
 * @return 1 with the slot's number; 0: end of input; negative: the reader's error
 */
int dit_feed_take(struct dit_feed *feed, unsigned *ret_slot);

/** Give a slot back to be filled again. */
void dit_feed_return(struct dit_feed *feed, unsigned slot);

#endif
