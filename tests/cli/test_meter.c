/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the meter's share and time left, on made-up runs: the share of the work
 * never falls in a run and ends near 1; the time left is near the truth when the phases
 * take what their weights say, and comes near it when they take more; nothing is told of
 * an input of unknown length; a second file begins again, and a second database of one
 * load does not.
 */
#include "test.h"

#include <math.h>

#include "meter.h"

#define NPHASES 3
#define STEPS   200 /* calls in each phase */

static const struct meter_phase phases[NPHASES] = {{"entries", 78, NULL},
                                                   {"indexes", 20, NULL},
                                                   {"publishing", 2, NULL}};

static const struct run {
	const char *name;
	double seconds[NPHASES];
	double curve; /* of the first phase: its speed falls (above 0) or rises */
	double error; /* of the whole time, from a quarter of the run on */
} runs[] = {
	{"as the weights say", {39, 10, 1}, 0, 0.01},
	{"indexes take twice as long", {40, 20, 1}, 0, 0.3},
	{"indexes take a tenth", {40, 1, 0.1}, 0, 0.4},
	{"the input becomes slower", {60, 15, 1}, 0.4, 0.45},
	{"the input becomes faster", {60, 15, 1}, -0.4, 0.6},
	{"an hour", {3000, 600, 60}, 0, 0.15},
	{"a tenth of a second", {0.08, 0.02, 0.01}, 0, 0.5},
};

static struct meter meter_new(void)
{
	return (struct meter){.phases = phases, .nphases = NPHASES};
}

static void play(const struct run *run)
{
	double whole = run->seconds[0] + run->seconds[1] + run->seconds[2];
	struct meter meter = meter_new();
	double before = 0;
	double share = 0;

	for (unsigned phase = 0; phase < NPHASES; phase++) {
		double curve = phase == 0 ? run->curve : 0;

		for (unsigned i = 0; i < STEPS; i++) {
			double part = (double)i / STEPS;
			double seconds = before + part * run->seconds[phase];
			double done = part + curve * part * (1 - part);
			const struct dit_progress progress = {
				.phase = phase,
				.done = (uint64_t)(done * 1e6),
				.total = 1000000};

			meter_follow(&meter, &progress, (uint64_t)(seconds * 1000));
			assert_true(meter.share >= share);
			share = meter.share;
			assert_true(seconds <= whole / 4 ||
			            fabs(seconds +
			                 meter_left(&meter, (uint64_t)(seconds * 1000)) -
			                 whole) <= run->error * whole);
		}
		before += run->seconds[phase];
	}
	assert_true(share > 0.98);
}

TEST(the_time_left_comes_near_the_truth)
{
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		print_message("%s\n", runs[i].name);
		play(&runs[i]);
	}
}

TEST(nothing_is_told_of_a_pipe_before_its_end)
{
	struct meter meter = meter_new();
	struct dit_progress progress = {.done = 100};

	meter_follow(&meter, &progress, 1000);
	assert_true(meter_left(&meter, 1000) < 0);
	meter_follow(&meter, &progress, 2000);
	assert_true(meter_left(&meter, 2000) < 0);
	progress.phase = 1;
	meter_follow(&meter, &progress, 3000);
	assert_true(meter_left(&meter, 3000) >= 0);
}

/* The time that the first one took does not count. */
TEST(a_second_file_begins_again)
{
	struct meter meter = meter_new();
	struct dit_progress progress = {.done = 1, .total = 2};

	for (unsigned file = 0; file < 2; file++) {
		for (progress.phase = 0; progress.phase < NPHASES; progress.phase++) {
			uint64_t ms = 10000 * file + progress.phase;

			meter_follow(&meter, &progress, ms);
			assert_true(meter.share > 0.3);
			if (progress.phase == 0) {
				assert_true(fabs(meter.share - 0.39) < 1e-9);
				assert_true(fabs(meter_left(&meter, ms + 5000) -
				                 5 * 0.61 / 0.39) < 1e-9);
			}
		}
	}
}

TEST(phases_of_a_second_database_keep_the_share)
{
	struct meter meter = meter_new();
	struct dit_progress progress = {.phase = 2, .done = 1, .total = 2};

	meter_follow(&meter, &progress, 1000);
	progress.phase = 1;
	meter_follow(&meter, &progress, 1100);
	assert_true(fabs(meter.share - 0.99) < 1e-9);
}
