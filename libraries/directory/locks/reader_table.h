/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of readers in lock.mdb (lock_file.h), next to slapd. A reader registers here
 * as liblmdb 0.9 and 1.0 do:
 *
 *   dit_reader_table_join();  _open();  _enter();  dit_reader_table_renew() ...
 *   a writer: dit_reader_table_lock();  the commit;  _set_last();  _unlock()
 *   dit_reader_table_close()
 *
 * From dit_reader_table_renew() on no writer takes pages of the state whose number it
 * returns, nor of later ones, until the next call or the close. One slot in the table is
 * enough for all threads of a process that read the same state.
 *
 * Bytes of lock.mdb are locked (fcntl), too: byte 0 shared by all who have the database
 * open, and for each process that reads the byte of its number. A process that ends loses
 * its locks: then others free its slots.
 *
 * The first process that opens the database makes the content of lock.mdb, with an
 * exclusive lock on byte 0, and goes on with a shared one.
 *
 * A process may die with the mutex of writers, before or after it has written a meta page
 * and the number of the last transaction. So the next process that takes the mutex sets
 * this number to that of the newest meta page.
 *
 * The owner of lock.mdb can write to it at any time, so numbers in it are checked, and
 * no call waits for its mutexes for ever.
 *
 * Threads: a table belongs to one thread at a time. The process must not fork while it
 * has a table open: the locks would last as long as the child.
 */
#ifndef DITKIT_READER_TABLE_H
#define DITKIT_READER_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "files/fault.h"
#include "locks/lock_file.h"

/** Slots that one table can take. */
#define DIT_READER_OWN_MAX 3

struct dit_reader_table {
	int lock_fd; /* of lock.mdb; borrowed */
	const struct dit_page_format
		*format;             /* of data.mdb; borrowed; NULL: not joined */
	pid_t pid;                   /* of the process that has joined */
	bool is_first;               /* others are kept away */
	void *map;                   /* of lock.mdb; NULL: not open */
	struct dit_lock_parts parts; /* of the map */
	unsigned nslots;             /* that there is room for */
	struct dit_lock_slot *own[DIT_READER_OWN_MAX];
	unsigned nown; /* slots of our own */
};

/**
 * Join the processes that have the database open, or be the first of them. Then no
 * loader can have it, nor exchange data.mdb, until lock_fd is closed. The first process
 * keeps all others away until dit_reader_table_open().
 *
 * @param lock_fd  open for reading and writing; stays open as long as the table
 * @param format   of data.mdb; borrowed as long as the table
 *
 * @return 0; DIT_E_BUSY: a process keeps all others away; the fault names it, as with
 *         dit_claim_take(); -errno
 */
int dit_reader_table_join(struct dit_reader_table *ret, int lock_fd,
                          const struct dit_page_format *format, struct dit_fault *fault);

/**
 * The first process makes the content of lock.mdb.
 *
 * @param data_fd  of the data.mdb that is in place since the processes were joined
 *
 * @return 0; -ESTALE: the last user has removed lock.mdb, or emptied it;
 *         DIT_E_UNSUPPORTED, with a fault: lock.mdb has another layout; -errno; what
 *         dit_lock_file_begin() returns. Then it is not open
 */
int dit_reader_table_open(struct dit_reader_table *table, int data_fd,
                          struct dit_fault *fault);
/** Frees the slots. One that is not open (all zero) is fine. */
void dit_reader_table_close(struct dit_reader_table *table);

/**
 * Take slots; their readers rest at first. The slots of processes that are gone are freed
 * before.
 *
 * @param n        DIT_READER_OWN_MAX at most
 * @param wait_ms  at most, for the mutex of the table, which is held for a moment only
 *
 * @return 0; DIT_LMDB_READERS_FULL; with a fault: -ETIMEDOUT: the mutex did not become
 *         free; -EAGAIN: a process of another container has our number; -errno
 */
int dit_reader_table_enter(struct dit_reader_table *table, unsigned n, uint64_t wait_ms,
                           struct dit_fault *fault);
/** From now on slot @p number of ours reads the last transaction. @return the number of
 * that transaction */
uint64_t dit_reader_table_renew(struct dit_reader_table *table, unsigned number);
/** The number of the last transaction. If it is still that of dit_reader_table_renew(),
 * the meta page of that state was not written to since. */
uint64_t dit_reader_table_last(const struct dit_reader_table *table);

/**
 * Take LMDB's write lock: no other process commits. The thread that takes it unlocks it.
 *
 * @param data_fd  of data.mdb: the meta pages are read if the last owner died
 * @param wait_ms  at most
 *
 * @return 0; with a fault: -ETIMEDOUT: it did not become free; -errno; what
 *         dit_metas_read() returns
 */
int dit_reader_table_lock(struct dit_reader_table *table, int data_fd, uint64_t wait_ms,
                          struct dit_fault *fault);
void dit_reader_table_unlock(const struct dit_reader_table *table);
/**
 * If the owner of the write lock died: all that begin now see the newest state on the
 * disk. It may have died between the meta page and the number in lock.mdb, and liblmdb
 * looks only when it writes.
 *
 * @return 0, also when a process has the lock; what dit_metas_read() returns
 */
int dit_reader_table_mend(const struct dit_reader_table *table, int data_fd);
/** With the write lock held: all that begin now see this transaction. */
void dit_reader_table_set_last(const struct dit_reader_table *table,
                               uint64_t transaction);
/**
 * With the write lock held: the oldest state that a process reads. The slots of
 * processes that are gone are freed.
 *
 * @param ret  has the newest state that counts
 *
 * @return 0; with a fault: -ETIMEDOUT, as dit_reader_table_enter()
 */
int dit_reader_table_oldest(const struct dit_reader_table *table, uint64_t *ret,
                            struct dit_fault *fault);

#endif
