/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/grow.h"

#include <stdint.h>
#include <stdlib.h>

#define LEAST_ITEMS 8

void *dit_grow(void *items, size_t *size, size_t n, size_t item_bytes)
{
	size_t wanted = *size + *size / 2;
	void *grown = NULL;

	if (n <= *size && items != NULL) {
		return items;
	}
	if (wanted < LEAST_ITEMS) {
		wanted = LEAST_ITEMS;
	}
	if (wanted < n) {
		wanted = n;
	}
	/* Checks the product. */
	grown = reallocarray(items, wanted, item_bytes);
	if (grown != NULL) {
		*size = wanted;
	}
	return grown;
}
