/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several read transactions of one environment that see the same state, so that as many
 * threads can read it side by side.
 *
 * A read transaction sees the last commit before it began. While LMDB's write lock is
 * held no process commits, so all transactions that begin then see the same state: the
 * lock is taken, the readers begin, the lock is given back. Readers that keep their
 * transaction do not hinder writers. Where the lock cannot be had (a file that may only
 * be read, or no_lock), the readers begin one after the other, and begin again when a
 * commit came in between.
 *
 * Threads: one thread opens and closes; then each transaction is one thread's at a time.
 */
#ifndef DITKIT_READERS_H
#define DITKIT_READERS_H

#include <stdbool.h>
#include <stdint.h>

#include <lmdb.h>

#include "place/door.h"

struct dit_readers_opts {
	unsigned n;              /* transactions; at least 1 */
	bool no_lock;            /* do not take the write lock */
	bool no_lock_file;       /* make none where there is none */
	unsigned max_dbs;        /* named databases that may be opened */
	uint64_t wait_ms;        /* at most, for free places in the table of readers */
	unsigned attempts;       /* without the lock: at most; 0: 1000 */
	struct dit_fault *fault; /* borrowed; may be NULL; says more than the result */
};

struct dit_readers {
	struct dit_door door;
	MDB_env *env;
	MDB_txn **txns; /* n; all of state txn_id */
	unsigned n;
	uint64_t txn_id;
};

/**
 * Opens databases in a read transaction. Handles of all transactions are made here: those
 * that a transaction opens later are its own.
 */
typedef int (*dit_readers_prepare_fn)(void *ctx, MDB_env *env, MDB_txn *txn);

/**
 * @param directory  holds a data.mdb
 * @param prepare    is called before the transactions begin, in the state that they see;
 *                   again, with a new transaction, when a commit came in between
 *
 * @return 0; what dit_door_open() returns; LMDB's codes, among them MDB_READERS_FULL: no
 *         place became free within wait_ms (places of processes that are gone are cleared
 *         and taken at once); -EAGAIN: without the lock, a commit came between the
 *         readers each time; what
 *         @p prepare returned. On failure nothing is left open
 */
int dit_readers_open(struct dit_readers *ret, const char *directory,
                     const struct dit_readers_opts *opts, dit_readers_prepare_fn prepare,
                     void *ctx);
/** Ends all transactions and closes the environment. */
void dit_readers_close(struct dit_readers *readers);

/**
 * From now on a transaction shows the last commit. It keeps its place in the table of
 * readers.
 *
 * @param number  of the transaction, below n
 *
 * @return 0; LMDB's codes: it cannot be used until a later call returns 0
 */
int dit_readers_renew(struct dit_readers *readers, unsigned number);

#endif
