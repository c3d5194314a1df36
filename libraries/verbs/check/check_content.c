/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/check_content.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/team.h"
#include "base/tmp_dir.h"
#include "build/builders.h"
#include "build/stored_keys.h"
#include "check/check_csn.h"
#include "check/check_entry.h"
#include "check/check_index.h"
#include "check/check_numbers.h"
#include "check/check_split.h"
#include "check/check_tree.h"
#include "job/job.h"
#include "job/value_rules.h"
#include "scan/scan_snapshot.h"
#include "sort/sort.h"

#define PRODUCER_MIN ((size_t)256 << 10)

/* [own: the member's thread; main's when members are at rest] */
struct member {
	struct dit_check_entry *entry;
	struct dit_check_csn csn;
	struct dit_stored_keys *keys;
	struct dit_check_index *index;
	/* Entries that cannot be read, or whose IDs builders refuse; ascending by range
	 * alone. */
	uint64_t *unread;
	size_t nunread;
	size_t unread_size;
};

enum job_kind {
	JOB_TREE,
	JOB_SPLIT,
	JOB_SHARED, /* all index databases that share a sorter */
	JOB_INDEX,
};

struct job {
	enum job_kind kind;
	size_t db;
	uint64_t nkeys; /* the longest job first */
};

struct content {
	/* [const] while members run */
	const struct dit_check_content_opts *opts;
	unsigned nmembers;
	struct dit_index_set *indexes;
	bool *is_skipped; /* by index database: damaged, or its keys cannot be compared */
	struct dit_builders *builders;
	uint32_t list_max;
	uint64_t *sorted; /* of sortvals; NULL: not configured */
	struct dit_entry_scan *scan;
	struct member *members;
	uint64_t *unread; /* of all members, ascending */
	size_t nunread;
	size_t tree_bytes;
	struct job *jobs;
	size_t njobs;

	struct dit_ticker ticker;    /* [own: main] */
	_Atomic uint64_t nkeys_done; /* [atomic: of jobs that are done; relaxed] */
	_Atomic size_t next_job;     /* [atomic: jobs are drawn in order; relaxed] */
	_Atomic int error;           /* [atomic: the first; no more is drawn] */
};

/* ---- what is stored under which name ---- */

/* The keys are made in the format of those that are stored. */
static int fit_format(struct content *content, size_t db)
{
	struct dit_check_place place =
		DIT_CHECK_PLACE(dit_index_set_db(content->indexes, db)->name);
	size_t key_len = 0;
	int r = dit_stored_keys_fit(content->indexes, db, content->opts->snapshot,
	                            &key_len);

	if (r == DIT_E_INVALID) {
		content->is_skipped[db] = true;
		dit_check_find(content->opts->findings, DIT_CHECK_INDEX_KEYS, &place,
		               "the keys have %zu bytes; this configuration makes others",
		               key_len);
		return 0;
	}
	return r < 0 ? r : 0;
}

static bool is_damaged(const struct content *content, const char *name)
{
	for (size_t i = 0; i < content->opts->ndamaged; i++) {
		if (strcmp(content->opts->damaged[i], name) == 0) {
			return true;
		}
	}
	return false;
}

static bool is_configured(const struct content *content, const char *name)
{
	for (size_t i = 0; i < dit_index_set_ndbs(content->indexes); i++) {
		if (strcmp(dit_index_set_db(content->indexes, i)->name, name) == 0) {
			return true;
		}
	}
	return false;
}

/* Indexes that slapd no longer uses, and one that it still makes. */
static void note_databases(const struct content *content)
{
	const struct dit_stored_db *dbs = NULL;
	size_t n = dit_snapshot_dbs(content->opts->snapshot, &dbs);

	for (size_t i = 0; i < n; i++) {
		struct dit_check_place place = DIT_CHECK_PLACE(dbs[i].name);

		if ((dbs[i].flags & DIT_DB_DUPFIXED) != 0 &&
		    !is_configured(content, dbs[i].name)) {
			dit_check_find(content->opts->notes, DIT_CHECK_INDEX_UNUSED,
			               &place,
			               "the index is not configured: %llu postings that "
			               "slapd does not use",
			               (unsigned long long)dbs[i].nrecords);
		} else if (strcmp(dbs[i].name, "ixck") == 0 && dbs[i].nrecords > 0) {
			dit_check_find(content->opts->notes, DIT_CHECK_INDEX_PENDING,
			               &place, "slapd has not yet built all indexes");
		}
	}
}

/* ---- before the scan ---- */

static int make_indexes(struct content *content)
{
	const struct dit_check_content_opts *opts = content->opts;
	const struct dit_ad *culprit = NULL;
	size_t n = 0;
	int r = dit_index_set_new(&content->indexes, opts->settings->schema,
	                          opts->database->indexes, opts->database->nindexes,
	                          &opts->settings->index, true, &culprit);

	if (r < 0) {
		return r;
	}
	n = dit_index_set_ndbs(content->indexes);
	content->is_skipped = calloc(n + 1, sizeof(*content->is_skipped));
	if (content->is_skipped == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < n && r == 0; i++) {
		content->is_skipped[i] =
			is_damaged(content, dit_index_set_db(content->indexes, i)->name);
		if (!content->is_skipped[i]) {
			r = fit_format(content, i);
		}
	}
	return r;
}

static int make_builders(struct content *content)
{
	const struct dit_check_content_opts *opts = content->opts;
	uint64_t memory = opts->memory_bytes == 0 ? dit_default_memory(content->nmembers)
	                                          : opts->memory_bytes;
	struct dit_builders_opts builders = {
		.indexes = content->indexes,
		.nproducers = content->nmembers,
		.memory_bytes = memory / 4 * 3,
		.wide_memory_bytes = memory / 8,
		.tmpdir = dit_tmp_dir(opts->tmpdir),
		.stop = opts->stop,
		.list_max = (uint32_t)(((uint64_t)1 << opts->settings->idlexp) - 1),
	};

	if (memory < DIT_CHECK_MEMORY_MIN) {
		return -EINVAL;
	}
	if (builders.memory_bytes < content->nmembers * PRODUCER_MIN) {
		builders.memory_bytes = content->nmembers * PRODUCER_MIN;
	}
	content->list_max = builders.list_max;
	content->tree_bytes = memory / 8;
	return dit_builders_new(&content->builders, &builders);
}

static int make_member(struct content *content, unsigned number)
{
	const struct dit_check_content_opts *opts = content->opts;
	struct member *member = &content->members[number];
	struct dit_check_entry_opts entry = {.snapshot = opts->snapshot,
	                                     .reader = number,
	                                     .schema = opts->settings->schema,
	                                     .names = dit_entry_scan_names(content->scan),
	                                     .sorted = content->sorted,
	                                     .findings = opts->findings};
	int r = dit_check_entry_new(&member->entry, &entry);

	if (r == 0) {
		r = dit_check_csn_init(&member->csn, opts->settings->schema);
	}
	return r < 0 ? r : dit_stored_keys_new(&member->keys, content->indexes);
}

static int prepare(struct content *content)
{
	const struct dit_check_content_opts *opts = content->opts;
	struct dit_scan_snapshot_opts scan = {.snapshot = opts->snapshot,
	                                      .schema = opts->settings->schema,
	                                      .stop = opts->stop};
	int r = make_indexes(content);

	if (r == 0) {
		r = make_builders(content);
	}
	if (r == 0) {
		r = dit_sorted_types_make(opts->settings, &content->sorted);
	}
	if (r == 0) {
		r = dit_entry_scan_new(&content->scan, &scan);
	}
	if (r < 0) {
		return r;
	}
	content->members = calloc(content->nmembers, sizeof(*content->members));
	if (content->members == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < content->nmembers && r == 0; i++) {
		r = make_member(content, i);
	}
	return r;
}

/* ---- entries ---- */

static int note_unread(struct member *member, uint64_t id)
{
	uint64_t *unread = dit_grow(member->unread, &member->unread_size,
	                            member->nunread + 1, sizeof(*unread));

	if (unread == NULL) {
		return -ENOMEM;
	}
	member->unread = unread;
	unread[member->nunread++] = id;
	return 0;
}

static int take_entry(void *ctx, struct dit_scan_range *range,
                      const struct dit_entry_view *entry)
{
	struct content *content = ctx;
	struct member *member = &content->members[range->member];
	int r = dit_check_entry(member->entry, entry);

	if (r == 0 && entry->record_error != 0) {
		return note_unread(member, entry->id);
	}
	if (r == 0) {
		r = dit_check_csn_note(&member->csn, entry);
	}
	if (r == 0 && entry->id > DIT_BUILDERS_ID_MAX) {
		return note_unread(member, entry->id);
	}
	return r < 0 ? r
	             : dit_stored_keys_push(member->keys, entry, content->builders,
	                                    range->member, NULL);
}

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int gather_unread(struct content *content)
{
	size_t n = 0;

	for (unsigned i = 0; i < content->nmembers; i++) {
		n += content->members[i].nunread;
	}
	content->unread = calloc(n + 1, sizeof(*content->unread));
	if (content->unread == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < content->nmembers; i++) {
		const struct member *member = &content->members[i];

		for (size_t k = 0; k < member->nunread; k++) {
			content->unread[content->nunread++] = member->unread[k];
		}
	}
	qsort(content->unread, n, sizeof(*content->unread), compare_ids);
	return 0;
}

static int finish_csn(struct content *content)
{
	struct dit_check_csn *csns = calloc(content->nmembers, sizeof(*csns));
	int r = 0;

	if (csns == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < content->nmembers; i++) {
		csns[i] = content->members[i].csn;
	}
	r = dit_check_csn_end(csns, content->nmembers, content->opts->findings);
	for (unsigned i = 0; i < content->nmembers; i++) {
		content->members[i].csn = csns[i];
	}
	free(csns);
	return r;
}

static void tell(const struct content *content, enum dit_check_phase phase, uint64_t done,
                 uint64_t total)
{
	if (content->opts->tell != NULL) {
		content->opts->tell(content->opts->tell_ctx, phase, done, total);
	}
}

/* Ranges have as many entries as their neighbours, nearly. */
static int pass_range(void *ctx, struct dit_scan_range *range)
{
	const struct content *content = ctx;
	uint64_t nrecords = dit_entry_scan_nrecords(content->scan);
	uint64_t nranges = dit_entry_scan_nranges(content->scan);

	tell(content, DIT_CHECK_ENTRIES,
	     (uint64_t)((double)nrecords * (double)(range->number + 1) / (double)nranges),
	     nrecords);
	return 0;
}

static int scan_entries(struct content *content)
{
	static const struct dit_entry_scan_ops ops = {.entry = take_entry,
	                                              .in_order = pass_range};
	int r = dit_entry_scan_run(content->scan, &ops, content);

	if (r == 0) {
		r = gather_unread(content);
	}
	if (r == 0) {
		r = finish_csn(content);
	}
	return r < 0 ? r : dit_builders_seal(content->builders);
}

/* ---- jobs ---- */

static int compare_jobs(const void *a, const void *b)
{
	const struct job *x = a;
	const struct job *y = b;

	return (x->nkeys < y->nkeys) - (x->nkeys > y->nkeys);
}

static int make_jobs(struct content *content)
{
	size_t ndbs = dit_index_set_ndbs(content->indexes);
	bool has_shared = false;

	content->jobs = calloc(ndbs + 3, sizeof(*content->jobs));
	if (content->jobs == NULL) {
		return -ENOMEM;
	}
	content->jobs[content->njobs++] = (struct job){
		.kind = JOB_TREE, .nkeys = 8 * dit_entry_scan_nrecords(content->scan)};
	content->jobs[content->njobs++] = (struct job){.kind = JOB_SPLIT};
	for (size_t i = 0; i < ndbs; i++) {
		if (dit_builders_is_shared(content->builders, i)) {
			has_shared = true;
		} else if (!content->is_skipped[i]) {
			content->jobs[content->njobs++] = (struct job){
				.kind = JOB_INDEX,
				.db = i,
				.nkeys = dit_builders_npushed(content->builders, i)};
		}
	}
	if (has_shared) {
		content->jobs[content->njobs++] =
			(struct job){.kind = JOB_SHARED, .nkeys = UINT64_MAX};
	}
	qsort(content->jobs, content->njobs, sizeof(*content->jobs), compare_jobs);
	return 0;
}

static int check_tree(struct content *content, unsigned member)
{
	const struct dit_check_content_opts *opts = content->opts;
	struct dit_check_tree_opts tree = {.snapshot = opts->snapshot,
	                                   .reader = member,
	                                   .suffix = opts->database->suffix_norm,
	                                   .memory_bytes = content->tree_bytes,
	                                   .tmpdir = opts->tmpdir,
	                                   .stop = opts->stop,
	                                   .findings = opts->findings,
	                                   .notes = opts->notes};

	return dit_check_tree(&tree);
}

static int check_split(struct content *content, unsigned member)
{
	const struct dit_check_content_opts *opts = content->opts;
	struct dit_check_split_opts split = {.snapshot = opts->snapshot,
	                                     .reader = member,
	                                     .names = dit_entry_scan_names(content->scan),
	                                     .stop = opts->stop,
	                                     .findings = opts->findings,
	                                     .notes = opts->notes};

	return dit_check_split(&split);
}

/* In ascending order, one after the other. */
static int check_shared(struct content *content, struct dit_check_index *check)
{
	int r = 0;

	for (size_t i = 0; i < dit_index_set_ndbs(content->indexes) && r == 0; i++) {
		if (dit_builders_is_shared(content->builders, i) &&
		    !content->is_skipped[i]) {
			r = dit_check_index(check, i);
		}
	}
	return r;
}

static int do_job(struct content *content, unsigned number, const struct job *job)
{
	struct dit_check_index *index = content->members[number].index;

	switch (job->kind) {
	case JOB_TREE:
		return check_tree(content, number);
	case JOB_SPLIT:
		return check_split(content, number);
	case JOB_SHARED:
		return check_shared(content, index);
	case JOB_INDEX:
		return dit_check_index(index, job->db);
	}
	return 0;
}

static int make_index_check(struct content *content, unsigned number)
{
	const struct dit_check_content_opts *opts = content->opts;
	struct dit_check_index_opts index = {.snapshot = opts->snapshot,
	                                     .reader = number,
	                                     .indexes = content->indexes,
	                                     .builders = content->builders,
	                                     .list_max = content->list_max,
	                                     .unread = content->unread,
	                                     .nunread = content->nunread,
	                                     .stop = opts->stop,
	                                     .findings = opts->findings};

	return dit_check_index_new(&content->members[number].index, &index);
}

/* How many a shared job has is known when it is done. */
static uint64_t keys_of(const struct job *job)
{
	return job->kind == JOB_SHARED ? 0 : job->nkeys;
}

static void tell_jobs(void *ctx)
{
	const struct content *content = ctx;
	uint64_t total = 0;

	for (size_t i = 0; i < content->njobs; i++) {
		total += keys_of(&content->jobs[i]);
	}
	tell(content, DIT_CHECK_INDEXES,
	     atomic_load_explicit(&content->nkeys_done, memory_order_relaxed), total);
}

static void run_member(void *ctx, unsigned number, uint64_t round)
{
	struct content *content = ctx;
	int r = make_index_check(content, number);
	int none = 0;

	(void)round;
	while (r == 0 && atomic_load(&content->error) == 0) {
		size_t i = atomic_fetch_add_explicit(&content->next_job, 1,
		                                     memory_order_relaxed);

		if (i >= content->njobs) {
			return;
		}
		r = do_job(content, number, &content->jobs[i]);
		atomic_fetch_add_explicit(&content->nkeys_done,
		                          keys_of(&content->jobs[i]),
		                          memory_order_relaxed);
		if (content->nmembers == 1) {
			dit_tick(&content->ticker);
		}
	}
	if (r < 0) {
		(void)atomic_compare_exchange_strong(&content->error, &none, r);
	}
}

static int run_jobs(struct content *content)
{
	struct dit_team *team = NULL;
	int r = make_jobs(content);

	if (r == 0) {
		r = dit_team_new(&team, content->nmembers, "tool", run_member, content);
	}
	if (r < 0) {
		return r;
	}
	content->ticker = (struct dit_ticker){tell_jobs, content, 0, 0};
	tell_jobs(content);
	dit_team_meet(team, NULL);
	dit_team_free(team, content->opts->tell == NULL ? NULL : &content->ticker);
	return atomic_load(&content->error);
}

/* ---- the whole ---- */

static void release(struct content *content)
{
	for (unsigned i = 0; content->members != NULL && i < content->nmembers; i++) {
		struct member *member = &content->members[i];

		dit_check_entry_free(member->entry);
		dit_check_csn_deinit(&member->csn);
		dit_stored_keys_free(member->keys);
		dit_check_index_free(member->index);
		free(member->unread);
	}
	free(content->members);
	dit_entry_scan_close(content->scan);
	dit_builders_free(content->builders);
	dit_index_set_free(content->indexes);
	free(content->is_skipped);
	free(content->sorted);
	free(content->unread);
	free(content->jobs);
}

int dit_check_content(const struct dit_check_content_opts *opts)
{
	struct content content = {.opts = opts,
	                          .nmembers = dit_snapshot_nreaders(opts->snapshot)};
	int r = prepare(&content);

	if (r == 0) {
		note_databases(&content);
		r = dit_check_numbers(opts->snapshot, opts->settings->schema,
		                      opts->findings);
	}
	if (r == 0) {
		r = scan_entries(&content);
	}
	if (r == 0) {
		r = run_jobs(&content);
	}
	release(&content);
	return r;
}
