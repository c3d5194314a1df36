/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of IDs, for qsort() and bsearch().
 *
 * Threads: no state.
 */
#ifndef DITKIT_IDS_H
#define DITKIT_IDS_H

#include <stdint.h>

/** Two IDs, or two structs that begin with one. */
static inline int dit_compare_ids(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;

	return (*x > *y) - (*x < *y);
}

#endif
