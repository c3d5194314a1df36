/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A database that others use and change while its index databases are built anew.
 *
 *   dit_online_open()                 a snapshot: what is indexed
 *   tables are written into dit_online_space() by any threads
 *   dit_online_commit()               what was changed since, and the new tables
 *   dit_online_close()
 *
 * Pages come from a reservation (page_reserve.h), made under LMDB's write lock, which is
 * held for a moment each time. The last step holds it until the new tables count:
 *
 *   lock          nobody commits any more
 *   difference    of id2e and id2v between the snapshot and now: IDs of changed entries
 *   changes       of the tables, from the caller
 *   commit        of our own (page_commit.h); lock.mdb gets its number (lock_field.h)
 *   unlock
 *
 * Readers never wait, and go on with the state that they have. Who dies in between leaves
 * the database as it was, and no page is lost: reserved pages are free pages.
 *
 * Threads: belongs to one thread; the space is for all.
 */
#ifndef DITKIT_ONLINE_H
#define DITKIT_ONLINE_H

#include "pages/page_sink.h"
#include "pages/table_edit.h"
#include "store/store.h"

struct dit_online;

struct dit_online_times {
	uint64_t locked_us;  /* LMDB's write lock was held, in all */
	uint64_t longest_us; /* at a time */
	uint64_t nchanged;   /* entries that were changed meanwhile */
	uint64_t bytes;      /* of the file, at the end */
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
 * @return 0; what dit_snapshot_open_readers() returns; DIT_E_UNSUPPORTED, with a fault:
 *         the layout of lock.mdb is not known; -EACCES, -EROFS: it cannot be written
 */
int dit_online_open(struct dit_online **ret, const struct dit_online_opts *opts);
/** NULL is fine. What was not committed is free pages. */
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
	/* Set by the caller's callback; in order, each key and ID once. */
	const struct dit_table_change *changes;
	size_t nchanges;
};

/**
 * Some entries are not what they were: put what that means into the tables' changes.
 *
 * @param newest  the reader of the snapshot that sees the state of now
 * @param ids     of entries that were changed, added or removed; ascending
 *
 * @return 0 or an error
 */
typedef int (*dit_online_changed_fn)(void *ctx, unsigned newest, const uint64_t *ids,
                                     size_t nids);

/**
 * The last step. All writers of the space are freed.
 *
 * @return 0; DIT_E_FULL: it does not fit maxsize; what @p changed returned; errors.
 *         After an error the database is as others left it, unless the meta page could
 *         not be written: then either state may be on the disk, and both are whole
 */
int dit_online_commit(struct dit_online *online, struct dit_online_table *tables,
                      size_t ntables, dit_online_changed_fn changed, void *ctx);

/** Any time. */
void dit_online_times(const struct dit_online *online, struct dit_online_times *ret);

#endif
