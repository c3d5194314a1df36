/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of a work is done, and how long the rest takes.
 *
 * Each phase has a weight: what it takes for an entry, in relation to the other phases.
 * The share of the work is the sum of the weights of what is done. In the first phase
 * that is mostly the share of the input that was read.
 *
 *     phase    entries          tree        indexes           publishing
 *     done     all              half        nothing           nothing
 *     left                      its weight, then more and     its weight
 *                               more its own pace
 *
 * The time left that is told counts down with the clock. It is corrected at once, in one
 * step, when the work says something else; a step up goes beyond, so that there are few.
 *
 * Threads: a forecast belongs to one thread.
 */
#ifndef DITKIT_COMMON_FORECAST_H
#define DITKIT_COMMON_FORECAST_H

#include <ditkit/progress.h>

#define FORECAST_PHASES_MAX 5

struct forecast_phase {
	const char *name; /* shown to the user */
	/* For an entry, and for each of its index keys; any unit, the same in all phases
	 * of a program. */
	double weight;
	double key_weight;
};

struct forecast {
	const struct forecast_phase *phases; /* borrowed */
	unsigned nphases;
	struct dit_progress last;
	double seconds;                     /* at the latest call */
	double spent[FORECAST_PHASES_MAX];  /* seconds in each phase */
	double shares[FORECAST_PHASES_MAX]; /* of each phase, done */
	double share;                       /* of all, the highest so far */
	double end; /* when the work is over, as told; negative: not known */
};

/** @param nphases  FORECAST_PHASES_MAX at most; the first one reads the input */
void forecast_init(struct forecast *forecast, const struct forecast_phase *phases,
                   unsigned nphases);

/** @param seconds  since the beginning of the work */
void forecast_feed(struct forecast *forecast, const struct dit_progress *progress,
                   double seconds);

/** Seconds to the end; negative: not known. */
double forecast_left(const struct forecast *forecast);

/** The part of the whole work that is done, 0 to 1; negative: not known. It falls only
 * where the first phase begins again, with another file. */
double forecast_share(const struct forecast *forecast);

#endif
