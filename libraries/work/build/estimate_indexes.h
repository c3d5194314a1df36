/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sizes of the indexes of one database, from the postings of a sample of its entries.
 *
 * Threads: the caller's.
 */
#ifndef DITKIT_ESTIMATE_INDEXES_H
#define DITKIT_ESTIMATE_INDEXES_H

#include "build/builders.h"
#include "build/estimate.h"

struct dit_estimate_indexes_opts {
	struct dit_builders *builders;       /* with the postings of the sample, sealed */
	const struct dit_index_set *indexes; /* of the builders */
	double scale;                        /* of the sample to the whole input */
	uint64_t list_max;                   /* longer lists are ranges */
	unsigned page_bytes;
	uint64_t memory_bytes; /* for the postings of the whole input */
};

/**
 * Fill the indexes of @p database. Add all postings, their memory and their temporary
 * files to @p ret.
 *
 * @return bytes of the indexes; -ENOMEM; errors of builders.h
 */
int64_t dit_estimate_indexes(const struct dit_estimate_indexes_opts *opts,
                             struct dit_estimate *ret,
                             struct dit_estimate_database *database);

/** The part of a sort's records that goes to temporary files, 0 to 1. */
double dit_estimate_spilled(double bytes, double memory_bytes);

#endif
