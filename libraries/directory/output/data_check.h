/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of a data.mdb before it is changed or replaced.
 *
 * Threads: any; no state.
 */
#ifndef DITKIT_DATA_CHECK_H
#define DITKIT_DATA_CHECK_H

#include "files/fault.h"
#include "output/record_output.h"

/**
 * Check the whole file; for small files of LMDB 0.9.
 *
 * @param stop  as in a walk
 *
 * @return 0; DIT_E_CORRUPT with a fault; errors of dit_walk()
 */
int dit_data_check_whole(int data_fd, const struct dit_stop *stop,
                         struct dit_fault *fault);

/** Before the directory is claimed: is its database of the other generation?
 * DIT_E_FORMAT, with a fault */
int dit_data_check_first(int dir_fd, const struct dit_output_opts *opts);
/** After that: there is a database without records, or none. DIT_E_NOTEMPTY: it has
 * some */
int dit_data_check_empty(int dir_fd, const struct dit_output_opts *opts);

#endif
