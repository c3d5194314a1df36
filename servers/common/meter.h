/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The progress meter: one line on stderr with entries per second, rewritten at most twice
 * a second, like slapadd's meter (storage.md 6.4). It shows the progress of a load. Other
 * work passes its progress in the same struct.
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
