/* SPDX-License-Identifier: BSD-2-Clause */
/* Weights in parts of a hundred, of a usual run: people with some indexes. */
#include "phases.h"

const struct forecast_phase load_phases[LOAD_NPHASES] = {
	[DIT_LOAD_ENTRIES] = {"entries", 76},   [DIT_LOAD_NAMES] = {"tree", 8},
	[DIT_LOAD_INDEXES] = {"indexes", 14},   [DIT_LOAD_PUBLISH] = {"publishing", 2},
	[DIT_LOAD_NPHASES] = {"page cache", 0},
};

const struct forecast_phase reindex_phases[REINDEX_NPHASES] = {
	[DIT_REINDEX_ENTRIES] = {"entries", 62},
	[DIT_REINDEX_INDEXES] = {"indexes", 36},
	[DIT_REINDEX_PUBLISH] = {"publishing", 2},
	[DIT_REINDEX_NPHASES] = {"page cache", 0},
};

const struct forecast_phase export_phases[DIT_EXPORT_NPHASES] = {
	[DIT_EXPORT_ENTRIES] = {"entries", 95},
	[DIT_EXPORT_PUBLISH] = {"publishing", 5},
};

const struct forecast_phase check_phases[DIT_CHECK_NPHASES] = {
	[DIT_CHECK_STRUCTURE] = {"structure", 12},
	[DIT_CHECK_ENTRIES] = {"entries", 63},
	[DIT_CHECK_INDEXES] = {"indexes", 25},
};
