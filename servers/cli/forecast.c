/* SPDX-License-Identifier: BSD-2-Clause */
#include "forecast.h"

#include <stdbool.h>

/* Below this share of the work nothing is told. */
#define SHARE_MIN 0.005
/* The time told may be off by this part, and by so many seconds. */
#define SLACK         0.125
#define SLACK_SECONDS 0.5

void forecast_init(struct forecast *forecast, const struct forecast_phase *phases,
                   unsigned nphases)
{
	*forecast = (struct forecast){.phases = phases, .nphases = nphases, .end = -1};
}

static double weight(const struct forecast *forecast, unsigned phase)
{
	const struct dit_progress *last = &forecast->last;
	double nkeys = last->nentries == 0
	                       ? 0
	                       : (double)last->npostings / (double)last->nentries;

	return forecast->phases[phase].weight +
	       nkeys * forecast->phases[phase].key_weight;
}

/* The sum of the weights of what is done, or of all. */
static double weights(const struct forecast *forecast, bool wants_all)
{
	double sum = 0;

	for (unsigned i = 0; i < forecast->nphases; i++) {
		sum += weight(forecast, i) * (wants_all ? 1 : forecast->shares[i]);
	}
	return sum;
}

/*
 * The further a phase has come, the more its own pace counts: with the share s done in t
 * seconds, (1 - s) of it is left, at a pace of (1 - s) parts its weight, s parts t / s.
 *
 * @param pace  seconds for a weight of 1
 */
static double left_of_phase(const struct forecast *forecast, unsigned phase, double pace)
{
	double rest = 1 - forecast->shares[phase];

	return rest * (rest * weight(forecast, phase) * pace + forecast->spent[phase]);
}

/* The time left by the work at this moment. */
static double find_left(const struct forecast *forecast)
{
	double done = weights(forecast, false);
	double left = 0;

	for (unsigned i = 0; i < forecast->nphases; i++) {
		left += left_of_phase(forecast, i, forecast->seconds / done);
	}
	return left;
}

static void tell(struct forecast *forecast)
{
	double left = find_left(forecast);
	double told = forecast->end - forecast->seconds;

	if (forecast->end < 0 || left < told * (1 - SLACK) - SLACK_SECONDS) {
		forecast->end = forecast->seconds + left;
	} else if (left > told * (1 + SLACK) + SLACK_SECONDS) {
		forecast->end = forecast->seconds + left * (1 + SLACK);
	}
}

/* Another file: the work begins again. */
static void begin_again(struct forecast *forecast)
{
	for (unsigned i = 0; i < forecast->nphases; i++) {
		forecast->spent[i] = 0;
		forecast->shares[i] = 0;
	}
	forecast->share = 0;
	forecast->end = -1;
}

void forecast_feed(struct forecast *forecast, const struct dit_progress *progress,
                   double seconds)
{
	unsigned phase = progress->phase;
	double all = 0;

	if (phase == 0 && forecast->last.phase > 0) {
		begin_again(forecast);
	}
	forecast->spent[forecast->last.phase] += seconds - forecast->seconds;
	forecast->seconds = seconds;
	forecast->last = *progress;
	for (unsigned i = 0; i < phase; i++) {
		forecast->shares[i] = 1;
	}
	forecast->shares[phase] =
		progress->total == 0 ? 0
				     : (double)progress->done / (double)progress->total;
	if (forecast->shares[phase] > 1) {
		forecast->shares[phase] = 1;
	}
	all = weights(forecast, true);
	if (all > 0 && weights(forecast, false) > forecast->share * all) {
		forecast->share = weights(forecast, false) / all;
	}
	if (forecast->share >= SHARE_MIN) {
		tell(forecast);
	}
}

double forecast_left(const struct forecast *forecast)
{
	double left = forecast->end - forecast->seconds;

	if (forecast->end < 0) {
		return -1;
	}
	return left > 0 ? left : 0;
}

double forecast_share(const struct forecast *forecast)
{
	return forecast->end < 0 ? -1 : forecast->share;
}
