/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reader of a database of LMDB, next to other processes: one or more read transactions
 * that see the same state. As long as they are open, writers leave the pages of that
 * state alone, so that several threads can read them, with or without liblmdb.
 *
 * LMDB 1.0: all transactions of a state have one place in the table of readers
 * (reader_table.h).
 *
 * LMDB 0.9, by way of liblmdb: a read transaction sees the last commit before it began.
 * While LMDB's write lock is held no process commits, so all transactions that begin then
 * see the same state: the lock is taken, the transactions begin, the lock is given back.
 * Open transactions do not hinder writers. Where the lock cannot be had (a file that may
 * only be read, or no_lock), the transactions begin one after the other, and begin again
 * when a commit came in between.
 *
 * Both files are opened by descriptor (files.h). The lock file stays open as long as the
 * environment: a process that closes a descriptor of it gives up all its locks on it.
 *
 * Threads: one thread opens and closes; then each transaction is one thread's at a time.
 */
#ifndef DITKIT_LMDB_READER_H
#define DITKIT_LMDB_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "files/fault.h"
#include "locks/lock_field.h"
#include "locks/reader_table.h"

struct MDB_env;
struct MDB_txn;

struct dit_lmdb_reader_opts {
	unsigned n;        /* transactions; at least 1 */
	unsigned nspare;   /* the last ones of them may be renewed */
	bool no_lock;      /* do not take the write lock */
	bool no_lock_file; /* make none where there is none: nobody writes then */
	bool is_lmdb_10;   /* the file is */
	bool may_be_first; /* of LMDB 1.0: else another process must have it open */
	/* Of LMDB 1.0: as for dit_data_open_10(); borrowed */
	const struct dit_page_format *sealed;
	uint64_t wait_ms;        /* at most, for free places in the table of readers */
	struct dit_fault *fault; /* borrowed; may be NULL; says more than the result */
};

struct dit_lmdb_reader_ops; /* lmdb_reader_impl.h */

/** To be read. */
struct dit_lmdb_reader {
	const struct dit_lmdb_reader_ops *ops; /* of its format */
	int data_fd;
	int lock_fd; /* -1: no lock file, or a file system that may only be read */
	unsigned n;
	unsigned nspare;
	uint64_t txn_id; /* of the state that was opened */
	bool is_locked;  /* LMDB's write lock is held */

	struct dit_reader_table table; /* of LMDB 1.0 */

	/* Of LMDB 0.9. */
	struct MDB_env *env;
	struct MDB_txn **txns; /* n; all of state txn_id, but for spare ones */
	struct MDB_txn *held;  /* the write lock; NULL: not held */
	struct dit_lock_field field;
};

/** Looks at state @p txn_id of the file. 0; an error, which ends the opening. */
typedef int (*dit_lmdb_reader_look_fn)(void *ctx, int data_fd, uint64_t txn_id);

/**
 * @param ret        dit_lmdb_reader_close(); NULL on failure
 * @param directory  holds a data.mdb
 * @param look       may be NULL; is called before the transactions begin, in the state
 *                   that they see; again, in a later one, when a commit came in between
 *
 * @return 0; DIT_E_FORMAT; what dit_directory_open() and dit_file_open() return; LMDB's
 *         codes, among them MDB_READERS_FULL: no place became free within wait_ms (places
 *         of processes that are gone are cleared and taken at once); -EAGAIN: without the
 *         lock, a commit came between the transactions each time; what @p look returned.
 *         Of LMDB 1.0 what dit_reader_table_open() and dit_reader_table_enter() return
 */
int dit_lmdb_reader_open(struct dit_lmdb_reader **ret, const char *directory,
                         const struct dit_lmdb_reader_opts *opts,
                         dit_lmdb_reader_look_fn look, void *ctx);
/** Ends all transactions and closes the environment. NULL is fine. */
void dit_lmdb_reader_close(struct dit_lmdb_reader *reader);

/**
 * From now on a spare transaction shows the last commit. It keeps its place in the table
 * of readers.
 *
 * @param number  of the transaction, below n
 *
 * @return 0; LMDB's codes: it cannot be used until a later call returns 0
 */
int dit_lmdb_reader_renew(struct dit_lmdb_reader *reader, unsigned number,
                          uint64_t *ret_txn_id);

/* ---- for who commits next to other processes ---- */

/**
 * Take LMDB's write lock: no other process commits. The thread that takes it unlocks it.
 *
 * @param wait_ms  at most; LMDB 0.9 waits as long as it takes
 *
 * @return 0; LMDB's codes; what dit_reader_table_lock() returns
 */
int dit_lmdb_reader_lock(struct dit_lmdb_reader *reader, uint64_t wait_ms,
                         struct dit_fault *fault);
void dit_lmdb_reader_unlock(struct dit_lmdb_reader *reader);

/*
 * The lock is held during all that follows.
 */

/** The oldest state that a process reads; readers that were killed do not count. 0;
 * LMDB's codes, -EIO; what dit_reader_table_oldest() returns */
int dit_lmdb_reader_oldest(const struct dit_lmdb_reader *reader, uint64_t *ret,
                           struct dit_fault *fault);

/** Once, before the next two: find where lock.mdb has the number of the last transaction.
 * 0; what dit_lock_field_open() returns; -EROFS: there is no lock.mdb */
int dit_lmdb_reader_find_last(struct dit_lmdb_reader *reader, struct dit_fault *fault);
uint64_t dit_lmdb_reader_last(const struct dit_lmdb_reader *reader);
/** All that begin now see this transaction. */
void dit_lmdb_reader_set_last(const struct dit_lmdb_reader *reader, uint64_t txn_id);

#endif
