/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stages of a load's pipeline that are main's, and its source.
 *
 * Threads: main; dit_load_fill(): the reader thread.
 */
#ifndef DITKIT_LOAD_STAGES_H
#define DITKIT_LOAD_STAGES_H

#include "load/loader.h"

/** The source: the next records of the LDIF. */
int dit_load_fill(void *ctx, unsigned slot);

/** Room for the batch's items; the time of its generated values. */
int dit_load_begin(void *ctx, unsigned slot, size_t *ret_nitems);

/** Resolve the batch, then progress and the estimate of the size. */
int dit_load_in_order(void *ctx, unsigned slot);

#endif
