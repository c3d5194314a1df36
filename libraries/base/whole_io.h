/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes at a place in a file that go through to their end.
 *
 * Threads: no state; any thread.
 */
#ifndef DITKIT_WHOLE_IO_H
#define DITKIT_WHOLE_IO_H

#include <stddef.h>
#include <stdint.h>

/** Write all bytes, however often it takes. 0 or -errno; -EIO: nothing was written. */
int dit_write_at(int fd, const void *data, size_t len, uint64_t at);

#endif
