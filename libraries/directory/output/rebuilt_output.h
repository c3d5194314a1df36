/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output that is a database of LMDB 1.0 with some index databases rebuilt, in a new
 * file that takes the place of the old one (index_output.h).
 *
 * The new file is a new database (staging.h). Whatever is not rebuilt is copied
 * from the old file before the new one is synced.
 *
 * Threads: as output.h says; is_parallel.
 */
#ifndef DITKIT_REBUILT_OUTPUT_H
#define DITKIT_REBUILT_OUTPUT_H

#include "output/index_output.h"

/**
 * @return 0; what dit_index_output_open() returns; DIT_E_FORMAT: of LMDB 0.9; -ENOSPC,
 *         with a fault: the file system has less room than the old file takes. Nothing is
 *         changed then.
 */
int dit_rebuilt_open(struct dit_output **ret, struct dit_snapshot **ret_snapshot,
                     const struct dit_index_output_opts *opts);

#endif
