/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is behind a snapshot: what all of them have (snapshot.c), and who reads the file:
 * liblmdb, of LMDB 0.9 (snapshot_lmdb.c), or the room page, of 1.0 and of claimed files
 * (snapshot_pages.c).
 * And more for who commits beside other writers (online.c).
 *
 * Threads: as snapshot.h says.
 */
#ifndef DITKIT_SNAPSHOT_IMPL_H
#define DITKIT_SNAPSHOT_IMPL_H

#include "page/page_format.h"
#include "page/tree_cursor.h"
#include "place/lmdb_reader.h"
#include "reader/snapshot.h"

/** A scan is a cursor on a named database. */
struct dit_scan {
	struct dit_tree_cursor *cursor; /* owned */
	bool is_started;                /* stands on a record that was returned */
};

struct dit_snapshot_ops {
	/** @param db  its number */
	int (*open_scan)(struct dit_scan **ret, struct dit_snapshot *snapshot,
	                 unsigned reader, size_t db);
	int (*renew)(struct dit_snapshot *snapshot, unsigned reader);
	/* A named database's tree as a reader sees it. NULL: all see one state */
	int (*tree_by)(struct dit_snapshot *snapshot, unsigned reader, const char *name,
	               struct dit_tree_record *ret);
	int (*nfree)(struct dit_snapshot *snapshot, uint64_t *ret); /* NULL: not known */
	void (*close)(struct dit_snapshot *snapshot); /* what is the implementation's */
};

/** Likewise; filled by the implementation. */
struct dit_snapshot {
	const struct dit_snapshot_ops *ops;
	const struct dit_page_format *format;
	int data_fd;               /* of the data file; the implementation's */
	struct dit_stored_db *dbs; /* sorted by name, each name owned */
	struct dit_tree_record *trees;
	size_t ndbs;
	unsigned page_bytes;
	uint64_t npages; /* of the data file, up to the last one in use */
	uint64_t txn_id;
	unsigned nreaders;
	unsigned nspare;
	bool is_held;
};

/** Room for so many named databases; forgets those that there were. 0; -ENOMEM */
int dit_snapshot_expect_dbs(struct dit_snapshot *snapshot, size_t max);
/**
 * Add one; names come in ascending order.
 *
 * @param record  of the main tree: a struct dit_tree_record
 *
 * @return 0; DIT_E_CORRUPT; -ENOMEM
 */
int dit_snapshot_add_db(struct dit_snapshot *snapshot, struct dit_span name,
                        struct dit_span record);

/** The first opens files of LMDB 0.9, the other one those of 1.0 and claimed files.
 * DIT_E_FORMAT: of the other format */
int dit_snapshot_lmdb_open(struct dit_snapshot **ret, const char *directory,
                           const struct dit_snapshot_opts *opts);
int dit_snapshot_pages_open(struct dit_snapshot **ret, const char *directory,
                            const struct dit_snapshot_opts *opts);

/* ---- of LMDB 0.9 ---- */

struct dit_lmdb_reader *dit_snapshot_lmdb_reader(struct dit_snapshot *snapshot);

/* ---- of both ---- */

/** How many pages a database has that claims @p counted: not more than the file. */
static inline uint64_t dit_snapshot_db_pages(const struct dit_snapshot *snapshot,
                                             uint64_t counted)
{
	return counted < snapshot->npages ? counted : snapshot->npages;
}
/** The tree of a named database. 1; 0: there is none */
int dit_snapshot_tree(const struct dit_snapshot *snapshot, const char *name,
                      struct dit_tree_record *ret);
/** The same as a reader sees it. Also LMDB's codes; DIT_E_CORRUPT; -ENOTSUP: of LMDB 1.0;
 * -EINVAL: there is no such reader */
int dit_snapshot_tree_by(struct dit_snapshot *snapshot, unsigned reader, const char *name,
                         struct dit_tree_record *ret);

#endif
