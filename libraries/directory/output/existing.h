/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An existing database gets more entries: one LMDB write transaction, in place.
 *
 *   dit_existing_open();  look up, add;
 *   dit_existing_commit();  dit_existing_end()
 *   or, to give up,  dit_existing_abandon(), after a commit first
 *   dit_existing_roll_back()
 *
 * Additions to indexes can also rebuild the indexes. Then dit_existing_hide() replaces
 * dit_existing_commit(), and the commit that counts is our own (page_commit.h).
 *
 * All additions become visible with the commit. The commit is durable after
 * dit_existing_end(). Until then a committed database can still be rolled back, so that
 * several databases can change together. As with a new database the directory is claimed
 * all the while (claim.h): a running slapd or tool is an error (DIT_E_BUSY), a slapd or
 * tool that is started under the claim waits.
 *
 * Memory: LMDB keeps up to 131071 changed pages (512 MiB). It writes further ones to
 * unused places of the file. When the load is abandoned, the file is cut to its old size.
 *
 * Threads: an object belongs to one thread.
 */
#ifndef DITKIT_EXISTING_H
#define DITKIT_EXISTING_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/span.h"
#include "commit/page_commit.h"
#include "output/output.h"

struct dit_existing;
struct dit_fault; /* fault.h */

struct dit_existing_opts {
	const char *directory;   /* not kept */
	mode_t mode;             /* of a lock.mdb that has to be made */
	unsigned ndbs;           /* named databases at most (fixed ones included) */
	uint64_t maxsize_bytes;  /* configured map size; 0: LMDB's */
	uint64_t expected_bytes; /* of additions, roughly; for may_grow, has_room */
	bool may_grow;           /* --grow: may outgrow maxsize_bytes */
	const volatile sig_atomic_t *stop; /* as in a walk, while pages are checked */
	/* Borrowed until the last dit_existing_find_index(); may be NULL. Says more than
	 * the results of dit_existing_open() and dit_existing_find_index(). */
	struct dit_fault *fault;
};

/**
 * @return 0; DIT_E_BUSY; DIT_E_CORRUPT, with a fault: a database lost its flags
 *         (stored_flags.h), or what is read first is damaged; -errno; LMDB's codes.
 *         Nothing is changed then.
 */
int dit_existing_open(struct dit_existing **ret, const struct dit_existing_opts *opts);

/** Leave the database without the additions that were not committed. Frees @p existing;
 * NULL is fine. */
void dit_existing_abandon(struct dit_existing *existing);

/* ---- what is stored ---- */

/** Highest ID in id2e; 0: no entry, or only the one with the empty DN. */
uint64_t dit_existing_last_id(const struct dit_existing *existing);
/** Is there an entry with the empty DN (ID 0)? 1, 0, or an error. */
int dit_existing_has_root_entry(struct dit_existing *existing);
/** Are there records in dn2i? 1, 0, or an error. */
int dit_existing_has_names(struct dit_existing *existing);

/** Name of attribute number @p number; points into the map until the next addition.
 * 1; 0: no such number; error. */
int dit_existing_ad(struct dit_existing *existing, uint32_t number,
                    struct dit_span *ret_name);

/**
 * The child of node @p parent (0: the root) with this normal RDN.
 *
 * @return 1 with its ID; 0: none; DIT_E_CORRUPT, LMDB's codes
 */
int dit_existing_find_child(struct dit_existing *existing, uint64_t parent,
                            struct dit_span norm, uint64_t *ret_id);

/**
 * The record of an entry; points into the map until the next addition. Empty: a hole.
 * 1; 0: there is no record, which means the same as a hole; error
 */
int dit_existing_entry(struct dit_existing *existing, uint64_t id, struct dit_span *ret);

/** 1; 0: no database of that name; DIT_E_CORRUPT, with a fault: the flags are not those
 * of an index database; error */
int dit_existing_find_index(struct dit_existing *existing, const char *name,
                            struct dit_output_stored_index *ret);

/*
 * ---- additions ----
 *
 * All return 0 or an error: DIT_E_CORRUPT (pages that liblmdb would read are damaged),
 * DIT_E_FULL (the map is full), MDB_TXN_FULL (more changes than LMDB can keep track of),
 * -ENOSPC, -EDQUOT, -EFBIG, other -errno, LMDB's codes. After an error the caller can
 * only abandon the object.
 */

int dit_existing_put_ad(struct dit_existing *existing, uint32_t number,
                        struct dit_span name);

/** Reserve a record in id2e, which the caller fills before any other call; a record of
 * that ID is replaced. */
int dit_existing_reserve_entry(struct dit_existing *existing, uint64_t id, size_t len,
                               void **ret_space);

/**
 * A record of id2v. The records of an attribute come in stored order.
 *
 * @param place  0 for the first record of the attribute, which must have no stored
 *               records (MDB_KEYEXIST); then 1, 2 and so on
 */
int dit_existing_put_split(struct dit_existing *existing, uint64_t id, uint16_t ad,
                           uint32_t place, struct dit_span record);

/** A record of dn2i. MDB_KEYEXIST: the record is stored already. */
int dit_existing_put_name(struct dit_existing *existing, uint64_t id,
                          struct dit_span record);

/** Add @p n to the subtree size of @p id, an existing node, and of all nodes above it. */
int dit_existing_grow_subtree(struct dit_existing *existing, uint64_t id, uint64_t n);

/** Write to this index database from now on. Creates the database if there is none. */
int dit_existing_begin_index(struct dit_existing *existing, const char *name,
                             bool is_integerkey);

/** Remove an index database with its content, if there is one of that name; not the
 * database that is written to. */
int dit_existing_remove_index(struct dit_existing *existing, const char *name);

/** IDs for the list of a key, and the rule by which the list becomes a range. */
struct dit_existing_list {
	const uint64_t
		*ids; /* ascending, none of them in the list; or 0, lowest, highest */
	size_t nids;
	bool is_repeated; /* the ID that was inserted last came more than once */
	uint64_t list_max;
};

/**
 * Add IDs to a key's list (storage.md 5.4): more than list_max make it a range, and so do
 * exactly list_max with is_repeated. Ranges stay ranges.
 */
int dit_existing_add_postings(struct dit_existing *existing, struct dit_span key,
                              const struct dit_existing_list *list);

/* ---- indexes that are rebuilt ---- */

/** IDs in all lists of an index. 1; 0: there is no database of that name; LMDB's codes.
 */
int dit_existing_count_ids(struct dit_existing *existing, const char *name,
                           uint64_t *ret);

/** Is there room, in the map and on the disk, for the stored pages once more and for the
 * additions? */
bool dit_existing_has_room(const struct dit_existing *existing);

/**
 * Commit the additions so that no reader sees them: the meta page of the old state gets a
 * higher number than the meta page of the new state (existing_hide.c). Afterwards nothing
 * can be added. The additions count when dit_page_commit_write() has made a state out of
 * them. dit_existing_end() or dit_existing_roll_back() follow, as after a commit.
 *
 * @param ret  the commit to write with; the caller closes it before dit_existing_end(),
 *             dit_existing_roll_back() and dit_existing_abandon()
 */
int dit_existing_hide(struct dit_existing *existing,
                      const struct dit_page_file_opts *file,
                      struct dit_page_commit **ret);

/* ---- the end ---- */

/** The length of the file when it was opened. */
uint64_t dit_existing_file_bytes(const struct dit_existing *existing);
/** The open file. Until the end. */
int dit_existing_data_fd(const struct dit_existing *existing);
/** Was anything added or created? If not, there is nothing to commit. */
bool dit_existing_is_changed(const struct dit_existing *existing);

/** Commit. @p ret_bytes: bytes of the data file in use. After an error the database has
 * its old state; only dit_existing_roll_back() makes sure that a crash keeps it. */
int dit_existing_commit(struct dit_existing *existing, uint64_t *ret_bytes);

/** After the commit: sync. If the sync fails, dit_existing_end() fails, too. */
void dit_existing_settle(struct dit_existing *existing);

/**
 * Undo the commit, also a failed one, and cut the file to its old length. The caller then
 * calls dit_existing_abandon().
 *
 * @return 0; 1: undone, but a crash of the system may bring the additions back, and the
 *         file keeps its length; -errno: not undone, the database holds all additions
 */
int dit_existing_roll_back(struct dit_existing *existing);

/**
 * After the commit: sync, put lock.mdb in order, drop the claim. Frees @p existing in
 * every case. -errno of the sync: the additions are there all the same, but a crash of
 * the system may undo them.
 */
int dit_existing_end(struct dit_existing *existing);

#endif
