/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scans (scan.h) for callers inside the library, which have a snapshot already.
 *
 * Threads: as in scan.h.
 */
#ifndef DITKIT_SCAN_SNAPSHOT_H
#define DITKIT_SCAN_SNAPSHOT_H

#include "base/stop.h"
#include "reader/ad_names.h"
#include "reader/snapshot.h"
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
 * Read these entries alone, in all runs that follow.
 *
 * @param ids  ascending; borrowed while runs last; NULL: all entries again
 */
void dit_entry_scan_only(struct dit_entry_scan *scan, const uint64_t *ids, size_t n);

/** All attribute descriptions by number. */
const struct dit_ad_names *dit_entry_scan_names(const struct dit_entry_scan *scan);
/** The arena after dit_scan_range_alloc(): what it gives is not cleared. */
struct dit_arena *dit_scan_range_arena(struct dit_scan_range *range);

#endif
