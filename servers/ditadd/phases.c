/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prices in microseconds, fitted to three runs with 2 threads (tests/data/progress):
 * people of 0.9 KiB with 27 indexes and with none, and of 2.6 KiB with 1800 postings
 * each, all of them spilled.
 */
#include "phases.h"

const struct forecast_phase load_phases[DIT_LOAD_NPHASES] = {
	[DIT_LOAD_ENTRIES] = {.name = "entries",
                              .costs = {.entry = 8,
                                        .byte_read = 0.0134,
                                        .posting = 0.03,
                                        .run_byte = 0.02}},
	[DIT_LOAD_NAMES] = {.name = "tree",
                            .costs = {.entry = 0.7, .alone = 1},
                            .is_beside_next = true},
	[DIT_LOAD_INDEXES] = {.name = "indexes",
                              .costs = {.posting = 0.0118, .run_byte = 0.0166}},
	[DIT_LOAD_PUBLISH] = {.name = "publishing",
                              .costs = {.byte_read = 0.0001, .alone = 1}},
};
