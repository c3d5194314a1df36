/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of readers in lock.mdb of LMDB 1.0 (OpenLDAP 2.7), next to slapd. The liblmdb
 * at hand knows 0.9 alone, so a reader registers here as liblmdb 1.0.1 does:
 *
 *   dit_reader_table_open();  dit_reader_table_enter();  dit_reader_table_renew() ...
 *   a writer: dit_reader_table_lock();  the commit;  _set_last();  _unlock()
 *   dit_reader_table_close()
 *
 * From dit_reader_table_renew() on no writer takes pages of the state whose number it
 * returns, nor of later ones, until the next call or the close. One place in the table is
 * enough for all threads of a process that read the same state.
 *
 * lock.mdb for 64 bits, little-endian, with mutexes of 40 bytes:
 *
 *   offset  bytes  what
 *        0      4  de c0 ef be, as in data.mdb
 *        4      4  the layout: 02 60 2f 2c
 *        8      8  number of the last transaction
 *       16      4  how many places of readers were ever used
 *       24     40  the mutex of the table of readers
 *       64     40  the mutex of writers
 *      128  64 * n the places of readers; n is 126, or "maxreaders"
 *
 * A place has the number of the transaction that is read (8 bytes; ff ff ... for a reader
 * that rests), of the process (4; 0: the place is free), 4 unused bytes, and of the
 * thread (8). Both mutexes are those of <pthread.h>: robust, shared between processes.
 *
 * The layout is a version, 2, in its lower 12 bits, and a number that liblmdb makes of
 * the sizes and kinds of all these. Another layout is refused.
 *
 * Bytes of lock.mdb are locked (fcntl), too: byte 0 shared by all who have the database
 * open, and for each process that reads the byte of its number. A process that ends loses
 * its locks: then others free its places.
 *
 * The first process that opens the database makes the content of lock.mdb, with an
 * exclusive lock on byte 0, and goes on with a shared one.
 *
 * A process that dies with the mutex of writers has written a meta page or not, and the
 * number of the last transaction or not. So who takes the mutex next puts the number of
 * the newest meta page there.
 *
 * Whoever owns lock.mdb can write to it at any time, so numbers in it are checked, and
 * nobody waits for its mutexes for ever.
 *
 * Threads: a table belongs to one thread at a time. The process must not fork while it
 * has a table open: the locks would last as long as the child.
 */
#ifndef DITKIT_READER_TABLE_H
#define DITKIT_READER_TABLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/fault.h"

#define DIT_LOCK_LAYOUT      0x2c2f6002u
#define DIT_LOCK_MUTEX_BYTES 40
#define DIT_LOCK_LINE_BYTES  64

struct dit_lock_place {
	_Alignas(DIT_LOCK_LINE_BYTES) _Atomic uint64_t transaction;
	_Atomic uint32_t pid;
	uint64_t thread;
};

struct dit_lock_head {
	uint32_t magic;
	uint32_t layout;
	_Atomic uint64_t transaction;
	_Atomic uint32_t nplaces;
	pthread_mutex_t readers; /* for who takes a place, or frees that of another */
	_Alignas(DIT_LOCK_LINE_BYTES) pthread_mutex_t writers;
};

/** Are mutexes here as the table above has them? */
static inline bool dit_lock_layout_is_known(void)
{
	return sizeof(pthread_mutex_t) == DIT_LOCK_MUTEX_BYTES &&
	       offsetof(struct dit_lock_head, readers) == 24 &&
	       offsetof(struct dit_lock_head, writers) == 64 &&
	       sizeof(struct dit_lock_head) == 2 * DIT_LOCK_LINE_BYTES;
}

/** Places that one table can take. */
#define DIT_READER_OWN_MAX 3

struct dit_reader_table {
	int lock_fd;                /* of lock.mdb; borrowed */
	struct dit_lock_head *head; /* mapped; NULL: not open */
	unsigned nplaces;           /* that there is room for */
	struct dit_lock_place *own[DIT_READER_OWN_MAX];
	unsigned nown; /* places of our own */
};

/**
 * Join the processes that have the database open. It stays theirs, and no loader can have
 * it, until lock_fd is closed.
 *
 * @param lock_fd  open for reading and writing; stays open as long as the table
 * @param data_fd  of data.mdb: if no process has it open, we are the first. -1: one must
 *
 * @return 0; -ENOENT: no process has it open, so the content of lock.mdb does not count,
 *         or the file is gone; DIT_E_BUSY: a process keeps all others away;
 *         DIT_E_UNSUPPORTED, with a fault: lock.mdb has another layout; -errno
 */
int dit_reader_table_open(struct dit_reader_table *ret, int lock_fd, int data_fd,
                          struct dit_fault *fault);
/** Frees the places. One that is not open (all zero) is fine. */
void dit_reader_table_close(struct dit_reader_table *table);

/**
 * Take places, where readers rest at first. Those of processes that are gone are freed
 * before.
 *
 * @param n        DIT_READER_OWN_MAX at most
 * @param wait_ms  at most, for the mutex of the table, which is held for a moment only
 *
 * @return 0; MDB_READERS_FULL; with a fault: -ETIMEDOUT: the mutex did not become free;
 *         -EAGAIN: a process of another container has our number; -errno
 */
int dit_reader_table_enter(struct dit_reader_table *table, unsigned n, uint64_t wait_ms,
                           struct dit_fault *fault);
/** Place @p number of ours has the last transaction from now on. @return its number */
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
void dit_reader_table_unlock(struct dit_reader_table *table);
/** With the write lock held: all that begin now see this transaction. */
void dit_reader_table_set_last(const struct dit_reader_table *table,
                               uint64_t transaction);
/**
 * With the write lock held: the oldest state that a process reads. The places of
 * processes that are gone are freed.
 *
 * @param ret  has the newest state that counts
 *
 * @return 0; with a fault: -ETIMEDOUT, as dit_reader_table_enter()
 */
int dit_reader_table_oldest(const struct dit_reader_table *table, uint64_t *ret,
                            struct dit_fault *fault);

#endif
