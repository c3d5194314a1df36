/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is a data file as long as its meta pages say?
 *
 * A file can be shorter and whole: a page that a transaction took at the end and gave
 * back before its commit is never written. Such a page is on the list of free pages. So a
 * file is cut off if pages after its end are not on that list.
 *
 * The list is a tree of its own (lmdb_format.h): under the number of a transaction the
 * pages that became free in it, first their count. It is read without liblmdb, which
 * would map the file and be killed by a signal where pages are missing.
 *
 * Threads: no state.
 */
#ifndef DITKIT_FREE_PAGES_H
#define DITKIT_FREE_PAGES_H

#include <stdint.h>

/** Sizes that do not fit together. */
struct dit_file_lack {
	uint64_t file_bytes;
	uint64_t needed_bytes; /* by the meta pages */
};

/**
 * The file may be in use: pages that a commit changes during the walk are read again.
 *
 * @return 0: long enough, or no file of this format, which liblmdb tells without harm;
 *         DIT_E_CORRUPT: cut off, @p ret is filled; -errno; -ENOMEM
 */
int dit_file_check_size(int fd, struct dit_file_lack *ret);

#endif
