/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --page-cache: what a finished run leaves in the page cache.
 *
 *   --page-cache        the data file is written through the cache
 *   --page-cache=warm   it is written past the cache, and read into it at the end
 *   --page-cache=cold   neither
 *
 * Without the option, a file is read if it fits the memory that is free; of one that was
 * there before, only what is behind its old end.
 */
#ifndef DITKIT_COMMON_PAGE_CACHE_H
#define DITKIT_COMMON_PAGE_CACHE_H

#include <stdint.h>

#include "meter.h"

enum page_cache_mode {
	PAGE_CACHE_AUTO, /* warm, if it fits */
	PAGE_CACHE_THROUGH,
	PAGE_CACHE_WARM,
	PAGE_CACHE_COLD,
};

/** Read the value of an option --page-cache; NULL: it has none. 0 or -1 */
int page_cache_read(enum page_cache_mode *mode, const char *text);

/** Memory that can be had without pushing anything out, in bytes; 0: not known. */
uint64_t page_cache_room(void);

struct page_cache_warming {
	enum page_cache_mode mode;
	struct meter *meter;               /* its last phase is this one */
	const volatile sig_atomic_t *stop; /* not 0: read no further, and say so */
};

/**
 * Ask the system to read data.mdb of a database directory ahead, piece by piece, the
 * file's end last. Best effort: nobody is told if it fails.
 *
 * @param bytes  of the file
 * @param kept_bytes  from its beginning, bytes that are what they were before the run;
 *                    only an explicit "warm" reads them
 */
void page_cache_warm(const struct page_cache_warming *warming, const char *directory,
                     uint64_t bytes, uint64_t kept_bytes);

#endif
