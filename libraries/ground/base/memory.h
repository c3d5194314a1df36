/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much memory there is, and how much of it is in use. Any thread; each call asks the
 * system, which takes some microseconds.
 */
#ifndef DITKIT_MEMORY_H
#define DITKIT_MEMORY_H

#include <stdint.h>

/**
 * Bytes that the process can have at most: the smallest of the machine's memory, the
 * limits of the process (RLIMIT_AS, RLIMIT_DATA) and those of its control groups
 * (cgroups(7): memory.max of version 2, memory.limit_in_bytes of version 1). UINT64_MAX:
 * the system does not tell.
 */
uint64_t dit_memory_limit(void);

/** Bytes of this process without pages of files. 0: the system does not tell. */
uint64_t dit_memory_in_use(void);

#endif
