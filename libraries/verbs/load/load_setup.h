/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything before the first round, and the release of it all. All functions report
 * their failures.
 *
 * Threads: main.
 */
#ifndef DITKIT_LOAD_SETUP_H
#define DITKIT_LOAD_SETUP_H

#include "load/loader.h"

/** Nothing can fail. @param opts  borrowed, as @p stats */
void dit_loader_init(struct loader *loader, const struct dit_load_opts *opts,
                     struct dit_load_stats *stats);
int dit_load_read_settings(struct loader *loader);

/** 0; 1: with only_if_empty, there is nothing to do; negative */
int dit_load_prepare(struct loader *loader);

/** Joins the threads and frees everything; works at every stage. */
void dit_load_release(struct loader *loader);

#endif
