/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A database that others use and change while its index databases are built anew.
 *
 *   dit_online_open()                 a snapshot, whose entries are indexed
 *   any threads write tables into dit_online_space()
 *   dit_online_commit()               changes since the snapshot; the new tables count
 *   dit_online_close()
 *
 * Pages come from a reservation (page_reserve.h). Each reservation holds LMDB's write
 * lock for a moment. The last step holds the lock until the new tables count:
 *
 *   lock          nobody commits any more
 *   difference    of id2e and id2v between the snapshot and now: IDs of changed entries
 *   changes       of the tables, from the caller
 *   commit        of our own (page_commit.h); lock.mdb gets its number (lock_field.h)
 *   unlock
 *
 * Readers never wait; each keeps its state. A process that is killed meanwhile leaves the
 * database as it was and loses no page, since reserved pages are free pages.
 *
 * Threads: an object belongs to one thread. All threads may use the space.
 */
#ifndef DITKIT_ONLINE_H
#define DITKIT_ONLINE_H

#include "pages/page_sink.h"
#include "pages/table_edit.h"
#include "store/store.h"

struct dit_online;

struct dit_online_times {
	uint64_t locked_us;  /* how long LMDB's write lock was held, in all */
	uint64_t longest_us; /* the longest time without a break */
	uint64_t nchanged;   /* entries that others changed since the snapshot */
	uint64_t bytes;      /* size of the file at the end */
};

struct dit_online_opts {
	const char *directory;
	unsigned nreaders; /* of the snapshot */
	uint64_t wait_ms;  /* at most, while the table of readers is full */
	uint64_t maxsize_bytes;
	uint64_t list_max;                   /* IDs in a list */
	struct dit_page_writer *page_writer; /* borrowed; NULL: each thread writes */
	struct dit_online_times *times; /* borrowed; filled at the end; may be NULL */
	struct dit_fault *fault;        /* borrowed while it is open; may be NULL */
};

/**
 * @return 0; what dit_snapshot_open_readers() returns; DIT_E_FORMAT: of LMDB 1.0;
 *         DIT_E_UNSUPPORTED, with a fault: the layout of lock.mdb is not known; -EACCES,
 *         -EROFS: it cannot be written
 */
int dit_online_open(struct dit_online **ret, const struct dit_online_opts *opts);
/** Pages of tables that were not committed are free pages. NULL is fine. */
void dit_online_close(struct dit_online *online);

struct dit_snapshot *dit_online_snapshot(const struct dit_online *online);
struct dit_page_space *dit_online_space(struct dit_online *online);
/** The stored tree of a named database, in the snapshot. 1; 0: there is none */
int dit_online_find(const struct dit_online *online, const char *name,
                    struct dit_tree_record *ret);

/** A finished table. */
struct dit_online_table {
	const char *name;
	struct dit_tree_record tree;
	/* The caller's callback sets these: in key order, each key and ID once. */
	const struct dit_table_change *changes;
	size_t nchanges;
};

/**
 * Entries were changed since the snapshot: put the changes of their keys into the tables.
 *
 * @param newest  the reader of the snapshot that shows the latest commit
 * @param ids     of entries that were changed, added or removed; ascending
 *
 * @return 0 or an error
 */
typedef int (*dit_online_changed_fn)(void *ctx, unsigned newest, const uint64_t *ids,
                                     size_t nids);

/**
 * The last step. The caller has freed all writers of the space.
 *
 * @return 0; DIT_E_FULL: the result does not fit maxsize; DIT_E_CORRUPT, with a fault: an
 *         old index database is damaged; the error of @p changed; other
 *         errors. After an error the database has the state of the latest commit of
 *         others. If the disk fails while the meta page is put back, the old or the new
 *         state may be on the disk; both are whole
 */
int dit_online_commit(struct dit_online *online, struct dit_online_table *tables,
                      size_t ntables, dit_online_changed_fn changed, void *ctx);

/** The times so far. The call may come at any time. */
void dit_online_times(const struct dit_online *online, struct dit_online_times *ret);

#endif
