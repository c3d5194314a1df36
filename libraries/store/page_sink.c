/* SPDX-License-Identifier: BSD-2-Clause */
/* Chunks of pages, written side by side by several threads. */
#include "store/page_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/whole_io.h"
#include "store/lmdb_format.h"
#include "store/staging_impl.h"

/* 256 KiB of 4 KiB pages: long enough that the call itself costs nothing. */
#define CHUNK_PAGES 64u

/* So much is collected before the system is asked to begin writing it to the disk. */
#define WINDOW_BYTES (8u << 20)

int dit_page_sink_init(struct dit_page_sink *sink, struct dit_page_space *space)
{
	*sink = (struct dit_page_sink){.space = space};
	sink->pages = malloc((size_t)CHUNK_PAGES * space->page_bytes);
	return sink->pages == NULL ? -ENOMEM : 0;
}

void dit_page_sink_deinit(struct dit_page_sink *sink)
{
	free(sink->pages);
	free(sink->chunks);
	*sink = (struct dit_page_sink){.space = NULL};
}

uint64_t dit_page_sink_number(const struct dit_page_sink *sink, uint64_t ticket)
{
	return sink->chunks[ticket / CHUNK_PAGES] + ticket % CHUNK_PAGES;
}

/* A list's own page takes the number of the page around it, as liblmdb does it. */
static void number_leaf_node(const struct dit_page_sink *sink,
                             struct dit_node_header *node, uint64_t number)
{
	char *value = (char *)(node + 1) + node->key_len;

	if ((node->flags & DIT_NODE_TREE) != 0) {
		struct dit_tree_record tree;

		memcpy(&tree, value, sizeof(tree)); /* it lies at any even place */
		tree.root = dit_page_sink_number(sink, tree.root);
		memcpy(value, &tree, sizeof(tree));
	} else if ((node->flags & DIT_NODE_LIST) != 0) {
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

/* Give a page its number, and put numbers in place of the tickets in it. */
static void number_page(const struct dit_page_sink *sink, char *page, uint64_t number)
{
	struct dit_page_header *header = (struct dit_page_header *)(void *)page;
	unsigned nnodes = dit_page_count(page);

	header->number = number;
	if ((header->flags & DIT_PAGE_LEAF2) != 0) {
		return;
	}
	for (unsigned i = 0; i < nnodes; i++) {
		if ((header->flags & DIT_PAGE_BRANCH) != 0) {
			number_branch_node(sink, dit_page_node(page, i));
		} else {
			number_leaf_node(sink, dit_page_node(page, i), number);
		}
	}
}

/* A limit on file sizes is an error and no signal (staging_impl.h). */
static int write_chunk(const struct dit_page_sink *sink, uint64_t first)
{
	const struct dit_page_space *space = sink->space;
	sigset_t previous;
	int r = 0;

	dit_staging_block_signal(&previous);
	r = dit_write_at(space->fd, sink->pages, (size_t)sink->npages * space->page_bytes,
	                 first * space->page_bytes);
	dit_staging_restore_signal(&previous);
	return r;
}

/*
 * Advice only: the sync at the end has less left to do. Whoever crosses the end of a
 * window starts the one before it: others may still be at work on this one.
 */
static void start_writing(const struct dit_page_space *space, uint64_t begin,
                          uint64_t end)
{
#ifdef SYNC_FILE_RANGE_WRITE
	uint64_t window = end / WINDOW_BYTES;

	if (begin / WINDOW_BYTES != window && window >= 2) {
		(void)sync_file_range(space->fd, (off_t)((window - 2) * WINDOW_BYTES),
		                      WINDOW_BYTES, SYNC_FILE_RANGE_WRITE);
	}
#else
	(void)space, (void)begin, (void)end;
#endif
}

static int remember_chunk(struct dit_page_sink *sink, uint64_t first)
{
	if (sink->nchunks == sink->chunks_size) {
		size_t size = sink->chunks_size == 0 ? 64 : sink->chunks_size * 2;
		uint64_t *chunks = realloc(sink->chunks, size * sizeof(*chunks));

		if (chunks == NULL) {
			return -ENOMEM;
		}
		sink->chunks = chunks;
		sink->chunks_size = size;
	}
	sink->chunks[sink->nchunks++] = first;
	return 0;
}

int dit_page_sink_flush(struct dit_page_sink *sink)
{
	struct dit_page_space *space = sink->space;
	size_t len = (size_t)sink->npages * space->page_bytes;
	uint64_t first = 0;
	int r = 0;

	if (sink->npages == 0) {
		return 0;
	}
	first = atomic_fetch_add_explicit(&space->next_page, sink->npages,
	                                  memory_order_relaxed);
	r = remember_chunk(sink, first);
	if (r < 0) {
		return r;
	}
	for (unsigned i = 0; i < sink->npages; i++) {
		number_page(sink, sink->pages + (size_t)i * space->page_bytes, first + i);
	}
	r = write_chunk(sink, first);
	sink->npages = 0;
	if (r == 0) {
		start_writing(space, first * space->page_bytes,
		              first * space->page_bytes + len);
	}
	return r;
}

int dit_page_sink_add(struct dit_page_sink *sink, char **ret_page, uint64_t *ret_ticket)
{
	int r = 0;

	if (sink->npages == CHUNK_PAGES) {
		r = dit_page_sink_flush(sink);
		if (r < 0) {
			return r;
		}
	}
	*ret_page = sink->pages + (size_t)sink->npages * sink->space->page_bytes;
	*ret_ticket = (uint64_t)sink->nchunks * CHUNK_PAGES + sink->npages;
	sink->npages++;
	return 0;
}

int dit_page_sink_put(struct dit_page_sink *sink, const char *page, uint64_t *ret_ticket)
{
	char *space = NULL;
	int r = dit_page_sink_add(sink, &space, ret_ticket);

	if (r == 0) {
		memcpy(space, page, sink->space->page_bytes);
	}
	return r;
}
