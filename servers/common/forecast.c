/* SPDX-License-Identifier: BSD-2-Clause */
#include "forecast.h"

/* Below this share of the input nothing is told. */
#define SHARE_MIN 0.005
/* From this share of a phase on its own speed counts alone. */
#define SHARE_OWN 0.25

void forecast_init(struct forecast *forecast, const struct forecast_phase *phases,
                   unsigned nphases)
{
	*forecast = (struct forecast){.phases = phases, .nphases = nphases, .stride = 1};
}

/* ---- what was seen ---- */

static void keep_sample(struct forecast *forecast, double seconds, double share)
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
		(struct forecast_sample){.seconds = seconds, .share = share};
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
		state->first_done = progress->done;
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

void forecast_feed(struct forecast *forecast, const struct dit_progress *progress,
                   double seconds)
{
	struct forecast_state *state = NULL;

	if (progress->phase >= forecast->nphases) {
		return;
	}
	if (progress->phase != forecast->phase ||
	    !forecast->states[progress->phase].has_begun) {
		begin_phase(forecast, progress);
	}
	state = &forecast->states[progress->phase];
	state->seconds += seconds - forecast->seconds;
	state->share = share_of(state, progress);
	forecast->seconds = seconds;
	forecast->last = *progress;
	if (progress->phase == 0) {
		forecast->input_share = state->share;
	} else {
		forecast->input_share = 1;
	}
	keep_sample(forecast, state->seconds, state->share);
}

/* ---- costs ---- */

/* Of the counts that the work will have, or, with a scale of 1, has had. */
static double cost(const struct forecast *forecast, unsigned phase, double scale)
{
	const struct forecast_costs *costs = &forecast->phases[phase].costs;
	const struct dit_progress *last = &forecast->last;
	double threads = last->threads > 1 ? last->threads : 1;
	double alone = costs->entry * (double)last->nentries +
	               costs->byte_read * (double)last->bytes_read +
	               costs->posting * (double)last->npostings +
	               costs->run_byte * (double)last->run_bytes;

	alone *= scale;
	return alone * costs->alone + alone * (1 - costs->alone) / threads;
}

/* Seconds for each microsecond of cost, by what was done so far. */
static double speed(const struct forecast *forecast)
{
	double seconds = 0;
	double costs = 0;

	for (unsigned i = 0; i <= forecast->phase; i++) {
		const struct forecast_state *state = &forecast->states[i];

		/* What the first phase counts is what it has done itself. */
		if (i < forecast->phase || i == 0) {
			seconds += state->seconds;
			costs += cost(forecast, i, 1);
		}
	}
	return costs > 0 ? seconds / costs : 0;
}

/*
 * Of a phase, from what was measured before it.
 *
 * @param before  seconds of the phase before, which may do a part of its work
 */
static double expected(const struct forecast *forecast, unsigned phase, double before)
{
	double seconds =
		speed(forecast) * cost(forecast, phase, 1 / forecast->input_share);

	if (phase > 0 && forecast->phases[phase - 1].is_beside_next &&
	    forecast->last.threads > 1) {
		seconds -= before;
	}
	return seconds > 0 ? seconds : 0;
}

/* ---- the phase at work ---- */

/* Seconds for the whole phase, by its speed from a sample on. */
static double by_sample(const struct forecast_state *state,
                        const struct forecast_sample *sample)
{
	double share = state->share - sample->share;

	return share > 0 ? (state->seconds - sample->seconds) / share : 0;
}

static double measured(const struct forecast *forecast)
{
	const struct forecast_state *state = &forecast->states[forecast->phase];
	static const struct forecast_sample start = {0, 0};
	const struct forecast_sample *half = &start;
	double all = by_sample(state, &start);
	double late = 0;

	for (size_t i = 0; i < forecast->nsamples; i++) {
		if (forecast->samples[i].seconds <= state->seconds / 2) {
			half = &forecast->samples[i];
		}
	}
	late = by_sample(state, half);
	return late > 0 ? (all + late) / 2 : all;
}

static double left_of_current(const struct forecast *forecast)
{
	const struct forecast_state *state = &forecast->states[forecast->phase];
	double own = state->share / SHARE_OWN;
	double seconds = 0;

	if (forecast->phase == 0 || own > 1) {
		own = 1;
	}
	if (state->share > 0) {
		seconds = own * measured(forecast) * (1 - state->share);
	}
	if (own < 1) {
		/* What the phase was expected to take, less what it has taken. */
		unsigned phase = forecast->phase;
		double rest =
			expected(forecast, phase,
		                 phase > 0 ? forecast->states[phase - 1].seconds : 0);

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
