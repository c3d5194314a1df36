/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The moment before database directories are opened.
 *
 * A program that runs as root can become another user there: the configuration has been
 * read, the input or the output is open, and no thread has been started. Nothing in the
 * directories has been opened. The work opens everything afterwards as that user.
 *
 * Threads: called once, by the thread that called the library.
 */
#ifndef DITKIT_BEFORE_OPEN_H
#define DITKIT_BEFORE_OPEN_H

#include <stddef.h>

/**
 * @param directories  the database directories, as the configuration names them; valid
 *                     during the call
 *
 * @return 0; -errno ends the work before anything is opened, and so does a positive
 *         number, as -EINVAL. The callback reports its failure itself
 */
typedef int (*dit_before_open_fn)(void *ctx, const char *const *directories, size_t n);

#endif
