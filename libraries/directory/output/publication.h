/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outputs appear together, or none of them does.
 *
 * New databases are completed and synced first. Then databases that held records before
 * commit their transaction, which writes and syncs much, so that this can still fail.
 * Then the new ones are renamed. If a step fails, what was done is taken back. Only a
 * kill, or a crash of the system, between the first commit or rename and the last one
 * leaves some databases changed and the others as they were; each of them is whole.
 *
 * While an output is written, somebody may move or remove its file or its directory. So
 * before the first commit and after the last rename each name is looked up once more:
 * does it lead to the file that was opened, and then to the file with the new data?
 *
 * In each step the last output is the first: the one that a reader looks at first appears
 * last. A loss of power keeps that order: each output is synced before the next one
 * changes.
 *
 * Threads: that of the outputs.
 */
#ifndef DITKIT_PUBLICATION_H
#define DITKIT_PUBLICATION_H

#include <stddef.h>
#include <stdint.h>

#include "files/fault.h"
#include "output/output.h"

struct dit_stop; /* stop.h */

/**
 * Told of each failure. That of a step up to the rename ends the publication;
 * those of the others may come for several outputs. For FIND and FIND_AGAIN the fault
 * of the item says where the file is.
 *
 * @param number  of the output
 */
typedef void (*dit_publish_failed_fn)(void *ctx, size_t number,
                                      enum dit_publish_step step, int error);

struct dit_publish_opts {
	dit_publish_failed_fn failed;
	/** All outputs are prepared, and nothing is changed yet. An error, which it has
	 * told itself, ends the publication. NULL: nothing is to be done. */
	int (*before_commit)(void *ctx);
	void *ctx;
	/** Looked at before each of the first four steps of each output, which then
	 * fails with DIT_E_STOPPED. NULL: the work is never ended. */
	const struct dit_stop *stop;
};

/** One output, and what became of it. */
struct dit_published {
	struct dit_output *output; /* NULL: none */
	const char *directory;     /* the caller's, for its reports */
	uint64_t bytes;      /* gets the size of the result; 0: nothing was changed */
	uint64_t kept_bytes; /* as the output's */
	struct dit_fault fault;
};

/**
 * Publish all outputs.
 *
 * @param items  the outputs are taken, in every case; NULL afterwards
 *
 * @return 0: all are in place; -ESTALE after FIND_AGAIN: the same, but a name leads
 *         elsewhere; the error that ended it: none is, unless a failure to take back was
 *         told
 */
int dit_publish(struct dit_published *items, size_t n,
                const struct dit_publish_opts *opts);

#endif
