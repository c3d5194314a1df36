/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scans (scan.h) for callers inside the library, which have a snapshot already.
 *
 * Threads: as in scan.h.
 */
#ifndef DITKIT_SCAN_SNAPSHOT_H
#define DITKIT_SCAN_SNAPSHOT_H

#include "base/stop.h"
#include "config/settings.h"
#include "reader/ad_names.h"
#include "reader/snapshot.h"
#include "scan/entry_match.h"
#include "scan/scan.h"
#include "schema/schema.h"

struct dit_scan_snapshot_opts {
	struct dit_snapshot *snapshot; /* borrowed; as many readers as threads */
	struct dit_schema *schema; /* borrowed; NULL: descriptions are not looked up */
	bool without_dn;
	/* Entries are shown with these attributes alone, all of them known to the schema.
	 * Called while the scan is made; NULL: all attributes */
	dit_ad_wanted_fn wanted;
	void *wanted_ctx;
	unsigned range_pages; /* as in scan.h */
	/* 0: all entries; else ranges at equal distances, of so many bytes, about */
	uint64_t sample_bytes;
	const struct dit_stop *stop; /* borrowed; may be NULL */
};

/** @return 0; DIT_E_UNKNOWN, DIT_E_CORRUPT, LMDB's codes, -ENOMEM: as in scan.h */
int dit_entry_scan_new(struct dit_entry_scan **ret,
                       const struct dit_scan_snapshot_opts *opts);

/**
 * Show entries alone that match, and those that cannot be read. Only entries that can
 * match by the indexes of the database are read.
 *
 * @param match  borrowed
 * @param db     NULL: the indexes are not asked
 *
 * @return 0; LMDB's codes; -ENOMEM
 */
int dit_entry_scan_match(struct dit_entry_scan *scan, const struct dit_entry_match *match,
                         const struct dit_settings *settings,
                         const struct dit_database *db);
/** The number of entries that indexes name; 0: no index was used. */
uint64_t dit_entry_scan_ncandidates(const struct dit_entry_scan *scan);

/** All attribute descriptions by number. */
const struct dit_ad_names *dit_entry_scan_names(const struct dit_entry_scan *scan);
/** The arena after dit_scan_range_alloc(): what it gives is not cleared. */
struct dit_arena *dit_scan_range_arena(struct dit_scan_range *range);

#endif
