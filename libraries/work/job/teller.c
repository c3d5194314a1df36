/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/teller.h"

#include <stddef.h>

static void find_memory(void *ctx)
{
	struct dit_teller *teller = ctx;

	teller->memory_bytes = dit_memory_in_use();
}

static void tell_again(void *ctx)
{
	struct dit_teller *teller = ctx;

	dit_teller_tell(teller, teller->phase);
}

void dit_teller_init(struct dit_teller *teller)
{
	if (teller->progress != NULL) {
		teller->ticker = (struct dit_ticker){tell_again, teller, 0, 0};
		teller->memory_clock = (struct dit_ticker){find_memory, teller, 0, 0};
	}
}

struct dit_ticker *dit_teller_ticker(struct dit_teller *teller)
{
	return teller->progress == NULL ? NULL : &teller->ticker;
}

void dit_teller_tell(struct dit_teller *teller, unsigned phase)
{
	struct dit_progress progress = {.phase = phase};

	teller->phase = phase;
	if (teller->progress == NULL) {
		return;
	}
	dit_tick(&teller->memory_clock);
	progress.memory_bytes = teller->memory_bytes;
	teller->fill(teller->ctx, &progress);
	teller->progress(teller->progress_ctx, &progress);
}
