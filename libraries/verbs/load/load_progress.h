/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far a load is, for the callback of the options.
 *
 * Threads: main. Counters that members raise are read while they work.
 */
#ifndef DITKIT_LOAD_PROGRESS_H
#define DITKIT_LOAD_PROGRESS_H

#include "load/loader.h"

/** Before any thread is started. */
void dit_load_progress_init(struct loader *loader);

/** Main's ticker, for all that main waits in; NULL: nobody listens. */
struct dit_ticker *dit_load_ticker(struct loader *loader);

/** A phase begins, or goes on: call the callback. */
void dit_load_tell_progress(struct loader *loader, enum dit_load_phase phase);

#endif
