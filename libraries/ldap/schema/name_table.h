/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hash table from names to elements; ASCII letters compare without case.
 *
 *   dit_name_table_reserve();  dit_name_table_put()...;  dit_name_table_find()...
 *
 * Reserving first keeps an element with several names all or nothing: once the room is
 * there, putting cannot fail. Zero is empty. Entries are never removed.
 *
 * Threads: no lock of its own; look-ups may run together while no thread adds.
 */
#ifndef DITKIT_NAME_TABLE_H
#define DITKIT_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct dit_name_slot {
	struct dit_span name; /* borrowed; NULL data: free slot */
	uint32_t hash;
	void *value;
};

struct dit_name_table {
	struct dit_name_slot *slots;
	size_t nslots; /* 0 or a power of two */
	size_t nused;
};

void dit_name_table_deinit(struct dit_name_table *table);

/** Make room for @p n more names. @return 0, -ENOMEM */
int dit_name_table_reserve(struct dit_name_table *table, size_t n);

/** Add a name that is not there yet; @p name must live as long as the table. */
void dit_name_table_put(struct dit_name_table *table, struct dit_span name, void *value);

/** @return what was put under the name, or NULL */
void *dit_name_table_find(const struct dit_name_table *table, struct dit_span name);

#endif
