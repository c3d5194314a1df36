/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics of a reindexing as JSON (doc/stats.md). */
#ifndef DITINDEX_INDEX_JSON_H
#define DITINDEX_INDEX_JSON_H

#include <ditkit/reindex.h>

#include "run_record.h"

/** Names of the phases, in the order of enum dit_reindex_phase; NULL at the end. */
extern const char *const index_phase_names[];

/**
 * @param r       the reindexing's result
 * @param status  the program's exit status
 *
 * @return owned; NULL: no memory
 */
struct json_t *index_json(const struct run_record *record,
                          const struct dit_reindex_stats *stats, int r, int status);

#endif
