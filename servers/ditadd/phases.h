/* SPDX-License-Identifier: BSD-2-Clause */
/* The phases of a load, for its forecast (servers/common/forecast.h). */
#ifndef DITADD_PHASES_H
#define DITADD_PHASES_H

#include <ditkit/load.h>

#include "forecast.h"

extern const struct forecast_phase load_phases[DIT_LOAD_NPHASES];

#endif
