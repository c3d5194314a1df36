/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a reindexing. */
#include "reindex/reindex.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/version.h"
#include "indexing/index_writer.h"
#include "reindex/reindexer.h"
#include "system/tmp_files.h"

#define UNDEFINED_TYPE 17 /* LDAP's result code */

/* ---- progress ---- */

static void add_progress(const struct reindex_target *target,
                         enum dit_reindex_phase phase, struct dit_progress *ret)
{
	uint64_t bytes = 0;

	ret->nentries += target->stats->nentries;
	ret->npostings += target->npostings;
	if (target->builders != NULL) {
		ret->run_bytes += dit_builders_run_bytes(target->builders);
	}
	if (target->output != NULL && dit_output_used_bytes(target->output, &bytes)) {
		ret->bytes_written += bytes;
	}
	if (phase == DIT_REINDEX_ENTRIES) {
		ret->done += target->nread;
		ret->total += target->nrecords;
	} else if (phase == DIT_REINDEX_INDEXES) {
		ret->done += target->writer == NULL
		                     ? target->npostings
		                     : dit_index_writer_nread(target->writer);
		ret->total += target->npostings;
	}
}

static void fill_progress(void *ctx, struct dit_progress *ret)
{
	const struct reindexer *reindexer = ctx;
	static const enum dit_progress_unit units[DIT_REINDEX_NPHASES] = {
		[DIT_REINDEX_ENTRIES] = DIT_PROGRESS_RECORDS,
		[DIT_REINDEX_INDEXES] = DIT_PROGRESS_POSTINGS,
		[DIT_REINDEX_PUBLISH] = DIT_PROGRESS_BYTES,
	};
	enum dit_reindex_phase phase = (enum dit_reindex_phase)ret->phase;

	ret->unit = units[phase];
	ret->threads = reindexer->job.nthreads;
	for (unsigned i = 0; i < reindexer->ntargets; i++) {
		add_progress(&reindexer->targets[i], phase, ret);
	}
}

/* ---- beginning ---- */

void dit_reindexer_init(struct reindexer *reindexer, const struct dit_reindex_opts *opts,
                        struct dit_reindex_stats *stats)
{
	const struct dit_job_opts job = {DIT_JOB_OPTS(opts),
	                                 .tool = "slapindex",
	                                 .tmpdir = opts->tmpdir,
	                                 .fill = fill_progress,
	                                 .ctx = reindexer,
	                                 .phase_us = stats->phase_us,
	                                 .phase_cpu_us = stats->phase_cpu_us};

	*reindexer = (struct reindexer){.opts = opts, .stats = stats};
	dit_job_init(&reindexer->job, &job);
	reindexer->job.interrupted =
		"ended: Interrupted; the indexes are what they were before";
}

static int check_opts(struct reindexer *reindexer)
{
	const struct dit_reindex_opts *opts = reindexer->opts;
	const struct dit_job_range memory = {"memory_bytes",
	                                     dit_memory_share(opts->memory_bytes),
	                                     DIT_REINDEX_MEMORY_MIN, UINT64_MAX};

	reindexer->memory_bytes = memory.value;
	if (opts->online && opts->drop_unconfigured) {
		return dit_job_say(&reindexer->job, -EINVAL,
		                   "indexes that are not configured can be removed only "
		                   "while slapd does not run");
	}
	return dit_job_check(&reindexer->job, &memory, 1);
}

/* The config database is one that cannot be indexed, in slapindex's words. */
static int read_settings(struct reindexer *reindexer)
{
	struct dit_job *job = &reindexer->job;
	bool is_config = job->opts.database == 0;
	int r = dit_job_read(job);

	if (is_config) {
		job->opts.database = -1;
	}
	r = r ?: dit_job_choose(job);
	if (r == 0 && (is_config || strcmp(job->chosen.db->type, "mdb") != 0)) {
		return dit_job_say(job, DIT_E_CONFIG,
		                   "database doesn't support necessary operations.");
	}
	return r;
}

static int add_target(struct reindexer *reindexer, const struct dit_database *db)
{
	struct dit_reindex_stats *stats = reindexer->stats;
	struct reindex_target *target = &reindexer->targets[reindexer->ntargets];

	if (strcmp(db->type, "mdb") != 0) {
		return 0;
	}
	target->reindexer = reindexer;
	target->db = db;
	target->stats = &stats->databases[stats->ndatabases];
	target->stats->directory = strdup(db->data.directory);
	if (target->stats->directory == NULL) {
		return -ENOMEM;
	}
	stats->ndatabases++;
	reindexer->ntargets++;
	return 0;
}

static int make_targets(struct reindexer *reindexer)
{
	const struct dit_glue *glue = &reindexer->job.glue;
	struct dit_reindex_stats *stats = reindexer->stats;
	int r = 0;

	reindexer->targets = calloc(glue->ndatabases, sizeof(*reindexer->targets));
	reindexer->published = calloc(glue->ndatabases, sizeof(*reindexer->published));
	stats->databases = calloc(glue->ndatabases, sizeof(*stats->databases));
	if (reindexer->targets == NULL || reindexer->published == NULL ||
	    stats->databases == NULL) {
		r = -ENOMEM;
	}
	for (size_t i = 0; i < glue->ndatabases && r == 0; i++) {
		r = add_target(reindexer, glue->databases[i]);
	}
	return dit_job_fail(&reindexer->job, r, "could not start");
}

static int find_attrs(struct reindexer *reindexer)
{
	const struct dit_reindex_opts *opts = reindexer->opts;

	reindexer->attrs = calloc(opts->nattrs + 1, sizeof(*reindexer->attrs));
	if (reindexer->attrs == NULL) {
		return dit_job_fail(&reindexer->job, -ENOMEM, "could not start");
	}
	for (size_t i = 0; i < opts->nattrs; i++) {
		int r = dit_ad_find(reindexer->job.chosen.settings->schema, NULL,
		                    dit_span_of(opts->attrs[i]), &reindexer->attrs[i],
		                    NULL);

		if (r == DIT_E_UNKNOWN) {
			dit_job_report(&reindexer->job, DIT_REPORT_PLAIN,
			               "slap_str2ad(%s) failed %d (Undefined "
			               "attribute type)",
			               opts->attrs[i], UNDEFINED_TYPE);
			return DIT_E_CONFIG;
		}
		if (r < 0) {
			return dit_job_fail(&reindexer->job, r, opts->attrs[i]);
		}
		reindexer->nattrs++;
	}
	return 0;
}

static int choose_resources(struct reindexer *reindexer)
{
	struct dit_job *job = &reindexer->job;
	char tmpdir[PATH_MAX];
	int r = dit_tmp_dir_check(dit_tmp_dir(job->opts.tmpdir), tmpdir, sizeof(tmpdir));

	reindexer->stats->threads = job->nthreads;
	if (r < 0) {
		return dit_job_fail(job, r, tmpdir);
	}
	r = dit_page_writer_new(&job->page_writer, job->nthreads > 1);
	return dit_job_fail(job, r, "could not start the threads");
}

static int open_seals(struct reindexer *reindexer)
{
	int r = 0;

	for (unsigned i = 0; i < reindexer->ntargets && r == 0; i++) {
		struct reindex_target *target = &reindexer->targets[i];

		r = dit_job_open_seal(&reindexer->job, target->db, &target->seal);
	}
	return r;
}

/* The process may be another user's afterwards, who may not look into slapd. */
static int tell_directories(struct reindexer *reindexer)
{
	const struct dit_reindex_opts *opts = reindexer->opts;
	const struct dit_glue *glue = &reindexer->job.glue;
	int r = 0;

	if (opts->online && opts->before_open != NULL && geteuid() == 0) {
		r = dit_mapped_keeper_start(&reindexer->keeper);
	}
	return r < 0 ? dit_job_fail(&reindexer->job, r, "could not start")
	             : dit_job_before_open(&reindexer->job, glue->databases,
	                                   glue->ndatabases);
}

int dit_reindex_prepare(struct reindexer *reindexer)
{
	int r = check_opts(reindexer);

	r = r ?: read_settings(reindexer);
	r = r ?: dit_job_glue(&reindexer->job);
	r = r ?: make_targets(reindexer);
	r = r ?: find_attrs(reindexer);
	r = r ?: tell_directories(reindexer);
	r = r ?: open_seals(reindexer);
	return r ?: choose_resources(reindexer);
}

/* ---- the work ---- */

static void tell_failure(void *ctx, size_t number, enum dit_publish_step step, int error)
{
	struct reindexer *reindexer = ctx;
	const struct reindex_target *target = &reindexer->targets[number];
	const struct dit_published *item = &reindexer->published[number];
	const struct dit_publish_words words = {
		.undone = "the indexes are as they were, but a crash of the system may "
			  "bring the new ones back",
		.kept = reindexer->opts->online ? "the new indexes are in place"
	                                        : "the change could not be taken back",
		.end = ""};

	target->stats->bytes = item->bytes; /* maybe too many */
	if (dit_job_tell_publish(&reindexer->job, item, step, error, &words)) {
		return;
	}
	(void)dit_reindex_target_fail(target, error);
}

_Static_assert(DIT_REINDEX_ROUNDS_MAX == DIT_ONLINE_ROUNDS + 1, "rounds of online.h");

static void take_times(struct reindex_target *target)
{
	const struct dit_online_times *times = &target->times;
	struct dit_reindex_database_stats *stats = target->stats;

	stats->nchanged = times->nchanged;
	stats->locked_us = times->locked_us;
	stats->longest_us = times->longest_us;
	stats->nrounds = times->nrounds;
	for (unsigned i = 0; i < times->nrounds; i++) {
		stats->rounds[i] = (struct dit_reindex_round){
			.nentries = times->rounds[i].nchanged, .us = times->rounds[i].us};
	}
}

static int publish(struct reindexer *reindexer)
{
	struct dit_published *items = reindexer->published;
	const struct dit_publish_opts opts = {
		.failed = tell_failure, .ctx = reindexer, .stop = &reindexer->job.stop};
	int r = 0;

	dit_job_tell(&reindexer->job, DIT_REINDEX_PUBLISH);
	for (unsigned i = 0; i < reindexer->ntargets; i++) {
		struct reindex_target *target = &reindexer->targets[i];

		items[i].directory = target->db->data.directory;
		if (target->is_changed) {
			items[i].output = target->output;
		} else { /* the file stays as it is, to the byte */
			items[i].bytes = target->stats->bytes_before;
			dit_output_abandon(target->output);
		}
		target->output = NULL;
	}
	r = dit_publish(items, reindexer->ntargets, &opts);
	for (unsigned i = 0; i < reindexer->ntargets; i++) {
		struct reindex_target *target = &reindexer->targets[i];

		target->stats->bytes = items[i].bytes;
		take_times(target);
	}
	return r;
}

/*
 * All are opened first: nothing is begun that one of them would refuse. The last one
 * comes first, as in slapd's tools, so that the same one is named if several are missing.
 */
static int run(struct reindexer *reindexer)
{
	int r = 0;

	for (unsigned i = reindexer->ntargets; i > 0 && r == 0; i--) {
		r = dit_reindex_target_open(&reindexer->targets[i - 1]);
	}
	for (unsigned i = 0; i < reindexer->ntargets && r == 0; i++) {
		r = dit_reindex_target_build(&reindexer->targets[i]);
	}
	if (r < 0) {
		return r;
	}
	r = publish(reindexer);
	dit_job_end_phase(&reindexer->job, DIT_REINDEX_PUBLISH);
	return r;
}

void dit_reindex_release(struct reindexer *reindexer)
{
	for (unsigned i = 0; i < reindexer->ntargets; i++) {
		dit_reindex_target_deinit(&reindexer->targets[i]);
	}
	free(reindexer->targets);
	free(reindexer->published);
	free(reindexer->attrs);
	dit_page_writer_free(reindexer->job.page_writer);
	dit_keeper_end(&reindexer->keeper);
	dit_job_deinit(&reindexer->job);
}

int dit_reindex(const struct dit_reindex_opts *opts, struct dit_reindex_stats *ret)
{
	struct dit_reindex_opts own;
	struct reindexer reindexer;
	int r = dit_opts_take(&own, sizeof(own), opts);

	*ret = (struct dit_reindex_stats){.threads = 0};
	if (r < 0) {
		return r;
	}
	dit_reindexer_init(&reindexer, &own, ret);
	r = dit_reindex_prepare(&reindexer);
	r = r ?: run(&reindexer);
	dit_reindex_release(&reindexer);
	return r;
}

void dit_reindex_stats_deinit(struct dit_reindex_stats *stats)
{
	for (size_t i = 0; i < stats->ndatabases; i++) {
		struct dit_reindex_database_stats *db = &stats->databases[i];

		dit_index_stats_free(db->indexes, db->nindexes);
		free(db->directory);
	}
	free(stats->databases);
	*stats = (struct dit_reindex_stats){.threads = 0};
}
