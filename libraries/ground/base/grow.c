/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/grow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_ITEMS 8

int dit_grow(void *items, size_t *size, size_t n, size_t item_bytes)
{
	size_t wanted = *size + *size / 2;
	void *array = NULL;

	memcpy(&array, items, sizeof(array));
	if (wanted < LEAST_ITEMS) {
		wanted = LEAST_ITEMS;
	}
	if (wanted < n) {
		wanted = n;
	}
	/* Checks the product. */
	array = reallocarray(array, wanted, item_bytes);
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
	int r = dit_make_room(items, size, n, item_bytes);
	char *array = NULL;

	memcpy(&array, items, sizeof(array));
	if (r == 0 && *size > before) {
		memset(array + before * item_bytes, 0, (*size - before) * item_bytes);
	}
	return r;
}
