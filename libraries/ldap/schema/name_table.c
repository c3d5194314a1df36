/* SPDX-License-Identifier: BSD-2-Clause */
/* Open addressing with linear probing; at most half full, so probes stay short. */
#include "schema/schema_private.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define SLOTS_MIN 64

/*
 * Eight letters at a time. Setting bit 5 of each maps "A" to "a"; that it also merges a
 * few marks only costs a comparison.
 */
static uint32_t hash_name(struct dit_span name)
{
	uint64_t hash = name.len;

	for (size_t i = 0; i < name.len; i += sizeof(hash)) {
		size_t n = name.len - i < sizeof(hash) ? name.len - i : sizeof(hash);
		uint64_t letters = 0;

		memcpy(&letters, name.data + i, n);
		hash = (hash ^ (letters | 0x2020202020202020u)) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	return (uint32_t)hash;
}

void dit_name_table_deinit(struct dit_name_table *table)
{
	free(table->slots);
	*table = (struct dit_name_table){0};
}

static void put_slot(struct dit_name_table *table, const struct dit_name_slot *slot)
{
	size_t i = slot->hash & (table->nslots - 1);

	while (table->slots[i].name.data != NULL) {
		i = (i + 1) & (table->nslots - 1);
	}
	table->slots[i] = *slot;
	table->nused++;
}

int dit_name_table_reserve(struct dit_name_table *table, size_t n)
{
	struct dit_name_table bigger = {.nslots = table->nslots};

	bigger.nslots = bigger.nslots ?: SLOTS_MIN;
	while (table->nused + n > bigger.nslots / 2) {
		bigger.nslots *= 2;
	}
	if (bigger.nslots == table->nslots) {
		return 0;
	}
	bigger.slots = calloc(bigger.nslots, sizeof(*bigger.slots));
	if (bigger.slots == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < table->nslots; i++) {
		if (table->slots[i].name.data != NULL) {
			put_slot(&bigger, &table->slots[i]);
		}
	}
	free(table->slots);
	*table = bigger;
	return 0;
}

void dit_name_table_put(struct dit_name_table *table, struct dit_span name, void *value)
{
	struct dit_name_slot slot = {name, hash_name(name), value};

	assert(name.data != NULL && table->nused < table->nslots / 2);
	put_slot(table, &slot);
}

void *dit_name_table_find(const struct dit_name_table *table, struct dit_span name)
{
	uint32_t hash = hash_name(name);
	size_t i = 0;

	if (table->nslots == 0) {
		return NULL;
	}
	for (i = hash & (table->nslots - 1); table->slots[i].name.data != NULL;
	     i = (i + 1) & (table->nslots - 1)) {
		if (table->slots[i].hash == hash &&
		    (dit_span_eq(table->slots[i].name, name) ||
		     dit_span_eq_nocase(table->slots[i].name, name))) {
			return table->slots[i].value;
		}
	}
	return NULL;
}
