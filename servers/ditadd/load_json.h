/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics of a load as JSON (doc/stats.md). */
#ifndef DITADD_LOAD_JSON_H
#define DITADD_LOAD_JSON_H

#include <stdbool.h>

#include <ditkit/load.h>

#include "options.h"
#include "run_record.h"

/** Names of the phases, in the order of enum dit_load_phase; NULL at the end. */
extern const char *const load_phase_names[];

/**
 * @param r       the load's result
 * @param status  the program's exit status
 *
 * @return owned; NULL: no memory
 */
struct json_t *load_json(const struct run_record *record, const struct options *options,
                         const struct dit_load_stats *stats, int r, int status);

#endif
