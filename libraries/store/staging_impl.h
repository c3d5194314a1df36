/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What staging.c (open, publish, abandon), staging_writers.c, staging_split.c and
 * staging_tables.c (everything between) share. Nobody else includes this, tests apart.
 *
 * Threads: as store.h says.
 */
#ifndef DITKIT_STAGING_IMPL_H
#define DITKIT_STAGING_IMPL_H

#include <signal.h>

#include <lmdb.h>

#include "store/claim.h"
#include "store/lmdb_format.h"
#include "store/page_sink.h"
#include "store/store.h"

/** A database that is written beside liblmdb. */
struct dit_staged_table {
	char *name;     /* owned */
	unsigned flags; /* MDB_... */
	bool is_written;
	uint64_t at; /* of its record in the file; once has_pages */
	struct dit_tree_record tree;
};

/** What became of the file that was replaced. */
enum dit_old_file {
	DIT_OLD_NONE, /* there was none */
	DIT_OLD_KEPT, /* it has a second name in the staging directory */
	DIT_OLD_LOST,
};

struct dit_staging {
	struct dit_claim claim;
	char *directory;    /* owned */
	char *staging_path; /* owned; directory/ditkit-staging */
	mode_t mode;
	uint64_t maxsize_bytes;
	bool may_grow;
	enum dit_old_file old_file; /* since dit_staging_place() */

	MDB_env *env; /* NULL once closed */
	int data_fd;  /* the environment's own; not ours to close */
	size_t page_bytes;
	uint64_t map_bytes;
	MDB_dbi ad2i;
	MDB_dbi id2e;
	MDB_dbi id2v;

	/* The open transaction; txn and cursor are NULL between two. */
	MDB_txn *txn;
	MDB_cursor *cursor;
	MDB_dbi cursor_dbi;
	uint64_t txn_room_bytes; /* what it may still be charged with */
	uint64_t txn_bytes;      /* what it was charged with */

	uint64_t used_bytes;    /* of the data file, by the last commit */
	uint64_t started_bytes; /* of it, handed to the disk already */

	/* Where the writers stand. */
	uint32_t last_ad;
	bool has_entry;
	uint64_t last_entry; /* highest ID in id2e */
	bool knows_split;    /* the two below were looked up */
	bool has_split;
	uint64_t last_split;    /* highest ID in id2v ... */
	uint16_t last_split_ad; /* ... and the highest number under it */

	/* The array is constant while writers are at work. */
	struct dit_staged_table names; /* dn2i */
	struct dit_staged_table *indexes;
	size_t nindexes;
	bool has_pages; /* since dit_staging_begin_tables(): liblmdb writes no more */
	struct dit_page_space space;

	int error; /* the first; all later calls return it */
};

/* What LMDB adds to key and data: node header, its slot in the page, rounding to even
 * sizes. */
#define STAGING_NODE_BYTES 11
/* More than one item under a key: a page inside the node with up to four free places, or
 * the record of a tree of its own. */
#define STAGING_LIST_BYTES 64

/** Have lock.mdb as it is behind a slapd that was closed in order; claim.h tells why. */
void dit_staging_set_up_lock_file(const struct dit_claim *claim, const char *directory,
                                  mode_t mode);

#define DIT_STAGING_NAME "ditkit-staging"
#define DIT_DATA_NAME    "data.mdb"
#define DIT_OLD_NAME     "old.mdb" /* a second name of what is replaced */

/** Remove the staging directory with all it holds. 0 or -errno. */
int dit_staging_clear(int dir_fd);
/** Abort what is open. */
void dit_staging_close_env(struct dit_staging *staging);
/** Clean up, drop the claim, free. */
void dit_staging_free(struct dit_staging *staging, enum dit_claim_end end);

/** Begin a transaction that may be charged with @p bytes at least. */
int dit_staging_begin(struct dit_staging *staging, uint64_t bytes);

/** See to it that a transaction is open that can take nodes of this size. */
int dit_staging_charge(struct dit_staging *staging, uint64_t bytes);

/** Put the cursor on this database. */
int dit_staging_cursor_on(struct dit_staging *staging, MDB_dbi dbi);

/** Remember the first failure. @return @p r */
int dit_staging_keep(struct dit_staging *staging, int r);

/** Give id2v the orders that it needs, before anything else is done with it. */
int dit_staging_order_split(MDB_txn *txn, MDB_dbi id2v);

/** Commit the open transaction, if there is one. */
int dit_staging_commit(struct dit_staging *staging);

/**
 * While LMDB writes, a limit on file sizes (RLIMIT_FSIZE) must be an error and not a
 * deadly SIGXFSZ: the signal is blocked in this thread, and taken away if it came.
 */
void dit_staging_block_signal(sigset_t *ret_previous);
void dit_staging_restore_signal(const sigset_t *previous);

#endif
