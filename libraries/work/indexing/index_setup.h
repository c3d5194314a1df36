/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The indexes of a database, from its configuration to the tables of an output.
 *
 * Threads: main. Errors are reported.
 */
#ifndef DITKIT_INDEX_SETUP_H
#define DITKIT_INDEX_SETUP_H

#include "index/index_keys.h"
#include "job/job.h"

/**
 * @param specs      borrowed for the call
 * @param byte_keys  keys of new databases are as slapd has them
 * @param ret        dit_index_set_free()
 *
 * @return 0 or -ENOMEM
 */
int dit_indexes_make(const struct dit_job *job, const struct dit_index_spec *specs,
                     size_t nspecs, bool byte_keys, struct dit_index_set **ret);

/**
 * Fit each database to what the output has stored, and add it to the output.
 *
 * @param directory  of the output, for reports
 * @param fault      of the output
 *
 * @return 0; DIT_E_INVALID, DIT_E_CONFIG: the keys do not fit; errors of the output
 */
int dit_indexes_add(const struct dit_job *job, struct dit_index_set *indexes,
                    struct dit_output *output, const char *directory,
                    const struct dit_fault *fault);

#endif
