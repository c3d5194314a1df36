/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sample of the records of LDIF files, with a weight for each: how many records of the
 * whole input it stands for.
 *
 * Regular files that are not packed are looked at through windows: pieces of equal size
 * at distances that are nearly equal, the first at the beginning, the last at the end.
 * All records that a window touches are in the sample, whole. A record of `len` bytes is
 * touched by a window of `w` bytes with a probability of (len + w) / distance, so its
 * weight is the inverse of that. Long records are met more often and count less: a few
 * huge groups among many small entries disturb neither the count of entries nor that of
 * bytes.
 *
 *     file     |aaaa|bb|cc|dddddddddddddddddddddd|ee|ff|gg|hh|ii|jj|kk|ll|mm|
 *     windows  [---]            [---]              [---]             [---]
 *     sample    aaaa bb         ddd..ddd            ee ff gg          kk ll
 *
 * The length of a packed file or a pipe is known only at its end. Such an input is read
 * to its end, and records are taken ever more rarely; or, if that would take too long for
 * the caller, only its beginning is read.
 *
 * Files that records name (URLs, "include:") are not looked at here.
 *
 * Threads: a call belongs to one thread.
 */
#ifndef DITKIT_LDIF_SAMPLE_H
#define DITKIT_LDIF_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "base/stop.h"

struct dit_ldif_sample_opts {
	const char *const *paths; /* in order; NULL among them: standard input */
	size_t npaths;
	uint64_t budget_bytes;       /* of records; more by the length of some records */
	size_t window_bytes;         /* 0: 64 KiB */
	uint64_t record_max;         /* as of dit_ldif_reader_open() */
	bool beginning_only;         /* of packed files; pipes are not touched */
	const struct dit_stop *stop; /* borrowed; NULL: none */
};

struct dit_ldif_sample_record {
	struct dit_span text; /* physical lines; valid during the call */
	double weight;        /* 1 at least */
	unsigned window;      /* records of one window are neighbours */
};

/** @return 0, or an error that ends the sample */
typedef int (*dit_ldif_sample_fn)(void *ctx, const struct dit_ldif_sample_record *record);

struct dit_ldif_sample {
	uint64_t bytes;         /* of all inputs, packed as they are; 0: not known */
	uint64_t text_bytes;    /* of all inputs, unpacked */
	uint64_t sampled_bytes; /* of the records given out */
	uint64_t nsampled;      /* records given out */
	bool is_whole;          /* all records were given out */
	bool is_beginning;      /* they are those at the beginning of a packed file */
	/* By which weights and text_bytes are to be multiplied: 1, unless is_beginning */
	double scale;
};

/**
 * @param ret         filled on success
 * @param ret_failed  gets the path that could not be read, NULL for standard input
 *
 * @return 0; DIT_E_UNSUPPORTED: beginning_only, and an input is a pipe; DIT_E_INVALID: no
 *         LDIF; DIT_E_TOOLONG: a record costs more than record_max; DIT_E_STOPPED;
 *         -errno; what the callback returned
 */
int dit_ldif_sample(const struct dit_ldif_sample_opts *opts, dit_ldif_sample_fn take,
                    void *ctx, struct dit_ldif_sample *ret, const char **ret_failed);

#endif
