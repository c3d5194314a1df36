/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signs of life of a thread that works or waits long: who is at work calls dit_tick() as
 * often as it likes, and somebody is told four times a second.
 *
 * A look at the clock takes some 20 ns. Code that ticks every microsecond calls
 * dit_tick_often(), which looks at the clock once in 256 calls.
 *
 * Threads: a ticker belongs to one thread.
 */
#ifndef DITKIT_TICKER_H
#define DITKIT_TICKER_H

#include <stddef.h>
#include <stdint.h>

/** The time between two calls, at least; who waits wakes up as often to tick. */
#define DIT_TICK_MS 250

struct dit_ticker {
	void (*tell)(void *ctx); /* NULL: none */
	void *ctx;
	uint64_t told_ms; /* when, on the ticker's clock; 0: never */
	unsigned ncalls;  /* of dit_tick_often(); wraps */
};

/** NULL: none. */
void dit_tick(struct dit_ticker *ticker);

static inline void dit_tick_often(struct dit_ticker *ticker)
{
	if (ticker != NULL && ++ticker->ncalls % 256 == 0) {
		dit_tick(ticker);
	}
}

#endif
