/* SPDX-License-Identifier: BSD-2-Clause */
/* The cost of writing one index database: a part of the results of a load and of a
 * reindexing. */
#ifndef DITKIT_INDEX_COST_H
#define DITKIT_INDEX_COST_H

#include <stdbool.h>
#include <stdint.h>

/** Classes of lengths of lists: class i has the lists of 2^i IDs and more, but fewer than
 * 2^(i+1). */
#define DIT_LIST_LENGTHS 32

struct dit_index_cost {
	/* In its pages at the end, those of long lists included. 0: not known, liblmdb
	 * made the pages, or nothing was written. */
	uint64_t bytes;
	/* Only with the option counts_lists: keys that were given a range, not a list;
	 * the other keys, by the IDs given. */
	uint64_t nranges;
	uint64_t nlists[DIT_LIST_LENGTHS];
	uint64_t start_us; /* since the beginning of the run; wall clock */
	uint64_t time_us;  /* merged and written; wall clock */
	/* Number of the tool thread that wrote it, or its first part; 0 as well: main */
	unsigned thread;
};

struct dit_index_stats {
	char *name;
	bool is_integerkey;
	uint64_t npostings; /* postings made, repeats included */
	uint64_t nkeys;     /* different keys written */
	struct dit_index_cost cost;
	uint64_t reserved[8]; /* room for later releases; 0 */
};

#endif
