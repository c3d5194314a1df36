/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Large memory straight from the system, so that what is given back is really gone, and
 * a pool of equal chunks on top of it.
 *
 * Threads: a buffer or pool belongs to one thread at a time; dit_chunk_discard() may be
 * called by several threads at once, for different chunks.
 */
#ifndef DITKIT_PAGES_H
#define DITKIT_PAGES_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/** Uninitialised memory whose contents do not survive growing. Zero is empty. */
struct dit_buffer {
	void *data;
	size_t size_bytes;
};

/** Make room for at least @p size_bytes; the old contents are lost. 0 or -ENOMEM. */
int dit_buffer_reserve(struct dit_buffer *buffer, size_t size_bytes);
void dit_buffer_drop(struct dit_buffer *buffer);

/**
 * Buffers between two uses. Memory that was used before is faster to fill than new
 * memory, which has to be cleared page by page, so the cursors hand their buffers on.
 *
 * Threads: any, at once.
 */
struct dit_buffer_cache {
	pthread_mutex_t lock;

	/* [lock: lock] */
	struct dit_buffer *buffers;
	size_t n;
	size_t size;
};

void dit_buffer_cache_init(struct dit_buffer_cache *cache);
void dit_buffer_cache_deinit(struct dit_buffer_cache *cache);
/** A buffer of at least @p size_bytes, to be put back. 0 or -ENOMEM */
int dit_buffer_cache_take(struct dit_buffer_cache *cache, size_t size_bytes,
                          struct dit_buffer *ret);
/** Takes the buffer and leaves it empty. */
void dit_buffer_cache_put(struct dit_buffer_cache *cache, struct dit_buffer *buffer);

/** A chunk of 32-bit units; its size is the pool's. */
struct dit_chunk {
	struct dit_chunk *next;
	uint32_t *end; /* after the units in use; set by the user */
	uint32_t units[];
};

#define DIT_CHUNK_HEAD sizeof(struct dit_chunk)

struct dit_slab;

struct dit_chunk_pool {
	size_t chunk_bytes; /* a power of two */
	struct dit_chunk *free;
	struct dit_slab *slabs;
	char *at; /* rest of the newest slab */
	char *end;
	size_t held_bytes; /* of all chunks ever handed out */
};

/** @param chunk_bytes power of two, 64 .. 1 MiB */
void dit_chunk_pool_init(struct dit_chunk_pool *pool, size_t chunk_bytes);
void dit_chunk_pool_deinit(struct dit_chunk_pool *pool);

/** @return a chunk; NULL: no memory */
struct dit_chunk *dit_chunk_get(struct dit_chunk_pool *pool);

/** Put a list of chunks, @p first to @p last, back into the pool. */
void dit_chunk_put(struct dit_chunk_pool *pool, struct dit_chunk *first,
                   struct dit_chunk *last);

/** Give a chunk's memory to the system for good; the pool will not hand it out again. */
void dit_chunk_discard(const struct dit_chunk_pool *pool, struct dit_chunk *chunk);

#endif
