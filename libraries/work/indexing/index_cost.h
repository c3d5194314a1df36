/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cost of writing one index database, a part of the results of a load and of a
 * reindexing; and the needs of the whole work, estimated (estimate.h).
 */
#ifndef DITKIT_INDEX_COST_H
#define DITKIT_INDEX_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ditkit/error.h>

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

struct dit_estimate_database {
	char *directory;
	uint64_t nentries;     /* that the work will store or read */
	uint64_t bytes_before; /* of data.mdb; 0: there is none */
	uint64_t bytes;        /* of data.mdb at the end */
	uint64_t disk_bytes;   /* of the disk, in addition to what is in use */
	uint64_t maxsize_bytes;
	uint64_t reserved[8]; /* room for later releases; 0 */
};

struct dit_estimate {
	/* The sample. */
	uint64_t sampled_entries;
	uint64_t sampled_bytes;
	bool is_whole; /* the sample is the whole input */

	/* The work. */
	uint64_t nentries;           /* stored by it, or read by a reindexing */
	uint64_t nrefused;           /* records that will be refused */
	uint64_t bytes_read;         /* of the inputs, packed as they are; of id2e */
	uint64_t npostings;          /* index keys, repeats included */
	uint64_t run_bytes;          /* of temporary files, all of them */
	uint64_t memory_bytes;       /* anonymous memory at its highest */
	uint64_t memory_limit_bytes; /* what the options allow */
	uint64_t cpu_us;             /* of all threads */
	unsigned threads;
	const char *tmpdir; /* of temporary files; the options', or the environment's */
	struct dit_estimate_database *databases;
	size_t ndatabases;

	/* A database holds an entry of the sample already: the load fails there, a report
	 * says so. Not with keep_going. */
	bool is_filled;
	uint64_t reserved[8]; /* room for later releases; 0 */
};

/** Free the memory that an estimate has put into @p estimate. */
DIT_PUBLIC void dit_estimate_deinit(struct dit_estimate *estimate);

#endif
