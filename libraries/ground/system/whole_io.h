/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes that go through to their end, however often the system cuts them
 * short.
 *
 * Threads: no state; any thread.
 */
#ifndef DITKIT_WHOLE_IO_H
#define DITKIT_WHOLE_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct dit_stop; /* stop.h */

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

#endif
