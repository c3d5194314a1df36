/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/ticker.h"

#include <time.h>

void dit_tick(struct dit_ticker *ticker)
{
	struct timespec now;
	uint64_t now_ms = 0;

	if (ticker == NULL || ticker->tell == NULL) {
		return;
	}
	/* Some milliseconds of error do no harm. */
	(void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	now_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	if (now_ms - ticker->told_ms >= DIT_TICK_MS) {
		ticker->told_ms = now_ms;
		ticker->tell(ticker->ctx);
	}
}
