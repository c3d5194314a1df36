/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far the work of a library call has come.
 *
 * The work has phases, which follow each other; each has a unit of its own in which it is
 * measured. The callback is called on the thread that called the library: when a phase
 * begins, and at least every half second or so, also while other threads do the work. It
 * is not called while one call of the system lasts longer, such as the commit of liblmdb.
 * The counts never fall, but done and total of ditcheck begin again with each file.
 */
#ifndef DITKIT_PROGRESS_H
#define DITKIT_PROGRESS_H

#include <stdint.h>

/** The unit of `done` and `total` of a phase. */
enum dit_progress_unit {
	DIT_PROGRESS_BYTES,    /* of the input, or of a file that is synced */
	DIT_PROGRESS_RECORDS,  /* records of a table: entries, names */
	DIT_PROGRESS_POSTINGS, /* index keys of entries, repeats included */
	DIT_PROGRESS_PAGES,    /* of a data file */
};

struct dit_progress {
	/* A value of the call's own enum, such as enum dit_load_phase. Phases of glued
	 * databases come again for each database. */
	unsigned phase;
	enum dit_progress_unit unit; /* of done and total */
	uint64_t done;               /* of this phase */
	uint64_t total; /* of this phase; 0: not known, or nothing to count */

	/* For the whole work, up to now; 0 where it has nothing of the kind. */
	uint64_t nentries;      /* stored, read or written */
	uint64_t bytes_read;    /* of the input, packed as it is */
	uint64_t bytes_total;   /* of the input; 0: not known, a pipe */
	uint64_t npostings;     /* index keys made */
	uint64_t bytes_written; /* of the results: data files, an export */
	uint64_t stored_bytes;  /* of data files that held records before; 0: new ones */
	uint64_t run_bytes;     /* of sorted postings that went to temporary files */
	uint64_t memory_bytes;  /* of the process, without pages of files; 0: not known */
	unsigned threads;       /* tool threads */
};

/** @param progress  valid during the call */
typedef void (*dit_progress_fn)(void *ctx, const struct dit_progress *progress);

#endif
