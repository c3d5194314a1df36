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
 * (memory.max, cgroups(7), version 2). UINT64_MAX: the system does not tell.
 */
uint64_t dit_memory_limit(void);

/** Bytes of this process without pages of files. 0: the system does not tell. */
uint64_t dit_memory_in_use(void);

#endif
