/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One state of a database of back-mdb (storage.md 1), which is read:
 *
 *   dit_snapshot_open_readers();  dit_snapshot_cursor_open() ...;  dit_snapshot_close()
 *
 * Threads: a snapshot belongs to one thread. The cursors of one reader belong to one
 * thread at a time; each reader may have a thread of its own. Any thread may read the
 * bytes that a cursor returns, as long as tree_cursor.h says that they are valid.
 *
 * The file may be damaged: functions return DIT_E_CORRUPT then.
 */
#ifndef DITKIT_SNAPSHOT_H
#define DITKIT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "locks/lmdb_reader.h"
#include "page/lmdb_format.h"
#include "page/page_source.h"
#include "page/tree_cursor.h"

/** A named database. */
struct dit_stored_db {
	const char *name;  /* owned by the snapshot */
	unsigned flags;    /* DIT_DB_... as stored */
	uint64_t nrecords; /* duplicates counted one by one */
	/* As liblmdb has counted, at most those of the file. With DIT_DB_DUPSORT it may
	 * be wrong: LMDB 0.9.36 takes pages off that older ones did not count */
	uint64_t npages;
	struct dit_tree_record tree; /* as stored */
};

/** Others read what is not private. [const] but for the maps of spare readers */
struct dit_snapshot {
	/* The pages that all readers see but spare ones, up to the last one in use, and
	 * the meta page of their transaction. It was read when the snapshot was
	 * registered: two commits later the file does not have it any more. */
	struct dit_page_source map;
	struct dit_stored_db *dbs; /* sorted by name, each name owned */
	size_t ndbs;
	unsigned nreaders;
	bool is_held; /* against writers: without a lock file it is not */
	struct dit_lmdb_reader *reader; /* owned; NULL: claimed */

	/* private: */
	unsigned nspare;
	/* [own: the reader's thread] a reader that was never renewed has the common map,
	 * and its own is all zero. NULL without a reader */
	struct dit_page_source *spare_maps;
};

/** A snapshot that several threads read side by side (lmdb_reader.h). */
struct dit_snapshot_opts {
	unsigned nreaders; /* at least 1: each thread reads as one of them */
	/* As in lmdb_reader.h, but for the format. Spare readers are numbered from
	 * nreaders on. Where the file is claimed only the fault counts */
	struct dit_lmdb_reader_opts lmdb;
	/* The format of sealed files of LMDB 1.0 (files/data_seal.h); borrowed until the
	 * end. NULL: they are not sealed, or claimed_fd is of LMDB 0.9 */
	const struct dit_page_format *sealed;
	bool is_claimed; /* the caller has a claim (claim.h), so that nobody writes */
	int claimed_fd;  /* of data.mdb, then; borrowed; no directory is opened */
};

/**
 * Open DIR/data.mdb read-only and pin one snapshot. The file may be in use by others. All
 * readers see the same transaction.
 *
 * @return 0; LMDB's codes, -errno; DIT_E_CORRUPT; with a fault, DIT_E_UNSUPPORTED:
 *         lock.mdb has an unknown layout, or the pages are encrypted or have sums, but
 *         not as the options say; DIT_E_BUSY: a process keeps others away (with LMDB 0.9
 *         the call waits for this process); DIT_LMDB_READERS_FULL; -EAGAIN: commits came
 *         too fast; DIT_E_STOPPED
 */
int dit_snapshot_open_readers(struct dit_snapshot **ret, const char *directory,
                              const struct dit_snapshot_opts *opts);
/** The same for a file that is not claimed; a holder of the database gets no fault. */
int dit_snapshot_register(struct dit_snapshot **ret, const char *directory,
                          const struct dit_snapshot_opts *opts);
void dit_snapshot_close(struct dit_snapshot *snapshot);
/** Is the data file of LMDB 1.0 (OpenLDAP 2.7)? Else it is of 0.9. */
bool dit_snapshot_is_lmdb_10(const struct dit_snapshot *snapshot);
/**
 * From now on a spare reader shows the latest commit and not the state that it had. All
 * cursors of it are closed.
 *
 * @param reader  nreaders, or above; not where the file is claimed
 *
 * @return 0; -ESTALE, -EAGAIN, -errno: it cannot be used until a later call returns 0
 */
int dit_snapshot_renew(struct dit_snapshot *snapshot, unsigned reader);
/** A spare reader's map. */
static inline struct dit_page_source *dit_snapshot_spare_map(
	struct dit_snapshot *snapshot, unsigned reader)
{
	return &snapshot->spare_maps[reader - snapshot->nreaders];
}
/** The tree of a named database as a reader sees it, not where the file is claimed. 1;
 * 0: there is none; LMDB's codes; DIT_E_CORRUPT */
int dit_snapshot_tree_by(struct dit_snapshot *snapshot, unsigned reader, const char *name,
                         struct dit_tree_record *ret);
/** Those of its pages that are free. */
int dit_snapshot_nfree(const struct dit_snapshot *snapshot, uint64_t *ret);
/** The database of that name; NULL: none. */
const struct dit_stored_db *dit_snapshot_db(const struct dit_snapshot *snapshot,
                                            const char *name);

/**
 * Cut the IDs of id2e into ranges with about the same number of leaf pages. Range i
 * holds the IDs from (*ret_firsts)[i] up to, and without, (*ret_firsts)[i + 1]. The
 * first range begins with 0, the last has no end. Only branch pages are read, so holes
 * and long values in overflow pages do not matter.
 *
 * @param nleaves     leaf pages in a range, at least 1
 * @param ret_firsts  ascending; free() it
 *
 * @return 0; DIT_E_UNKNOWN: no id2e; DIT_E_CORRUPT; -ENOMEM; -errno
 */
int dit_snapshot_id_ranges(struct dit_snapshot *snapshot, unsigned nleaves,
                           uint64_t **ret_firsts, size_t *ret_n);

/**
 * A cursor on a named database, as a reader sees it. Cursors of one reader belong to one
 * thread at a time. They are closed before the snapshot is, and before the reader is
 * renewed.
 *
 * @param reader  0 .. nreaders - 1, or a spare one
 *
 * @return 0; DIT_E_UNKNOWN: no database of that name; DIT_E_CORRUPT; -ENOMEM
 */
int dit_snapshot_cursor_open(struct dit_tree_cursor **ret, struct dit_snapshot *snapshot,
                             unsigned reader, const char *name);

#endif
