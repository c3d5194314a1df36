/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --estimate: what a load or a reindexing will need, next to what there is.
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
 * @param program   "ditadd"
 * @param may_grow  maxsize does not count
 *
 * @return 0: all fits; -1
 */
int estimate_tell(const struct dit_estimate *estimate, const char *program,
                  enum estimate_mode mode, bool may_grow);

/** Its lines about what does not fit, of the JSON. Returns how many. */
unsigned estimate_judge(const json_t *json, bool may_grow);

#endif
