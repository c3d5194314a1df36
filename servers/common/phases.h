/* SPDX-License-Identifier: BSD-2-Clause */
/* The phases of the programs, for their forecasts (forecast.h). */
#ifndef DITKIT_COMMON_PHASES_H
#define DITKIT_COMMON_PHASES_H

#include <ditkit/check.h>
#include <ditkit/export.h>
#include <ditkit/load.h>
#include <ditkit/reindex.h>

#include "forecast.h"

extern const struct forecast_phase load_phases[DIT_LOAD_NPHASES];
extern const struct forecast_phase reindex_phases[DIT_REINDEX_NPHASES];
extern const struct forecast_phase export_phases[DIT_EXPORT_NPHASES];
extern const struct forecast_phase check_phases[DIT_CHECK_NPHASES];

#endif
