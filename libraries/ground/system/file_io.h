/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that are read, written and synced:
 * - reads and writes that go through to their end, however often the system cuts them
 *   short;
 * - writes past the page cache (O_DIRECT), if the file system can do them:
 *
 *     dit_direct_begin();  dit_direct_write() ...;  dit_direct_end(), for a rest that is
 *     not aligned;  fsync()
 *
 *   For a file that is large, written once, and synced before it appears: in the cache it
 *   would take memory that something else is in, a copy, and, on virtual machines,
 *   several microseconds for each page that the host has to provide. Such a write waits
 *   for the disk. Threads may write to different places at once;
 * - a sync piece by piece, so that somebody can be told how far it is: one fsync() of a
 *   large file that lies in the page cache can take minutes;
 * - a limit on file sizes (RLIMIT_FSIZE) that is an error of the write and no deadly
 *   SIGXFSZ;
 * - whether a file has an end and never lets its reader wait;
 * - the names in a directory.
 *
 * Threads: no state; any thread.
 */
#ifndef DITKIT_FILE_IO_H
#define DITKIT_FILE_IO_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/ticker.h"

struct dit_stop; /* stop.h */

/** Close; errors of writing are known by then. A negative number is no descriptor. */
static inline void dit_close(int fd)
{
	if (fd >= 0) {
		(void)close(fd);
	}
}

/** A file was opened, then checked. @return @p fd; @p r if negative, and it is closed */
static inline int dit_fd_checked(int fd, int r)
{
	dit_close(r < 0 ? fd : -1);
	return r < 0 ? r : fd;
}

/** Write all bytes, however often it takes. 0 or -errno; -EIO: nothing was written. */
int dit_write_at(int fd, const void *data, size_t len, uint64_t at);

/** Read @p len bytes at a place in a file. @return their number, fewer only at the end of
 * the file; or -errno */
ssize_t dit_read_at(int fd, void *data, size_t len, uint64_t at);

/**
 * Read what comes next, of any kind of file: one read, after waiting for input as long as
 * the stop allows.
 *
 * @param stop  NULL: wait for ever
 *
 * @return the number of bytes; 0: the end; DIT_E_STOPPED; -errno
 */
ssize_t dit_read_some(int fd, void *data, size_t len, const struct dit_stop *stop);

/** The same until @p len bytes are read; fewer only at the end. */
ssize_t dit_read_full(int fd, void *data, size_t len, const struct dit_stop *stop);

/** @param dir_fd  the directory, opened to be read. @return 0: the next name; else it is
 * the last one */
typedef int (*dit_name_fn)(const void *ctx, int dir_fd, const char *name);

/** Look at each name in a directory. 0; what @p look returned; -errno */
int dit_name_each(int dir_fd, dit_name_fn look, const void *ctx);

/* ---- past the page cache ---- */

/** A length at which the call itself costs nothing. Blocks of base/slab.h are aligned. */
#define DIT_DIRECT_BYTES ((size_t)512 << 10)

/** From now on an open file is written past the cache. false: still through the cache. */
bool dit_direct_begin(int fd);

/** From now on the file is written through the cache again. 0 or -errno */
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

/* ---- to the disk ---- */

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
 * Sync the names in a directory to the disk. If the directory cannot be opened for
 * reading, or the file system cannot sync directories, nothing is done.
 *
 * @param fd  O_PATH will do
 *
 * @return 0 or -errno
 */
int dit_sync_directory(int fd);

/* ---- what a file can do ---- */

/** Block SIGXFSZ in this thread alone until dit_file_size_signal_restore(). */
void dit_file_size_signal_block(sigset_t *ret_previous);

/** Remove the signal if it came, and set the previous mask. */
void dit_file_size_signal_restore(const sigset_t *previous);

/**
 * Check that a file is regular: it has an end, and no reader waits at it. procfs, sysfs
 * and their like call other files regular, too, such as /proc/kmsg: these do not count.
 *
 * @param fd  opened with O_NONBLOCK: opening must not wait either
 *
 * @return 1: a regular file; 0: a directory, a pipe, a device, a file of the kernel;
 *         -errno
 */
int dit_regular_file_check(int fd);

#endif
