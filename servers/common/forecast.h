/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of a work is done, and how long the rest takes: a model of its phases.
 *
 * Each phase has a cost, made of what it has to do: so many entries, bytes, postings and
 * bytes of temporary files, each with a price in seconds of the machine on which it was
 * measured. Only the ratios of prices matter: how fast this machine is follows from the
 * time that the work has taken so far. The counts of phases to come are those up to now,
 * scaled to the whole input.
 *
 *     phase    entries             tree        indexes            publishing
 *     time     measured            the costs, at the speed of what was measured
 *              measured            measured    both, more and more measured
 *
 * A phase that is at work is judged by its own speed, as soon as it has come far enough:
 * the mean of its speed since its beginning and of its speed of late.
 *
 * Threads: a forecast belongs to one thread.
 */
#ifndef DITKIT_COMMON_FORECAST_H
#define DITKIT_COMMON_FORECAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ditkit/progress.h>

#define FORECAST_PHASES_MAX  4
#define FORECAST_SAMPLES_MAX 64

/** What a phase does, in microseconds for each. */
struct forecast_costs {
	double entry;
	double byte_read;
	double posting;
	double run_byte;
	/* The part of the costs above that one thread has to do alone, 0 to 1. The rest
	 * is divided by all threads. */
	double alone;
};

struct forecast_phase {
	const char *name; /* shown to the user */
	struct forecast_costs costs;
	/* With several threads: the next phase begins with this one, on other threads. */
	bool is_beside_next;
};

/** A phase, as far as it has come. */
struct forecast_state {
	double seconds; /* spent in it */
	double share;   /* done, 0 to 1 */
	bool has_begun;
	uint64_t first_done; /* where it began */
};

struct forecast_sample {
	double seconds;
	double share;
};

struct forecast {
	const struct forecast_phase *phases; /* borrowed */
	unsigned nphases;
	unsigned phase;
	struct dit_progress last;
	double seconds;     /* at the latest sample */
	double input_share; /* of the counts that the phases to come depend on; 0: none */
	struct forecast_state states[FORECAST_PHASES_MAX];
	/* Of the phase at work; every second one is dropped when there are too many. */
	struct forecast_sample samples[FORECAST_SAMPLES_MAX];
	size_t nsamples;
	size_t stride; /* sightings for each sample that is kept */
	size_t nseen;
	double shown; /* the highest share so far */
};

/** @param nphases  FORECAST_PHASES_MAX at most; the first one reads the input */
void forecast_init(struct forecast *forecast, const struct forecast_phase *phases,
                   unsigned nphases);

/** @param seconds  since the beginning of the work */
void forecast_feed(struct forecast *forecast, const struct dit_progress *progress,
                   double seconds);

/** Seconds to the end; negative: not known. */
double forecast_left(const struct forecast *forecast);

/** The part of the whole time that is over, 0 to 1, which never falls; negative: not
 * known. */
double forecast_share(struct forecast *forecast);

#endif
