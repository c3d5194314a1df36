/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of a data.mdb before it is changed or replaced.
 *
 * Threads: any; no state.
 */
#ifndef DITKIT_DATA_CHECK_H
#define DITKIT_DATA_CHECK_H

#include <signal.h>

#include "files/fault.h"

/**
 * Check the whole file; for small files of LMDB 0.9.
 *
 * @param stop  as in a walk
 *
 * @return 0; DIT_E_CORRUPT with a fault; errors of dit_walk()
 */
int dit_data_check_whole(int data_fd, const volatile sig_atomic_t *stop,
                         struct dit_fault *fault);

/** Say that ditcheck knows more. @return @p r */
int dit_data_damaged(struct dit_fault *fault, int r);

#endif
