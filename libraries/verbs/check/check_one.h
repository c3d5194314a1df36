/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The check of one data file: its structure, then its content, in one snapshot.
 *
 * Threads: one; it starts its own.
 */
#ifndef DITKIT_CHECK_ONE_H
#define DITKIT_CHECK_ONE_H

#include "check/check_findings.h"
#include "check/check_use.h"
#include "job/job.h"

struct dit_check_one_opts {
	const struct dit_check_opts *opts; /* borrowed, like the others */
	struct dit_job *job;               /* not const: it tells how far this file is */
	const char *path;                  /* of the data file */
	const struct dit_database *database; /* NULL: the structure alone is checked */
	const struct dit_database *owner;    /* of the file; NULL: the job finds it */
	struct dit_check_use
		*use; /* a sample is read into it, and it is told; NULL: none */
};

/**
 * Check, and tell what was found.
 *
 * @param by_kind  DIT_CHECK_NKINDS counters that grow; those of notes do not
 *
 * @return as dit_check(); a report says why
 */
int dit_check_one(const struct dit_check_one_opts *opts, uint64_t *by_kind);

#endif
