/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arenas (slabs): memory that is handed out by moving a pointer and taken back all at
 * once.
 *
 *   dit_arena_init();  dit_arena_alloc()...  dit_arena_reset() or dit_arena_rewind();
 *   dit_arena_alloc()...  dit_arena_deinit()
 *
 * Reset keeps the blocks, or puts them back for other arenas, so a batch
 * loop stops calling malloc once it has seen its largest batch. Pieces cannot be freed
 * one by one; no destructors run.
 *
 * Threads: one owner thread at a time. A batch's arenas change owner when a team meets.
 */
#ifndef DITKIT_ARENA_H
#define DITKIT_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "base/stop.h"

struct dit_arena_block;

struct dit_arena {
	bool is_shared; /* blocks are of base/slab.h, and a reset puts them back there */
	/* Ends the work of the arena; NULL: nothing does. Loops through a huge value that
	 * ask for no memory look at it. */
	const struct dit_stop *stop;
	struct dit_arena_block *first;
	struct dit_arena_block *current;
	char *at;  /* next free byte of the current block */
	char *end; /* after its last byte */
	size_t block_bytes;
	size_t total_bytes; /* held in all blocks */
};

/**
 * A place to rewind to; valid until the arena is reset, deinitialised or rewound past it.
 */
struct dit_arena_mark {
	struct dit_arena_block *block;
	char *at;
};

/** @param block_bytes size of the ordinary blocks, at least 64. Allocates nothing yet. */
void dit_arena_init(struct dit_arena *arena, size_t block_bytes);

/**
 * As above, for arenas that are busy at different times: a reset puts the blocks back,
 * and whoever needs one next takes it.
 *
 * @param block_bytes  a power of two, at least 128
 * @param stop         NULL, or what ends the work whose results go to the arena: it then
 *                     gives out no more blocks, as if there were no memory. Borrowed
 */
void dit_arena_init_shared(struct dit_arena *arena, size_t block_bytes,
                           const struct dit_stop *stop);

/** Give all memory back to the system. A zeroed or deinitialised arena is fine. */
void dit_arena_deinit(struct dit_arena *arena);

/** All bytes become zero: a passphrase may be among them. */
void dit_arena_wipe(struct dit_arena *arena);

/** Forget all contents; keep the memory, or, if it is shared, put it back. */
void dit_arena_reset(struct dit_arena *arena);

struct dit_arena_mark dit_arena_mark(const struct dit_arena *arena);

/** Forget what was allocated since @p mark, keep the memory. */
void dit_arena_rewind(struct dit_arena *arena, struct dit_arena_mark mark);

/** Slow path of dit_arena_alloc_aligned(); do not call. */
void *dit_arena_grow(struct dit_arena *arena, size_t size, size_t align);

/**
 * @param align power of two, at most 16
 *
 * @return uninitialised bytes that live until reset, rewind or deinit; NULL: no memory,
 *         or the work is to end.
 *         A size of 0 gives a valid pointer.
 */
static inline void *dit_arena_alloc_aligned(struct dit_arena *arena, size_t size,
                                            size_t align)
{
	uintptr_t at = ((uintptr_t)arena->at + (align - 1)) & ~(uintptr_t)(align - 1);

	if (arena->at == NULL || at > (uintptr_t)arena->end ||
	    size > (uintptr_t)arena->end - at) {
		return dit_arena_grow(arena, size, align);
	}
	arena->at = (char *)at + size;
	return (void *)at;
}

/** As dit_arena_alloc_aligned(), for any object: 8-byte aligned. */
static inline void *dit_arena_alloc(struct dit_arena *arena, size_t size)
{
	return dit_arena_alloc_aligned(arena, size, 8);
}

/** As dit_arena_alloc_aligned(), for text: any address. */
static inline char *dit_arena_bytes(struct dit_arena *arena, size_t size)
{
	return dit_arena_alloc_aligned(arena, size, 1);
}

/** Array of @p n zeroed objects of @p size bytes; NULL: no memory or overflow. */
void *dit_arena_calloc(struct dit_arena *arena, size_t n, size_t size);

/**
 * Copy; the result is followed by a NUL that its length does not count. NULL data: no
 * memory.
 */
struct dit_span dit_arena_copy(struct dit_arena *arena, struct dit_span span);
/** Copy a list of @p n spans and their bytes. NULL: no memory */
struct dit_span *dit_arena_copy_spans(struct dit_arena *arena,
                                      const struct dit_span *spans, size_t n);
/** Copy a text to where there is room for it. @return its end there */
static inline char *dit_span_put(char *to, struct dit_span text)
{
	if (text.len > 0) {
		memcpy(to, text.data, text.len);
	}
	return to + text.len;
}

/**
 * Put @p n pieces one after the other.
 *
 * @param ret  on success in the arena; its data is not NULL
 *
 * @return 0 or -ENOMEM
 */
int dit_arena_join(struct dit_arena *arena, const struct dit_span *parts, size_t n,
                   struct dit_span *ret);

/**
 * Twice the room for an array of the arena, with a copy of its items.
 *
 * @param items  a pointer, or NULL
 * @param n      so many items are copied
 * @param size   how many items have room; updated
 * @param least  items that the first room is for
 *
 * @return 0; -ENOMEM, and the array is as it was
 */
#define DIT_ARENA_DOUBLE(arena, items, n, size, least)                                   \
 dit_arena_double((arena), &(items), (n), &(size), sizeof(*(items)), (least))

/** The function of the macro: @p items says where the pointer is, as in base/grow.h. */
int dit_arena_double(struct dit_arena *arena, void *items, size_t n, size_t *size,
                     size_t item_bytes, size_t least);

/**
 * Give back the unused tail of the newest allocation, which began at @p start and is
 * used up to @p used bytes. For writers that reserve the worst case first.
 */
static inline void dit_arena_trim(struct dit_arena *arena, void *start, size_t used)
{
	arena->at = (char *)start + used;
}

/**
 * Text under construction: it grows in an arena and remembers that it ran out of memory.
 * Zero but for the arena is empty.
 */
struct dit_text {
	struct dit_arena *arena;
	char *at;
	size_t n;
	size_t max;
	bool failed;
};

static inline void dit_text_char(struct dit_text *text, char c)
{
	if (text->n == text->max &&
	    DIT_ARENA_DOUBLE(text->arena, text->at, text->n, text->max, 64) < 0) {
		text->failed = true;
		return;
	}
	text->at[text->n++] = c;
}

static inline void dit_text_span(struct dit_text *text, struct dit_span span)
{
	for (size_t i = 0; i < span.len; i++) {
		dit_text_char(text, span.data[i]);
	}
}

#endif
