/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The output of a database of a load is opened, and what it holds is taken over.
 *
 * Threads: main.
 */
#ifndef DITKIT_LOAD_STORE_H
#define DITKIT_LOAD_STORE_H

#include "load/loader.h"

/**
 * Open the output, after the index set is made, which learns what is stored. Sets
 * `output` and `numbers` of the target.
 *
 * @return 0, or a reported error; 1: with only_if_empty, the database holds entries
 */
int dit_load_store_open(struct load_target *target);

/** Bytes of its data.mdb, without holes in the file; 0: there is none. */
uint64_t dit_load_stored_bytes(const struct load_target *target);

#endif
