/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays that grow.
 *
 *   return DIT_APPEND(list->names, list->size, list->n, name);
 *
 * Threads: the array belongs to one thread at a time.
 */
#ifndef DITKIT_GROW_H
#define DITKIT_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/slab.h"

/**
 * Room for at least @p n items. The array grows by half, so that n additions cost O(n).
 *
 * @param items  a pointer of malloc(), or NULL; never NULL on success. New items are not
 *               cleared. On failure the array is as it was
 * @param size   how many items have room; updated
 * @param n      at least 1
 *
 * @return 0; -ENOMEM: also if the bytes are more than SIZE_MAX
 */
#define DIT_GROW(items, size, n)                                                         \
 dit_make_room(&(items), &(size), (n), sizeof(*(items)), false)

/** One more item, after @p n others, which are counted up. @return as DIT_GROW() */
#define DIT_APPEND(items, size, n, ...)                                                  \
 (DIT_GROW(items, size, (n) + 1) ?: ((items)[(n)++] = __VA_ARGS__, 0))

/** The same for an array whose items are zero until they are set, all of @p size. */
#define DIT_GROW_CLEARED(items, size, n)                                                 \
 dit_grow_cleared(&(items), &(size), (n), sizeof(*(items)))

/** For an array that may become large: it doubles, in memory of base/slab.h, where
 * DIT_FREE_LARGE() puts it back. @return as DIT_GROW() */
#define DIT_GROW_LARGE(items, size, n)                                                   \
 dit_make_room(&(items), &(size), (n), sizeof(*(items)), true)
#define DIT_FREE_LARGE(items, size) dit_slab_put((items), (size) * sizeof(*(items)))

/* The functions of these macros: @p items says where the pointer is. It may be of any
 * type, since all pointers to objects have one form. */

/** Without a look at the room that there is. */
int dit_grow(void *items, size_t *size, size_t n, size_t item_bytes, bool is_large);

static inline int dit_make_room(void *items, size_t *size, size_t n, size_t item_bytes,
                                bool is_large)
{
	const void *array = NULL;

	memcpy(&array, items, sizeof(array));
	return array != NULL && n <= *size
	               ? 0
	               : dit_grow(items, size, n, item_bytes, is_large);
}

int dit_grow_cleared(void *items, size_t *size, size_t n, size_t item_bytes);

/** qsort(), also of no items, where there may be no array. */
static inline void dit_sort_items(void *items, size_t n, size_t item_bytes,
                                  int (*compare)(const void *a, const void *b))
{
	if (n > 0) {
		qsort(items, n, item_bytes, compare);
	}
}

#endif
