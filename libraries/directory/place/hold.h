/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A snapshot that is held for somebody who reads the data file without liblmdb: as long
 * as a read transaction is open, writers leave the pages of its state alone.
 *
 * Threads: a hold belongs to one thread at a time.
 */
#ifndef DITKIT_HOLD_H
#define DITKIT_HOLD_H

#include <stdint.h>

struct dit_hold;

/**
 * The directory of a data file.
 *
 * @param ret  "DIR" of "DIR/data.mdb", or "."; free()
 *
 * @return 1; 0: the file has another name; -ENOMEM
 */
int dit_data_directory(const char *path, char **ret);

/**
 * Hold the last commit. Nothing is opened of a database but its meta pages, which have to
 * be sound (dit_walk_has_metas()): liblmdb believes them.
 *
 * Without a lock.mdb no process has the database open. Then there is nothing to hold, and
 * no lock.mdb is made.
 *
 * @param path  of the data file; liblmdb knows it only as data.mdb in its directory
 * @param ret   NULL: there is nothing to hold
 *
 * @return 0; what dit_readers_open() returns
 */
int dit_hold_take(struct dit_hold **ret, const char *path);

/** The number of the transaction. */
uint64_t dit_hold_txn_id(const struct dit_hold *hold);

/** NULL is fine. */
void dit_hold_drop(struct dit_hold *hold);

#endif
