/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work that can be told to end: by a signal, through a flag of the program, or by the
 * thread that coordinates it, when a failure elsewhere has made the work useless.
 *
 * Long work asks dit_stop_is_set() every few milliseconds of work, such as once per
 * 64 KiB of a value, and returns DIT_E_STOPPED. A wait for input is done in
 * dit_stop_wait_input().
 *
 * Threads: any may ask, wait and call dit_stop_end() at the same time.
 */
#ifndef DITKIT_STOP_H
#define DITKIT_STOP_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/ticker.h"

struct dit_stop {
	/*
	 * [const] The program's; it may change at any time, also in a signal handler.
	 * NULL: there is none.
	 */
	const volatile sig_atomic_t *flag;
	/* [atomic: set once; relaxed, nothing is handed over by it] */
	_Atomic bool is_ended;
	/* [const] Ticks while its thread waits for input. NULL: another thread than the
	 * ticker's waits, or none. */
	struct dit_ticker *ticker;
};

/** Work between two questions, in bytes or code points. A power of two. */
#define DIT_STOP_GRAIN ((size_t)64 << 10)

/** NULL: never. */
static inline bool dit_stop_is_set(const struct dit_stop *stop)
{
	if (stop == NULL) {
		return false;
	}
	return atomic_load_explicit(&stop->is_ended, memory_order_relaxed) ||
	       (stop->flag != NULL && __atomic_load_n(stop->flag, __ATOMIC_RELAXED) != 0);
}

/** The work is of no use any more. */
static inline void dit_stop_end(struct dit_stop *stop)
{
	atomic_store_explicit(&stop->is_ended, true, memory_order_relaxed);
}

/**
 * Wait until a read of @p fd would not wait: there is input, or its end, or an error. For
 * a named pipe that was opened without a writer the wait includes that for the first
 * writer. The answer to a request to end comes within a tenth of a second.
 *
 * @return 0; DIT_E_STOPPED; -errno of poll()
 */
int dit_stop_wait_input(const struct dit_stop *stop, int fd);

#endif
