/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The owner of large memory: blocks of arenas, chunks of postings, scratch of sorting,
 * pages on their way into a file.
 *
 *   block = dit_slab_get(size_bytes);  ...  dit_slab_put(block, size_bytes);
 *
 * Memory comes from the system in slabs of 2 MiB, which it can back with one page each.
 * A first touch of a small page costs a virtual machine up to 20 us, and pages that were
 * given back are touched for the first time again. So a block that is put back waits for
 * the next request of its size, by any thread, the newest first: it may still be in the
 * processor's cache. Whole slabs go back to the system: all of them when no block is in
 * use, and those without a block in use when a row of slabs is wanted.
 *
 * Blocks up to 1 MiB have sizes that are powers of two. Larger ones are slabs that lie in
 * a row; a request takes the smallest one that waits and is large enough, or enlarges the
 * largest one.
 *
 * Threads: any, at once.
 */
#ifndef DITKIT_SLAB_H
#define DITKIT_SLAB_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/**
 * A block, uninitialised. It is aligned to its size, at most to 4 KiB: so it can be
 * written past the page cache.
 *
 * @return NULL: no memory
 */
void *dit_slab_get(size_t size_bytes);

/** @param size_bytes  the same as for dit_slab_get(). A block that is NULL is fine. */
void dit_slab_put(void *block, size_t size_bytes);

/**
 * A larger block that begins with the first bytes of another one.
 *
 * @param block       is put back; NULL is fine
 * @param kept_bytes  of its first bytes, size_bytes at most; more of them may be kept
 *
 * @return NULL: no memory, and the block is as it was
 */
void *dit_slab_grow(void *block, size_t size_bytes, size_t kept_bytes,
                    size_t wanted_bytes);

/** Bytes of all slabs, those of waiting blocks included. */
uint64_t dit_slab_held_bytes(void);

/** A block whose contents do not survive growing. Zero is empty. One thread at a time. */
struct dit_buffer {
	void *data;
	size_t size_bytes;
};

static inline void dit_buffer_drop(struct dit_buffer *buffer)
{
	dit_slab_put(buffer->data, buffer->size_bytes);
	*buffer = (struct dit_buffer){NULL, 0};
}

/** Make room for at least @p size_bytes; the old contents are lost. 0 or -ENOMEM. */
static inline int dit_buffer_reserve(struct dit_buffer *buffer, size_t size_bytes)
{
	if (size_bytes <= buffer->size_bytes) {
		return 0;
	}
	dit_buffer_drop(buffer);
	buffer->data = dit_slab_get(size_bytes);
	if (buffer->data == NULL) {
		return -ENOMEM;
	}
	buffer->size_bytes = size_bytes;
	return 0;
}

#endif
