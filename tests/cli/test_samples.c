/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of samples: however long a run takes, there are SAMPLES_MAX of them at most,
 * in order of time, evenly apart, and each phase keeps its first one.
 */
#include "test.h"

#include "run_record.h"

TEST(samples_of_a_long_run_fit)
{
	static struct samples samples;
	uint64_t end_us = (uint64_t)3600 * 1000000;
	uint64_t widest_us = 0;

	samples = (struct samples){.n = 0};
	for (uint64_t us = 0; us < end_us; us += 10000) {
		unsigned phase = us < end_us / 2 ? 0 : 1;
		struct sample sample = {us, {.phase = phase, .nentries = us}};

		if (samples_wants(&samples, us, phase)) {
			samples_add(&samples, &sample);
		}
	}
	assert_true(samples.n <= SAMPLES_MAX);
	assert_true(samples.n >= SAMPLES_MAX / 3);
	assert_int_equal(samples.items[0].time_us, 0);
	assert_true(samples.items[samples.n - 1].time_us > end_us * 9 / 10);
	for (size_t i = 1; i < samples.n; i++) {
		uint64_t us = samples.items[i].time_us;
		uint64_t before_us = samples.items[i - 1].time_us;

		assert_true(us > before_us);
		widest_us = us - before_us > widest_us ? us - before_us : widest_us;
		if (samples.items[i].progress.phase !=
		    samples.items[i - 1].progress.phase) {
			assert_int_equal(us, end_us / 2);
		}
	}
	/* Twice the distance at most, which is the least power of two that fits. */
	assert_true(widest_us <=
	            2 * ((uint64_t)SAMPLES_INTERVAL_US << samples.nhalvings));
}

TEST(a_phase_begins_with_a_sample)
{
	struct samples samples = {.n = 0};
	const struct sample first = {.time_us = 100};

	assert_true(samples_wants(&samples, 100, 0));
	samples_add(&samples, &first);
	assert_false(samples_wants(&samples, 101, 0));
	assert_true(samples_wants(&samples, 101, 1));
	assert_false(samples_wants(&samples, 100 + SAMPLES_INTERVAL_US - 1, 0));
	assert_true(samples_wants(&samples, 100 + SAMPLES_INTERVAL_US, 0));
}

TEST(more_phases_than_samples_do_no_harm)
{
	static struct samples samples;

	samples = (struct samples){.n = 0};
	for (unsigned i = 0; i < 4 * SAMPLES_MAX; i++) {
		const struct sample sample = {i, {.phase = i}};

		samples_add(&samples, &sample);
		assert_true(samples.n <= SAMPLES_MAX);
	}
	assert_int_equal(samples.items[samples.n - 1].time_us, 4 * SAMPLES_MAX - 1);
}
