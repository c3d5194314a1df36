/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays that grow.
 *
 *   struct name *names = dit_grow(list->names, &list->size, list->n + 1, sizeof(*names));
 *
 *   if (names == NULL) {
 *           return -ENOMEM;
 *   }
 *   list->names = names;
 *   list->names[list->n++] = name;
 *
 * Threads: the array belongs to one thread at a time.
 */
#ifndef DITKIT_GROW_H
#define DITKIT_GROW_H

#include <stddef.h>

/**
 * Room for at least @p n items. The array grows by half, so that n additions cost O(n).
 *
 * @param items       of malloc(), or NULL; the caller's again, and unchanged, on failure
 * @param size        how many items have room; updated
 * @param n           at least 1
 * @param item_bytes  at least 1
 *
 * @return the array, never NULL on success; new items are not cleared. NULL: no memory,
 *         or the bytes are more than SIZE_MAX
 */
void *dit_grow(void *items, size_t *size, size_t n, size_t item_bytes);

#endif
