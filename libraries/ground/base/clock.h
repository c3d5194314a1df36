/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clocks of the system, in microseconds: of POSIX, so a program of strict C
 * ("-std=c11") defines _POSIX_C_SOURCE.
 *
 * Threads: any.
 */
#ifndef DITKIT_CLOCK_H
#define DITKIT_CLOCK_H

#include <stdint.h>
#include <time.h>

/** @param clock  of the kernel, such as CLOCK_MONOTONIC: reading it cannot fail */
static inline uint64_t dit_clock_us(clockid_t clock)
{
	struct timespec now = {0, 0};

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

#endif
