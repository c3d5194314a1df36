/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs on all threads: first ranges of entries, then id2v, those indexes that are not
 * what the entries make, and the tree, if its sums do not agree.
 */
#include "check/check_content.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/ids.h"
#include "base/monitor.h"
#include "base/team.h"
#include "indexing/stored_keys.h"
#include "job/job.h"
#include "job/value_rules.h"
#include "sort/sort.h"
#include "system/tmp_files.h"

#define PRODUCER_MIN ((size_t)256 << 10)

/* [own: the member's thread; main's when members are at rest] */
struct member {
	struct dit_check_member base;
	struct dit_check_entry *entry;
	struct dit_check_csn csn;
	struct dit_stored_keys *keys; /* of all indexes; later of those compared */
};

enum job_kind {
	JOB_TREE,
	JOB_SPLIT,
	JOB_INDEX,
};

struct job {
	enum job_kind kind;
	size_t db;
	uint64_t nkeys; /* the longest job first */
};

struct run {
	/* [const] while members run */
	struct dit_check_content *content;
	unsigned nmembers;
	struct dit_index_set *indexes; /* all of the configuration */
	bool *is_skipped; /* by index database: damaged, or its keys cannot be compared */
	struct member *members;
	struct job *jobs;
	size_t njobs;

	struct dit_monitor monitor;
	size_t unread_size; /* [lock: monitor] and while entries come content->unread */

	struct dit_ticker ticker;    /* [own: main] */
	_Atomic uint64_t nkeys_done; /* [atomic: of jobs that are done; relaxed] */
	_Atomic size_t next_job;     /* [atomic: jobs are drawn in order; relaxed] */
	_Atomic int error;           /* [atomic: the first; no more is drawn] */
};

bool dit_check_is_unread(const struct dit_check_content *content, uint64_t id)
{
	return content->nunread > 0 && bsearch(&id, content->unread, content->nunread,
	                                       sizeof(id), dit_compare_ids) != NULL;
}

struct dit_check_finding dit_check_entry_place(struct dit_check_member *member,
                                               const char *database, uint64_t id)
{
	struct dit_check_finding place = DIT_CHECK_PLACE(database);
	struct dit_dn_text dn;

	place.id = id;
	if (id != 0 && dit_dn_reader_get(member->dns, id, &dn) == 0) {
		(void)snprintf(member->dn, sizeof(member->dn), "%.*s",
		               DIT_SPAN_ARGS(dn.pretty));
		place.dn = member->dn;
	}
	return place;
}

/* ---- what is stored under which name ---- */

/* The keys are made in the format of those that are stored. */
static int fit_format(struct run *run, size_t db)
{
	struct dit_check_content *content = run->content;
	struct dit_check_finding place =
		DIT_CHECK_PLACE(dit_index_set_db(run->indexes, db)->name);
	size_t key_len = 0;
	int r = dit_stored_keys_fit(run->indexes, db, content->snapshot, &key_len);

	if (r == DIT_E_INVALID) {
		run->is_skipped[db] = true;
		dit_check_find(content->findings, DIT_CHECK_INDEX_KEYS, &place,
		               "the keys have %zu bytes; this configuration makes others",
		               key_len);
		return 0;
	}
	return r < 0 ? r : 0;
}

static bool is_damaged(const struct dit_check_content *content, const char *name)
{
	for (size_t i = 0; i < content->ndamaged; i++) {
		if (strcmp(content->damaged[i], name) == 0) {
			return true;
		}
	}
	return false;
}

static bool is_configured(const struct run *run, const char *name)
{
	for (size_t i = 0; i < dit_index_set_ndbs(run->indexes); i++) {
		if (strcmp(dit_index_set_db(run->indexes, i)->name, name) == 0) {
			return true;
		}
	}
	return false;
}

/* Indexes that slapd no longer uses, and one that it still makes. */
static void note_databases(const struct run *run)
{
	const struct dit_check_content *content = run->content;
	const struct dit_stored_db *dbs = NULL;
	size_t n = dit_snapshot_dbs(content->snapshot, &dbs);

	for (size_t i = 0; i < n; i++) {
		struct dit_check_finding place = DIT_CHECK_PLACE(dbs[i].name);

		if ((dbs[i].flags & DIT_DB_DUPFIXED) != 0 &&
		    !is_configured(run, dbs[i].name)) {
			dit_check_find(content->findings, DIT_CHECK_INDEX_UNUSED, &place,
			               "the index is not configured: %llu postings that "
			               "slapd does not use",
			               (unsigned long long)dbs[i].nrecords);
		} else if (strcmp(dbs[i].name, "ixck") == 0 && dbs[i].nrecords > 0) {
			dit_check_find(content->findings, DIT_CHECK_INDEX_PENDING, &place,
			               "slapd has not yet built all indexes");
		}
	}
}

/* ---- before the scan ---- */

static int make_indexes(struct run *run)
{
	struct dit_check_content *content = run->content;
	const struct dit_settings *settings = content->settings;
	const struct dit_ad *culprit = NULL;
	size_t n = 0;
	int r = dit_index_set_new(&run->indexes, settings->schema,
	                          content->database->indexes, content->database->nindexes,
	                          &settings->index, true, &culprit);

	if (r < 0) {
		return r;
	}
	n = dit_index_set_ndbs(run->indexes);
	run->is_skipped = calloc(n + 1, sizeof(*run->is_skipped));
	if (run->is_skipped == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < n && r == 0; i++) {
		run->is_skipped[i] =
			is_damaged(content, dit_index_set_db(run->indexes, i)->name);
		if (!run->is_skipped[i]) {
			r = fit_format(run, i);
		}
	}
	return r < 0 ? r : dit_check_sums_bind(content->sums, run->indexes);
}

static int make_member(const struct run *run, unsigned number)
{
	const struct dit_check_content *content = run->content;
	struct member *member = &run->members[number];
	int r = 0;

	member->base = (struct dit_check_member){.content = content, .reader = number};
	r = dit_dn_reader_new(&member->base.dns, content->snapshot, number);
	if (r == 0) {
		r = dit_check_entry_new(&member->entry, content);
	}
	if (r == 0) {
		r = dit_check_csn_init(&member->csn, content->settings->schema);
	}
	return r < 0 ? r : dit_stored_keys_new(&member->keys, run->indexes);
}

static int prepare(struct run *run)
{
	struct dit_check_content *content = run->content;
	struct dit_scan_snapshot_opts scan = {.snapshot = content->snapshot,
	                                      .schema = content->settings->schema,
	                                      .stop = content->stop};
	int r = make_indexes(run);

	content->tree_bytes = content->memory_bytes / 8;
	if (r == 0) {
		r = dit_sorted_types_make(content->settings, &content->sorted);
	}
	if (r == 0) {
		r = dit_entry_scan_new(&content->scan, &scan);
	}
	if (r < 0) {
		return r;
	}
	run->members = calloc(run->nmembers, sizeof(*run->members));
	if (run->members == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < run->nmembers && r == 0; i++) {
		r = make_member(run, i);
	}
	return r;
}

/* ---- entries ---- */

/* An entry that cannot be read, or whose ID builders refuse: few do. */
static int note_unread(struct run *run, uint64_t id)
{
	struct dit_check_content *content = run->content;
	int r = 0;

	dit_monitor_enter(&run->monitor);
	r = DIT_GROW(content->unread, run->unread_size, content->nunread + 1);
	if (r == 0) {
		content->unread[content->nunread++] = id;
	}
	dit_monitor_leave(&run->monitor);
	return r;
}

static int sum_keys(void *ctx, unsigned db, const uint64_t *ordinals, size_t nkeys)
{
	const struct dit_check_member *member = ctx;

	return dit_check_sums_push(member->content->sums, member->reader, db, ordinals,
	                           nkeys);
}

static int sum_wide(void *ctx, unsigned db, struct dit_span key)
{
	const struct dit_check_member *member = ctx;

	return dit_check_sums_push_key(member->content->sums, member->reader, db, key);
}

static int take_entry(void *ctx, struct dit_scan_range *range,
                      const struct dit_entry_view *entry)
{
	struct run *run = ctx;
	struct member *member = &run->members[range->member];
	int r = dit_check_entry(member->entry, entry);

	dit_check_tree_sums_take(dit_check_sums_tree(run->content->sums), range->member,
	                         entry);
	if (r == 0 && entry->record_error != 0) {
		return note_unread(run, entry->id);
	}
	if (r == 0) {
		r = dit_check_csn_note(&member->csn, entry);
	}
	if (r == 0 && entry->id > DIT_BUILDERS_ID_MAX) {
		return note_unread(run, entry->id);
	}
	if (r < 0) {
		return r;
	}
	dit_check_sums_begin(run->content->sums, range->member, entry->id);
	return dit_stored_keys_make(member->keys, entry, sum_keys, sum_wide,
	                            &member->base);
}

static int finish_csn(struct run *run)
{
	struct dit_check_csn *all = &run->members[0].csn;
	int r = 0;

	for (unsigned i = 1; i < run->nmembers && r == 0; i++) {
		r = dit_check_csn_merge(all, &run->members[i].csn);
	}
	if (r == 0) {
		dit_check_csn_end(all, run->content->findings);
	}
	return r;
}

static void tell(const struct dit_check_content *content, enum dit_check_phase phase,
                 uint64_t done, uint64_t total)
{
	if (content->tell != NULL) {
		content->tell(content->tell_ctx, phase, done, total);
	}
}

/* Ranges have as many entries as their neighbours, nearly. */
static int pass_range(void *ctx, struct dit_scan_range *range)
{
	const struct run *run = ctx;
	uint64_t nrecords = dit_entry_scan_nrecords(run->content->scan);
	uint64_t nranges = dit_entry_scan_nranges(run->content->scan);

	tell(run->content, DIT_CHECK_ENTRIES,
	     (uint64_t)((double)nrecords * (double)(range->number + 1) / (double)nranges),
	     nrecords);
	return 0;
}

static int scan_entries(struct run *run)
{
	static const struct dit_entry_scan_ops ops = {.entry = take_entry,
	                                              .in_order = pass_range};
	int r = dit_entry_scan_run(run->content->scan, &ops, run);

	if (run->content->nunread > 1) {
		qsort(run->content->unread, run->content->nunread, sizeof(uint64_t),
		      dit_compare_ids);
	}
	return r < 0 ? r : finish_csn(run);
}

/* ---- entries again, for the indexes that are compared list by list ---- */

/* An entry that could not be read may have any key. */
static bool is_compared(const struct run *run, const struct dit_attr_type *type)
{
	size_t n = dit_index_set_ndbs(run->indexes);

	for (size_t i = 0; i < n; i++) {
		if (dit_index_set_db(run->indexes, i)->type == type) {
			return !run->is_skipped[i] &&
			       (run->content->nunread > 0 ||
			        !dit_check_sums_agree(run->content->sums, i));
		}
	}
	return false;
}

static int fit_formats(const struct dit_check_content *content)
{
	size_t n = dit_index_set_ndbs(content->indexes);
	size_t key_len = 0;
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i++) {
		r = dit_stored_keys_fit(content->indexes, i, content->snapshot, &key_len);
	}
	return r < 0 ? r : 0;
}

/* content->indexes stays NULL if no index is compared. */
static int choose_indexes(struct run *run)
{
	struct dit_check_content *content = run->content;
	const struct dit_database *database = content->database;
	struct dit_index_spec *specs = calloc(database->nindexes + 1, sizeof(*specs));
	const struct dit_ad *culprit = NULL;
	size_t nspecs = 0;
	int r = 0;

	if (specs == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < database->nindexes; i++) {
		if (is_compared(run, database->indexes[i].ad->type)) {
			specs[nspecs++] = database->indexes[i];
		}
	}
	if (nspecs > 0) {
		r = dit_index_set_new(&content->indexes, content->settings->schema, specs,
		                      nspecs, &content->settings->index, true, &culprit);
		r = r < 0 ? r : fit_formats(content);
	}
	free(specs);
	return r;
}

static int make_builders(const struct run *run)
{
	struct dit_check_content *content = run->content;
	struct dit_builders_opts builders = {
		.indexes = content->indexes,
		.nproducers = run->nmembers,
		.memory_bytes = content->memory_bytes / 4 * 3,
		.wide_memory_bytes = content->memory_bytes / 8,
		.tmpdir = dit_tmp_dir(content->tmpdir),
		.cipher = content->cipher,
		.stop = content->stop,
		.list_max = content->list_max,
	};

	if (builders.memory_bytes < run->nmembers * PRODUCER_MIN) {
		builders.memory_bytes = run->nmembers * PRODUCER_MIN;
	}
	return dit_builders_new(&content->builders, &builders);
}

static int push_entry(void *ctx, struct dit_scan_range *range,
                      const struct dit_entry_view *entry)
{
	const struct run *run = ctx;
	const struct dit_check_content *content = run->content;

	if (dit_check_is_unread(content, entry->id)) {
		return 0;
	}
	return dit_stored_keys_push(run->members[range->member].keys, entry,
	                            content->builders, range->member, NULL);
}

static int scan_again(struct run *run)
{
	static const struct dit_entry_scan_ops ops = {.entry = push_entry,
	                                              .in_order = pass_range};
	struct dit_check_content *content = run->content;
	struct dit_scan_snapshot_opts scan = {.snapshot = content->snapshot,
	                                      .schema = content->settings->schema,
	                                      .without_dn = true,
	                                      .wanted = dit_stored_keys_want,
	                                      .stop = content->stop};
	int r = make_builders(run);

	for (unsigned i = 0; i < run->nmembers && r == 0; i++) {
		dit_stored_keys_free(run->members[i].keys);
		run->members[i].keys = NULL;
		r = dit_stored_keys_new(&run->members[i].keys, content->indexes);
	}
	scan.wanted_ctx = run->members[0].keys;
	dit_entry_scan_close(content->scan);
	content->scan = NULL;
	if (r == 0) {
		r = dit_entry_scan_new(&content->scan, &scan);
	}
	if (r == 0) {
		r = dit_entry_scan_run(content->scan, &ops, run);
	}
	return r < 0 ? r : dit_builders_finish(content->builders);
}

/* ---- jobs ---- */

static int compare_jobs(const void *a, const void *b)
{
	const struct job *x = a;
	const struct job *y = b;

	return (x->nkeys < y->nkeys) - (x->nkeys > y->nkeys);
}

static void add_job(struct run *run, enum job_kind kind, size_t db, uint64_t nkeys)
{
	run->jobs[run->njobs++] = (struct job){.kind = kind, .db = db, .nkeys = nkeys};
}

static int make_jobs(struct run *run)
{
	const struct dit_check_content *content = run->content;
	size_t ndbs = content->indexes == NULL ? 0 : dit_index_set_ndbs(content->indexes);

	run->jobs = calloc(ndbs + 2, sizeof(*run->jobs));
	if (run->jobs == NULL) {
		return -ENOMEM;
	}
	if (!dit_check_tree_sums_agree(dit_check_sums_tree(content->sums))) {
		add_job(run, JOB_TREE, 0, 8 * dit_entry_scan_nrecords(content->scan));
	}
	add_job(run, JOB_SPLIT, 0, 0);
	for (size_t i = 0; i < ndbs; i++) {
		add_job(run, JOB_INDEX, i, dit_builders_npushed(content->builders, i));
	}
	qsort(run->jobs, run->njobs, sizeof(*run->jobs), compare_jobs);
	return 0;
}

static int do_job(const struct run *run, unsigned number, const struct job *job)
{
	struct dit_check_member *member = &run->members[number].base;

	/* In a damaged tree names must not depend on what was read before. */
	dit_dn_reader_restart(member->dns);
	switch (job->kind) {
	case JOB_TREE:
		return dit_check_tree(member);
	case JOB_SPLIT:
		return dit_check_split(member);
	case JOB_INDEX:
		return dit_check_index(member, job->db);
	}
	return 0;
}

static void tell_jobs(void *ctx)
{
	const struct run *run = ctx;
	uint64_t total = 0;

	for (size_t i = 0; i < run->njobs; i++) {
		total += run->jobs[i].nkeys;
	}
	tell(run->content, DIT_CHECK_INDEXES,
	     atomic_load_explicit(&run->nkeys_done, memory_order_relaxed), total);
}

static void run_member(void *ctx, unsigned number, uint64_t round)
{
	struct run *run = ctx;
	int r = 0;
	int none = 0;

	(void)round;
	while (r == 0 && atomic_load(&run->error) == 0) {
		size_t i = atomic_fetch_add_explicit(&run->next_job, 1,
		                                     memory_order_relaxed);

		if (i >= run->njobs) {
			return;
		}
		r = do_job(run, number, &run->jobs[i]);
		atomic_fetch_add_explicit(&run->nkeys_done, run->jobs[i].nkeys,
		                          memory_order_relaxed);
		if (run->nmembers == 1) {
			dit_tick(&run->ticker);
		}
	}
	if (r < 0) {
		(void)atomic_compare_exchange_strong(&run->error, &none, r);
	}
}

static int run_jobs(struct run *run)
{
	struct dit_team *team = NULL;
	int r = make_jobs(run);

	if (r == 0) {
		r = dit_team_new(&team, run->nmembers, "tool", run_member, run);
	}
	if (r < 0) {
		return r;
	}
	run->ticker = (struct dit_ticker){tell_jobs, run, 0, 0};
	tell_jobs(run);
	dit_team_meet(team, NULL);
	dit_team_free(team, run->content->tell == NULL ? NULL : &run->ticker);
	return atomic_load(&run->error);
}

/* ---- the whole ---- */

static void release(struct run *run)
{
	struct dit_check_content *content = run->content;

	for (unsigned i = 0; run->members != NULL && i < run->nmembers; i++) {
		struct member *member = &run->members[i];

		dit_dn_reader_free(member->base.dns);
		dit_check_entry_free(member->entry);
		dit_check_csn_deinit(&member->csn);
		dit_stored_keys_free(member->keys);
	}
	free(run->members);
	dit_entry_scan_close(content->scan);
	dit_builders_free(content->builders);
	dit_index_set_free(content->indexes);
	dit_index_set_free(run->indexes);
	free(run->is_skipped);
	free(content->sorted);
	free(content->unread);
	dit_monitor_deinit(&run->monitor);
	free(run->jobs);
}

int dit_check_content(struct dit_check_content *content)
{
	struct run run = {.content = content,
	                  .nmembers = dit_snapshot_nreaders(content->snapshot)};
	int r = 0;

	dit_monitor_init(&run.monitor);
	r = prepare(&run);
	if (r == 0) {
		note_databases(&run);
		r = dit_check_numbers(content);
	}
	if (r == 0) {
		r = scan_entries(&run);
	}
	if (r == 0) {
		r = choose_indexes(&run);
	}
	if (r == 0 && content->indexes != NULL) {
		r = scan_again(&run);
	}
	if (r == 0) {
		r = run_jobs(&run);
	}
	release(&run);
	return r;
}
