/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two meta pages of a data file (lmdb_format.h).
 *
 * Threads: no state; nobody else may write to the file meanwhile.
 */
#ifndef DITKIT_META_PAGES_H
#define DITKIT_META_PAGES_H

#include <stddef.h>

#include "pages/page_format.h"

/** The size of the pages, as the first one tells. 0; errors as below; MDB_INVALID */
int dit_metas_page_bytes(int fd, const struct dit_page_format *format, size_t *ret);
/** 0; MDB_VERSION_MISMATCH: another format than @p format; -errno, -EIO. */
int dit_metas_read(int fd, const struct dit_page_format *format, size_t page_bytes,
                   struct dit_meta ret[2]);
/**
 * A page that is so already is not written: on a copy-on-write file system each write
 * takes space. 0 or -errno. Not synced.
 */
int dit_metas_write(int fd, const struct dit_page_format *format, size_t page_bytes,
                    const struct dit_meta metas[2]);

#endif
