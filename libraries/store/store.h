/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * back-mdb's environment (storage.md 1): a new one is built, an existing one is read.
 * Only this room calls liblmdb. The room pages knows the file formats.
 *
 * A new database, of LMDB 0.9 or 1.0, is built in a staging environment inside the
 * database directory. One rename puts it in place:
 *
 *   dit_staging_open();
 *   dit_staging_put_*(), ..., in ascending key order per named database;
 *   dit_staging_begin_changes(), and the records that did not come in order;
 *   dit_staging_publish()  or  dit_staging_abandon()
 *
 * DIR/ditkit-staging/ holds the unfinished data.mdb. dit_staging_open() removes the
 * files that a killed process left there. Nothing touches DIR/data.mdb before the
 * rename in dit_staging_publish(); after it the finished database is there, synced.
 * From open to the end the directory is claimed (claim.h): other loaders are refused,
 * and a slapd or tool that is started meanwhile waits.
 *
 * An existing database is read through a snapshot:
 *
 *   dit_snapshot_open();  dit_snapshot_dbs();  dit_scan_open(), dit_scan_next()...;
 *   dit_snapshot_close()
 *
 * Threads: a staging object belongs to one thread. Before dit_staging_begin_changes()
 * several threads may write names and indexes, one thread for each database. A snapshot
 * belongs to one thread. The scans of one reader belong to one thread at a time; each
 * reader may have a thread of its own. Any thread may read the bytes that a scan returns
 * until the snapshot is closed. A process that stages an environment must not open a
 * snapshot of the same directory at the same time.
 */
#ifndef DITKIT_STORE_H
#define DITKIT_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/span.h"
#include "store/output.h"

struct dit_staging;
struct dit_fault;       /* fault.h */
struct dit_page_writer; /* page_writer.h */

struct dit_staging_opts {
	const char *directory;  /* of the database; must exist; copied */
	mode_t mode;            /* of data.mdb and lock.mdb */
	unsigned ndbs;          /* named databases at most (fixed ones included) */
	uint64_t maxsize_bytes; /* configured map size, to be recorded; 0: LMDB's */
	bool may_grow;          /* --grow: a result larger than maxsize_bytes is fine */
	struct dit_page_writer *writer; /* borrowed; NULL: each thread writes its pages */
	bool use_page_cache;            /* write through it; false: past it if possible */
	enum dit_output_writer kind;
	bool has_ixck;             /* the database has ixck, which is empty */
	bool replaces_records;     /* the old file is not looked at */
	bool is_lmdb_10;           /* the file is of LMDB 1.0, written without liblmdb */
	unsigned page_bytes;       /* with is_lmdb_10: a power of two; 0: the system's */
	struct dit_ticker *ticker; /* main's; borrowed; NULL: nobody listens */
	struct dit_fault *fault;   /* borrowed; may be NULL; says more than the result */
};

/**
 * Refuses, with nothing changed: DIT_E_BUSY (slapd or another loader has the database
 * open), DIT_E_FORMAT (the existing data.mdb is of LMDB 1.0 and is_lmdb_10 is off, or
 * the other way round, or of LMDB 1.0 and holds records), DIT_E_NOTEMPTY (the database
 * holds records; @p ret_nrecords says how many), -errno (with a fault: a link, or
 * something else than a regular file), LMDB's codes (MDB_INVALID, MDB_VERSION_MISMATCH:
 * data.mdb is no database).
 */
int dit_staging_open(struct dit_staging **ret, const struct dit_staging_opts *opts,
                     uint64_t *ret_nrecords);

/*
 * Writers. All return 0, LMDB's codes or -errno; the first error sticks. Disk full or a
 * limit reached: -ENOSPC, -EDQUOT, -EFBIG. Records out of order: MDB_KEYEXIST, -EINVAL.
 * Errors of writing may come with a later record.
 */

/** ad2i: numbers ascend from 1 without gaps. */
int dit_staging_put_ad(struct dit_staging *staging, uint32_t number,
                       struct dit_span name);

/**
 * id2e: append a record; the caller fills @p ret_space (zero bytes: a hole) before any
 * other call. IDs ascend.
 */
int dit_staging_reserve_entry(struct dit_staging *staging, uint64_t id, size_t len,
                              void **ret_space);

/** The same for a record that is made piece by piece (table_writer.h). */
int dit_staging_put_entry_pieces(struct dit_staging *staging, uint64_t id, size_t len,
                                 const struct dit_pieces *record);

/*
 * With the append writer liblmdb makes all pages, on one thread. The functions below
 * take the place of the two functions above and of the tables further down. Tables are
 * written one after the other:
 *
 *   dit_staging_append_names() or _index();
 *   dit_staging_append_name() or _list() ..., as dit_table_writer_add() and _put();
 *   dit_staging_append_end()
 */

/** Does the append writer write this database? */
bool dit_staging_is_append(const struct dit_staging *staging);
/** How long keys and records may be. */
size_t dit_staging_key_max(const struct dit_staging *staging);
/** Is the format of the liblmdb at hand the one that pages are built in? */
bool dit_staging_is_known_format(const struct dit_staging *staging);
int dit_staging_append_ad(struct dit_staging *staging, uint32_t number,
                          struct dit_span name);
int dit_staging_append_entry(struct dit_staging *staging, uint64_t id, size_t len,
                             void **ret_space);
/** -EINVAL: no such index, or a table is open. */
int dit_staging_append_index(struct dit_staging *staging, size_t number);
int dit_staging_append_names(struct dit_staging *staging);
int dit_staging_append_name(struct dit_staging *staging, uint64_t id,
                            struct dit_span record);
int dit_staging_append_list(struct dit_staging *staging, struct dit_span key,
                            const uint64_t *ids, size_t nids);
void dit_staging_append_end(struct dit_staging *staging);

/**
 * Add an index database, empty. They are numbered from 0 in this order.
 * DIT_E_DUPLICATE: there is a database of that name.
 */
int dit_staging_add_index(struct dit_staging *staging, const char *name,
                          bool is_integerkey);

/*
 * Names and indexes are written by as many threads as there are databases, also while
 * entries are written, each in this way:
 *
 *   open;  dit_table_writer_put() or _add()...;  close  or, to give up,
 *   dit_table_writer_free()
 */
struct dit_table_writer; /* table_writer.h */
/** -EINVAL: no such database, written already, or too late; -ENOMEM. Any thread. */
int dit_staging_open_index(struct dit_staging *staging, size_t number,
                           struct dit_table_writer **ret);
/** dn2i: keys are IDs of 8 bytes; records in stored order, self or dummy first. */
int dit_staging_open_names(struct dit_staging *staging, struct dit_table_writer **ret);
/**
 * Finish the database. Frees @p writer in every case. Errors of its writing.
 *
 * @param ret_bytes  of its pages; NULL: nobody asks
 */
int dit_staging_close_index(struct dit_staging *staging, size_t number,
                            struct dit_table_writer *writer, uint64_t *ret_bytes);
int dit_staging_close_names(struct dit_staging *staging, struct dit_table_writer *writer);

/**
 * Begin the changes: the functions that follow. All tables above are written, and no
 * other thread is at work. Publishing calls this function if the caller has not.
 * -EINVAL: called twice.
 */
int dit_staging_begin_changes(struct dit_staging *staging);

/** The record of an entry that was put; valid until the next call. Empty: a hole. */
int dit_staging_entry(struct dit_staging *staging, uint64_t id, struct dit_span *ret);

/** Give an entry, or a hole, another record, or a new ID its first one. Cheapest in
 * ascending order of IDs. */
int dit_staging_replace_entry(struct dit_staging *staging, uint64_t id,
                              struct dit_span record);

/**
 * id2v: append a record of an attribute of an entry (split_codec.h). IDs ascend, under
 * them numbers of attributes; records of one attribute come in stored order.
 */
int dit_staging_add_split(struct dit_staging *staging, uint64_t id, uint16_t ad,
                          struct dit_span record);

/** Bytes of the data file in use so far. Any thread once tables are written. */
uint64_t dit_staging_used_bytes(const struct dit_staging *staging);

/*
 * Publishing, in steps, so that several databases can appear together:
 *
 *   dit_staging_prepare() of each;  dit_staging_place() of each;  dit_staging_end() of
 *   each. If preparing or placing one fails, those in place are taken back.
 */

/**
 * Commit, trim the file to its last used page, give it mode and owner (as root: those of
 * the directory), sync. Nothing is put into it afterwards. @p ret_bytes gets the size of
 * the result, @p ret_synced what the disk has of it, before each tick. DIT_E_FULL: that
 * is more than maxsize_bytes, and not may_grow.
 */
int dit_staging_prepare(struct dit_staging *staging, uint64_t *ret_bytes,
                        uint64_t *ret_synced);
/** Rename into place. -errno: nothing was changed. */
int dit_staging_place(struct dit_staging *staging);
/** After dit_staging_place(): sync the directory. If the sync fails, dit_staging_end()
 * fails, too. */
void dit_staging_settle(struct dit_staging *staging);
/** Undo dit_staging_place(): the old file, or none, is back. 0; 1: undone, but a crash of
 * the system may bring the new file back; -errno: not undone. */
int dit_staging_take_back(struct dit_staging *staging);
/**
 * After dit_staging_place(): put lock.mdb in order, clean up, sync the directory. Frees
 * @p staging in every case. -errno of the sync: the database is in place all the same,
 * but a crash of the system may bring the old database back.
 */
int dit_staging_end(struct dit_staging *staging);

/** Prepare, place and end one database. Frees @p staging in every case. */
int dit_staging_publish(struct dit_staging *staging, uint64_t *ret_bytes);

/** Remove all traces. NULL is fine. */
void dit_staging_abandon(struct dit_staging *staging);

/* ---- reading ---- */

#define DIT_DB_INTEGERKEY 0x08u
#define DIT_DB_DUPSORT    0x04u
#define DIT_DB_DUPFIXED   0x10u
#define DIT_DB_INTEGERDUP 0x20u

struct dit_snapshot;

struct dit_stored_db {
	const char *name;  /* owned by the snapshot */
	unsigned flags;    /* DIT_DB_... as stored */
	uint64_t nrecords; /* duplicates counted one by one */
	/* As liblmdb has counted, at most those of the file. With DIT_DB_DUPSORT it may
	 * be wrong: LMDB 0.9.36 takes pages off that older ones did not count */
	uint64_t npages;
};

/**
 * Open DIR/data.mdb read-only and pin one snapshot. A file of LMDB 0.9 may be in use by
 * others; of one of LMDB 1.0 others are kept away until the snapshot is closed.
 *
 * @return 0; LMDB's codes, -errno; DIT_E_CORRUPT; of LMDB 1.0 alone: DIT_E_BUSY, with a
 *         fault: somebody has the database open; DIT_E_UNSUPPORTED, with a fault: its
 *         pages are encrypted or have sums
 */
int dit_snapshot_open(struct dit_snapshot **ret, const char *directory);

/** A snapshot that several threads read side by side (readers.h). */
struct dit_snapshot_opts {
	unsigned nreaders; /* at least 1: each thread scans as one of them */
	/* Besides, to see later states with: numbered from nreaders on. Of LMDB 1.0 they
	 * cannot be used */
	unsigned nspare;
	bool no_lock;      /* never take LMDB's write lock, not even for a moment */
	bool no_lock_file; /* make no lock.mdb; without one, nobody writes */
	uint64_t wait_ms;  /* at most, while the table of readers is full */
	bool is_claimed;   /* the caller has a claim (claim.h), so that nobody writes */
	int claimed_fd;    /* of data.mdb, then; borrowed; no directory is opened */
	struct dit_fault *fault; /* borrowed; may be NULL; says more than the result */
};

/**
 * As dit_snapshot_open(), for several readers, which all see the same transaction. Also
 * MDB_READERS_FULL, and -EAGAIN: without the lock, commits came too fast.
 */
int dit_snapshot_open_readers(struct dit_snapshot **ret, const char *directory,
                              const struct dit_snapshot_opts *opts);
unsigned dit_snapshot_nreaders(const struct dit_snapshot *snapshot);
/** Is the snapshot held against writers? Without a lock file it is not. */
bool dit_snapshot_is_held(const struct dit_snapshot *snapshot);
/** The page size of the data file. */
unsigned dit_snapshot_page_bytes(const struct dit_snapshot *snapshot);
/** Is the data file of LMDB 1.0 (OpenLDAP 2.7)? Else it is of 0.9. */
bool dit_snapshot_is_lmdb_10(const struct dit_snapshot *snapshot);
/** The number of the transaction that the snapshot shows. */
uint64_t dit_snapshot_txn_id(const struct dit_snapshot *snapshot);
/**
 * From now on a spare reader shows the latest commit and not the state that it had. All
 * scans with it are closed.
 *
 * @param reader  nreaders, or above
 *
 * @return 0; LMDB's codes, -ESTALE: it cannot be used until a later call returns 0;
 *         -ENOTSUP: not opened by way of liblmdb; -EINVAL: it is not a spare one
 */
int dit_snapshot_renew(struct dit_snapshot *snapshot, unsigned reader);
/** Pages of the file, up to the last one in use; those of them that are free. */
uint64_t dit_snapshot_npages(const struct dit_snapshot *snapshot);
/** 0; -ENOTSUP: not opened by way of liblmdb; LMDB's codes */
int dit_snapshot_nfree(struct dit_snapshot *snapshot, uint64_t *ret);
void dit_snapshot_close(struct dit_snapshot *snapshot);
/** All named databases, sorted by name; owned by the snapshot. @return their number */
size_t dit_snapshot_dbs(const struct dit_snapshot *snapshot,
                        const struct dit_stored_db **ret);

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
int dit_snapshot_id_ranges(const struct dit_snapshot *snapshot, unsigned nleaves,
                           uint64_t **ret_firsts, size_t *ret_n);

struct dit_scan;
/** DIT_E_UNKNOWN: no database of that name. */
int dit_scan_open(struct dit_scan **ret, struct dit_snapshot *snapshot, const char *name);
/** The same for reader @p reader, 0 .. nreaders - 1. Scans of one reader belong to one
 * thread at a time. */
int dit_scan_open_by(struct dit_scan **ret, struct dit_snapshot *snapshot,
                     unsigned reader, const char *name);
/** Next record in stored order. 1; 0 end; error. Spans point into the map until close. */
int dit_scan_next(struct dit_scan *scan, struct dit_span *ret_key,
                  struct dit_span *ret_value);
/**
 * Of id2e or dn2i: first record whose ID is @p least or above; dit_scan_next() goes on
 * behind it. 1; 0: none; error.
 */
int dit_scan_seek_id(struct dit_scan *scan, uint64_t least, struct dit_span *ret_key,
                     struct dit_span *ret_value);
/** First record of the next key; further duplicates of the present key are passed over.
 * 1; 0: none; error. */
int dit_scan_next_key(struct dit_scan *scan, struct dit_span *ret_key,
                      struct dit_span *ret_value);
/**
 * Of an index database: the next key, with all its IDs or the first of them, as they lie
 * in the file, 8 bytes each, at any address. 1; 0: end; error. The IDs of a key are right
 * if dit_scan_more_ids() has returned 0 for the key before.
 */
int dit_scan_next_list(struct dit_scan *scan, struct dit_span *ret_key,
                       struct dit_span *ret_ids);
/** More IDs of the key of dit_scan_next_list(). 1; 0: there are no more; error. */
int dit_scan_more_ids(struct dit_scan *scan, struct dit_span *ret_ids);
/**
 * First record with exactly this key; dit_scan_next() goes on behind it. 1; 0: none, and
 * the next dit_scan_next() is undefined; error.
 */
int dit_scan_seek(struct dit_scan *scan, struct dit_span wanted, struct dit_span *ret_key,
                  struct dit_span *ret_value);
void dit_scan_close(struct dit_scan *scan);

#endif
