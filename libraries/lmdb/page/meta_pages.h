/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two meta pages of a data file (lmdb_format.h).
 *
 * Threads: no state; no other thread or process may write to the file during a call.
 */
#ifndef DITKIT_META_PAGES_H
#define DITKIT_META_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "page/page_format.h"

/** Pages of trees begin after the two meta pages. */
#define DIT_FIRST_PAGE 2

/** In the header of a meta page. */
#define DIT_META_FLAG 0x08u

/** Both show an empty environment, without a transaction. 0, -ENOMEM or -errno */
int dit_metas_begin(int fd, const struct dit_page_format *format, size_t page_bytes);

/** The size of the pages, as the first one tells. 0; errors as below; MDB_INVALID */
int dit_metas_page_bytes(int fd, const struct dit_page_format *format, size_t *ret);
/** 0; MDB_VERSION_MISMATCH: another format than @p format; -errno, -EIO. */
int dit_metas_read(int fd, const struct dit_page_format *format, size_t page_bytes,
                   struct dit_meta ret[2]);
/**
 * Has a module that LMDB 1.0 loads changed the pages after these two? liblmdb sees it in
 * the first page. "are encrypted" or "have checksums"; static. NULL: no change, or
 * page 0 is no meta page of the format.
 */
const char *dit_metas_module(int fd, const struct dit_page_format *format);
/**
 * Each commit writes the older page, with the next number. So the numbers of a whole file
 * differ by one at most, with one exception: a page that has never had a commit, or whose
 * commit mdb_env_rollback() took back, has the number 0 or 1 and no databases.
 *
 * If they differ by more, one of them was changed, or the power failed while slapd left
 * the syncs out (dbnosync): the page with the higher number may be the older one.
 */
bool dit_metas_are_neighbours(const struct dit_meta metas[2]);

/**
 * A page that is so already is not written: on a copy-on-write file system each write
 * takes space. 0 or -errno. Not synced.
 */
int dit_metas_write(int fd, const struct dit_page_format *format, size_t page_bytes,
                    const struct dit_meta metas[2]);

#endif
