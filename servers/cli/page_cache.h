/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page cache after a finished run. The library writes a data file past the
 * cache. At the end the program has the system read the file, where slapd will find it,
 * if it fits the memory that is free. If a file was there before, only the part after its
 * old end is read.
 */
#ifndef DITKIT_COMMON_PAGE_CACHE_H
#define DITKIT_COMMON_PAGE_CACHE_H

#include <stdint.h>

#include "meter.h"

/** Memory that can be had without pushing anything out, in bytes; 0: not known. */
uint64_t page_cache_room(void);
/** The largest file that is read ahead: half of the room is left to slapd and others. */
uint64_t page_cache_file_max(void);

struct page_cache_warming {
	struct meter *meter;               /* its last phase is this one */
	const volatile sig_atomic_t *stop; /* not 0: read no further, and say so */
};

/**
 * Ask the system to read data.mdb of a database directory ahead, piece by piece, the
 * file's end last. Best effort: a failure is not told.
 *
 * @param bytes  of the file
 * @param kept_bytes  from its beginning, bytes that are what they were before the run and
 *                    are not read
 */
void page_cache_warm(const struct page_cache_warming *warming, const char *directory,
                     uint64_t bytes, uint64_t kept_bytes);

#endif
