/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time of the threads of the process, by phase: how long each was busy, how long it
 * was ready and had no processor, and how long it waited. The kernel counts
 * (/proc/self/task/N/schedstat), and thread_times_look() reads it from time to time, so
 * the threads themselves have no work with it. The work of a thread between the last look
 * and its end is not seen.
 *
 *   thread_times_look(&times, now_us, phase) ...   the time since the look before counts
 *                                                  for this phase
 *   thread_times_deinit()
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_COMMON_THREAD_TIMES_H
#define DITKIT_COMMON_THREAD_TIMES_H

#include <stddef.h>
#include <stdint.h>

#define THREAD_TIMES_PHASES 8

struct thread_phase {
	uint64_t busy_us;
	uint64_t ready_us; /* without a processor */
	uint64_t alive_us; /* the whole, as far as it was seen */
};

struct thread_time {
	long id;
	char name[17];
	uint64_t busy_ns; /* as the kernel counts, at the last look */
	uint64_t ready_ns;
	struct thread_phase phases[THREAD_TIMES_PHASES];
};

/** Zero: no look yet. */
struct thread_times {
	struct thread_time *items; /* in the order of their start; owned */
	size_t n;
	uint64_t looked_us;
};

/** @param now_us  of any clock that ascends. Without memory, or where the kernel does not
 *                 count, nothing is noted. */
void thread_times_look(struct thread_times *times, uint64_t now_us, unsigned phase);
void thread_times_deinit(struct thread_times *times);

#endif
