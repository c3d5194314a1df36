/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of slots. Where an entry goes depends on its sum, which is as good as random;
 * if that slot is taken, the entry goes to the next free one.
 */
#include "scan/known.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/object.h"

#define SLOTS_MAX ((size_t)1 << 58)
#define PROBES    4096u /* where two thirds are taken, a few hundreds are rare */

struct known_slot {
	/* 0: the slot is free. [atomic: taken once; relaxed, the rest is read when all
	 * threads have pushed] */
	_Atomic uint64_t id;
	struct dit_sum128 sum; /* [own: who took it] */
	uint64_t uuid;         /* likewise */
};

struct dit_known {
	struct dit_entry_sum_rule rule;
	struct known_slot *slots;
	size_t nslots;   /* a power of two */
	uint64_t *twins; /* by the own ID; 0: none */
	size_t ntwins;
};

static size_t count_slots(uint64_t nentries)
{
	size_t n = 2;

	while (n < SLOTS_MAX && n / 3 * 2 < nentries) {
		n *= 2;
	}
	return n;
}

uint64_t dit_known_bytes(uint64_t nentries)
{
	return count_slots(nentries) * sizeof(struct known_slot);
}

int dit_known_new(struct dit_known **ret, uint64_t nentries,
                  const struct dit_entry_sum_rule *rule)
{
	struct dit_known *known = calloc(1, sizeof(*known));
	int r = 0;

	if (known == NULL) {
		return -ENOMEM;
	}
	known->rule = *rule;
	r = DIT_GROW_LARGE(known->slots, known->nslots, count_slots(nentries));
	if (r == 0) {
		memset((void *)known->slots, 0, known->nslots * sizeof(*known->slots));
	}
	return DIT_HAND_OVER(r, ret, known, dit_known_free);
}

void dit_known_free(struct dit_known *known)
{
	if (known != NULL) {
		DIT_FREE_LARGE(known->slots, known->nslots);
		free(known->twins);
		free(known);
	}
}

static struct known_slot *slot_at(const struct dit_known *known,
                                  const struct dit_sum128 *sum, uint64_t i)
{
	return &known->slots[(sum->high + i) & (known->nslots - 1)];
}

void dit_known_push(struct dit_known *known, uint64_t id, const struct dit_sum128 *sum,
                    uint64_t uuid)
{
	for (uint64_t i = 0; i < PROBES; i++) {
		struct known_slot *slot = slot_at(known, sum, i);
		uint64_t free_id = 0;

		if (atomic_compare_exchange_strong_explicit(&slot->id, &free_id, id,
		                                            memory_order_relaxed,
		                                            memory_order_relaxed)) {
			slot->sum = *sum;
			slot->uuid = uuid;
			return;
		}
	}
}

const struct dit_entry_sum_rule *dit_known_rule(const struct dit_known *known)
{
	return &known->rule;
}

uint64_t dit_known_find(const struct dit_known *known, const struct dit_sum128 *sum,
                        uint64_t uuid)
{
	for (uint64_t i = 0; i < PROBES; i++) {
		struct known_slot *slot = slot_at(known, sum, i);
		uint64_t id = atomic_load_explicit(&slot->id, memory_order_relaxed);

		if (id == 0) {
			return 0;
		}
		if (slot->sum.high == sum->high && slot->sum.low == sum->low) {
			return uuid == 0 || uuid == slot->uuid ? id : 0;
		}
	}
	return 0;
}

int dit_known_note(struct dit_known *known, uint64_t own_id, uint64_t id)
{
	int r = DIT_GROW_CLEARED(known->twins, known->ntwins, (size_t)own_id + 1);

	if (r == 0) {
		known->twins[own_id] = id;
	}
	return r;
}

uint64_t dit_known_twin(const struct dit_known *known, uint64_t own_id)
{
	return own_id < known->ntwins ? known->twins[own_id] : 0;
}
