/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A limit on file sizes (RLIMIT_FSIZE) is an error of the write and no deadly SIGXFSZ.
 *
 * Threads: any; each blocks the signal for itself.
 */
#ifndef DITKIT_FILE_SIZE_SIGNAL_H
#define DITKIT_FILE_SIZE_SIGNAL_H

#include <signal.h>

/** Block SIGXFSZ in this thread until dit_file_size_signal_restore(). */
void dit_file_size_signal_block(sigset_t *ret_previous);

/** Take the signal away if it came, and set the mask of before. */
void dit_file_size_signal_restore(const sigset_t *previous);

#endif
