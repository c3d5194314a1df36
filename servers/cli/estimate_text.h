/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --estimate: what a load or a reindexing will need, next to what there is; and the
 * warning of a load that will probably not fit.
 *
 * An estimate is a guess, so it never keeps a load from being tried: without --estimate
 * there is a warning at most.
 */
#ifndef DITKIT_COMMON_ESTIMATE_TEXT_H
#define DITKIT_COMMON_ESTIMATE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include <ditkit/estimate.h>

/** --estimate */
enum estimate_mode {
	ESTIMATE_NO,
	ESTIMATE_TEXT,
	ESTIMATE_JSON,
};

/** The space there is. Both return bytes; memory 0: not known. */
struct estimate_supply {
	uint64_t (*disk)(const char *directory);
	uint64_t (*memory)(void);
	bool (*is_same_disk)(const char *x, const char *y);
};

struct estimate_view {
	const char *program;
	const struct estimate_supply *supply; /* NULL: the system's, for all but tests */
	const struct dit_estimate *estimate;
	/* CPU time of the whole work, where to parse the input, to make its keys and to
	 * sort them takes 1. */
	double work;
	bool may_grow; /* maxsize does not count */
};

/** Wall clock, if no other program runs, by the speed of the sample. Negative:
 * not known, nothing was in the sample. */
double estimate_seconds(const struct estimate_view *view);

/** Print the estimate as lines or as a JSON object, on standard output. 0; -1: no memory,
 * or it could not be written */
int estimate_print(const struct estimate_view *view, enum estimate_mode mode);

/**
 * Say on standard error what does not fit, a line for each.
 *
 * @param kind  "" or "warning: "
 *
 * @return the number of lines
 */
unsigned estimate_judge(const struct estimate_view *view, const char *kind);

#endif
