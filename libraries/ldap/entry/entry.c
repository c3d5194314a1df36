/* SPDX-License-Identifier: BSD-2-Clause */
/* The attribute blocks of an entry, and what a thread remembers between entries. */
#include "entry/entry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "entry/entry_work.h"

/* Blocks to make room for when a list is empty; then it doubles. */
#define ATTRS_MIN 16

#define SETS_BLOCK_BYTES 16384

struct dit_attr *dit_entry_find(const struct dit_entry *entry, const struct dit_ad *ad)
{
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		if (entry->attrs[i].ad == ad) {
			return &entry->attrs[i];
		}
	}
	return NULL;
}

int dit_attr_copy_lists(struct dit_attr *attr, struct dit_arena *arena, size_t room)
{
	struct dit_span **const lists[] = {&attr->values, &attr->normal};

	for (size_t i = 0; i < 2 && *lists[i] != NULL; i++) {
		struct dit_span *copy = dit_arena_alloc(arena, room * sizeof(*copy));

		if (copy == NULL) {
			return -ENOMEM;
		}
		memcpy(copy, *lists[i], attr->nvalues * sizeof(*copy));
		*lists[i] = copy;
	}
	return 0;
}

int dit_entry_grow(struct dit_entry *entry, struct dit_arena *arena)
{
	size_t size = entry->attrs_size;

	if (size > UINT32_MAX / 2 ||
	    DIT_ARENA_DOUBLE(arena, entry->attrs, entry->nattrs, size, ATTRS_MIN) < 0) {
		return -ENOMEM;
	}
	entry->attrs_size = (uint32_t)size;
	return 0;
}

int dit_entry_caches_init(struct dit_entry_caches *caches)
{
	*caches = (struct dit_entry_caches){0};
	caches->work = calloc(1, sizeof(*caches->work));
	if (caches->work == NULL) {
		return -ENOMEM;
	}
	dit_arena_init(&caches->work->classes.arena, SETS_BLOCK_BYTES);
	return 0;
}

void dit_entry_caches_deinit(struct dit_entry_caches *caches)
{
	if (caches->work != NULL) {
		dit_arena_deinit(&caches->work->classes.arena);
		free(caches->work->runs);
		free(caches->work->marks);
		free(caches->work->seen);
		free(caches->work);
	}
	dit_dn_cache_deinit(&caches->dns);
	dit_dn_cache_deinit(&caches->values);
	*caches = (struct dit_entry_caches){0};
}

struct dit_sum128 dit_entry_digest(const struct dit_entry *entry)
{
	struct dit_sum128 sum = {0, 0};

	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr *attr = &entry->attrs[i];

		dit_sum128_add_values(&sum, attr->values, attr->nvalues,
		                      attr->ad->name_sum);
	}
	return dit_sum128_of_entry(entry->dn.norm, &sum);
}
