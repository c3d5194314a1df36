/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes past the page cache (O_DIRECT), if the file system can do them.
 *
 *   dit_direct_begin();  dit_direct_write() ...;  dit_direct_end(), for a rest that is
 *   not aligned;  fsync()
 *
 * For a file that is large, written once, and synced before it appears: in the cache it
 * would take memory that something else is in, a copy, and, on virtual machines, several
 * microseconds for each page that the host has to provide. Such a write waits for the
 * disk.
 *
 * Threads: any, at once, as long as they write to different places.
 */
#ifndef DITKIT_DIRECT_WRITE_H
#define DITKIT_DIRECT_WRITE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** So long that the call itself costs nothing. Blocks of base/slab.h are aligned. */
#define DIT_DIRECT_BYTES ((size_t)512 << 10)

/** Have an open file written past the cache. false: it is written through the cache. */
bool dit_direct_begin(int fd);

/** Have it written through the cache, as before dit_direct_begin(). 0 or -errno */
int dit_direct_end(int fd);

/**
 * Write all bytes through the cache, and have the system begin to write a larger piece to
 * the disk: the sync at the end has less left to do. 0; -ENOSPC, -EDQUOT, -EFBIG, other
 * -errno
 */
int dit_cached_write(int fd, const char *data, size_t len, uint64_t at);

/**
 * Write all bytes. If the file system refuses to write them past the cache, they and all
 * later ones go through it.
 *
 * @param is_direct  what dit_direct_begin() returned; becomes false at a refusal.
 *                   [atomic: relaxed, whoever writes on is refused as well]
 *
 * @return as above
 */
int dit_direct_write(int fd, _Atomic bool *is_direct, const char *data, size_t len,
                     uint64_t at);

#endif
