/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the forecast, on made-up runs: the time left counts down with the clock or
 * faster, but for a few steps up, and never falls more slowly for a quarter of a run; it
 * is near the truth when later phases take what their weights say, and comes near it when
 * they take more; the share of the work never falls in a run; nothing is told of an input
 * of unknown length.
 */
#include "test.h"

#include <math.h>

#include "forecast.h"

#define NPHASES    3
#define STEPS      200 /* calls in each phase */
#define STEPS_UP   4
#define NEAR       0.15
#define NO_SECONDS (-1)

static const struct forecast_phase phases[NPHASES] = {{"entries", 78},
                                                      {"indexes", 20},
                                                      {"publishing", 2}};

static const struct run {
	const char *name;
	double seconds[NPHASES];
	double curve; /* of the first phase: its speed falls (above 0) or rises */
	double error; /* of the whole time, from a quarter of the run on */
} runs[] = {
	{"as the weights say", {40, 10, 1}, 0, NEAR},
	{"indexes take twice as long", {40, 20, 1}, 0, 0.3},
	{"indexes take a tenth", {40, 1, 0.1}, 0, 0.4},
	{"the input becomes slower", {60, 15, 1}, 0.4, 0.45},
	{"the input becomes faster", {60, 15, 1}, -0.4, 0.6},
	{"an hour", {3000, 600, 60}, 0, NEAR},
	{"a tenth of a second", {0.08, 0.02, 0.01}, 0, 0.5},
};

struct watch {
	const struct run *run;
	struct forecast forecast;
	double whole;
	double now;
	double share;
	double left; /* told before; negative: nothing */
	unsigned nsteps_up;
	double slow_seconds; /* while it fell more slowly than the clock */
};

static void look(struct watch *watch, unsigned phase, double done, double seconds)
{
	const struct dit_progress progress = {
		.phase = phase, .done = (uint64_t)(done * 1e6), .total = 1000000};
	double left = 0;
	double share = 0;

	forecast_feed(&watch->forecast, &progress, seconds);
	left = forecast_left(&watch->forecast);
	share = forecast_share(&watch->forecast);
	if (watch->left >= 0) {
		double clock = seconds - watch->now;
		bool is_slow = left > watch->left - clock + 1e-6;

		watch->nsteps_up += is_slow && left > 0;
		watch->slow_seconds += is_slow ? clock : 0;
		assert_true(share >= watch->share);
	}
	if (seconds > watch->whole / 4) {
		assert_true(fabs(seconds + left - watch->whole) <=
		            watch->run->error * watch->whole);
	}
	watch->left = left;
	watch->share = share;
	watch->now = seconds;
}

static void play(struct watch *watch)
{
	double before = 0;

	forecast_init(&watch->forecast, phases, NPHASES);
	for (unsigned phase = 0; phase < NPHASES; phase++) {
		double curve = phase == 0 ? watch->run->curve : 0;

		for (unsigned i = 0; i < STEPS; i++) {
			double part = (double)i / STEPS;

			look(watch, phase, part + curve * part * (1 - part),
			     before + part * watch->run->seconds[phase]);
		}
		before += watch->run->seconds[phase];
	}
}

static void the_time_left_counts_down_to_the_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct watch watch = {.run = &runs[i], .left = NO_SECONDS};

		print_message("%s\n", runs[i].name);
		for (unsigned phase = 0; phase < NPHASES; phase++) {
			watch.whole += runs[i].seconds[phase];
		}
		play(&watch);
		assert_true(watch.nsteps_up <= STEPS_UP);
		assert_true(watch.slow_seconds < watch.whole / 4);
		assert_true(watch.share > 0.98);
	}
}

static void nothing_is_told_of_a_pipe_before_its_end(void **state)
{
	struct forecast forecast;
	struct dit_progress progress = {.done = 100};

	(void)state;
	forecast_init(&forecast, phases, NPHASES);
	forecast_feed(&forecast, &progress, 1);
	forecast_feed(&forecast, &progress, 2);
	assert_true(forecast_left(&forecast) < 0);
	assert_true(forecast_share(&forecast) < 0);
	progress.phase = 1;
	forecast_feed(&forecast, &progress, 3);
	assert_true(forecast_left(&forecast) >= 0);
}

static void a_second_file_begins_again(void **state)
{
	struct forecast forecast;
	struct dit_progress progress = {.done = 1, .total = 2};
	double shares[2] = {0, 0}; /* in the first phase */

	(void)state;
	forecast_init(&forecast, phases, NPHASES);
	for (unsigned file = 0; file < 2; file++) {
		for (progress.phase = 0; progress.phase < NPHASES; progress.phase++) {
			forecast_feed(&forecast, &progress,
			              10 * file + 1 + progress.phase);
			assert_true(forecast_share(&forecast) > 0.3);
			if (progress.phase == 0) {
				shares[file] = forecast_share(&forecast);
			}
		}
	}
	assert_true(shares[0] == shares[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_time_left_counts_down_to_the_end),
		cmocka_unit_test(nothing_is_told_of_a_pipe_before_its_end),
		cmocka_unit_test(a_second_file_begins_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
