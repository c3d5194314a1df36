/* SPDX-License-Identifier: BSD-2-Clause */
/* The phases of the programs, for their forecasts (forecast.h). */
#ifndef DITKIT_COMMON_PHASES_H
#define DITKIT_COMMON_PHASES_H

#include <ditkit/check.h>
#include <ditkit/export.h>
#include <ditkit/load.h>
#include <ditkit/reindex.h>

#include "forecast.h"

/* The phases of the library, and the page cache (page_cache.h). */
#define LOAD_NPHASES    (DIT_LOAD_NPHASES + 1)
#define REINDEX_NPHASES (DIT_REINDEX_NPHASES + 1)

extern const struct forecast_phase load_phases[LOAD_NPHASES];
extern const struct forecast_phase reindex_phases[REINDEX_NPHASES];
extern const struct forecast_phase export_phases[DIT_EXPORT_NPHASES];
extern const struct forecast_phase check_phases[DIT_CHECK_NPHASES];

#endif
