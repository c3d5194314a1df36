/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file reaches the disk piece by piece, so that somebody can be told how far it is: one
 * fsync() of a large file that lies in the page cache can take minutes.
 *
 * Threads: any.
 */
#ifndef DITKIT_SYNC_FILE_H
#define DITKIT_SYNC_FILE_H

#include <stdint.h>

#include "base/ticker.h"

/** Files up to this size are not cut. */
#define DIT_SYNC_PIECE_BYTES ((uint64_t)64 << 20)

/**
 * Write out what the page cache has of the first @p bytes of a file. An fsync() has to
 * follow: it alone makes sure that the disk has the data, and the file's length.
 *
 * @param ret_done  gets the bytes written out so far, before each tick; NULL: nobody
 *                  looks
 * @param ticker    NULL: nothing is done
 *
 * @return 0; -EIO, -ENOSPC, -EDQUOT: the disk has not got all, and fsync() may not tell
 *         it again
 */
int dit_sync_pieces(int fd, uint64_t bytes, uint64_t *ret_done,
                    struct dit_ticker *ticker);

/**
 * Have the disk the names in a directory. Where it cannot be opened for reading, or the
 * file system cannot sync directories, nothing is done.
 *
 * @param fd  O_PATH will do
 *
 * @return 0 or -errno
 */
int dit_sync_directory(int fd);

#endif
