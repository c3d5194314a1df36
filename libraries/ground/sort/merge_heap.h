/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A binary heap: the sources of a merge by their current item, the smallest on top; or
 * other things that are taken in an order.
 *
 *   dit_heap_init();  dit_heap_add()... (each source with its first item);
 *   look at dit_heap_top(), move it on, dit_heap_settle();  dit_heap_deinit()
 *
 * Written once for all kinds of sources: the order is a parameter, and since everything
 * is inline and the order a constant there, the compiler makes of it what it would make
 * of a heap of that kind alone.
 *
 * Threads: one owner at a time.
 */
#ifndef DITKIT_MERGE_HEAP_H
#define DITKIT_MERGE_HEAP_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define DIT_HEAP_INLINE static inline __attribute__((always_inline))

/** Does the current item of source @p a come before that of source @p b? */
typedef bool (*dit_heap_order_fn)(const void *a, const void *b);

/** Zero is empty. */
struct dit_heap {
	void **sources; /* borrowed, each smaller than 2i+1 and 2i+2 */
	size_t n;
};

/** @param max most sources at a time. 0 or -ENOMEM */
static inline int dit_heap_init(struct dit_heap *heap, size_t max)
{
	heap->n = 0;
	heap->sources = calloc(max + 1, sizeof(*heap->sources));
	return heap->sources == NULL ? -ENOMEM : 0;
}

static inline void dit_heap_deinit(struct dit_heap *heap)
{
	free(heap->sources);
	*heap = (struct dit_heap){NULL, 0};
}

/** The source with the smallest item. There is one. */
DIT_HEAP_INLINE void *dit_heap_top(const struct dit_heap *heap)
{
	return heap->sources[0];
}

/** Put a new source, whose first item is there, into its place. */
DIT_HEAP_INLINE void dit_heap_add(struct dit_heap *heap, void *source,
                                  dit_heap_order_fn is_before)
{
	size_t at = heap->n++;

	while (at > 0 && is_before(source, heap->sources[(at - 1) / 2])) {
		heap->sources[at] = heap->sources[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap->sources[at] = source;
}

/** The source on top has another item, or, with @p is_over, none: restore the order. */
DIT_HEAP_INLINE void dit_heap_settle(struct dit_heap *heap, bool is_over,
                                     dit_heap_order_fn is_before)
{
	void *source = heap->sources[0];
	size_t at = 0;

	if (is_over) {
		heap->n--;
		source = heap->sources[heap->n];
	}
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= heap->n) {
			break;
		}
		if (child + 1 < heap->n &&
		    is_before(heap->sources[child + 1], heap->sources[child])) {
			child++;
		}
		if (!is_before(heap->sources[child], source)) {
			break;
		}
		heap->sources[at] = heap->sources[child];
		at = child;
	}
	heap->sources[at] = source;
}

#endif
