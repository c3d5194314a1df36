/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the memory is divided, and how large the result will be.
 *
 * Threads: main.
 */
#ifndef DITKIT_LOAD_SIZE_H
#define DITKIT_LOAD_SIZE_H

#include "load/loader.h"

struct load_budget {
	size_t batch_bytes;
	size_t batch_records;
	size_t postings_bytes; /* of one target */
	size_t tree_bytes;     /* of one target */
};

int dit_load_budget_make(const struct dit_load_opts *opts, unsigned nthreads,
                         unsigned ntargets, struct load_budget *ret);

/** DIT_E_FULL after a report when the result cannot fit maxsize. */
int dit_load_estimate(struct loader *loader, uint64_t bytes_read);

#endif
