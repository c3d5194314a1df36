/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * liblmdb fills a new data file: records are appended to each database in key order, by
 * one thread.
 *
 *   dit_lmdb_append_begin_file();  dit_lmdb_append_open();  _make() ...
 *   dit_lmdb_append_put(), _reserve(), _put_item(), _find(), _replace() ...
 *   dit_lmdb_append_put_list() ..., one database after the other
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

#include "base/ids.h"
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

/** Make a named database. */
int dit_lmdb_append_make(struct dit_lmdb_append *append, const char *name, unsigned flags,
                         unsigned *ret_db);
/** The keys of a new database are an ID and a number of two bytes, in host byte order;
 * the items of a key are in the order in which they come. */
int dit_lmdb_append_order_split(struct dit_lmdb_append *append, unsigned db);

/** A record after all others of its database, with a new key. MDB_KEYEXIST: not in
 * order, as in the calls that follow */
int dit_lmdb_append_put(struct dit_lmdb_append *append, unsigned db, struct dit_span key,
                        struct dit_span record);
/** The same. @param ret_space  for its bytes; until the next call */
int dit_lmdb_append_reserve(struct dit_lmdb_append *append, unsigned db,
                            struct dit_span key, size_t len, void **ret_space);
/** An item after all others of its database: of a new key, or of the last one. The items
 * of one database follow each other. @param key  10 bytes at most */
int dit_lmdb_append_put_item(struct dit_lmdb_append *append, unsigned db,
                             struct dit_span key, struct dit_span item);

/**
 * A new key of a database, and its list. The lists of one database follow each other.
 *
 * @return 0; -EINVAL: integer keys of 4 and of 8 bytes, which have no order; errors
 */
int dit_lmdb_append_put_list(struct dit_lmdb_append *append, unsigned db,
                             bool is_integerkey, const struct dit_posting_list *list);

/** 1; 0: there is no such record, or nothing in it. @param ret  until the next call */
int dit_lmdb_append_find(struct dit_lmdb_append *append, unsigned db, struct dit_span key,
                         struct dit_span *ret);
/** Put a record in place of the one with this key, if there is one. */
int dit_lmdb_append_replace(struct dit_lmdb_append *append, unsigned db,
                            struct dit_span key, struct dit_span record);

int dit_lmdb_append_commit(struct dit_lmdb_append *append);
/** Bytes of the file in use by the last commit, or charged since. */
uint64_t dit_lmdb_append_bytes(const struct dit_lmdb_append *append);

/**
 * LMDB reports EIO when the system wrote less than it was asked to, as it does on a disk
 * that becomes full in the middle of a write, or at a limit. A request for this space
 * tells the cause.
 *
 * @param fd  the data file; @p at, @p len  what may have been missing
 *
 * @return -ENOSPC, -EDQUOT, -EFBIG; -EIO: there is space
 */
int dit_lmdb_short_write(int fd, uint64_t at, uint64_t len);

#endif
