/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scans (scan.h) for callers inside the library, which have a snapshot already.
 *
 * Threads: as in scan.h.
 */
#ifndef DITKIT_SCAN_SNAPSHOT_H
#define DITKIT_SCAN_SNAPSHOT_H

#include "base/arena.h"
#include "base/digest.h"
#include "base/stop.h"
#include "codec/entry_view.h"
#include "config/settings.h"
#include "job/job.h"
#include "reader/ad_names.h"
#include "reader/snapshot.h"
#include "scan/scan.h"
#include "schema/schema.h"
#include "values/filter.h"

struct dit_scan_snapshot_opts {
	struct dit_snapshot *snapshot; /* borrowed */
	unsigned nthreads;         /* its first readers; 0: as many as it has readers */
	struct dit_schema *schema; /* borrowed; NULL: descriptions are not looked up */
	/* Borrowed during the call: values are in the order of its sortvals;
	 * NULL: as they are stored */
	const struct dit_settings *sorts;
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

/* ---- which entries are wanted: entry_match.c ---- */

/** Borrowed during the call. */
struct dit_entry_match_opts {
	const char *base; /* a DN; NULL: none */
	enum dit_scope scope;
	const char *filter; /* NULL: none */
	bool is_slapcat;    /* what is wrong is told in its words */
};

/** Zero matches nothing. Constant once it is made. */
struct dit_entry_match {
	struct dit_arena arena; /* of all that follows; to be deinitialised */
	bool has_base;
	struct dit_span base; /* normal form */
	enum dit_scope scope;
	const struct dit_schema *schema;
	struct dit_filter *filter; /* NULL: none */
};

/** Remarks about the filter are reported. @return 0; DIT_E_CONFIG: the filter or the base
 * is none, reported; -ENOMEM, not reported */
int dit_entry_match_make(struct dit_entry_match *match, const struct dit_job *job,
                         const struct dit_schema *schema,
                         const struct dit_entry_match_opts *opts);
/**
 * The descriptions of these names.
 *
 * @param ret  owned, free(); n of them, and NULL
 *
 * @return 0; DIT_E_CONFIG: one is not configured, reported; -ENOMEM, not reported
 */
int dit_entry_find_ads(const struct dit_job *job, struct dit_schema *schema,
                       const char *const *names, size_t n, const struct dit_ad ***ret);
/** Without a base of its own the scope begins at the suffix. @param suffix  borrowed */
void dit_entry_match_below(struct dit_entry_match *match, struct dit_span suffix);

/** @param arena  for values that are compared. @return 1; 0; -ENOMEM */
int dit_entry_matches(const struct dit_entry_match *match,
                      const struct dit_entry_view *entry, struct dit_arena *arena);

/* ---- scan_open.c ---- */

/** @return 0; DIT_E_UNKNOWN, DIT_E_CORRUPT, LMDB's codes, -ENOMEM: as in scan.h */
int dit_entry_scan_new(struct dit_entry_scan **ret,
                       const struct dit_scan_snapshot_opts *opts);

/**
 * Show only entries that match, and those that cannot be read. If the indexes of the
 * database tell which entries can match, only these are read.
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

/* ---- scan_digest.c ---- */

/** The digest of an entry that can be read (base/digest.h), without contextCSN: it tells
 * what a server knows, and not what the directory holds. Any thread. */
struct dit_sum128 dit_entry_view_digest(const struct dit_entry_view *entry);

/** Changes that lead from one state to another begin with the first line, exact ones with
 * three, of which digests follow two. Without the fourth line they are cut off. */
#define DIT_CHANGES_LINE "# ditdiff changes 1"
#define DIT_CHANGES_FROM "# before: "
#define DIT_CHANGES_TO   "# after: "
#define DIT_CHANGES_END  "# end of changes"

#endif
