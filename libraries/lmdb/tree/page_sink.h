/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where finished pages go: into a chunk, and with it to the end of the data file.
 *
 * Several threads append to one file, each through sinks of its own; what they share is
 * the number of the next free page. A chunk takes its numbers when it is full, exactly as
 * many as it has pages, so the file has no holes and each write is long. (The owner of a
 * file with free pages hands out rows of those, and a chunk then lies in several rows.)
 * Until then a page is known by its number among the pages of its sink, its ticket.
 * References between pages are tickets, too, and are replaced by page numbers when the
 * chunk of the referring page is full: a child is finished before its parent, so its
 * number is known by then.
 *
 *   chunk   open page ─▶ pages ─▶ full: numbers ─▶ (held until it is filled) ─▶ file
 *
 * Leaves refer to pages that are made while they grow: those of long values and of lists.
 * These go through a sink of their own, whose chunk is full whenever that of the leaves
 * is. So a page stays where it was begun.
 *
 * Pages of a sealed file (page/page_seal.h) are sealed when they are written, by the
 * thread of the sink.
 *
 * Threads: a sink belongs to one thread; the page space is shared by all. Other threads
 * may write into pages that are held.
 */
#ifndef DITKIT_PAGE_SINK_H
#define DITKIT_PAGE_SINK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pieces.h"
#include "page/page_format.h"
#include "page/page_set.h"
#include "tree/page_writer.h"

/** The pages of a file. */
struct dit_page_space {
	/* [const] while sinks are in use */
	const struct dit_page_format *format;
	unsigned page_bytes;
	unsigned chunk_pages;
	uint64_t
		transaction; /* that writes them; told where the format has room for it */

	/* Free pages; when there are none, pages after the end of the file are taken.
	 * Borrowed; NULL: no page is free */
	struct dit_page_pool *pool;

	struct dit_page_file file; /* has its own rules */

	/* The end of the file. [atomic: only added to while sinks are in use; relaxed,
	 * nothing else is published by it] */
	_Atomic uint64_t next_page;
};

/**
 * Pages are written from number @p first on to a file that is opened apart, by the first
 * transaction.
 */
#define DIT_FIRST_TRANSACTION 1
void dit_page_space_init(struct dit_page_space *space,
                         const struct dit_page_format *format, size_t page_bytes,
                         uint64_t first);

/** Pages for anybody, as dit_page_pool_take() takes them. 0 or an error */
int dit_page_space_take(struct dit_page_space *space, uint64_t least, uint64_t npages,
                        struct dit_page_run *ret);

/**
 * The ticket of a page that lies in the file already. Numbers of pages have 47 bits at
 * most (a branch page has 48 bits for a number).
 */
#define DIT_TICKET_IS_PAGE ((uint64_t)1 << 47)

/** Pages on their way into the file. */
struct dit_page_chunk {
	char *pages; /* owned; NULL: none yet */
	unsigned npages;
	uint64_t ticket; /* of the first one, when they have numbers */
};

/** Pages with tickets in a row that lie in a row in the file. */
struct dit_ticket_row {
	uint64_t ticket; /* of the first one */
	uint64_t number;
};

struct dit_page_sink {
	struct dit_page_space *space;
	struct dit_page_chunk chunk;
	uint64_t nnumbered; /* pages that have numbers: their tickets are below */
	struct dit_ticket_row *rows; /* of these, by ticket; owned */
	size_t nrows;
	size_t rows_size;

	char *open; /* the page of dit_page_sink_open() */

	/* The owner sets these. The pages to which leaves of this sink refer; borrowed;
	 * NULL: its leaves refer to none */
	struct dit_page_sink *values;
	/* Full chunks wait: values in their pages may be filled later, by any thread,
	 * until their chunk is released. */
	bool holds;
	/* Full ones that are not yet written, in order; owned. */
	struct dit_page_chunk *held;
	size_t nheld;
	size_t held_size;
};

void dit_page_sink_deinit(struct dit_page_sink *sink);

/**
 * Room for more pages in a row, uninitialised; the caller fills it before any other call.
 * No page is open.
 *
 * @param ret_ticket  the first one's
 *
 * @return 0; -ENOMEM; or why pages before it could not be written: -ENOSPC, -EDQUOT,
 *         -EFBIG, other -errno
 */
int dit_page_sink_add(struct dit_page_sink *sink, size_t npages, char **ret_pages,
                      uint64_t *ret_ticket);

/** One more page, with a copy of a finished page of nodes: see dit_page_copy(). */
int dit_page_sink_put(struct dit_page_sink *sink, const char *page, uint64_t *ret_ticket);

/**
 * Begin an empty page of nodes that grows: it becomes a page of the sink when it is
 * closed. One at a time.
 *
 * @param flags  DIT_PAGE_ ones
 *
 * @return as above; the page is sink->open
 */
int dit_page_sink_open(struct dit_page_sink *sink, unsigned flags);
/** The open page is complete. @return its ticket */
uint64_t dit_page_sink_close(struct dit_page_sink *sink);

/** Write the chunks before a mark, which is an earlier `nnumbered`. The caller has filled
 * them. Errors as above. */
int dit_page_sink_release(struct dit_page_sink *sink, uint64_t mark);

/**
 * A value whose overflow pages are too many for a chunk: made and written chunk by chunk,
 * so that it needs no memory of its size. Not in a sealed file: its units are sealed as a
 * whole (page/page_seal.h).
 *
 * @return as above, for these pages as well
 */
int dit_page_sink_write_overflow(struct dit_page_sink *sink, size_t len,
                                 const struct dit_pieces *value, uint64_t *ret_ticket);

/** Give the last pages their numbers, and write them unless chunks are held; those of
 * `values` first. No page is open. Errors as above. */
int dit_page_sink_flush(struct dit_page_sink *sink);

/** The number of a page whose chunk is full, or of a ticket that is a page number.
 * DIT_PAGE_NONE stays. */
uint64_t dit_page_sink_number(const struct dit_page_sink *sink, uint64_t ticket);

#endif
