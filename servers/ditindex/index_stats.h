/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of a reindexing, for --stats. */
#ifndef DITINDEX_INDEX_STATS_H
#define DITINDEX_INDEX_STATS_H

#include <ditkit/reindex.h>

/** The summary of --stats, on standard output. */
void index_stats_print(const struct dit_reindex_stats *stats);

#endif
