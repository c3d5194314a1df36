/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Map sizes: how large a database may become ("maxsize"), in whole pages.
 *
 * Threads: no state.
 */
#ifndef DITKIT_MAP_SIZE_H
#define DITKIT_MAP_SIZE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/** The value of LMDB for a map size of 0, and slapd for "maxsize 0" (config.md). */
#define DIT_MAP_BYTES_DEFAULT 1048576u

/** The configured size; 0: LMDB's default. */
static inline uint64_t dit_map_configured(uint64_t maxsize_bytes)
{
	return maxsize_bytes == 0 ? DIT_MAP_BYTES_DEFAULT : maxsize_bytes;
}

/** The pages that fit into it. */
static inline uint64_t dit_map_limit(uint64_t maxsize_bytes, size_t page_bytes)
{
	assert(page_bytes > 0);
	return maxsize_bytes - maxsize_bytes % page_bytes;
}

/** How large a file may become that others have mapped. LMDB leaves a page out that is
 * not whole, and the system maps it: so one page less, unless they have what is
 * configured. */
static inline uint64_t dit_map_shared(uint64_t mapped_bytes, uint64_t maxsize_bytes)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);

	if (mapped_bytes >= maxsize_bytes) {
		return maxsize_bytes;
	}
	return mapped_bytes < page_bytes ? 0 : mapped_bytes - page_bytes + 1;
}

/** The map size in the meta pages: the configured size, or what is in use, if that is
 * more. */
static inline uint64_t dit_map_recorded(uint64_t maxsize_bytes, size_t page_bytes,
                                        uint64_t used_bytes)
{
	uint64_t limit = dit_map_limit(maxsize_bytes, page_bytes);

	return limit < used_bytes ? used_bytes : limit;
}

#endif
