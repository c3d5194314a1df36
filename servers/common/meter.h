/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The progress meter: one line on stderr, rewritten at most twice a second, as slapadd's
 * (storage.md 6.4), with entries per second. What is shown is a load's progress; other
 * work is shown as if it were one.
 */
#ifndef DITKIT_COMMON_METER_H
#define DITKIT_COMMON_METER_H

#include <stdbool.h>
#include <stdint.h>

#include <ditkit/load.h>

struct meter {
	bool is_on;
	bool has_line; /* the cursor stands behind the meter */
	uint64_t start_ms;
	uint64_t shown_ms;
	unsigned spin;
};

void meter_start(struct meter *meter, bool is_on);
void meter_show(struct meter *meter, const struct dit_progress *progress);
/** End the meter's line, so that a message can be printed. */
void meter_break(struct meter *meter);

#endif
