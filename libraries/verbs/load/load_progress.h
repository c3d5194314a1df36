/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far a load is, for the callback of the options.
 *
 * Threads: main. Counters that members raise are read while they work.
 */
#ifndef DITKIT_LOAD_PROGRESS_H
#define DITKIT_LOAD_PROGRESS_H

#include "load/loader.h"

/** How far the load is. @param ctx  the loader */
void dit_load_progress_fill(void *ctx, struct dit_progress *ret);

#endif
