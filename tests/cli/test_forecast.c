/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the forecast: from a quarter of a run on, the whole time that is told is
 * right within a fifth. What is told is the time that is over and the time left, so the
 * error is |over + left - whole| / whole, of each sample from a quarter of the whole time
 * on; that is what is recorded of a run (tests/data/progress). Of the shapes that do not
 * reach it the limit says how far off they are (doc/measurements.md). The share of the
 * time never falls; nothing is told of an input of unknown length.
 *
 * A recording is what --progress=json has printed, an object in a line.
 */
#include "test.h"

#include <stdlib.h>

#include "forecast.h"
#include "phases.h"

#define LINE_BYTES 2048
#define LIMIT      0.2

struct model {
	const struct forecast_phase *phases;
	unsigned nphases;
};

static const struct model load = {load_phases, DIT_LOAD_NPHASES};
static const struct model reindex = {reindex_phases, DIT_REINDEX_NPHASES};
static const struct model export = {export_phases, DIT_EXPORT_NPHASES};
static const struct model check = {check_phases, DIT_CHECK_NPHASES};

/* The prices were fitted to some; the others are only judged by them. */
static const struct recording {
	const char *name;
	const struct model *model;
	bool is_fitted;
	double limit;
} recordings[] = {
	{"people-50k-1", &load, true, LIMIT},
	{"people-200k-2", &load, true, LIMIT},
	{"people-200k-1-32M", &load, true, LIMIT},
	{"people-500k-2", &load, true, LIMIT},
	{"people-100k-2-16M", &load, true, LIMIT},
	{"plain-500k-1", &load, true, LIMIT},
	{"devices-500k-2", &load, true, LIMIT},
	{"groups-150k-2", &load, true, LIMIT},
	{"groups-first-200k-2", &load, true, 0.30},
	{"texts-10k-2", &load, true, 0.30},
	{"photos-150k-2", &load, true, 0.30},
	{"contacts-250k-2", &load, true, 0.30},
	{"people-150k-1-24M", &load, false, LIMIT},
	{"people-400k-2", &load, false, LIMIT},
	{"plain-250k-2", &load, false, LIMIT},
	{"seven-120k-1", &load, false, LIMIT},
	{"groups-180k-2", &load, false, LIMIT},
	{"groups-180k-1-16M", &load, false, LIMIT},
	{"posix-300k-2", &load, false, 0.25},
	{"contacts-120k-2-48M", &load, false, LIMIT},
	{"photos-100k-2", &load, false, LIMIT},
	{"devices-300k-2", &load, false, LIMIT},
	{"texts-20k-1", &load, false, LIMIT},
	{"merge-200k-to-200k-2", &load, false, LIMIT},
	{"merge-100k-to-300k-2", &load, false, LIMIT},
	{"reindex-400k-2", &reindex, false, 0.30},
	{"reindex-400k-1", &reindex, false, LIMIT},
	{"reindex-250k-1-32M", &reindex, false, LIMIT},
	{"export-400k", &export, false, LIMIT},
	{"export-300k-1", &export, false, 0.35},
	{"check-400k", &check, false, 0.40},
	{"check-300k-1", &check, false, 0.40},
};

struct replay {
	const struct recording *recording;
	struct forecast forecast;
	double end;         /* of the run, seconds */
	double worst;       /* error of the whole time that is told */
	double quarters[4]; /* errors after so many quarters; 0: not there yet */
	unsigned nchecked;
	double shown;
};

/* 0 if the line has none. */
static double number(const char *line, const char *name)
{
	char wanted[64];
	const char *at = NULL;

	(void)snprintf(wanted, sizeof(wanted), "\"%s\":", name);
	at = strstr(line, wanted);
	return at == NULL ? 0 : strtod(at + strlen(wanted), NULL);
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
	double error = (seconds + left - replay->end) / replay->end;
	double share = forecast_share(&replay->forecast);
	unsigned quarter = (unsigned)(seconds / replay->end * 4);

	if (left >= 0) {
		assert_true(share >= replay->shown && share <= 1);
		replay->shown = share;
	}
	if (quarter == 0 || quarter > 3) {
		return;
	}
	/* From a quarter on there is always something to tell. */
	assert_true(left >= 0);
	replay->nchecked++;
	for (unsigned i = 1; i <= quarter; i++) {
		if (replay->quarters[i] == 0) {
			replay->quarters[i] = error;
		}
	}
	error = error < 0 ? -error : error;
	replay->worst = error > replay->worst ? error : replay->worst;
	if (error > replay->recording->limit) {
		fail_msg("%s: after %.2f s of %.2f: %.2f s left", replay->recording->name,
		         seconds, replay->end, left);
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
	progress.stored_bytes = count(line, "stored_bytes");
	progress.run_bytes = count(line, "run_bytes");
	progress.run_merged_bytes = count(line, "run_merged_bytes");
	progress.run_files = count(line, "run_files");
	progress.run_fan_in = (unsigned)count(line, "run_fan_in");
	progress.run_postings = count(line, "run_postings");
	progress.run_segments = count(line, "run_segments");
	progress.sort_bytes = count(line, "sort_bytes");
	progress.sort_bytes_max = count(line, "sort_bytes_max");
	progress.sort_largest = count(line, "sort_largest");
	progress.threads = (unsigned)count(line, "threads");
	forecast_feed(&replay->forecast, &progress, seconds);
	check_left(replay, seconds);
}

/* The end of the run; and what a sample of the input has said before. */
static double look_ahead(FILE *file, struct forecast *forecast)
{
	char line[LINE_BYTES];
	double end = 0;

	while (fgets(line, sizeof(line), file) != NULL) {
		end = number(line, "seconds");
		if (count(line, "entries_expected") > 0) {
			forecast_expect(forecast, count(line, "entries_expected"),
			                count(line, "postings_expected"));
		}
	}
	assert_true(end > 0);
	rewind(file);
	return end;
}

static void replay_run(const struct recording *recording)
{
	struct replay replay = {.recording = recording};
	char path[4096];
	char line[LINE_BYTES];
	FILE *file = NULL;

	(void)snprintf(path, sizeof(path), "%s/progress/%s.json", getenv("DIT_TEST_DATA"),
	               recording->name);
	file = fopen(path, "r");
	assert_non_null(file);
	forecast_init(&replay.forecast, recording->model->phases,
	              recording->model->nphases);
	replay.end = look_ahead(file, &replay.forecast);
	while (fgets(line, sizeof(line), file) != NULL && !has_phase(line, "done")) {
		feed(&replay, line);
	}
	(void)fclose(file);
	assert_true(replay.nchecked >= 3);
	print_message("| `%s` | %s | %.1f | %+.0f %% | %+.0f %% | %+.0f %% | %.0f %% |\n",
	              recording->name, recording->is_fitted ? "fitted" : "held out",
	              replay.end, replay.quarters[1] * 100, replay.quarters[2] * 100,
	              replay.quarters[3] * 100, replay.worst * 100);
}

static void recorded_runs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		replay_run(&recordings[i]);
	}
}

/* Whatever is wrong with it, a sample says less and less. */
static void a_wrong_sample(void **state)
{
	struct dit_progress progress = {.total = 1000, .bytes_total = 1000, .threads = 1};
	struct forecast forecast;

	(void)state;
	forecast_init(&forecast, load_phases, DIT_LOAD_NPHASES);
	forecast_expect(&forecast, 1000000, 0);
	for (unsigned i = 1; i <= 1000; i++) {
		progress.done = progress.bytes_read = progress.nentries = i;
		forecast_feed(&forecast, &progress, i);
		if (i == 500) {
			assert_true(forecast_left(&forecast) > 10000);
		}
	}
	assert_true(forecast_left(&forecast) < 300);
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
		cmocka_unit_test(recorded_runs),
		cmocka_unit_test(a_wrong_sample),
		cmocka_unit_test(nothing_is_known_of_a_pipe),
		cmocka_unit_test(phases_come_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
