/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pages of a file, read into the caller's memory.
 *
 * Why not a map of the file: if another process cuts a mapped file, its reader is killed
 * (SIGBUS), and bytes that were checked may be others when they are used. A copy
 * of a page stays as it was checked. It costs a call and 4 KiB of copying, less than
 * looking at the page does; pages that lie in a row are read with one call.
 *
 * Reading ahead: a tree is not read in the order of the file. A thread of its own fetches
 * the file into the page cache from the first page to the last, and no other thread asks
 * the disk for anything: one that wants a page that is not in memory waits until the
 * fetching thread has passed it. So the disk sees one sequential read.
 *
 * Sealed pages (page_seal.h) are opened in the memory of the caller.
 *
 * The thread is started when some pages were not in memory: a file that is there already
 * costs nothing more.
 *
 *   dit_page_source_init();  dit_page_source_read() ...;  dit_page_source_deinit()
 *
 * Threads: any number of threads may read.
 */
#ifndef DITKIT_PAGE_SOURCE_H
#define DITKIT_PAGE_SOURCE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "page/page_format.h"

struct dit_page_source {
	/* [const] */
	int fd; /* borrowed */
	const struct dit_page_format *format;
	const char *map; /* NULL: no page is mapped; else all are, and none is read */
	unsigned page_bytes;
	uint64_t npages; /* those that may be read */
	/* With a thread, when it is needed; where none can be had, pages are read one
	 * after the other as they are wanted. Set after the init */
	bool reads_ahead;

	/* [atomic: a flag; a late look costs one more wrong guess] */
	_Atomic bool cannot_ask;  /* the file system does not say what is in memory */
	_Atomic bool stops;       /* the thread is to end */
	_Atomic unsigned nmissed; /* reads that found nothing in memory */

	/* [lock: lock] */
	pthread_mutex_t lock;
	pthread_cond_t moved;
	uint64_t fetched; /* pages before this one have been fetched; all: UINT64_MAX */
	bool was_started;
	bool has_thread;
	pthread_t thread;
};

/** @param fd  stays the caller's */
void dit_page_source_init(struct dit_page_source *source, int fd,
                          const struct dit_page_format *format, unsigned page_bytes,
                          uint64_t npages);

/** End and join the thread. No read may be under way. A zeroed source is fine. */
void dit_page_source_deinit(struct dit_page_source *source);

/**
 * Read pages that lie in a row.
 *
 * @param wanted  1 at least; all of them below the source's npages
 *
 * @return how many whole pages were read, 1 at least; -errno; -ENODATA: the file ends
 *         before the first one does; DIT_E_CORRUPT: the first one is sealed and was
 *         changed; -ENOMEM
 */
int dit_page_source_read(struct dit_page_source *source, uint64_t number, unsigned wanted,
                         char *pages);
/** All pages of a long value, which are one unit. 0; errors as above */
int dit_page_source_read_unit(struct dit_page_source *source, uint64_t first,
                              uint64_t npages, char *pages);

#endif
