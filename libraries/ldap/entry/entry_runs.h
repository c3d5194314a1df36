/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of one name, found and gathered; for entry_read.c only. */
#ifndef DITKIT_ENTRY_RUNS_H
#define DITKIT_ENTRY_RUNS_H

#include "entry/entry_work.h"

/**
 * Find the runs of a record's lines, in caches->work->runs from 1 on.
 *
 * @param ret  number of the last one
 *
 * @return 0; DIT_E_TOOLONG: four thousand million lines; -ENOMEM
 */
int dit_entry_find_runs(const struct dit_entry_context *context,
                        struct dit_entry_caches *caches,
                        const struct dit_ldif_line *lines, size_t nlines, uint32_t *ret);

#endif
