/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is behind a snapshot, for who commits beside other writers (online.c).
 *
 * Threads: as store.h says of snapshots.
 */
#ifndef DITKIT_SNAPSHOT_IMPL_H
#define DITKIT_SNAPSHOT_IMPL_H

#include "pages/lmdb_format.h"
#include "store/readers.h"
#include "store/store.h"

const struct dit_readers *dit_snapshot_readers(const struct dit_snapshot *snapshot);
/** Pages of the file, up to the last one in use. */
uint64_t dit_snapshot_npages(const struct dit_snapshot *snapshot);
/** The tree of a named database. 1; 0: there is none */
int dit_snapshot_tree(const struct dit_snapshot *snapshot, const char *name,
                      struct dit_tree_record *ret);

#endif
