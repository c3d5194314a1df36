/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An existing database gets more entries: one LMDB write transaction, in place.
 *
 *   dit_existing_open();  look up, add;
 *   dit_existing_commit();  dit_existing_end()
 *   or, to give up,  dit_existing_abandon(), after a commit first
 *   dit_existing_roll_back()
 *
 * Indexes can be built anew in place of being added to: then dit_existing_hide() takes
 * the place of the first two steps of the end, and the commit is one of our own.
 *
 * What is added becomes visible, all of it, with the commit, which is durable after
 * dit_existing_end(). Until then a committed database can still be rolled back, so that
 * several can change together. As with a new database the directory is claimed all the
 * while (claim.h): a running slapd or tool is in the way (DIT_E_BUSY), one that is
 * started meanwhile waits.
 *
 * Memory: LMDB keeps up to 131071 changed pages (512 MiB) before it writes the first of
 * them, into unused places of the file. The file is cut to its old size when the load is
 * abandoned.
 *
 * Threads: an object belongs to one thread.
 */
#ifndef DITKIT_EXISTING_H
#define DITKIT_EXISTING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/span.h"
#include "pages/page_commit.h"
#include "store/output.h"

struct dit_existing;
struct dit_fault; /* fault.h */

struct dit_existing_opts {
	const char *directory;   /* not kept */
	mode_t mode;             /* of a lock.mdb that has to be made */
	unsigned ndbs;           /* named databases at most (fixed ones included) */
	uint64_t maxsize_bytes;  /* configured map size; 0: LMDB's */
	uint64_t expected_bytes; /* what will be added, roughly; for may_grow, has_room */
	bool may_grow;           /* --grow: may outgrow maxsize_bytes */
	/* Borrowed until the last dit_existing_find_index(); may be NULL. Says more than
	 * the result of that and of dit_existing_open(). */
	struct dit_fault *fault;
};

/**
 * @return 0; DIT_E_BUSY; DIT_E_CORRUPT, with a fault: a database lost its flags
 *         (stored_flags.h), or what is read first is damaged; -errno; LMDB's codes.
 *         Nothing is changed then.
 */
int dit_existing_open(struct dit_existing **ret, const struct dit_existing_opts *opts);

/** Forget all additions that were not committed. NULL is fine. */
void dit_existing_abandon(struct dit_existing *existing);

/* ---- what is there ---- */

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
 * 1; 0: there is none, which is as good as a hole; error
 */
int dit_existing_entry(struct dit_existing *existing, uint64_t id, struct dit_span *ret);

/** 1; 0: no database of that name; DIT_E_CORRUPT, with a fault: the flags are not those
 * of an index database; error */
int dit_existing_find_index(struct dit_existing *existing, const char *name,
                            struct dit_output_stored_index *ret);

/*
 * ---- additions ----
 *
 * All return 0 or an error: DIT_E_CORRUPT (what liblmdb would read is damaged),
 * DIT_E_FULL (the map is full), MDB_TXN_FULL (more changes than LMDB can keep track of),
 * -ENOSPC, -EDQUOT, -EFBIG, other -errno, LMDB's codes. After an error the object is only
 * to be abandoned.
 */

int dit_existing_put_ad(struct dit_existing *existing, uint32_t number,
                        struct dit_span name);

/** Reserve a record in id2e, which the caller fills before any other call; a record of
 * that ID is replaced. */
int dit_existing_reserve_entry(struct dit_existing *existing, uint64_t id, size_t len,
                               void **ret_space);

/**
 * A record of id2v; those of one attribute come in stored order.
 *
 * @param place  0 for the first of them, of which nothing may be stored (MDB_KEYEXIST)
 */
int dit_existing_put_split(struct dit_existing *existing, uint64_t id, uint16_t ad,
                           uint32_t place, struct dit_span record);

/** A record of dn2i. MDB_KEYEXIST: it is there. */
int dit_existing_put_name(struct dit_existing *existing, uint64_t id,
                          struct dit_span record);

/** Add @p n to the subtree size of @p id, an existing node, and of all nodes above it. */
int dit_existing_grow_subtree(struct dit_existing *existing, uint64_t id, uint64_t n);

/** Write to this index database from now on; it is created if there is none. */
int dit_existing_begin_index(struct dit_existing *existing, const char *name,
                             bool is_integerkey);

/** Remove an index database with all it holds, if there is one of that name. Not the one
 * that is written to. */
int dit_existing_remove_index(struct dit_existing *existing, const char *name);

/** What is added to the list of a key, and by which rule it becomes a range. */
struct dit_existing_list {
	const uint64_t
		*ids; /* ascending, none of them in the list; or 0, lowest, highest */
	size_t nids;
	bool is_repeated; /* the last one that was inserted came more than once */
	uint64_t list_max;
};

/**
 * Add IDs to a key's list (storage.md 5.4): more than list_max make it a range, and so do
 * exactly list_max with is_repeated. Ranges stay ranges.
 */
int dit_existing_add_postings(struct dit_existing *existing, struct dit_span key,
                              const struct dit_existing_list *list);

/* ---- indexes that are built anew ---- */

/** IDs in all lists of an index. 1; 0: there is no database of that name; LMDB's codes.
 */
int dit_existing_count_ids(struct dit_existing *existing, const char *name,
                           uint64_t *ret);

/** Is there room for all that was stored, once more, and what will be added: in the map
 * and on the disk? */
bool dit_existing_has_room(const struct dit_existing *existing);

/**
 * Commit all that was added, but nobody sees it: the meta page of the old state gets a
 * higher number than that of the new one has (existing_hide.c). Then nothing can be
 * added. What was committed counts when dit_page_commit_write() has made a state out of
 * it; dit_existing_end() or dit_existing_roll_back() follow, as after a commit.
 *
 * @param ret  what to write with; to be closed before the end, or before the additions
 *             are given up
 */
int dit_existing_hide(struct dit_existing *existing,
                      const struct dit_page_file_opts *file,
                      struct dit_page_commit **ret);

/* ---- the end ---- */

/** Anything added or created? Without, there is nothing to commit. */
bool dit_existing_is_changed(const struct dit_existing *existing);

/** Commit. @p ret_bytes: of the data file in use. On an error the database holds what it
 * held before, but only dit_existing_roll_back() makes that sure after a crash. */
int dit_existing_commit(struct dit_existing *existing, uint64_t *ret_bytes);

/** After the commit: sync. If that fails, dit_existing_end() fails, too. */
void dit_existing_settle(struct dit_existing *existing);

/**
 * Undo the commit, even one that failed, and cut the file to its old length; only
 * dit_existing_abandon() is left to be done.
 *
 * @return 0; 1: undone, but a crash of the system may bring the additions back, and the
 *         file stays as long as it is; -errno: not undone, the database holds all that
 *         was added
 */
int dit_existing_roll_back(struct dit_existing *existing);

/**
 * After the commit: sync, put lock.mdb in order, drop the claim. Frees @p existing in
 * every case. -errno of the sync: the additions are there all the same, but a crash of
 * the system may undo them.
 */
int dit_existing_end(struct dit_existing *existing);

#endif
