/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Temporary files and directories that a killed process leaves under a name of their own.
 * Their maker holds each by a lock, which ends with the process. The next run goes
 * through the directory and removes those of its kind that nobody holds.
 *
 * A file system without locks keeps all of them: no run can lock one.
 *
 * Threads: no state; any thread.
 */
#ifndef DITKIT_LEFTOVER_H
#define DITKIT_LEFTOVER_H

#include <stdbool.h>

/** @param dir_fd  the directory, opened to be read */
typedef void (*dit_leftover_fn)(const void *ctx, int dir_fd, const char *name);

/** Call for each name in a directory; for none, if it cannot be read. */
void dit_leftover_each(int dir_fd, dit_leftover_fn look, const void *ctx);

/** Does nobody hold it? It is held then, until @p fd is closed. */
bool dit_leftover_is_one(int fd);

/**
 * Hold what this process has just made.
 *
 * @return 0; -EEXIST: another run has taken it for a leftover: make another one; -errno
 */
int dit_leftover_hold(int fd);

#endif
