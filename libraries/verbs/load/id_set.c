/* SPDX-License-Identifier: BSD-2-Clause */
/* Open addressing; three quarters of the slots are used at most. */
#include "load/id_set.h"

#include <errno.h>
#include <stdlib.h>

#define SLOTS_MIN 64u
#define SPREAD    0x9e3779b97f4a7c15u /* 2^64 / golden ratio: neighbours lie apart */

/* The slot of an ID, or the free one where it belongs. */
static uint32_t *slot_of(const struct dit_id_set *set, uint32_t id)
{
	size_t at = (size_t)(id * SPREAD >> 32) & (set->nslots - 1);

	while (set->slots[at] != 0 && set->slots[at] != id) {
		at = (at + 1) & (set->nslots - 1);
	}
	return &set->slots[at];
}

static int grow(struct dit_id_set *set)
{
	struct dit_id_set larger = {.nslots = set->nslots == 0 ? SLOTS_MIN
	                                                       : set->nslots * 2};

	larger.slots = calloc(larger.nslots, sizeof(*larger.slots));
	if (larger.slots == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < set->nslots; i++) {
		if (set->slots[i] != 0) {
			*slot_of(&larger, set->slots[i]) = set->slots[i];
		}
	}
	larger.n = set->n;
	free(set->slots);
	*set = larger;
	return 0;
}

int dit_id_set_add(struct dit_id_set *set, uint32_t id)
{
	int r = set->n >= set->nslots / 4 * 3 ? grow(set) : 0;

	if (r == 0 && *slot_of(set, id) == 0) {
		*slot_of(set, id) = id;
		set->n++;
	}
	return r;
}

bool dit_id_set_has(const struct dit_id_set *set, uint32_t id)
{
	return set->n > 0 && *slot_of(set, id) == id;
}

void dit_id_set_deinit(struct dit_id_set *set)
{
	free(set->slots);
	*set = (struct dit_id_set){.slots = NULL};
}
