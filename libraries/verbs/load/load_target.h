/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One database of a load, from its configuration to the last write. All functions report
 * their failures.
 *
 * Threads: main.
 */
#ifndef DITKIT_LOAD_TARGET_H
#define DITKIT_LOAD_TARGET_H

#include "load/load_size.h"
#include "load/loader.h"

/** Before the first round: all that the target needs, its output included. 0; negative;
 * 1: dit_load_store_open() */
int dit_load_target_prepare(struct load_target *target, const struct load_budget *budget);

/** No more keys are made. The output decides how it takes the indexes. */
int dit_load_target_seal(struct load_target *target);

/** The members merge the keys from here on. If indexes come last, after
 * dit_load_target_write_late(), else before the tree. */
int dit_load_target_begin_indexes(struct load_target *target);

/** dn2i and ad2i, most often while the members write indexes. */
int dit_load_target_write_tree(struct load_target *target);

/** Wait until the indexes are written. */
int dit_load_target_write_indexes(struct load_target *target);

/** Write the records that an output takes last, or last before the indexes: late entries,
 * values of id2v, contextCSN. */
int dit_load_target_write_late(struct load_target *target);

/** At every stage; after the threads have ended. An output that was not published is
 * abandoned. */
void dit_load_target_deinit(struct load_target *target);

#endif
