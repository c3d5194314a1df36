/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bounded series of samples of a run: when it had come how far, with how much memory.
 * The longer the run, the farther apart they are: 50 ms at first; when the series is
 * full, every second sample goes, and the distance doubles. The first sample of each
 * phase stays.
 */
#ifndef DITKIT_COMMON_SAMPLES_H
#define DITKIT_COMMON_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLES_MAX         240
#define SAMPLES_INTERVAL_US 50000

struct sample {
	uint64_t time_us; /* since the beginning of the run */
	unsigned phase;
	/* As of struct dit_progress. */
	uint64_t done;
	uint64_t nentries;
	uint64_t bytes_read;
	uint64_t bytes_written;
	uint64_t run_bytes;
	uint64_t memory_bytes;
};

/** Zero is an empty series. */
struct samples {
	struct sample items[SAMPLES_MAX];
	size_t n;
	unsigned nhalvings;
};

/** Is it time for another sample? */
bool samples_wants(const struct samples *samples, uint64_t time_us, unsigned phase);
/** Times ascend. */
void samples_add(struct samples *samples, const struct sample *sample);

#endif
