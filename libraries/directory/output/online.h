/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An output that rebuilds index databases while others use and change the database.
 *
 *   dit_online_open();  the entries of its snapshot are read
 *   dit_output_find_index(), _add_index();  dit_output_open_part() ... by any threads
 *   dit_publish();  or  dit_output_abandon()
 *
 * The commit catches up with changes since the snapshot. It cannot be taken back.
 *
 * Pages come from a reservation (page_reserve.h). Each reservation holds LMDB's write
 * lock for a moment. The tables catch up with what others changed in rounds: each takes a
 * newer state, and has less to do than the one before.
 *
 *   round         state     the latest commit
 *    without      difference of id2e and id2v between the last state and this one: IDs of
 *    the lock               changed entries
 *                 changes   of the tables, from the caller
 *                 sync
 *   lock          no other process commits any more
 *   last round    the same
 *   commit        of our own (page_commit.h); lock.mdb gets its number (reader_table.h)
 *   unlock
 *
 * The file grows only as far as all processes have mapped it that have the database open
 * (locks/mapped.h).
 *
 * Readers never wait; each keeps its state. A process that is killed before the commit
 * leaves the database as it was and loses no page: reserved pages are free pages.
 *
 * Threads: as output.h says; is_parallel.
 */
#ifndef DITKIT_ONLINE_H
#define DITKIT_ONLINE_H

#include "base/arena.h"
#include "base/shared.h"
#include "locks/mapped.h"
#include "output/output.h"
#include "reader/snapshot.h"
#include "tree/tree_merge.h"

/** Rounds without the lock, at most. */
#define DIT_ONLINE_ROUNDS 8

/** A round: the tables caught up with the changes of others. */
struct dit_online_round {
	uint64_t nchanged; /* entries; one of an earlier round may come again */
	uint64_t us;
};

struct dit_online_times {
	uint64_t locked_us;  /* how long LMDB's write lock was held, in all */
	uint64_t longest_us; /* the longest time without a break */
	unsigned nlocked;    /* how often; each reservation is one */
	uint64_t nchanged;   /* entries that others changed since the snapshot */
	uint64_t bytes;      /* size of the file at the end */
	/* The last one holds the lock, and its time is that of the changes alone. */
	struct dit_online_round rounds[DIT_ONLINE_ROUNDS + 1];
	unsigned nrounds;
};

/** Entries that others changed. */
struct dit_online_changed {
	/* The reader of the snapshot that shows the state before the changes; first the
	 * snapshot's own. */
	unsigned older;
	unsigned newer; /* the one that shows them */
	const uint64_t
		*ids; /* of entries that were changed, added or removed; ascending */
	size_t nids;
};

/**
 * Tell how the changed entries change the tables. Called once for each round that has
 * changed entries.
 *
 * @param ret  one for each table, in their order; valid until the next call, or the end
 *             of the commit
 *
 * @return 0; an error, with which the commit ends
 */
typedef int (*dit_online_changed_fn)(void *ctx, const struct dit_online_changed *changed,
                                     struct dit_list_changes *ret);

struct dit_online_opts {
	const char *directory;
	struct dit_shared shared;    /* each thread reads the snapshot */
	uint64_t wait_ms;            /* at most, while the table of readers is full */
	uint64_t lock_wait_ms;       /* at most, for the write lock */
	struct dit_mapped_conf conf; /* with maxsize as configured; 0: LMDB's default */
	const struct dit_keeper *keeper; /* looks at maps; borrowed; NULL: nobody */
	/* slapd runs with dbnosync: our commits are synced after the lock is free, or all
	 * writers would wait for the pages that slapd has not synced */
	bool is_unsynced;
	uint64_t list_max;              /* IDs in a list */
	struct dit_online_times *times; /* borrowed; filled at the end; may be NULL */
	struct dit_fault *fault;        /* borrowed while it is open; may be NULL */
	dit_online_changed_fn changed;  /* with ctx; of the indexes, in their order */
	void *ctx;
};

/**
 * The output's commit returns 0; DIT_E_FULL: the result does not fit maxsize, or, with a
 * fault, does not fit what other processes have mapped, as far as that is known;
 * DIT_E_CORRUPT, with a fault: an old index database is damaged, or was removed; the
 * error of changed; other errors. After an error the database has the state of the latest
 * commit of others; with is_unsynced it may have the new state, and a fault says so. If
 * the disk fails while the meta page is put back, the old or the new state may be on the
 * disk; both are whole.
 *
 * @param ret_snapshot  the database as it was when it was opened; the output's. Its spare
 *                      readers see newer states
 *
 * @return 0; what dit_snapshot_open_readers() returns; DIT_E_UNSUPPORTED, with a fault:
 *         the layout of lock.mdb is not known; -EACCES, -EROFS: it cannot be written;
 *         -ETIMEDOUT, with a fault: the write lock did not become free
 */
int dit_online_open(struct dit_output **ret, struct dit_snapshot **ret_snapshot,
                    const struct dit_online_opts *opts);

#endif
