/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --estimate: what a load or a reindexing will need, next to what there is.
 *
 * Threads: one; standard output and standard error are the program's.
 */
#ifndef DITKIT_COMMON_ESTIMATE_TEXT_H
#define DITKIT_COMMON_ESTIMATE_TEXT_H

#include <stdbool.h>

#include <jansson.h>

#include <ditkit/estimate.h>

/** --estimate */
enum estimate_mode {
	ESTIMATE_NO,
	ESTIMATE_TEXT,
	ESTIMATE_JSON,
};

/**
 * Print the estimate on standard output (doc/stats.md), and on standard error a line for
 * each thing that does not fit.
 *
 * @param may_grow  maxsize does not count
 *
 * @return 0: all fits; -1, after a message on standard error: something does not fit, no
 *         memory, or standard output cannot be written
 */
int estimate_tell(const struct dit_estimate *estimate, enum estimate_mode mode,
                  bool may_grow);

/** Print only the lines about what does not fit, from the JSON of an estimate (borrowed).
 * Returns their number. */
unsigned estimate_judge(const json_t *json, bool may_grow);

#endif
