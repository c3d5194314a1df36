/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sizes of the whole work, from a sample of it (doc/guide.md has the rules).
 *
 *   dit_estimate_add();  for each database
 *   dit_estimate_end();  once
 *
 * Threads: the caller's.
 */
#ifndef DITKIT_ESTIMATE_SIZES_H
#define DITKIT_ESTIMATE_SIZES_H

#include "build/builders.h"
#include "build/estimate.h"
#include "config/settings.h"

/** Stored for an index key of an entry, on average (10.4 measured with 100,000). */
#define DIT_POSTING_BYTES 10

/** The sample of one database. */
struct dit_estimate_sample {
	const struct dit_database *db;
	const struct dit_builders *builders; /* that got the keys */
	size_t nindexes;
	double scale; /* of the sample to the whole */
	uint64_t nentries;
	double record_bytes; /* of pages other than those of indexes */
	unsigned page_bytes;
	uint64_t bytes_before; /* of the file */
	uint64_t free_bytes;   /* in it, which are used first */
	uint64_t
		rewritten_bytes; /* of it, at most: pages of old lists that get new IDs */
};

/** Memory of the work. */
struct dit_estimate_memory {
	uint64_t base_bytes;  /* without entries */
	uint64_t keys_bytes;  /* with more of index keys, temporary files are written */
	unsigned entry_bytes; /* of an entry, whatever the limit is */
	unsigned names_bytes; /* of an entry's names, which are sorted */
};

/**
 * Add a database, and its part of the sums.
 *
 * @param ret  ret->databases has room for it
 *
 * @return 0 or -ENOMEM
 */
int dit_estimate_add(struct dit_estimate *ret, const struct dit_estimate_sample *sample);

/** The memory and the temporary files; ret->memory_limit_bytes is there. */
void dit_estimate_end(struct dit_estimate *ret, const struct dit_estimate_memory *memory);

#endif
