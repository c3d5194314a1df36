/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * liblmdb fills a new data file: records are appended to each database in key order, by
 * one thread.
 *
 *   dit_lmdb_append_begin_file();  dit_lmdb_append_open();  _make() ...
 *   dit_lmdb_append_charge();  _put(), _reserve(), _put_ids(), _find() ...
 *   dit_lmdb_append_commit();  dit_lmdb_append_close()
 *
 * Threads: belongs to one thread.
 *
 * Errors: LMDB's codes (lmdb_format.h); -errno. After an error only _close().
 */
#ifndef DITKIT_LMDB_APPEND_H
#define DITKIT_LMDB_APPEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "files/fault.h"

/** The version of liblmdb, in words; static. */
const char *dit_lmdb_version(void);

/**
 * Make an empty database, closed again. It tells the format and the page size of the
 * liblmdb at hand.
 *
 * @param data_fd  of an empty file
 */
int dit_lmdb_append_begin_file(int data_fd, size_t *ret_page_bytes,
                               struct dit_fault *fault);

struct dit_lmdb_append;

struct dit_lmdb_append_opts {
	int data_fd; /* of a file that was begun; borrowed */
	size_t page_bytes;
	unsigned ndbs; /* named databases at most */
};

int dit_lmdb_append_open(struct dit_lmdb_append **ret,
                         const struct dit_lmdb_append_opts *opts);
/** Changes that were not committed are lost. NULL is fine. */
void dit_lmdb_append_close(struct dit_lmdb_append *append);

/** LMDB adds this to key and data: node header, its slot in the page, rounding to even
 * sizes. */
#define DIT_LMDB_NODE_BYTES 11
/** More than one item under a key: a page inside the node with up to four free places, or
 * the record of a tree of its own. */
#define DIT_LMDB_LIST_BYTES 64

/**
 * Before each change or look: room for so many bytes of keys and data, with the two
 * above. Commits a transaction that has been charged with enough.
 */
int dit_lmdb_append_charge(struct dit_lmdb_append *append, uint64_t bytes);

/** A named database comes into being; charged here. */
int dit_lmdb_append_make(struct dit_lmdb_append *append, const char *name, unsigned flags,
                         unsigned *ret_db);
/** The keys of a new database are an ID and a number of two bytes, in host byte order;
 * the items of a key are in the order in which they come. */
int dit_lmdb_append_order_split(struct dit_lmdb_append *append, unsigned db);

/** Where a record goes. */
enum dit_lmdb_where {
	DIT_LMDB_NEW_KEY,  /* after all keys */
	DIT_LMDB_LAST_KEY, /* after all items of the last key */
	DIT_LMDB_ANY_KEY,  /* in the place of the record of this key, if there is one */
};

int dit_lmdb_append_put(struct dit_lmdb_append *append, unsigned db, struct dit_span key,
                        struct dit_span record, enum dit_lmdb_where where);
/** A new key. @param ret_space  for its record; until the next call */
int dit_lmdb_append_reserve(struct dit_lmdb_append *append, unsigned db,
                            struct dit_span key, size_t len, void **ret_space);

/** IDs of a key. */
struct dit_lmdb_ids {
	struct dit_span key; /* integer keys: where a word may lie */
	const uint64_t *ids; /* ascending */
	size_t n;
	bool is_new_key; /* else more IDs of the last one */
};

/** Charged here. MDB_KEYEXIST: not in order */
int dit_lmdb_append_put_ids(struct dit_lmdb_append *append, unsigned db,
                            const struct dit_lmdb_ids *ids);
/** @param ret  until the next call; empty: there is none, or nothing in it */
int dit_lmdb_append_find(struct dit_lmdb_append *append, unsigned db, struct dit_span key,
                         struct dit_span *ret);

int dit_lmdb_append_commit(struct dit_lmdb_append *append);
/** Bytes of the file in use by the last commit, or charged since. */
uint64_t dit_lmdb_append_bytes(const struct dit_lmdb_append *append);

/**
 * LMDB reports EIO when the system wrote less than it was asked to, as it does on a disk
 * that becomes full in the middle of a write, or at a limit. Asking for the space tells.
 *
 * @param fd  the data file; @p at, @p len  what may have been missing
 *
 * @return -ENOSPC, -EDQUOT, -EFBIG; -EIO: there is space
 */
int dit_lmdb_short_write(int fd, uint64_t at, uint64_t len);

#endif
