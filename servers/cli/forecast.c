/* SPDX-License-Identifier: BSD-2-Clause */
#include "forecast.h"

#include <math.h>

/* Below this share of the input nothing is told. */
#define SHARE_MIN 0.005
/* As much as before the first sample must have been done before it is left out. */
#define FIRST_TIMES 3
/* From this share of a phase on its own speed counts alone. Early in a phase, what is
 * at work on many indexes is not counted yet. */
#define SHARE_OWN 0.5
/* From this share of the input on, what a sample has said counts less and less. */
#define SHARE_SAMPLE 0.9
/* Of a posting in a temporary file, before there is one. */
#define RUN_BYTES 2.0
/* For each posting of the largest index, when a run is sorted. */
#define SCRATCH_BYTES 16.0
/* By how much a thread can have more postings than another, as a part of all. */
#define UNEVEN       0.15
#define UNEVEN_ALONE 0.02
/* Of the bytes of temporary files, what is left when they are merged into one. */
#define MERGED 0.6
/* From so many temporary files of a thread on, their mean says what fills memory. */
#define FILES_MANY 4.0

void forecast_init(struct forecast *forecast, const struct forecast_phase *phases,
                   unsigned nphases)
{
	*forecast = (struct forecast){.phases = phases, .nphases = nphases, .stride = 1};
}

void forecast_expect(struct forecast *forecast, uint64_t nentries, uint64_t npostings)
{
	forecast->expected_entries = (double)nentries;
	forecast->expected_postings = (double)npostings;
}

/* ---- counts ---- */

/* Postings in the memory of the sort when all of it is used; 0: not known. */
static double room(const struct forecast *forecast)
{
	const struct dit_progress *last = &forecast->last;
	double files = (double)last->run_files / (last->threads > 1 ? last->threads : 1);

	if (files >= FILES_MANY) {
		return (double)last->run_postings / files;
	}
	return forecast->full_bytes > 0
	               ? forecast->full_postings * (double)forecast->last.sort_bytes_max /
	                         forecast->full_bytes
	               : 0;
}

/* What the first run of each thread needs beside its postings. */
static double scratch(const struct forecast *forecast, double run_postings)
{
	return run_postings > 0 ? SCRATCH_BYTES * forecast->largest_share * room(forecast)
	                        : 0;
}

static struct forecast_counts counts_now(const struct forecast *forecast)
{
	const struct dit_progress *last = &forecast->last;
	double run_postings = (double)last->run_postings;

	return (struct forecast_counts){.scratch_bytes = scratch(forecast, run_postings),
	                                .entries = (double)last->nentries,
	                                .bytes_read = (double)last->bytes_read,
	                                .postings = (double)last->npostings,
	                                .run_postings = run_postings,
	                                .run_bytes = (double)last->run_bytes -
	                                             (double)last->run_merged_bytes,
	                                .merged_bytes = (double)last->run_merged_bytes,
	                                .run_segments = (double)last->run_segments};
}

/* What comes after the part that was seen: more of the same, or what was expected. */
static double scaled(double seen, double expected, double share)
{
	double rest = seen * (1 - share) / share;
	double trust = (1 - share) / (1 - SHARE_SAMPLE);

	if (expected <= 0) {
		return seen + rest;
	}
	trust = trust < 1 ? trust : 1;
	expected = expected > seen ? expected - seen : 0;
	return seen + trust * expected + (1 - trust) * rest;
}

/* The sum of floor() from 0 to here. */
static double sum_of_floor(double x)
{
	double n = floor(x);

	return n * (n - 1) / 2 + n * (x - n);
}

/*
 * How often the memory of a thread is filled, on average. Not all threads get equally
 * many postings, so what is expected does not jump.
 */
static double times_full(const struct forecast *forecast, double fillings)
{
	double more = fillings * (forecast->last.threads > 1 ? UNEVEN : UNEVEN_ALONE);

	return (sum_of_floor(fillings + more) - sum_of_floor(fillings - more)) /
	       (2 * more);
}

/* Temporary files are merged as soon as there are so many of a thread. */
static void expect_merges(const struct forecast *forecast, double files,
                          struct forecast_counts *counts)
{
	double fan_in = forecast->last.run_fan_in;
	double merges = fan_in > 0 ? times_full(forecast, files / fan_in) : 0;
	double bytes = MERGED * counts->run_bytes * merges * fan_in / files;

	if (bytes > counts->merged_bytes) {
		counts->merged_bytes = bytes;
	}
	/* A merge leaves one file. */
	counts->run_segments = forecast->streams * forecast->last.threads *
	                       (files - floor(merges) * (fan_in - 1));
}

/* The memory of the sort holds so many postings, of all threads; then it is emptied. */
static void expect_runs(const struct forecast *forecast, struct forecast_counts *counts)
{
	double seen = counts->run_postings;
	double held = room(forecast);
	double files = held > 0 ? times_full(forecast, counts->postings / held) : 0;
	double all = held * files;

	if (all <= seen) {
		return;
	}
	counts->run_postings = all;
	counts->scratch_bytes = scratch(forecast, all);
	counts->run_bytes = seen > 0 ? counts->run_bytes * all / seen : RUN_BYTES * all;
	expect_merges(forecast, files, counts);
}

/* At the end of the input. */
static struct forecast_counts counts_at_end(const struct forecast *forecast)
{
	struct forecast_counts counts = counts_now(forecast);
	double share = forecast->input_share;

	if (share <= 0 || share >= 1) {
		return counts;
	}
	counts.entries = scaled(counts.entries, forecast->expected_entries, share);
	counts.bytes_read /= share;
	counts.postings = scaled(counts.postings, forecast->expected_postings, share);
	expect_runs(forecast, &counts);
	return counts;
}

static void look_at_sort(struct forecast *forecast, const struct dit_progress *progress)
{
	double bytes = (double)progress->sort_bytes;
	double n = (double)progress->npostings - (double)progress->run_postings;

	if (bytes > forecast->full_bytes && n > 0) {
		forecast->full_bytes = bytes;
		forecast->full_postings = n;
		forecast->largest_share = (double)progress->sort_largest / n;
	}
	if (progress->run_files > 0 && progress->run_merged_bytes == 0) {
		forecast->streams =
			(double)progress->run_segments / (double)progress->run_files;
	}
}

/* ---- costs ---- */

static double cost(const struct forecast *forecast, unsigned phase,
                   const struct forecast_counts *counts)
{
	const struct forecast_costs *costs = &forecast->phases[phase].costs;
	double threads = forecast->last.threads > 1 ? forecast->last.threads : 1;
	double work = costs->entry * counts->entries +
	              costs->byte_read * counts->bytes_read +
	              costs->pushed * counts->postings +
	              costs->posting * (counts->postings - counts->run_postings) +
	              costs->run_posting * counts->run_postings +
	              costs->run_byte * counts->run_bytes +
	              costs->run_segment * counts->run_segments;
	double stored = fmin(costs->stored_byte * (double)forecast->last.stored_bytes,
	                     costs->stored_posting * counts->postings);
	double part = costs->alone + (1 - costs->alone) / threads;

	if (costs->is_by_index && forecast->largest_share > part) {
		part = forecast->largest_share < 1 ? forecast->largest_share : 1;
	}
	return (work + stored) * part + costs->entry_alone * counts->entries +
	       costs->merged_byte * counts->merged_bytes +
	       costs->scratch_byte * counts->scratch_bytes;
}

/* ---- what was seen ---- */

static void keep_sample(struct forecast *forecast, double seconds, double done)
{
	if (forecast->nseen++ % forecast->stride != 0) {
		return;
	}
	if (forecast->nsamples == FORECAST_SAMPLES_MAX) {
		for (size_t i = 0; i < FORECAST_SAMPLES_MAX / 2; i++) {
			forecast->samples[i] = forecast->samples[2 * i];
		}
		forecast->nsamples /= 2;
		forecast->stride *= 2;
	}
	forecast->samples[forecast->nsamples++] =
		(struct forecast_sample){.seconds = seconds, .done = done};
}

static void begin_phase(struct forecast *forecast, const struct dit_progress *progress)
{
	struct forecast_state *state = &forecast->states[progress->phase];

	forecast->phase = progress->phase;
	forecast->nsamples = 0;
	forecast->nseen = 0;
	forecast->stride = 1;
	if (!state->has_begun) {
		state->has_begun = true;
		state->first_done = progress->phase == 0 ? 0 : progress->done;
	}
}

static double share_of(const struct forecast_state *state,
                       const struct dit_progress *progress)
{
	if (progress->total <= state->first_done || progress->done < state->first_done) {
		return 0;
	}
	return progress->done >= progress->total
	               ? 1
	               : (double)(progress->done - state->first_done) /
	                         (double)(progress->total - state->first_done);
}

/* Of the first phase, what it has cost; of others, their share. */
static double done_now(const struct forecast *forecast)
{
	const struct forecast_counts counts = counts_now(forecast);
	double done = forecast->phase == 0 ? cost(forecast, 0, &counts) : 0;

	return done > 0 ? done : forecast->states[forecast->phase].share;
}

void forecast_feed(struct forecast *forecast, const struct dit_progress *progress,
                   double seconds)
{
	struct forecast_state *state = NULL;

	if (progress->phase >= forecast->nphases) {
		return;
	}
	/* A phase tells of its beginning, so what came before belongs to another. */
	forecast->states[forecast->phase].seconds += seconds - forecast->seconds;
	if (progress->phase != forecast->phase ||
	    !forecast->states[progress->phase].has_begun) {
		begin_phase(forecast, progress);
	}
	state = &forecast->states[progress->phase];
	state->share = share_of(state, progress);
	forecast->seconds = seconds;
	forecast->last = *progress;
	forecast->input_share = progress->phase == 0 ? state->share : 1;
	look_at_sort(forecast, progress);
	keep_sample(forecast, state->seconds, done_now(forecast));
	if (progress->phase == 0 && forecast->first.seconds <= 0) {
		forecast->first = forecast->samples[0];
	}
}

/* ---- phases to come ---- */

/* Seconds for each microsecond of cost, by what was done so far. */
static double speed(const struct forecast *forecast)
{
	const struct forecast_counts counts = counts_now(forecast);
	double seconds = 0;
	double costs = 0;

	if (cost(forecast, 0, &counts) >= FIRST_TIMES * forecast->first.done) {
		seconds -= forecast->first.seconds;
		costs -= forecast->first.done;
	}
	for (unsigned i = 0; i <= forecast->phase; i++) {
		/* What the first phase counts is what it has done itself. */
		if (i < forecast->phase || i == 0) {
			seconds += forecast->states[i].seconds;
			costs += cost(forecast, i, &counts);
		}
	}
	return costs > 0 && seconds > 0 ? seconds / costs : 0;
}

/*
 * Of a phase, from what was measured before it.
 *
 * @param before  seconds of the phase before, which may do a part of its work
 */
static double expected(const struct forecast *forecast, unsigned phase, double before)
{
	const struct forecast_counts counts = counts_at_end(forecast);
	double work = cost(forecast, phase, &counts);
	double seconds = 0;

	if (phase > 0 && forecast->phases[phase - 1].is_beside_next &&
	    forecast->last.threads > 1) {
		/* Both share the processors. */
		work += cost(forecast, phase - 1, &counts) / forecast->last.threads;
		seconds -= before;
	}
	seconds += speed(forecast) * work;
	return seconds > 0 ? seconds : 0;
}

/* ---- the phase at work ---- */

/* Seconds for the whole phase, by its speed from a sample on. */
static double by_sample(const struct forecast_state *state,
                        const struct forecast_sample *sample, double done, double all)
{
	double more = done - sample->done;

	return more > 0 ? (state->seconds - sample->seconds) / more * all : 0;
}

/* From which the first phase is measured; others say themselves when they begin. */
static struct forecast_sample first_sample(const struct forecast *forecast)
{
	static const struct forecast_sample start = {0, 0};

	return forecast->phase == 0 &&
	                       done_now(forecast) >= FIRST_TIMES * forecast->first.done
	               ? forecast->first
	               : start;
}

/* @param done, all  as samples count @return seconds for all */
static double measured(const struct forecast *forecast, double done, double all)
{
	const struct forecast_state *state = &forecast->states[forecast->phase];
	struct forecast_sample start = first_sample(forecast);
	const struct forecast_sample *half = &start;
	double whole = by_sample(state, &start, done, all);
	double late = 0;

	for (size_t i = 0; i < forecast->nsamples; i++) {
		if (forecast->samples[i].seconds <= state->seconds / 2) {
			half = &forecast->samples[i];
		}
	}
	late = by_sample(state, half, done, all);
	return late > 0 ? (2 * whole + late) / 3 : whole;
}

static double left_of_first(const struct forecast *forecast)
{
	const struct forecast_counts counts = counts_at_end(forecast);
	double done = done_now(forecast);
	double all = cost(forecast, 0, &counts);

	if (all <= 0) {
		all = 1; /* a share */
	}
	return all > done ? measured(forecast, done, all) * (1 - done / all) : 0;
}

static double left_of_current(const struct forecast *forecast)
{
	unsigned phase = forecast->phase;
	const struct forecast_state *state = &forecast->states[phase];
	double own = state->share * state->share / (SHARE_OWN * SHARE_OWN);
	double seconds = 0;
	double rest = 0;

	if (phase == 0) {
		return left_of_first(forecast);
	}
	own = own < 1 ? own : 1;
	if (state->share > 0) {
		seconds = own * measured(forecast, state->share, 1) * (1 - state->share);
	}
	if (own < 1) {
		/* What the phase was expected to take, less what it has taken. */
		rest = expected(forecast, phase, forecast->states[phase - 1].seconds);
		if (state->share > 0) {
			rest *= 1 - state->share;
		} else {
			rest = rest > state->seconds ? rest - state->seconds : 0;
		}
		seconds += (1 - own) * rest;
	}
	return seconds;
}

double forecast_left(const struct forecast *forecast)
{
	double seconds = 0;
	double before = 0;

	if (forecast->input_share < SHARE_MIN) {
		return -1;
	}
	seconds = left_of_current(forecast);
	before = forecast->states[forecast->phase].seconds + seconds;
	for (unsigned i = forecast->phase + 1; i < forecast->nphases; i++) {
		before = expected(forecast, i, before);
		/* Of several databases, a later phase may have begun. */
		seconds += before * (1 - forecast->states[i].share);
	}
	return seconds;
}

double forecast_share(struct forecast *forecast)
{
	double left = forecast_left(forecast);
	double share = 0;

	if (left < 0) {
		return -1;
	}
	share = forecast->seconds + left > 0
	                ? forecast->seconds / (forecast->seconds + left)
	                : 0;
	if (share > forecast->shown) {
		forecast->shown = share;
	}
	return forecast->shown;
}
