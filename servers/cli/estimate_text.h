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

#include <jansson.h>

#include <ditkit/estimate.h>

/** --estimate */
enum estimate_mode {
	ESTIMATE_NO,
	ESTIMATE_TEXT,
	ESTIMATE_JSON,
};

/**
 * The estimate, and what there is (doc/stats.md).
 *
 * @param program  "ditadd"
 * @param work     CPU time of the whole work, where to parse the input and to make its
 *                 keys takes 1
 *
 * @return owned; NULL: no memory
 */
json_t *estimate_json(const struct dit_estimate *estimate, const char *program,
                      double work);

/** Print it on standard output. 0; -1: no memory, or it could not be written */
int estimate_print(const json_t *json, enum estimate_mode mode);

/**
 * Say on standard error what does not fit, a line for each.
 *
 * @param may_grow  maxsize does not count
 * @param kind      "" or "warning: "
 *
 * @return the number of lines
 */
unsigned estimate_judge(const json_t *json, bool may_grow, const char *kind);

#endif
