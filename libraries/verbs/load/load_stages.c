/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The source of a load's pipeline, and main's part of a round.
 */
#include "load/load_stages.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "load/load_progress.h"
#include "load/load_report.h"
#include "load/load_resolve.h"
#include "load/load_size.h"

/*
 * Generated values need a time that no other batch has: a microsecond for the CSN's
 * counter, and 100 ns for each entry's UUID.
 */
static uint64_t next_time(struct loader *loader, size_t nrecords)
{
	uint64_t now = dit_clock_us(CLOCK_REALTIME);

	if (now <= loader->stamps.last_time_us) {
		now = loader->stamps.last_time_us + 1;
	}
	loader->stamps.last_time_us = now + nrecords / 10;
	return now;
}

static int grow_items(struct load_slot *slot)
{
	size_t n = slot->batch.nrecords;

	if (n > slot->items_size) {
		free(slot->items);
		slot->items_size = 0;
		slot->items = calloc(n, sizeof(*slot->items));
		if (slot->items == NULL) {
			return -ENOMEM;
		}
		slot->items_size = n;
	}
	return 0;
}

int dit_load_fill(void *ctx, unsigned slot)
{
	struct loader *loader = ctx;

	return dit_ldif_reader_next(loader->input.reader,
	                            &loader->input.slots[slot].batch);
}

int dit_load_begin(void *ctx, unsigned number, size_t *ret_nitems)
{
	struct loader *loader = ctx;
	struct load_slot *slot = &loader->input.slots[number];

	slot->time_us = next_time(loader, slot->batch.nrecords);
	*ret_nitems = slot->batch.nrecords;
	return grow_items(slot);
}

/* A batch whose resolving fails still goes nowhere, since the load ends. */
int dit_load_in_order(void *ctx, unsigned number)
{
	struct loader *loader = ctx;
	struct load_slot *slot = &loader->input.slots[number];
	int r = dit_load_resolve(loader, slot);

	loader->stats->bytes_read = slot->batch.bytes_read;
	if (r == 0) {
		r = dit_load_estimate(loader, slot->batch.bytes_read);
	}
	if (r == 0) {
		dit_teller_tell(&loader->job.teller, DIT_LOAD_ENTRIES);
	}
	return r;
}
