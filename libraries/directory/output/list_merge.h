/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The IDs that are stored under a key, and those that come to them.
 *
 * Threads: an object belongs to one thread.
 */
#ifndef DITKIT_LIST_MERGE_H
#define DITKIT_LIST_MERGE_H

#include "output/output.h"

/** Where a merged list lies. Zeroed: nothing yet. */
struct dit_list_merge {
	uint64_t *ids; /* owned */
	size_t size;
	uint64_t range[3];
};

void dit_list_merge_deinit(struct dit_list_merge *merge);

/**
 * What is stored under a key when IDs have been added (storage.md 5.4): more than
 * list_max of them make a range, and so do exactly list_max if the last one came more
 * than once. Ranges stay ranges.
 *
 * @param stored   ascending; or 0, lowest, highest
 * @param nstored  0: nothing is stored under the key
 * @param more     not empty; none of its IDs is stored
 * @param ret      its key is that of @p more; valid until the next call, and as long as
 *                 @p more
 *
 * @return 0; -ENOMEM; DIT_E_CORRUPT: a range of more or less than three words
 */
int dit_list_merge(struct dit_list_merge *merge, const uint64_t *stored, size_t nstored,
                   const struct dit_output_list *more, uint64_t list_max,
                   struct dit_output_list *ret);

#endif
