/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scans are made: a snapshot, its ranges, a reader for each member, and what is wanted.
 *
 * The branch pages of id2e say where each leaf page begins, so the ranges are known
 * before a leaf is read. A batch is so many ranges that members and main meet rarely, but
 * not more than some MiB of records, since the results of a batch wait for main together.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/object.h"
#include "base/version.h"
#include "files/fault.h"
#include "filter/filter_match.h"
#include "scan/scan_impl.h"

#define RANGE_PAGES      4u
#define LONG_RANGE_BYTES (1u << 20) /* on average: then a range is one page */
#define BATCH_BYTES      (4u << 20) /* for each member, on average */
#define BATCH_RANGES     64u        /* for each member, at most */
#define BATCH_RANGES_MIN 2u         /* likewise, at least */
#define ARENA_BYTES      4096
/* Single entries cost several times as much as entries in a row. */
#define CANDIDATES_SHARE 8

static int make_members(struct dit_entry_scan *scan, bool without_dn)
{
	int r = 0;

	scan->members = calloc(scan->nmembers, sizeof(*scan->members));
	if (scan->members == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < scan->nmembers && r == 0; i++) {
		struct dit_entry_reader_opts opts = {.snapshot = scan->snapshot,
		                                     .reader = i,
		                                     .names = &scan->names,
		                                     .without_dn = without_dn};

		dit_arena_init(&scan->members[i].arena, ARENA_BYTES);
		r = dit_entry_reader_new(&scan->members[i].reader, &opts);
	}
	return r;
}

static uint64_t id2e_bytes(struct dit_entry_scan *scan)
{
	const struct dit_stored_db *id2e = dit_snapshot_db(scan->snapshot, "id2e");

	if (id2e == NULL) {
		return 0;
	}
	scan->nrecords = id2e->nrecords;
	return id2e->npages * scan->snapshot->map.page_bytes;
}

static int cut(struct dit_entry_scan *scan, unsigned range_pages, uint64_t sample_bytes)
{
	uint64_t bytes = id2e_bytes(scan);
	uint64_t least = BATCH_RANGES_MIN * (uint64_t)scan->nmembers;
	uint64_t most = BATCH_RANGES * (uint64_t)scan->nmembers;
	uint64_t n = 0;
	int r = dit_snapshot_id_ranges(scan->snapshot,
	                               range_pages == 0 ? RANGE_PAGES : range_pages,
	                               &scan->firsts, &scan->nfirsts);

	if (r == 0 && range_pages != 1 && bytes / scan->nfirsts > LONG_RANGE_BYTES) {
		free(scan->firsts);
		scan->firsts = NULL;
		r = dit_snapshot_id_ranges(scan->snapshot, 1, &scan->firsts,
		                           &scan->nfirsts);
	}
	if (r < 0) {
		return r;
	}
	scan->nranges = scan->nfirsts;
	if (sample_bytes > 0 && sample_bytes < bytes) {
		scan->nranges = 1 + scan->nfirsts * sample_bytes / bytes;
	}
	n = (uint64_t)BATCH_BYTES * scan->nmembers / (bytes / scan->nfirsts + 1);
	scan->batch_ranges = n < least ? least : n > most ? most : n;
	return 0;
}

int dit_entry_scan_new(struct dit_entry_scan **ret,
                       const struct dit_scan_snapshot_opts *opts)
{
	struct dit_entry_scan *scan = calloc(1, sizeof(*scan));
	int r = 0;

	if (scan == NULL) {
		return -ENOMEM;
	}
	scan->snapshot = opts->snapshot;
	scan->stop = opts->stop;
	scan->nmembers = opts->nthreads > 0 ? opts->nthreads : opts->snapshot->nreaders;
	r = dit_ad_names_read(&scan->names, opts->snapshot, 0, opts->schema);
	if (r == 0 && opts->sorts != NULL) {
		dit_ad_names_sort(&scan->names, opts->sorts->sortvals,
		                  opts->sorts->nsortvals);
	}
	if (r == 0 && opts->wanted != NULL) {
		r = dit_ad_names_choose(&scan->names, opts->wanted, opts->wanted_ctx);
	}
	r = r ?: cut(scan, opts->range_pages, opts->sample_bytes);
	r = r ?: make_members(scan, opts->without_dn);
	return DIT_HAND_OVER(r, ret, scan, dit_entry_scan_close);
}

void dit_entry_scan_close(struct dit_entry_scan *scan)
{
	if (scan == NULL) {
		return;
	}
	for (unsigned i = 0; scan->members != NULL && i < scan->nmembers; i++) {
		dit_entry_reader_free(scan->members[i].reader);
		dit_arena_deinit(&scan->members[i].arena);
	}
	free(scan->members);
	dit_candidates_deinit(&scan->candidates);
	dit_arena_deinit(&scan->own_match.arena);
	free(scan->is_hidden);
	free(scan->firsts);
	dit_ad_names_deinit(&scan->names);
	if (scan->owns_snapshot) {
		dit_snapshot_close(scan->snapshot);
	}
	dit_data_seal_close(scan->seal);
	dit_settings_free(scan->settings);
	free(scan);
}

static int fail(const struct dit_job *job, int r, const char *path, const char *reason)
{
	dit_job_report(job, DIT_REPORT_ERROR, "%s%s%s", path, path[0] == '\0' ? "" : ": ",
	               reason[0] == '\0' ? dit_strerror(r) : reason);
	return r;
}

/* @return 0; or an error that was reported */
static int choose(struct dit_job *job)
{
	int r = dit_job_read(job);

	r = r ?: dit_job_choose(job);
	if (r == 0 && strcmp(job->chosen.db->type, "mdb") != 0) {
		return fail(job, DIT_E_CONFIG, "",
		            "the database is not of type mdb, and cannot be scanned");
	}
	return r;
}

/* ---- what is wanted ---- */

int dit_entry_scan_match(struct dit_entry_scan *scan, const struct dit_entry_match *match,
                         const struct dit_settings *settings,
                         const struct dit_database *db)
{
	const struct dit_candidates_opts opts = {
		.settings = settings,
		.db = db,
		.snapshot = scan->snapshot,
		.names = &scan->names,
		.max = scan->nrecords / CANDIDATES_SHARE + 1};

	scan->match = match;
	return match->filter == NULL || db == NULL
	               ? 0
	               : dit_candidates_find(&scan->candidates, match->filter, &opts);
}

static bool chooses_entries(const struct dit_entry_scan_opts *opts)
{
	return opts->base != NULL || opts->filter != NULL ||
	       opts->scope != DIT_SCOPE_SUBTREE;
}

static int match(struct dit_entry_scan *scan, const struct dit_entry_scan_opts *opts,
                 const struct dit_job *job)
{
	const struct dit_database *db = job->chosen.db;
	const struct dit_entry_match_opts match_opts = {
		.base = opts->base, .scope = opts->scope, .filter = opts->filter};
	int r = 0;

	if (!chooses_entries(opts)) {
		return 0;
	}
	assert(scan->settings != NULL); /* choose_and_open() has seen to that */
	r = dit_entry_match_make(&scan->own_match, job, scan->settings->schema,
	                         &match_opts);
	if (r == DIT_E_CONFIG) {
		return r; /* reported */
	}
	if (r == 0) {
		dit_entry_match_below(&scan->own_match, db->suffix_norm);
		r = dit_entry_scan_match(scan, &scan->own_match, scan->settings,
		                         opts->no_index ? NULL : db);
	}
	return r < 0 ? fail(job, r, db->data.directory, "") : 0;
}

struct wanted {
	const struct dit_ad **ads;
	size_t n;
};

static int is_wanted(void *ctx, const struct dit_ad *ad)
{
	const struct wanted *wanted = ctx;

	for (size_t i = 0; i < wanted->n; i++) {
		if (dit_ad_is_below(ad, wanted->ads[i])) {
			return 1;
		}
	}
	return 0;
}

/* A filter has to see the attributes that the program does not want. */
static int choose_attrs(struct dit_entry_scan *scan,
                        const struct dit_entry_scan_opts *opts, const struct dit_job *job)
{
	struct wanted wanted = {.n = opts->nattrs};
	int r = 0;

	if (opts->nattrs == 0) {
		return 0;
	}
	assert(scan->settings != NULL); /* likewise */
	r = dit_entry_find_ads(job, scan->settings->schema, opts->attrs, opts->nattrs,
	                       &wanted.ads);
	if (r == DIT_E_CONFIG) {
		return r; /* reported */
	}
	r = r ?: dit_ad_names_choose(&scan->names, is_wanted, &wanted);
	r = r < 0 ? fail(job, r, "", "") : 0;
	if (r == 0 && scan->own_match.filter != NULL) {
		scan->is_hidden = scan->names.is_unwanted;
		scan->names.is_unwanted = NULL;
	}
	free(wanted.ads);
	return r;
}

/* ---- of a configured database, or of a directory ---- */

static int open_scan(struct dit_entry_scan **ret, const struct dit_entry_scan_opts *opts,
                     struct dit_job *job)
{
	struct dit_settings *settings = job->chosen.settings;
	const char *path =
		opts->path != NULL ? opts->path : job->chosen.db->data.directory;
	struct dit_fault fault = {.text = ""};
	struct dit_snapshot_opts snapshot_opts = {
		.nreaders = dit_thread_count(opts->threads, settings),
		.lmdb.wait_ms = opts->wait_ms,
		.lmdb.stop = &job->stop,
		.lmdb.fault = &fault};
	struct dit_scan_snapshot_opts scan_opts = {
		.schema = settings == NULL ? NULL : settings->schema,
		.sorts = settings,
		.without_dn = opts->without_dn,
		.range_pages = opts->range_pages};
	struct dit_data_seal *seal = NULL;
	struct dit_entry_scan *scan = NULL;
	int r = opts->path == NULL ? dit_job_open_seal(job, job->chosen.db, &seal)
	                           : dit_job_open_seal_of(job, path, &seal);

	if (r < 0) {
		return r;
	}
	snapshot_opts.sealed = dit_data_seal_format(seal);
	r = dit_snapshot_open_readers(&scan_opts.snapshot, path, &snapshot_opts);
	r = r ?: dit_entry_scan_new(&scan, &scan_opts);
	if (r < 0) {
		dit_snapshot_close(scan_opts.snapshot);
		dit_data_seal_close(seal);
		return fail(job, r, path,
		            r == DIT_E_UNKNOWN ? "this is no database of slapd's"
		                               : fault.text);
	}
	assert(scan != NULL);
	scan->owns_snapshot = true;
	scan->seal = seal;
	scan->settings = settings;
	job->chosen.settings = NULL;
	scan->own_stop.flag = opts->stop;
	scan->stop = &scan->own_stop;
	r = match(scan, opts, job);
	r = r ?: choose_attrs(scan, opts, job);
	return DIT_HAND_OVER(r, ret, scan, dit_entry_scan_close);
}

static int choose_and_open(struct dit_entry_scan **ret,
                           const struct dit_entry_scan_opts *opts)
{
	struct dit_job_opts job_opts = {DIT_JOB_CONF(opts)};
	const struct dit_job_range scope = {"scope", opts->scope, DIT_SCOPE_SUBTREE,
	                                    DIT_SCOPE_CHILDREN};
	struct dit_job job;
	int r = 0;

	if (opts->path == NULL && opts->suffix == NULL && opts->database < 0) {
		job_opts.suffix = opts->base;
	}
	dit_job_init(&job, &job_opts);
	r = dit_job_check(&job, &scope, 1);
	if (r < 0) {
		return r;
	}
	if (opts->without_dn && chooses_entries(opts)) {
		return fail(&job, -EINVAL, "",
		            "base, scope and filter cannot be given with without_dn");
	}
	if (opts->path != NULL && !dit_job_names_conf(&job_opts) &&
	    (chooses_entries(opts) || opts->nattrs > 0)) {
		return fail(&job, -EINVAL, opts->path,
		            "base, scope, filter and attrs need a configuration");
	}
	if (opts->path == NULL || dit_job_names_conf(&job_opts)) {
		r = choose(&job);
	}
	r = r ?: open_scan(ret, opts, &job);
	dit_job_deinit(&job);
	return r;
}

int dit_entry_scan_open(struct dit_entry_scan **ret,
                        const struct dit_entry_scan_opts *opts)
{
	struct dit_entry_scan_opts own;
	int r = dit_opts_take(&own, sizeof(own), opts);

	return r < 0 ? r : choose_and_open(ret, &own);
}

/* ---- what is there ---- */

unsigned dit_entry_scan_nthreads(const struct dit_entry_scan *scan)
{
	return scan->nmembers;
}

uint64_t dit_entry_scan_nranges(const struct dit_entry_scan *scan)
{
	return scan->nranges;
}

uint64_t dit_entry_scan_nrecords(const struct dit_entry_scan *scan)
{
	return scan->nrecords;
}

uint64_t dit_entry_scan_ncandidates(const struct dit_entry_scan *scan)
{
	return scan->candidates.n;
}

uint64_t dit_entry_scan_txn_id(const struct dit_entry_scan *scan)
{
	return scan->snapshot->map.meta.transaction;
}

const struct dit_ad_names *dit_entry_scan_names(const struct dit_entry_scan *scan)
{
	return &scan->names;
}
