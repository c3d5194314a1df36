/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The indexes of a database, as an estimate has them.
 *
 *   dit_estimate_add();  the sample is counted: entries, keys of each index;
 *   dit_estimate_scale();  dit_estimate_deinit()
 *
 * Threads: the caller's.
 */
#ifndef DITKIT_ESTIMATE_SIZES_H
#define DITKIT_ESTIMATE_SIZES_H

#include "build/estimate.h"
#include "index/index_keys.h"

/**
 * Begin the next database of an estimate.
 *
 * @param ret  ret->databases has room for it
 *
 * @return NULL: no memory
 */
struct dit_estimate_database *dit_estimate_add(struct dit_estimate *ret,
                                               const struct dit_database *db,
                                               const struct dit_index_set *indexes);

/**
 * Scale the entries and the keys that were counted to those of the whole work; add them,
 * and the sort of the keys, to the estimate.
 *
 * @param page_bytes    of the data file
 * @param memory_bytes  for the keys
 *
 * @return bytes of the indexes
 */
uint64_t dit_estimate_scale(struct dit_estimate *ret,
                            struct dit_estimate_database *database, double scale,
                            unsigned page_bytes, uint64_t memory_bytes);

/**
 * Add a sort to the memory and the temporary files of an estimate.
 *
 * @param bytes       of all records in memory
 * @param run_factor  bytes of a record in a file, divided by those in memory
 */
void dit_estimate_add_sort(struct dit_estimate *ret, double bytes, uint64_t memory_bytes,
                           double run_factor);

#endif
