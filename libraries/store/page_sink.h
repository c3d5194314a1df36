/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where finished pages go: into a chunk, and with it to the end of the data file.
 *
 * Several threads append to one file, each through sinks of its own; what they share is
 * the number of the next free page. A chunk takes its numbers when it is written, exactly
 * as many as it has pages, so the file has no holes and each write is long. Until then a
 * page is known by its place among the pages of its sink, its ticket. References between
 * pages are tickets, too, and are replaced by page numbers when the referring page is
 * written: a child is finished before its parent, so its number is known by then.
 *
 * Threads: a sink belongs to one thread; the page space is shared by all.
 */
#ifndef DITKIT_PAGE_SINK_H
#define DITKIT_PAGE_SINK_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/** Pages behind those that liblmdb has written. */
struct dit_page_space {
	/* [const] while sinks are in use */
	int fd;
	unsigned page_bytes;

	/* [atomic: only added to; relaxed, nothing else is published by it] */
	_Atomic uint64_t next_page;
};

struct dit_page_sink {
	struct dit_page_space *space;
	char *pages; /* the chunk */
	unsigned npages;
	uint64_t *chunks; /* number of the first page of each one written */
	size_t nchunks;
	size_t chunks_size;
};

/** 0 or -ENOMEM. */
int dit_page_sink_init(struct dit_page_sink *sink, struct dit_page_space *space);
void dit_page_sink_deinit(struct dit_page_sink *sink);

/**
 * Room for one more page, uninitialised; the caller fills it before any other call.
 *
 * @return 0; -ENOMEM; or why the chunk before it could not be written: -ENOSPC, -EDQUOT,
 *         -EFBIG, other -errno
 */
int dit_page_sink_add(struct dit_page_sink *sink, char **ret_page, uint64_t *ret_ticket);

/** As above, with a copy of a page that is finished. */
int dit_page_sink_put(struct dit_page_sink *sink, const char *page, uint64_t *ret_ticket);

/** Write what is left; nothing may be added afterwards. Errors as above. */
int dit_page_sink_flush(struct dit_page_sink *sink);

/** The number of a page that has been written. */
uint64_t dit_page_sink_number(const struct dit_page_sink *sink, uint64_t ticket);

#endif
