/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory by mmap().
 *
 * malloc() may keep what is freed, and a loader that has sorted gigabytes needs them for
 * the page cache next. Slabs of 2 MiB hold many chunks, since the system limits the
 * number of mappings, not their size.
 */
#include "sort/pages.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/grow.h"

#define SLAB_BYTES ((size_t)2 << 20)
#define HUGE_BYTES ((size_t)4 << 20) /* from here on huge pages pay */

struct dit_slab {
	struct dit_slab *next;
	void *data;
};

static void *pages_get(size_t size_bytes)
{
	void *p = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		return NULL;
	}
	if (size_bytes >= HUGE_BYTES) {
		/* Only a wish: a radix sort writes to thousands of places in turn. */
		(void)madvise(p, size_bytes, MADV_HUGEPAGE);
	}
	return p;
}

int dit_buffer_reserve(struct dit_buffer *buffer, size_t size_bytes)
{
	void *p = NULL;

	if (size_bytes <= buffer->size_bytes) {
		return 0;
	}
	dit_buffer_drop(buffer);
	p = pages_get(size_bytes);
	if (p == NULL) {
		return -ENOMEM;
	}
	buffer->data = p;
	buffer->size_bytes = size_bytes;
	return 0;
}

void dit_buffer_drop(struct dit_buffer *buffer)
{
	if (buffer->data != NULL) {
		(void)munmap(buffer->data, buffer->size_bytes);
	}
	*buffer = (struct dit_buffer){NULL, 0};
}

void dit_buffer_cache_init(struct dit_buffer_cache *cache)
{
	*cache = (struct dit_buffer_cache){.lock = PTHREAD_MUTEX_INITIALIZER};
}

void dit_buffer_cache_deinit(struct dit_buffer_cache *cache)
{
	for (size_t i = 0; i < cache->n; i++) {
		dit_buffer_drop(&cache->buffers[i]);
	}
	free(cache->buffers);
	(void)pthread_mutex_destroy(&cache->lock);
}

int dit_buffer_cache_take(struct dit_buffer_cache *cache, size_t size_bytes,
                          struct dit_buffer *ret)
{
	struct dit_buffer buffer = {NULL, 0};
	int r = 0;

	(void)pthread_mutex_lock(&cache->lock);
	if (cache->n > 0) {
		buffer = cache->buffers[--cache->n];
	}
	(void)pthread_mutex_unlock(&cache->lock);
	r = dit_buffer_reserve(&buffer, size_bytes);
	if (r == 0) {
		*ret = buffer;
	}
	return r;
}

void dit_buffer_cache_put(struct dit_buffer_cache *cache, struct dit_buffer *buffer)
{
	if (buffer->data == NULL) {
		return;
	}
	(void)pthread_mutex_lock(&cache->lock);
	if (DIT_GROW(cache->buffers, cache->size, cache->n + 1) == 0) {
		cache->buffers[cache->n++] = *buffer;
		*buffer = (struct dit_buffer){NULL, 0};
	}
	(void)pthread_mutex_unlock(&cache->lock);
	dit_buffer_drop(buffer); /* without room: it is only a cache */
}

void dit_chunk_pool_init(struct dit_chunk_pool *pool, size_t chunk_bytes)
{
	assert(chunk_bytes >= 64 && (chunk_bytes & (chunk_bytes - 1)) == 0);
	*pool = (struct dit_chunk_pool){.chunk_bytes = chunk_bytes};
}

void dit_chunk_pool_deinit(struct dit_chunk_pool *pool)
{
	struct dit_slab *slab = pool->slabs;

	while (slab != NULL) {
		struct dit_slab *next = slab->next;

		(void)munmap(slab->data, SLAB_BYTES);
		free(slab);
		slab = next;
	}
	*pool = (struct dit_chunk_pool){.chunk_bytes = pool->chunk_bytes};
}

static int pool_grow(struct dit_chunk_pool *pool)
{
	struct dit_slab *slab = malloc(sizeof(*slab));

	if (slab == NULL) {
		return -ENOMEM;
	}
	/* Untouched pages cost nothing, so small pools need no small slabs. */
	slab->data = pages_get(SLAB_BYTES);
	if (slab->data == NULL) {
		free(slab);
		return -ENOMEM;
	}
	slab->next = pool->slabs;
	pool->slabs = slab;
	pool->at = slab->data;
	pool->end = pool->at + SLAB_BYTES;
	return 0;
}

struct dit_chunk *dit_chunk_get(struct dit_chunk_pool *pool)
{
	struct dit_chunk *chunk = pool->free;

	if (chunk != NULL) {
		pool->free = chunk->next;
		return chunk;
	}
	if (pool->at == pool->end && pool_grow(pool) < 0) {
		return NULL;
	}
	chunk = (struct dit_chunk *)(void *)pool->at;
	pool->at += pool->chunk_bytes;
	pool->held_bytes += pool->chunk_bytes;
	return chunk;
}

void dit_chunk_put(struct dit_chunk_pool *pool, struct dit_chunk *first,
                   struct dit_chunk *last)
{
	last->next = pool->free;
	pool->free = first;
}

void dit_chunk_discard(const struct dit_chunk_pool *pool, struct dit_chunk *chunk)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);

	if (pool->chunk_bytes >= page_bytes) {
		(void)madvise(chunk, pool->chunk_bytes, MADV_DONTNEED);
	}
}
