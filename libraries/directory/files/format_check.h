/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks before a data.mdb is read: so a file of the other generation of LMDB gets
 * another message than a file that is not LMDB's.
 *
 * Threads: no state; any thread.
 */
#ifndef DITKIT_FORMAT_CHECK_H
#define DITKIT_FORMAT_CHECK_H

#include "files/fault.h"
#include "page/page_format.h"

/**
 * Check that the meta pages of LMDB 0.9 tell the size of a page, by which slapd's liblmdb
 * divides.
 *
 * @return 0, also of an empty file; MDB_INVALID: no LMDB file; DIT_E_CORRUPT, with a
 *         fault: they give no size
 */
int dit_format_check_metas(int data_fd, struct dit_fault *fault);

/**
 * Check that the numbers of the two meta pages are neighbours (page/meta_pages.h). The
 * file is of either format, and no other process writes to it. A change of a file that is
 * not in its last state would lose later transactions.
 *
 * @return 0, also of a file that cannot be read; DIT_E_CORRUPT with a fault
 */
int dit_format_check_state(int data_fd, struct dit_fault *fault);

/**
 * Open DIR/data.mdb, and check that it is of this format, and not cut off. All who map it
 * open it so: a process that maps a file which is cut off dies of SIGBUS.
 *
 * @param flags   O_RDONLY or O_RDWR
 * @param format  which may be sealed: dit_data_seal_check() is done with LMDB 1.0
 * @param fault   may be NULL
 *
 * @return the descriptor, the caller's; DIT_E_FORMAT: it is of the other generation; what
 *         dit_file_open() and dit_data_seal_check() return; DIT_E_CORRUPT, with a fault:
 *         cut off; -errno; -ENOMEM
 */
int dit_data_open(int dir_fd, int flags, const struct dit_page_format *format,
                  struct dit_fault *fault);

#endif
