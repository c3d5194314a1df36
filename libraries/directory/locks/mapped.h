/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of data.mdb is mapped by the processes that have the database open.
 *
 * LMDB maps as much as "maxsize" says when a process opens the database, and at least the
 * pages in use. The process has no page after that: if another one makes the file longer,
 * its next transaction fails, and slapd 2.5 aborts. The size in the meta page is the
 * largest that any process ever had, so it says nothing of those that run.
 *
 *   who              locks on lock.mdb: byte 0 by all who have the database open, the
 *                    byte of its number by each that has read; fcntl(2) names one of the
 *                    first and all of the second, /proc/locks all that are seen here
 *   how much         /proc/PID/maps, read here, or by a keeper that stayed root
 *   else             the configured size, if a process was started with the configuration
 *                    that we have read, after its last change and before we read it
 *   else             it is not known, and the file must not grow
 *
 * An encrypted file is mapped in pieces, so its maps say nothing, and the configuration
 * counts. Our own readers have locks of open files (reader_table.h) and need no new page:
 * they do not count.
 *
 * A process that opens the database now maps what the newest meta page has. So whoever
 * makes the file longer looks twice, with LMDB's write lock held: before, and when the
 * meta page is written and nobody uses it yet.
 *
 * Limits: a process that uses no locks (MDB_NOLOCK) is not seen; nor is one of another
 * container that has read nothing, if fcntl(2) names another process.
 *
 * Threads: no state; one thread.
 */
#ifndef DITKIT_MAPPED_H
#define DITKIT_MAPPED_H

#include "files/fault.h"
#include "locks/process.h"
#include "system/keeper.h"

/** The configuration that was read. Zero: none. */
struct dit_mapped_conf {
	const char *path;    /* an absolute one, as slapd's "-f" or "-F"; borrowed */
	uint64_t changed_us; /* CLOCK_REALTIME: the latest change of its files */
	uint64_t read_us;    /* when they were read */
	uint64_t map_bytes;  /* "maxsize" */
};

struct dit_mapped_opts {
	int lock_fd; /* of lock.mdb, open as long as we have the database open */
	int data_fd;
	bool is_encrypted;
	const struct dit_keeper *keeper; /* NULL: we look ourselves */
	struct dit_mapped_conf conf;
};

struct dit_mapped {
	uint64_t bytes; /* that each process has mapped; UINT64_MAX: there is none */
	int error;      /* why it is not known; then bytes is 0. 0: it is known */
	char who[DIT_PROCESS_NAME_BYTES]; /* has mapped least, or is not known */
};

/** A process that looks at maps, and stays root. As dit_keeper_start() */
int dit_mapped_keeper_start(struct dit_keeper *ret);

/** Look. Waits a second at most for processes that have the lock and nothing mapped yet.
 * 0; -errno */
int dit_mapped_find(const struct dit_mapped_opts *opts, struct dit_mapped *ret);

/** Say that the file cannot grow, and what to do. @return @p r */
int dit_mapped_say(const struct dit_mapped *mapped, struct dit_fault *fault, int r);

#endif
