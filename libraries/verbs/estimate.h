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

#include <ditkit/load.h>
#include <ditkit/reindex.h>

#endif
