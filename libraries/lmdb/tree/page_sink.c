/* SPDX-License-Identifier: BSD-2-Clause */
/* Chunks of pages, made side by side by several threads. */
#include "tree/page_sink.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/slab.h"
#include "page/page_nodes.h"
#include "page/page_seal.h"

void dit_page_space_init(struct dit_page_space *space,
                         const struct dit_page_format *format, size_t page_bytes,
                         uint64_t first)
{
	space->format = format;
	space->transaction = DIT_FIRST_TRANSACTION;
	space->page_bytes = (unsigned)page_bytes;
	space->chunk_pages = (unsigned)(DIT_CHUNK_BYTES / page_bytes);
	space->pool = NULL;
	space->file = (struct dit_page_file){.fd = -1};
	atomic_init(&space->next_page, first);
}

int dit_page_space_take(struct dit_page_space *space, uint64_t least, uint64_t npages,
                        struct dit_page_run *ret)
{
	int r = space->pool == NULL ? 0
	                            : dit_page_pool_take(space->pool, least, npages, ret);

	if (r == 0) {
		ret->first = atomic_fetch_add_explicit(&space->next_page, npages,
		                                       memory_order_relaxed);
		ret->n = npages;
	}
	return r < 0 ? r : 0;
}

/* A chunk with more pages than others has room for just these. */
static void free_pages(const struct dit_page_space *space, struct dit_page_chunk *chunk)
{
	dit_slab_put(chunk->pages, chunk->npages > space->chunk_pages
	                                   ? (size_t)chunk->npages * space->page_bytes
	                                   : DIT_CHUNK_BYTES);
	chunk->pages = NULL;
}

void dit_page_sink_deinit(struct dit_page_sink *sink)
{
	for (size_t i = 0; i < sink->nheld; i++) {
		free_pages(sink->space, &sink->held[i]);
	}
	free(sink->held);
	free_pages(sink->space, &sink->chunk);
	free(sink->rows);
	*sink = (struct dit_page_sink){.space = NULL};
}

/* ---- tickets and numbers ---- */

/* The last row that does not begin after the ticket. */
static const struct dit_ticket_row *row_of(const struct dit_page_sink *sink,
                                           uint64_t ticket)
{
	size_t low = 0;
	size_t high = sink->nrows;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (sink->rows[middle].ticket <= ticket) {
			low = middle;
		} else {
			high = middle;
		}
	}
	return &sink->rows[low];
}

uint64_t dit_page_sink_number(const struct dit_page_sink *sink, uint64_t ticket)
{
	const struct dit_ticket_row *row = NULL;

	if (ticket == DIT_PAGE_NONE) {
		return DIT_PAGE_NONE;
	}
	if ((ticket & DIT_TICKET_IS_PAGE) != 0) {
		return ticket & ~DIT_TICKET_IS_PAGE;
	}
	row = row_of(sink, ticket);
	return row->number + (ticket - row->ticket);
}

static uint64_t next_ticket(const struct dit_page_sink *sink)
{
	return sink->nnumbered + sink->chunk.npages;
}

static void number_leaf_node(const struct dit_page_sink *sink,
                             struct dit_node_header *node, uint64_t number)
{
	char *value = NULL;

	if (node->flags == 0) {
		return; /* a plain value, which most nodes have */
	}
	value = dit_node_value(sink->space->format, node);
	if ((node->flags & DIT_NODE_BIG) != 0) {
		uint64_t ticket = 0;

		memcpy(&ticket, value, sizeof(ticket));
		ticket = dit_page_sink_number(sink->values, ticket);
		memcpy(value, &ticket, sizeof(ticket));
	} else if ((node->flags & DIT_NODE_TREE) != 0) {
		struct dit_tree_record tree;

		memcpy(&tree, value, sizeof(tree));
		tree.root = dit_page_sink_number(sink->values, tree.root);
		memcpy(value, &tree, sizeof(tree));
	} else {
		/* A list's own page takes the number of the page around it, as liblmdb
		 * does it. */
		memcpy(value, &number, sizeof(number));
	}
}

static void number_branch_node(const struct dit_page_sink *sink,
                               struct dit_node_header *node)
{
	uint64_t ticket =
		node->low | (uint64_t)node->high << 16 | (uint64_t)node->flags << 32;
	uint64_t number = dit_page_sink_number(sink, ticket);

	node->low = (uint16_t)number;
	node->high = (uint16_t)(number >> 16);
	node->flags = (uint16_t)(number >> 32);
}

static void number_nodes(const struct dit_page_sink *sink, char *page, bool is_branch,
                         uint64_t number)
{
	const struct dit_page_format format = *sink->space->format;
	unsigned nnodes = dit_page_count(&format, page);

	for (unsigned i = 0; i < nnodes; i++) {
		struct dit_node_header *node = dit_page_node(&format, page, i);

		if (is_branch) {
			number_branch_node(sink, node);
		} else {
			number_leaf_node(sink, node, number);
		}
	}
}

/*
 * Give a page its number, and put numbers in place of the tickets in it.
 *
 * @return the pages that it stands for
 */
static size_t number_page(const struct dit_page_sink *sink, char *page, uint64_t number)
{
	const struct dit_page_words *words = dit_page_words(sink->space->format, page);

	memcpy(page, &number, sizeof(number));
	if (sink->space->format->has_transactions) {
		memcpy(page + DIT_PAGE_TRANSACTION_AT, &sink->space->transaction,
		       sizeof(sink->space->transaction));
	}
	if ((words->flags & DIT_PAGE_OVERFLOW) != 0) {
		return dit_page_overflow_count(words);
	}
	if ((words->flags & DIT_PAGE_LEAF2) == 0) {
		number_nodes(sink, page, (words->flags & DIT_PAGE_BRANCH) != 0, number);
	}
	return 1;
}

/* ---- chunks ---- */

/* The pages from one on that have to lie in a row: those of a long value; else 1. */
static size_t unit_at(const struct dit_page_space *space,
                      const struct dit_page_chunk *chunk, size_t at)
{
	const struct dit_page_words *words =
		dit_page_words(space->format, chunk->pages + at * space->page_bytes);

	return (words->flags & DIT_PAGE_OVERFLOW) != 0 ? dit_page_overflow_count(words)
	                                               : 1;
}

/* The next pages lie in this row, which may be that of the pages before them. */
static int add_row(struct dit_page_sink *sink, struct dit_page_run run)
{
	const struct dit_ticket_row row = {sink->nnumbered, run.first};
	const struct dit_ticket_row *end = sink->rows + sink->nrows;

	sink->nnumbered += run.n;
	return sink->nrows > 0 &&
	                       row.number - end[-1].number == row.ticket - end[-1].ticket
	               ? 0
	               : DIT_APPEND(sink->rows, sink->rows_size, sink->nrows, row);
}

static bool has_free(const struct dit_page_space *space)
{
	return space->pool != NULL && !dit_page_pool_is_empty(space->pool);
}

/* The chunk gets its numbers. */
static int take_numbers(struct dit_page_sink *sink)
{
	struct dit_page_space *space = sink->space;
	struct dit_page_chunk *chunk = &sink->chunk;
	struct dit_page_run run = {0};
	int r = 0;

	chunk->ticket = sink->nnumbered;
	for (size_t i = 0; i < chunk->npages && r == 0; i += run.n) {
		size_t least =
			has_free(space) ? unit_at(space, chunk, i) : chunk->npages - i;
		size_t n = least;

		while (least == 1 && i + n < chunk->npages &&
		       unit_at(space, chunk, i + n) == 1) {
			n++;
		}
		r = dit_page_space_take(space, least, n, &run);
		r = r ?: add_row(sink, run);
	}
	return r;
}

static void number_chunk(const struct dit_page_sink *sink,
                         const struct dit_page_chunk *chunk)
{
	for (size_t i = 0; i < chunk->npages;) {
		i += number_page(sink, chunk->pages + i * sink->space->page_bytes,
		                 dit_page_sink_number(sink, chunk->ticket + i));
	}
}

/* No page is changed afterwards. */
static int seal_chunk(const struct dit_page_space *space,
                      const struct dit_page_chunk *chunk)
{
	size_t page_bytes = space->page_bytes;
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; space->format->crypto != NULL && i < chunk->npages && r == 0;
	     i += n) {
		n = unit_at(space, chunk, i);
		r = dit_page_seal(space->format, chunk->pages + i * page_bytes,
		                  n * page_bytes);
	}
	return r;
}

/* Pages of a chunk that lie in a row. A part of a chunk, or one that is larger than
 * others, is written here and now. */
static int write_row(struct dit_page_space *space, struct dit_page_chunk *chunk,
                     size_t at, size_t npages, uint64_t number)
{
	char *pages = chunk->pages + at * space->page_bytes;
	size_t len = npages * space->page_bytes;
	uint64_t place = number * space->page_bytes;

	if (npages < chunk->npages || npages > space->chunk_pages) {
		return dit_page_file_write(&space->file, pages, len, place);
	}
	chunk->pages = NULL;
	return dit_page_file_put(&space->file, pages, len, place);
}

/* All of its pages are filled and have numbers. It is empty afterwards. */
static int write_chunk(struct dit_page_sink *sink, struct dit_page_chunk *chunk)
{
	struct dit_page_space *space = sink->space;
	const struct dit_ticket_row *row = row_of(sink, chunk->ticket);
	const struct dit_ticket_row *end = sink->rows + sink->nrows;
	size_t n = 0;
	int r = seal_chunk(space, chunk);

	for (size_t i = 0; i < chunk->npages && r == 0; i += n) {
		uint64_t ticket = chunk->ticket + i;

		n = chunk->npages - i;
		if (row + 1 < end && row[1].ticket - ticket < n) {
			n = row[1].ticket - ticket;
		}
		r = write_row(space, chunk, i, n, row->number + (ticket - row->ticket));
		row++;
	}
	free_pages(space, chunk);
	chunk->npages = 0;
	return r;
}

/* Put the chunk with those that wait. */
static int hold_chunk(struct dit_page_sink *sink)
{
	int r = DIT_APPEND(sink->held, sink->held_size, sink->nheld, sink->chunk);

	if (r == 0) {
		sink->chunk = (struct dit_page_chunk){.pages = NULL};
	}
	return r;
}

int dit_page_sink_flush(struct dit_page_sink *sink)
{
	int r = sink->values == NULL ? 0 : dit_page_sink_flush(sink->values);

	if (r < 0 || sink->chunk.npages == 0) {
		return r;
	}
	r = take_numbers(sink);
	if (r < 0) {
		return r;
	}
	number_chunk(sink, &sink->chunk);
	return sink->holds ? hold_chunk(sink) : write_chunk(sink, &sink->chunk);
}

int dit_page_sink_release(struct dit_page_sink *sink, uint64_t mark)
{
	size_t n = 0;
	int r = 0;

	while (r == 0 && n < sink->nheld && sink->held[n].ticket < mark) {
		r = write_chunk(sink, &sink->held[n++]);
	}
	if (n > 0) {
		sink->nheld -= n;
		memmove(sink->held, sink->held + n, sink->nheld * sizeof(*sink->held));
	}
	return r;
}

/* ---- pages ---- */

/* Room for pages after those of the chunk, or in the next one. */
static int make_room(struct dit_page_sink *sink, size_t npages, char **ret_pages)
{
	struct dit_page_space *space = sink->space;
	struct dit_page_chunk *chunk = &sink->chunk;
	int r = chunk->npages + npages > space->chunk_pages ? dit_page_sink_flush(sink)
	                                                    : 0;

	if (r < 0) {
		return r;
	}
	if (npages > space->chunk_pages) {
		free_pages(space, chunk);
		chunk->pages = dit_slab_get(npages * space->page_bytes);
	} else if (chunk->pages == NULL) {
		chunk->pages = dit_slab_get(DIT_CHUNK_BYTES);
	}
	*ret_pages = chunk->pages == NULL
	                     ? NULL
	                     : chunk->pages + (size_t)chunk->npages * space->page_bytes;
	return chunk->pages == NULL ? -ENOMEM : 0;
}

int dit_page_sink_add(struct dit_page_sink *sink, size_t npages, char **ret_pages,
                      uint64_t *ret_ticket)
{
	int r = make_room(sink, npages, ret_pages);

	assert(sink->open == NULL);
	if (r < 0) {
		return r;
	}
	*ret_ticket = next_ticket(sink);
	sink->chunk.npages += (unsigned)npages;
	return 0;
}

int dit_page_sink_open(struct dit_page_sink *sink, unsigned flags)
{
	char *page = NULL;
	int r = make_room(sink, 1, &page);

	if (r == 0) {
		dit_page_begin(sink->space->format, page, sink->space->page_bytes, flags);
		sink->open = page;
	}
	return r;
}

uint64_t dit_page_sink_close(struct dit_page_sink *sink)
{
	uint64_t ticket = next_ticket(sink);

	dit_page_clear(sink->space->format, sink->open, sink->space->page_bytes);
	sink->chunk.npages++;
	sink->open = NULL;
	return ticket;
}

int dit_page_sink_put(struct dit_page_sink *sink, const char *page, uint64_t *ret_ticket)
{
	char *space = NULL;
	int r = dit_page_sink_add(sink, 1, &space, ret_ticket);

	if (r == 0) {
		dit_page_copy(sink->space->format, space, page, sink->space->page_bytes);
	}
	return r;
}

int dit_page_sink_write_overflow(struct dit_page_sink *sink, size_t len,
                                 const struct dit_pieces *value, uint64_t *ret_ticket)
{
	struct dit_page_space *space = sink->space;
	const struct dit_page_format *format = space->format;
	uint64_t npages = dit_overflow_pages(format, len, space->page_bytes);
	const struct dit_page_words words = dit_overflow_words(npages);
	struct dit_page_run row = {0};
	uint64_t n = 0;
	int r = dit_page_sink_flush(sink);

	assert(format->crypto == NULL);
	r = r ?: dit_page_space_take(space, npages, npages, &row);
	for (uint64_t i = 0; i < npages && r == 0; i += n) {
		size_t head = i == 0 ? format->header_bytes : 0;
		char *pages = dit_slab_get(DIT_CHUNK_BYTES);
		size_t room = 0;
		size_t used = 0;

		if (pages == NULL) {
			return -ENOMEM;
		}
		n = npages - i < space->chunk_pages ? npages - i : space->chunk_pages;
		room = n * space->page_bytes - head;
		used = len < room ? len : room;
		value->next(value->ctx, pages + head, used);
		memset(pages + head + used, 0, room - used);
		len -= used;
		if (i == 0) {
			dit_page_set_words(format, pages, &words);
			(void)number_page(sink, pages, row.first);
		}
		r = dit_page_file_put(&space->file, pages, n * space->page_bytes,
		                      (row.first + i) * space->page_bytes);
	}
	*ret_ticket = row.first | DIT_TICKET_IS_PAGE;
	return r;
}
