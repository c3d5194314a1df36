/* SPDX-License-Identifier: BSD-2-Clause */
/* A bounded series of samples. */
#include "samples.h"

bool samples_wants(const struct samples *samples, uint64_t time_us, unsigned phase)
{
	const struct sample *last = &samples->items[samples->n - (samples->n > 0)];
	uint64_t interval_us = (uint64_t)SAMPLES_INTERVAL_US << samples->nhalvings;

	return samples->n == 0 || last->phase != phase ||
	       time_us - last->time_us >= interval_us;
}

static void halve(struct samples *samples)
{
	size_t kept = 0;

	for (size_t i = 0; i < samples->n; i++) {
		bool is_first =
			i == 0 || samples->items[i].phase != samples->items[i - 1].phase;

		if (is_first || i % 2 == 0) {
			samples->items[kept++] = samples->items[i];
		}
	}
	/* More phases than samples: the last ones must do. */
	samples->n = kept == SAMPLES_MAX ? kept - 1 : kept;
	samples->nhalvings++;
}

void samples_add(struct samples *samples, const struct sample *sample)
{
	if (samples->n == SAMPLES_MAX) {
		halve(samples);
	}
	samples->items[samples->n++] = *sample;
}
