/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the forecast: from a quarter of a run on, the time left is right within a
 * fifth, or within a second, of recorded runs of four shapes; the share of the time
 * never falls; nothing is told of an input of unknown length. Of three other recorded
 * shapes it is further off (doc/measurements.md), and not more than is said here.
 *
 * A recording is what --progress=json has printed, an object in a line.
 */
#include "test.h"

#include <stdlib.h>

#include "forecast.h"
#include "phases.h"

#define LINE_BYTES 2048

struct replay {
	struct forecast forecast;
	double end;   /* of the run, seconds */
	double limit; /* of the error, as a part of the time left */
	double worst;
	unsigned nchecked;
	double shown;
};

static double number(const char *line, const char *name)
{
	char wanted[64];
	const char *at = NULL;

	(void)snprintf(wanted, sizeof(wanted), "\"%s\":", name);
	at = strstr(line, wanted);
	assert_non_null(at);
	return strtod(at + strlen(wanted), NULL);
}

static uint64_t count(const char *line, const char *name)
{
	return (uint64_t)number(line, name);
}

static bool has_phase(const char *line, const char *phase)
{
	char wanted[64];

	(void)snprintf(wanted, sizeof(wanted), "\"phase\":\"%s\"", phase);
	return strstr(line, wanted) != NULL;
}

static unsigned phase_of(const struct replay *replay, const char *line)
{
	for (unsigned i = 0; i < replay->forecast.nphases; i++) {
		if (has_phase(line, replay->forecast.phases[i].name)) {
			return i;
		}
	}
	fail_msg("no phase: %s", line);
	return 0;
}

static void check_left(struct replay *replay, double seconds)
{
	double left = forecast_left(&replay->forecast);
	double truth = replay->end - seconds;
	double error = left > truth ? left - truth : truth - left;
	double share = forecast_share(&replay->forecast);

	if (left >= 0) {
		assert_true(share >= replay->shown && share <= 1);
		replay->shown = share;
	}
	if (seconds < replay->end / 4) {
		return;
	}
	replay->nchecked++;
	if (error > 1 && error / truth > replay->worst) {
		replay->worst = error / truth;
	}
	if (error > 1 && error > truth * replay->limit) {
		fail_msg("after %.1f s of %.1f: %.1f s left, not %.1f", seconds,
		         replay->end, truth, left);
	}
}

static void feed(struct replay *replay, const char *line)
{
	struct dit_progress progress = {.unit = DIT_PROGRESS_BYTES};
	double seconds = number(line, "seconds");

	progress.phase = phase_of(replay, line);
	progress.done = count(line, "done");
	progress.total = count(line, "total");
	progress.nentries = count(line, "entries");
	progress.bytes_read = count(line, "bytes_read");
	progress.bytes_total = count(line, "bytes_total");
	progress.npostings = count(line, "postings");
	progress.bytes_written = count(line, "bytes_written");
	progress.run_bytes = count(line, "run_bytes");
	progress.threads = (unsigned)count(line, "threads");
	forecast_feed(&replay->forecast, &progress, seconds);
	check_left(replay, seconds);
}

static double end_of(FILE *file)
{
	char line[LINE_BYTES];
	double end = 0;

	while (fgets(line, sizeof(line), file) != NULL) {
		end = number(line, "seconds");
	}
	assert_true(end > 0);
	rewind(file);
	return end;
}

static void replay_run(const char *name, double limit)
{
	struct replay replay = {.limit = limit};
	char path[4096];
	char line[LINE_BYTES];
	FILE *file = NULL;

	(void)snprintf(path, sizeof(path), "%s/progress/%s.json", getenv("DIT_TEST_DATA"),
	               name);
	file = fopen(path, "r");
	assert_non_null(file);
	replay.end = end_of(file);
	forecast_init(&replay.forecast, load_phases, DIT_LOAD_NPHASES);
	while (fgets(line, sizeof(line), file) != NULL && !has_phase(line, "done")) {
		feed(&replay, line);
	}
	(void)fclose(file);
	assert_true(replay.nchecked >= 8);
	print_message("%s: %.0f s, %u points, worst error %.0f%%\n", name, replay.end,
	              replay.nchecked, replay.worst * 100);
}

static void many_indexes(void **state)
{
	(void)state;
	replay_run("many-indexes", 0.2);
}

static void no_indexes(void **state)
{
	(void)state;
	replay_run("no-indexes", 0.2);
}

static void large_entries_and_runs(void **state)
{
	(void)state;
	replay_run("large-entries", 0.2);
}

static void small_entries(void **state)
{
	(void)state;
	replay_run("small-entries", 0.2);
}

static void keys_of_neighbours(void **state)
{
	(void)state;
	replay_run("clustered", 1);
}

static void large_groups(void **state)
{
	(void)state;
	replay_run("groups", 2);
}

static void little_memory(void **state)
{
	(void)state;
	replay_run("little-memory", 0.8);
}

static void nothing_is_known_of_a_pipe(void **state)
{
	struct dit_progress progress = {.phase = DIT_LOAD_ENTRIES, .threads = 1};
	struct forecast forecast;

	(void)state;
	forecast_init(&forecast, load_phases, DIT_LOAD_NPHASES);
	for (unsigned i = 1; i < 100; i++) {
		progress.done = progress.bytes_read = 1000 * i;
		forecast_feed(&forecast, &progress, i);
		assert_true(forecast_left(&forecast) < 0);
		assert_true(forecast_share(&forecast) < 0);
	}
	/* At the end of the input all counts are known. */
	progress.phase = DIT_LOAD_NAMES;
	forecast_feed(&forecast, &progress, 100);
	assert_true(forecast_left(&forecast) >= 0);
	assert_true(forecast_share(&forecast) > 0);
}

/* A phase of one speed is foretold exactly. */
static void an_even_phase(void **state)
{
	static const struct forecast_phase phase = {.name = "x", .costs = {.entry = 1}};
	struct dit_progress progress = {.total = 1000, .threads = 3};
	struct forecast forecast;

	(void)state;
	forecast_init(&forecast, &phase, 1);
	for (unsigned i = 0; i <= 1000; i++) {
		progress.done = progress.nentries = i;
		forecast_feed(&forecast, &progress, i * 0.1);
		if (i >= 10) {
			assert_float_equal(forecast_left(&forecast), 100 - i * 0.1, 0.01);
			assert_float_equal(forecast_share(&forecast), i / 1000.0, 0.01);
		}
	}
}

/* Phases that come again for another database go on where they were. */
static void phases_come_again(void **state)
{
	struct dit_progress progress = {
		.total = 100, .bytes_total = 100, .nentries = 9, .threads = 2};
	static const unsigned order[] = {0, 1, 2, 1, 2, 3};
	struct forecast forecast;
	double last = 0;
	unsigned seconds = 0;

	(void)state;
	forecast_init(&forecast, load_phases, DIT_LOAD_NPHASES);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		progress.phase = order[i];
		for (unsigned done = i >= 3 ? 50 : 0;
		     done <= (i == 1 || i == 2 ? 50 : 100); done++) {
			progress.done = done;
			progress.npostings = progress.bytes_read = 100;
			forecast_feed(&forecast, &progress, ++seconds);
			if (done > 0) {
				assert_true(forecast_left(&forecast) >= 0);
				assert_true(forecast_share(&forecast) >= last);
				last = forecast_share(&forecast);
			}
		}
	}
	assert_true(last > 0.9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_even_phase),
		cmocka_unit_test(many_indexes),
		cmocka_unit_test(no_indexes),
		cmocka_unit_test(large_entries_and_runs),
		cmocka_unit_test(small_entries),
		cmocka_unit_test(keys_of_neighbours),
		cmocka_unit_test(large_groups),
		cmocka_unit_test(little_memory),
		cmocka_unit_test(nothing_is_known_of_a_pipe),
		cmocka_unit_test(phases_come_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
