/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Weights in microseconds for an entry on two threads, rounded. They were taken from runs
 * with 0 to 2,000 index keys an entry, of entries of 100 to 2,000 bytes.
 */
#include "phases.h"

const struct forecast_phase load_phases[LOAD_NPHASES] = {
	[DIT_LOAD_ENTRIES] = {"entries", 2, 0.025},
	[DIT_LOAD_NAMES] = {"tree", 0.35, 0},
	[DIT_LOAD_INDEXES] = {"indexes", 0, 0.01},
	[DIT_LOAD_PUBLISH] = {"publishing", 0.05, 0},
	[DIT_LOAD_NPHASES] = {"page cache", 0, 0},
};

const struct forecast_phase reindex_phases[REINDEX_NPHASES] = {
	[DIT_REINDEX_ENTRIES] = {"entries", 0.4, 0.015},
	[DIT_REINDEX_INDEXES] = {"indexes", 0, 0.012},
	[DIT_REINDEX_PUBLISH] = {"publishing", 0.05, 0},
	[DIT_REINDEX_NPHASES] = {"page cache", 0, 0},
};

const struct forecast_phase export_phases[DIT_EXPORT_NPHASES] = {
	[DIT_EXPORT_ENTRIES] = {"entries", 20, 0},
	[DIT_EXPORT_PUBLISH] = {"publishing", 1, 0},
};

const struct forecast_phase check_phases[DIT_CHECK_NPHASES] = {
	[DIT_CHECK_STRUCTURE] = {"structure", 1, 0},
	[DIT_CHECK_ENTRIES] = {"entries", 5, 0},
	[DIT_CHECK_INDEXES] = {"indexes", 2, 0},
};
