/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The needs of a load or a reindexing before it is begun, from a sample of the input.
 *
 *     struct dit_estimate estimate;
 *
 *     r = dit_estimate_load(&load_opts, 0, &estimate);
 *     dit_estimate_deinit(&estimate);
 *
 * No database is opened for writing. The figures are guesses, mostly right within a
 * third; an input whose sample does not resemble the rest can be further off.
 *
 * Threads: a call blocks; callbacks come from the calling thread.
 */
#ifndef DITKIT_ESTIMATE_H
#define DITKIT_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ditkit/load.h>
#include <ditkit/reindex.h>

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

/**
 * Estimate dit_load(). The callbacks report and before_open of @p opts are called as by
 * the load, the others are not.
 *
 * @param sample_bytes  of the input, about; 0: 8 MiB
 * @param ret           filled also on failure, as far as the estimate came; the caller
 *                      passes it to dit_estimate_deinit() in every case
 *
 * @return 0; 1: with only_if_empty there is nothing to do, a report says so; negative: as
 *         dit_load(), a report has told the failure
 */
DIT_PUBLIC int dit_estimate_load(const struct dit_load_opts *opts, uint64_t sample_bytes,
                                 struct dit_estimate *ret);

/** Estimate dit_reindex(), by some of the stored entries; likewise. */
DIT_PUBLIC int dit_estimate_reindex(const struct dit_reindex_opts *opts,
                                    uint64_t sample_bytes, struct dit_estimate *ret);

/** Free the memory that an estimate has put into @p estimate. */
DIT_PUBLIC void dit_estimate_deinit(struct dit_estimate *estimate);

#endif
