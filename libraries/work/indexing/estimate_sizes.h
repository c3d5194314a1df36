/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sizes of the whole work, from a sample of it (doc/guide.md has the rules).
 *
 *   dit_estimate_indexes();  for each database
 *   dit_estimate_end();  once, when the sums of all databases are there
 *
 * Threads: the caller's.
 */
#ifndef DITKIT_ESTIMATE_SIZES_H
#define DITKIT_ESTIMATE_SIZES_H

#include "indexing/builders.h"
#include "indexing/index_cost.h"

/**
 * Bytes of the index databases of a sample's keys, scaled to the whole. The keys are
 * added to the estimate.
 *
 * @param builders  got the keys of the sample
 */
uint64_t dit_estimate_indexes(struct dit_estimate *ret,
                              const struct dit_builders *builders, size_t nindexes,
                              double scale, unsigned page_bytes);

/**
 * The memory and the temporary files; ret->threads and ret->memory_limit_bytes are there.
 *
 * @param has_64_bits  the hashes that are keys have 64 bits, not 32
 * @param base_bytes   of memory, without entries
 * @param keys_bytes   with more of index keys, temporary files are written
 * @param table_bytes  of memory for an entry, whatever the limit is
 * @param names_bytes  of an entry's names, which are sorted
 */
void dit_estimate_end(struct dit_estimate *ret, bool has_64_bits, uint64_t base_bytes,
                      uint64_t keys_bytes, unsigned table_bytes, unsigned names_bytes);

#endif
