/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pages of a data file of any LMDB format, without liblmdb: read into the caller's
 * memory, or mapped.
 *
 *   dit_page_source_init();  dit_page_source_read() ...                pages are read
 *   dit_page_source_open();  dit_tree_cursor_open() ...;  _close()     they are mapped
 *
 * A check of a file reads the pages: if another process cuts a mapped file, its reader is
 * killed (SIGBUS), and bytes that were checked may change before they are used. A copy of
 * a page stays as it was checked. It costs a call and 4 KiB of copying, less than
 * looking at the page does; pages that lie in a row are read with one call.
 *
 * While a file is mapped, no process may write to the pages of the state that counts, nor
 * cut the file. So the caller keeps writers away, or is registered as a reader of this
 * state. The file may be damaged: page numbers are checked.
 *
 * Sealed pages (page_seal.h) are never mapped: they are opened in the memory of the
 * caller.
 *
 * Reading ahead is the kernel's: a thread that fetched the file from its first page to
 * its last gained nothing. A check of 424 MiB, and one of a file of slapadd's, took the
 * same time with it and without it: on a fast disk, and on one of 500 or 3,000 requests a
 * second with the kernel's usual 128 KiB.
 *
 * Threads: constant; any number of threads may read.
 */
#ifndef DITKIT_PAGE_SOURCE_H
#define DITKIT_PAGE_SOURCE_H

#include "page/meta_pages.h"
#include "page/page_view.h"

/** Zero: not open. */
struct dit_page_source {
	int fd; /* borrowed */
	const struct dit_page_format *format;
	const char *map; /* of npages pages; NULL: they are read */
	unsigned page_bytes;
	uint64_t npages;      /* those that may be read */
	struct dit_meta meta; /* of one that was opened: the one that counts */
};

/** @param fd  stays the caller's */
static inline void dit_page_source_init(struct dit_page_source *source, int fd,
                                        const struct dit_page_format *format,
                                        unsigned page_bytes, uint64_t npages)
{
	*source = (struct dit_page_source){
		.fd = fd, .format = format, .page_bytes = page_bytes, .npages = npages};
}

/**
 * Map the pages of a state that are in use, as far as the file has them.
 *
 * @param fd     of the data file; stays the caller's. That of a sealed file is open as
 *               long as the source, else it may be closed
 * @param metas  as they were when the newest of them counted; NULL: they are read now
 *
 * @return 0; DIT_E_CORRUPT: no such file can be; what dit_metas_read() returns; -errno
 */
int dit_page_source_open(struct dit_page_source *ret, int fd,
                         const struct dit_page_format *format,
                         const struct dit_metas *metas);
/** Closing twice is fine. */
void dit_page_source_close(struct dit_page_source *source);

/**
 * Read pages that lie in a row.
 *
 * @param wanted  1 at least; all of them below the source's npages
 *
 * @return how many whole pages were read, 1 at least; -errno; -ENODATA: the file ends
 *         before the first one does; DIT_E_CORRUPT: the first one is sealed and was
 *         changed; -ENOMEM
 */
int dit_page_source_read(const struct dit_page_source *source, uint64_t number,
                         unsigned wanted, char *pages);
/** Pages in a row that were read last. Zero: none. */
struct dit_page_row {
	char *pages; /* owned: free() */
	size_t size; /* bytes that have room */
	uint64_t first;
	unsigned n;
};
/**
 * Read a page, and those after it that will be wanted, too; unless the row has it.
 *
 * @param wanted  how many pages, this one included
 * @param ret     the page in the row
 *
 * @return 0; errors as above
 */
int dit_page_row_read(struct dit_page_row *row, const struct dit_page_source *source,
                      uint64_t number, unsigned wanted, char **ret);
/** All pages of a long value, which are one unit. 0; errors as above */
int dit_page_source_read_unit(const struct dit_page_source *source, uint64_t first,
                              uint64_t npages, char *pages);

#endif
