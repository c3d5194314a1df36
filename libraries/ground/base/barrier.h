/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A barrier: N threads wait until the last of them has arrived, again and again.
 *
 * pthread_barrier_t where the system has it; elsewhere (macOS), or when configured with
 * --disable-pthread-barrier, the same three functions made of a mutex and a condition
 * variable. Writes of a thread before dit_barrier_wait() are seen by all after it.
 *
 * Threads: exactly the N parties call dit_barrier_wait(); init and deinit are called by
 * one of them while no other is inside.
 */
#ifndef DITKIT_BARRIER_H
#define DITKIT_BARRIER_H

#include <pthread.h>

#include "base/monitor.h"

#ifdef HAVE_PTHREAD_BARRIER_WAIT
struct dit_barrier {
	pthread_barrier_t barrier;
};
#else
struct dit_barrier {
	struct dit_monitor monitor; /* tells of a new generation */
	unsigned nparties;          /* [const] */
	unsigned nwaiting;          /* [lock: monitor] */
	unsigned generation;        /* [lock: monitor] rounds completed, wraps */
};
#endif

/** @param nparties at least 1. @return 0 or -errno */
int dit_barrier_init(struct dit_barrier *barrier, unsigned nparties);
void dit_barrier_deinit(struct dit_barrier *barrier);
/** Blocks until all parties have called it. */
void dit_barrier_wait(struct dit_barrier *barrier);

#endif
