/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A new database of back-mdb (storage.md 1), of LMDB 0.9 or 1.0, is built in a staging
 * environment inside the database directory. One rename puts it in place:
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
 * and a slapd or tool that is started in that time waits.
 *
 * Threads: a staging object belongs to one thread. Before dit_staging_begin_changes()
 * several threads may write names and indexes, one thread for each database.
 */
#ifndef DITKIT_STAGING_H
#define DITKIT_STAGING_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/span.h"
#include "output/record_output.h"

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
	const volatile sig_atomic_t *stop; /* as in struct dit_output_opts */
	struct dit_fault *fault; /* borrowed; may be NULL; says more than the result */
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
/** The directory of the database. Until the end. */
int dit_staging_dir_fd(const struct dit_staging *staging);
/** The file that will be data.mdb. Until the end. */
int dit_staging_data_fd(const struct dit_staging *staging);
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

#endif
