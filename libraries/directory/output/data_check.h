/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of a data.mdb before it is changed or replaced.
 *
 * Threads: any; no state.
 */
#ifndef DITKIT_DATA_CHECK_H
#define DITKIT_DATA_CHECK_H

#include <signal.h>

#include "place/fault.h"

/**
 * Check the whole file; for small files of LMDB 0.9.
 *
 * @param stop  as in a walk
 *
 * @return 0; DIT_E_CORRUPT with a fault; errors of dit_walk()
 */
int dit_data_check_whole(int data_fd, const volatile sig_atomic_t *stop,
                         struct dit_fault *fault);

/**
 * Check that the numbers of the two meta pages are neighbours (page/meta_pages.h). The
 * file is of either format, and no other process writes to it. A change of a file that is
 * not in its last state would lose later transactions.
 *
 * @return 0, also of a file that cannot be read; DIT_E_CORRUPT with a fault
 */
int dit_data_check_metas(int data_fd, struct dit_fault *fault);

/** Say that ditcheck knows more. @return @p r */
int dit_data_damaged(struct dit_fault *fault, int r);

#endif
