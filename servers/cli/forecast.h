/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of a work is done, and how long the rest takes.
 *
 * Each phase has a weight: its share of the time of a usual run. The share of the work is
 * the sum of the weights of what is done; in the first phase it grows with the bytes of
 * the input that were read.
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

struct forecast_phase {
	const char *name; /* shown to the user */
	double weight;    /* parts of a hundred, of a usual run: people, some indexes */
};

struct forecast {
	const struct forecast_phase *phases; /* borrowed */
	unsigned nphases;
	struct dit_progress last;
	double seconds; /* at the latest call */
	double start;   /* of the work, in such seconds */
	double begun;   /* likewise of the present phase */
	double share;   /* of all, the highest so far */
	double end;     /* when the work is over, as told; negative: not known */
};

/** The first phase reads the input. */
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
