/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of a work is done, and how long the rest takes: a model of its phases.
 *
 * Each phase has a cost, made of what it has to do: so many entries, bytes, postings and
 * pieces of temporary files, each with a price in microseconds of one thread of the
 * machine on which it was measured. Only the ratios of prices matter: how fast this
 * machine is follows from the time that the work has taken so far.
 *
 *     phase    entries             tree        indexes            publishing
 *     time     measured            the costs, at the speed of what was measured
 *              measured            measured    both, more and more measured
 *
 * What the work will have counted at its end is what it has counted so far, scaled to
 * the whole input, or what a sample of the input said (forecast_expect()). Temporary
 * files are not scaled: there are none before the memory of the sort is full, and then
 * there is one each time that it is full. How full it is, and after how many postings it
 * will be, is known from the beginning. So the first phase is not judged by the share of
 * the input that was read, but by the share of its cost.
 *
 * A later phase that is at work is judged by its own speed, as soon as it has come far
 * enough: the mean of its speed since its beginning and of its speed of late.
 *
 * Threads: a forecast belongs to one thread.
 */
#ifndef DITKIT_COMMON_FORECAST_H
#define DITKIT_COMMON_FORECAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ditkit/progress.h>

#define FORECAST_PHASES_MAX  5
#define FORECAST_SAMPLES_MAX 64

/** What a phase does, in microseconds for each. */
struct forecast_costs {
	double entry;
	double entry_alone; /* one thread does it, whatever the others do */
	double byte_read;
	double posting; /* in memory, when all have come */
	double pushed;  /* of all postings, where they come from */
	double run_posting;
	double run_byte;
	double run_segment;
	double merged_byte; /* of runs that merge others; the other threads wait */
	/* Of the file that there was before: each byte, but no more than so much for each
	 * posting. */
	double stored_byte;
	double stored_posting;
	double scratch_byte; /* touched for the first time; also undivided */
	/* The part of the costs above that one thread has to do alone, 0 to 1. The rest
	 * is divided by all threads. */
	double alone;
	/* One thread alone does what belongs to the largest index. */
	bool is_by_index;
};

struct forecast_phase {
	const char *name; /* shown to the user */
	struct forecast_costs costs;
	/* With several threads: the next phase begins with this one, on other threads. */
	bool is_beside_next;
};

/** What costs depend on. */
struct forecast_counts {
	double entries;
	double bytes_read;
	double postings;
	double run_postings;
	double run_bytes; /* without merges */
	double merged_bytes;
	double run_segments;
	double scratch_bytes;
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
	double done; /* a share, or in the first phase a cost */
};

struct forecast {
	const struct forecast_phase *phases; /* borrowed */
	unsigned nphases;
	unsigned phase;
	struct dit_progress last;
	double seconds; /* at the latest sample */
	/* At the first sample: what took the time before it is over. */
	struct forecast_sample first;
	double input_share; /* of the counts that the phases to come depend on; 0: none */
	double expected_entries; /* 0: nobody knows */
	double expected_postings;
	/* When the memory of the sort was fuller than at any other time. */
	double full_bytes;
	double full_postings;
	double streams;       /* segments of a temporary file */
	double largest_share; /* of the postings, those of the largest index */
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

/** What a sample of the whole input lets expect. Before the first forecast_feed(). */
void forecast_expect(struct forecast *forecast, uint64_t nentries, uint64_t npostings);

/** @param seconds  since the beginning of the work */
void forecast_feed(struct forecast *forecast, const struct dit_progress *progress,
                   double seconds);

/** Seconds to the end; negative: not known. */
double forecast_left(const struct forecast *forecast);

/** The part of the whole time that is over, 0 to 1, which never falls; negative: not
 * known. */
double forecast_share(struct forecast *forecast);

#endif
