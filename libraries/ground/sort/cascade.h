/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When runs are merged. Each producer keeps a list of runs and merges its newest: as soon
 * as there are fan_in runs of one level, they become one run of the next level. A record
 * is written once for each level, and the number of levels is the logarithm of the number
 * of runs. Every run holds one descriptor; a level has fan_in - 1 of them at the most.
 *
 *   write a run from memory;  dit_cascade_add();
 *   while (dit_cascade_is_due()) merge the newest fan_in runs into one,
 *   dit_cascade_merge()
 *
 * Threads: a cascade belongs to one producer.
 */
#ifndef DITKIT_CASCADE_H
#define DITKIT_CASCADE_H

#include <assert.h>
#include <stdbool.h>

#define DIT_FAN_IN_MIN     4u
#define DIT_CASCADE_LEVELS 64 /* more than any number of runs needs */

struct dit_cascade {
	unsigned
		nruns[DIT_CASCADE_LEVELS]; /* of each level; below fan_in between calls */
	unsigned level;                    /* the one that the newest run is of */
};

/** The number of runs to merge at once, so that all producers have some @p nwanted. */
static inline unsigned dit_fan_in(unsigned nproducers, unsigned nwanted, unsigned max)
{
	unsigned fan_in = nwanted / nproducers;

	fan_in = fan_in < DIT_FAN_IN_MIN ? DIT_FAN_IN_MIN : fan_in;
	return fan_in > max ? max : fan_in;
}

/** A run of records from memory was appended to the list. */
static inline void dit_cascade_add(struct dit_cascade *cascade)
{
	cascade->nruns[0]++;
	cascade->level = 0;
}

/** Are the newest @p fan_in (at least 2) runs to be merged? */
static inline bool dit_cascade_is_due(const struct dit_cascade *cascade, unsigned fan_in)
{
	return cascade->nruns[cascade->level] >= fan_in;
}

/** They were: one run of the next level stands in their place. */
static inline void dit_cascade_merge(struct dit_cascade *cascade)
{
	assert(cascade->level + 1 < DIT_CASCADE_LEVELS);
	cascade->nruns[cascade->level] = 0;
	cascade->level++;
	cascade->nruns[cascade->level]++;
}

#endif
