/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prices in microseconds of a thread, fitted to recorded runs. Other runs, which they
 * were not fitted to, judge them: tests/data/progress/README.md says which.
 */
#include "phases.h"

const struct forecast_phase load_phases[LOAD_NPHASES] = {
	[DIT_LOAD_ENTRIES] = {.name = "entries",
                              .costs = {.entry = 0.25,
                                        .entry_alone = 0.9,
                                        .byte_read = 0.0058,
                                        .pushed = 0.0102,
                                        .run_posting = 0.018,
                                        .run_byte = 0.0085,
                                        .merged_byte = 0.022,
                                        .scratch_byte = 0.0014}},
	[DIT_LOAD_NAMES] = {.name = "tree",
                            .costs = {.entry_alone = 0.27},
                            .is_beside_next = true},
	[DIT_LOAD_INDEXES] = {.name = "indexes",
                              .costs = {.posting = 0.022,
                                        .run_posting = 0.0155,
                                        .run_segment = 35,
                                        .stored_byte = 0.0014,
                                        .stored_posting = 0.25,
                                        .is_by_index = true}},
	[DIT_LOAD_PUBLISH] = {.name = "publishing",
                              .costs = {.byte_read = 0.0001, .alone = 1}},
	[DIT_LOAD_NPHASES] = {.name = "page cache"},
};

const struct forecast_phase reindex_phases[REINDEX_NPHASES] = {
	[DIT_REINDEX_ENTRIES] = {.name = "entries",
                                 .costs = {.entry = 0.45,
                                           .pushed = 0.017,
                                           .run_posting = 0.006,
                                           .run_byte = 0.002,
                                           .merged_byte = 0.022,
                                           .scratch_byte = 0.0014}},
	[DIT_REINDEX_INDEXES] = {.name = "indexes",
                                 .costs = {.posting = 0.022,
                                           .run_posting = 0.0155,
                                           .run_segment = 35,
                                           .is_by_index = true}},
	[DIT_REINDEX_PUBLISH] = {.name = "publishing", .costs = {.posting = 0.005}},
	[DIT_REINDEX_NPHASES] = {.name = "page cache"},
};

const struct forecast_phase export_phases[DIT_EXPORT_NPHASES] = {
	[DIT_EXPORT_ENTRIES] = {.name = "entries", .costs = {.entry = 1}},
	[DIT_EXPORT_PUBLISH] = {.name = "publishing"},
};

const struct forecast_phase check_phases[DIT_CHECK_NPHASES] = {
	[DIT_CHECK_STRUCTURE] = {.name = "structure", .costs = {.byte_read = 0.0004}},
	[DIT_CHECK_ENTRIES] = {.name = "entries", .costs = {.byte_read = 0.0006}},
	[DIT_CHECK_INDEXES] = {.name = "indexes", .costs = {.byte_read = 0.0008}},
};
