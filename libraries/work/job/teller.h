/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who tells the callback of a run how far the run is.
 *
 *   dit_teller_init();
 *   dit_teller_tell() when a phase begins, or has come further;
 *   dit_teller_ticker() for all that waits
 *
 * Threads: main.
 */
#ifndef DITKIT_TELLER_H
#define DITKIT_TELLER_H

#include "base/progress.h"
#include "base/ticker.h"

/** Zero: nobody listens. */
struct dit_teller {
	/* Fills what the run knows; phase and memory_bytes are there already. */
	void (*fill)(void *ctx, struct dit_progress *ret);
	void *ctx;
	dit_progress_fn progress; /* NULL: nobody listens */
	void *progress_ctx;
	unsigned phase;
	struct dit_ticker ticker;       /* tells the callback */
	struct dit_ticker memory_clock; /* when memory_bytes is found out again */
	uint64_t memory_bytes;
};

/** With fill, ctx, progress and progress_ctx set. @p teller stays where it is. */
void dit_teller_init(struct dit_teller *teller);
/** For all that main waits in; NULL: nobody listens. */
struct dit_ticker *dit_teller_ticker(struct dit_teller *teller);
/** A phase begins, or goes on: call the callback. */
void dit_teller_tell(struct dit_teller *teller, unsigned phase);

#endif
