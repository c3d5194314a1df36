/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/grow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_ITEMS 8

int dit_grow(void *items, size_t *size, size_t n, size_t item_bytes, bool is_large)
{
	size_t wanted = *size + (is_large ? *size : *size / 2);
	size_t old_bytes = *size * item_bytes;
	size_t bytes = 0;
	void *array = NULL;

	memcpy(&array, items, sizeof(array));
	if (wanted < LEAST_ITEMS) {
		wanted = LEAST_ITEMS;
	}
	if (wanted < n) {
		wanted = n;
	}
	if (__builtin_mul_overflow(wanted, item_bytes, &bytes)) {
		return -ENOMEM;
	}
	array = is_large ? dit_slab_grow(array, old_bytes, old_bytes, bytes)
	                 : realloc(array, bytes);
	if (array == NULL) {
		return -ENOMEM;
	}
	memcpy(items, &array, sizeof(array));
	*size = wanted;
	return 0;
}

int dit_grow_cleared(void *items, size_t *size, size_t n, size_t item_bytes)
{
	size_t before = *size;
	int r = dit_make_room(items, size, n, item_bytes, false);
	char *array = NULL;

	memcpy(&array, items, sizeof(array));
	if (r == 0 && *size > before) {
		memset(array + before * item_bytes, 0, (*size - before) * item_bytes);
	}
	return r;
}
