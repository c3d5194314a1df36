/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of a load, for --stats. */
#ifndef DITADD_STATS_H
#define DITADD_STATS_H

#include <stdbool.h>

#include <ditkit/load.h>

/** Print to stdout. */
void stats_print(const struct dit_load_stats *stats, bool is_dry_run);

#endif
