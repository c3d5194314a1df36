/* SPDX-License-Identifier: BSD-2-Clause */
#include "forecast.h"

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

/* The weights of phases, from the first one up to and without the last one. */
static double weights(const struct forecast *forecast, unsigned first, unsigned last)
{
	double sum = 0;

	for (unsigned i = first; i < last; i++) {
		sum += forecast->phases[i].weight;
	}
	return sum;
}

/*
 * The further a phase has come, the more its own pace counts: with the part p done in t
 * seconds, 1 - p of it is left, at a pace of 1 - p parts its weight, p parts t / p.
 *
 * @param pace  seconds for a weight of 1
 */
static double find_left(const struct forecast *forecast, double part, double pace)
{
	unsigned phase = forecast->last.phase;
	double rest = 1 - part;

	return rest * (rest * forecast->phases[phase].weight * pace + forecast->seconds -
	               forecast->begun) +
	       weights(forecast, phase + 1, forecast->nphases) * pace;
}

static void tell(struct forecast *forecast, double left)
{
	double told = forecast->end - forecast->seconds;

	if (forecast->end < 0 || left < told * (1 - SLACK) - SLACK_SECONDS) {
		forecast->end = forecast->seconds + left;
	} else if (left > told * (1 + SLACK) + SLACK_SECONDS) {
		forecast->end = forecast->seconds + left * (1 + SLACK);
	}
}

static double part_of(const struct dit_progress *progress)
{
	if (progress->total == 0) {
		return 0;
	}
	return progress->done < progress->total
	               ? (double)progress->done / (double)progress->total
	               : 1;
}

void forecast_feed(struct forecast *forecast, const struct dit_progress *progress,
                   double seconds)
{
	unsigned phase = progress->phase;
	double part = part_of(progress);
	double all = weights(forecast, 0, forecast->nphases);
	double done = weights(forecast, 0, phase) + part * forecast->phases[phase].weight;

	if (phase == 0 && forecast->last.phase > 0) { /* another file */
		forecast->start = seconds;
		forecast->share = 0;
		forecast->end = -1;
	}
	if (phase != forecast->last.phase) {
		forecast->begun = forecast->seconds;
	}
	forecast->seconds = seconds;
	forecast->last = *progress;
	if (done > forecast->share * all) {
		forecast->share = done / all;
	}
	if (forecast->share >= SHARE_MIN && done > 0) {
		tell(forecast,
		     find_left(forecast, part, (seconds - forecast->start) / done));
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
