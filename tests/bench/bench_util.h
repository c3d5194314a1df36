/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the programs that time the sort room. */
#ifndef DITKIT_BENCH_UTIL_H
#define DITKIT_BENCH_UTIL_H

#include <stdint.h>
#include <time.h>

/** The time of a clock that only goes forward. */
static inline double seconds(void)
{
	struct timespec t = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/** The same number for the same one, and nothing like it (MurmurHash3's finalizer). */
static inline uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdu;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53u;
	return x ^ x >> 33;
}

#endif
