/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arenas: a list of blocks, filled one after the other.
 *
 * After a reset the same blocks are filled again in the same order. A request that does
 * not fit the next kept block gets a block of its own in front of it, so that an entry
 * with one huge value does not push the ordinary blocks out of use. Shared blocks are put
 * back instead.
 */
#include "base/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/slab.h"

struct dit_arena_block {
	struct dit_arena_block *next;
	size_t size;
	_Alignas(16) char bytes[];
};

static void arena_enter(struct dit_arena *arena, struct dit_arena_block *block)
{
	arena->current = block;
	arena->at = block == NULL ? NULL : block->bytes;
	arena->end = block == NULL ? NULL : block->bytes + block->size;
}

void dit_arena_init(struct dit_arena *arena, size_t block_bytes)
{
	*arena = (struct dit_arena){.block_bytes = block_bytes};
}

void dit_arena_init_shared(struct dit_arena *arena, size_t block_bytes,
                           const struct dit_stop *stop)
{
	/* With its head a block has exactly this size. */
	dit_arena_init(arena, block_bytes - sizeof(struct dit_arena_block));
	arena->is_shared = true;
	arena->stop = stop;
}

static struct dit_arena_block *get_block(const struct dit_arena *arena, size_t size)
{
	size_t bytes = sizeof(struct dit_arena_block) + size;

	return arena->is_shared ? dit_slab_get(bytes) : malloc(bytes);
}

static void free_blocks(const struct dit_arena *arena)
{
	struct dit_arena_block *block = arena->first;

	while (block != NULL) {
		struct dit_arena_block *next = block->next;

		if (arena->is_shared) {
			dit_slab_put(block, sizeof(*block) + block->size);
		} else {
			free(block);
		}
		block = next;
	}
}

void dit_arena_deinit(struct dit_arena *arena)
{
	free_blocks(arena);
	*arena = (struct dit_arena){.block_bytes = arena->block_bytes,
	                            .is_shared = arena->is_shared,
	                            .stop = arena->stop};
}

void dit_arena_wipe(struct dit_arena *arena)
{
	for (struct dit_arena_block *at = arena->first; at != NULL; at = at->next) {
		explicit_bzero(at->bytes, at->size);
	}
}

void dit_arena_reset(struct dit_arena *arena)
{
	if (arena->is_shared) {
		free_blocks(arena);
		arena->first = NULL;
		arena->total_bytes = 0;
	}
	arena_enter(arena, arena->first);
}

struct dit_arena_mark dit_arena_mark(const struct dit_arena *arena)
{
	return (struct dit_arena_mark){arena->current, arena->at};
}

void dit_arena_rewind(struct dit_arena *arena, struct dit_arena_mark mark)
{
	if (mark.block == NULL) {
		dit_arena_reset(arena);
		return;
	}
	arena_enter(arena, mark.block);
	arena->at = mark.at;
}

void *dit_arena_grow(struct dit_arena *arena, size_t size, size_t align)
{
	struct dit_arena_block *next = NULL;
	struct dit_arena_block *block = NULL;
	size_t want = size;

	if (dit_stop_is_set(arena->stop)) {
		return NULL;
	}
	next = arena->current == NULL ? arena->first : arena->current->next;
	if (next != NULL && next->size >= size) {
		arena_enter(arena, next);
		return dit_arena_alloc_aligned(arena, size, align);
	}
	if (want < arena->block_bytes) {
		want = arena->block_bytes;
	}
	if (want > SIZE_MAX - sizeof(*block)) {
		return NULL;
	}
	block = get_block(arena, want);
	if (block == NULL) {
		return NULL;
	}
	block->size = want;
	block->next = next;
	if (arena->current == NULL) {
		arena->first = block;
	} else {
		arena->current->next = block;
	}
	arena->total_bytes += want;
	arena_enter(arena, block);
	return dit_arena_alloc_aligned(arena, size, align);
}

void *dit_arena_calloc(struct dit_arena *arena, size_t n, size_t size)
{
	size_t bytes = 0;
	void *p = NULL;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		return NULL;
	}
	p = dit_arena_alloc(arena, bytes);
	if (p != NULL) {
		memset(p, 0, bytes);
	}
	return p;
}

struct dit_span dit_arena_copy(struct dit_arena *arena, struct dit_span span)
{
	struct dit_span copy = {NULL, 0};
	char *p = dit_arena_bytes(arena, span.len + 1);

	if (p == NULL) {
		return copy;
	}
	*dit_span_put(p, span) = '\0';
	copy.data = p;
	copy.len = span.len;
	return copy;
}

struct dit_span *dit_arena_copy_spans(struct dit_arena *arena,
                                      const struct dit_span *spans, size_t n)
{
	struct dit_span *copy = dit_arena_calloc(arena, n, sizeof(*copy));

	for (size_t i = 0; i < n && copy != NULL; i++) {
		copy[i] = dit_arena_copy(arena, spans[i]);
		copy = copy[i].data == NULL ? NULL : copy;
	}
	return copy;
}

int dit_arena_join(struct dit_arena *arena, const struct dit_span *parts, size_t n,
                   struct dit_span *ret)
{
	size_t len = 0;
	char *to = NULL;

	for (size_t i = 0; i < n; i++) {
		len += parts[i].len;
	}
	to = dit_arena_bytes(arena, len);
	if (to == NULL) {
		return -ENOMEM;
	}
	*ret = (struct dit_span){to, len};
	for (size_t i = 0; i < n; i++) {
		to = dit_span_put(to, parts[i]);
	}
	return 0;
}

int dit_arena_double(struct dit_arena *arena, void *items, size_t n, size_t *size,
                     size_t item_bytes, size_t least)
{
	size_t wanted = *size == 0 ? least : *size * 2;
	const void *old = NULL;
	void *array = NULL;

	if (wanted <= SIZE_MAX / 2 / item_bytes) {
		array = dit_arena_alloc(arena, wanted * item_bytes);
	}
	if (array == NULL) {
		return -ENOMEM;
	}
	memcpy(&old, items, sizeof(old));
	if (n > 0) {
		memcpy(array, old, n * item_bytes);
	}
	memcpy(items, &array, sizeof(array));
	*size = wanted;
	return 0;
}
