/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The setup of a load before its first round: configuration, memory, threads, input, and
 * the databases it writes. And the release of it all, which works at every stage.
 */
#include "load/loader.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "job/release_rules.h"
#include "system/tmp_files.h"

void dit_loader_init(struct loader *loader, struct dit_load_opts *opts,
                     struct dit_load_stats *stats)
{
	const struct dit_job_opts job = {DIT_JOB_OPTS(opts),
	                                 .directory = opts->directory,
	                                 .tmpdir = opts->tmpdir,
	                                 .is_verbose = opts->is_verbose,
	                                 .takes_config = opts->is_scratch,
	                                 .phase_us = stats->phase_us,
	                                 .phase_cpu_us = stats->phase_cpu_us,
	                                 .fill = dit_load_progress_fill,
	                                 .ctx = loader};

	opts->keep_digests |= opts->digests != NULL || opts->is_prepared;
	if (opts->ninputs == 0) {
		opts->inputs = &opts->input;
		opts->ninputs = 1;
	}
	*loader = (struct loader){.opts = opts, .stats = stats};
	dit_job_init(&loader->job, &job);
	loader->job.interrupted =
		"load ended: Interrupted; the database is what it was before";
}

/* ---- configuration ---- */

/* @return 0 or -ENOMEM */
static int add_target(struct loader *loader, const struct dit_database *db)
{
	struct dit_load_stats *stats = loader->stats;
	struct load_target *target = &loader->targets[loader->ntargets];

	target->loader = loader;
	target->number = loader->ntargets++;
	target->db = db;
	if (strcmp(db->type, "mdb") != 0 && !loader->job.opts.takes_config) {
		target->is_foreign = true;
		return 0;
	}
	target->stats = &stats->databases[stats->ndatabases++];
	target->stats->directory = strdup(db->data.directory);
	return target->stats->directory == NULL ? -ENOMEM : 0;
}

/* One for each database that is written. */
static int make_targets(struct loader *loader)
{
	struct dit_load_stats *stats = loader->stats;
	size_t n = 0;
	int r = dit_job_glue(&loader->job);

	if (r < 0) {
		return r;
	}
	n = loader->job.glue.ndatabases;
	if (n > 1) {
		loader->job.interrupted =
			"load ended: Interrupted; every database is what it was before";
	}
	loader->targets = calloc(n, sizeof(*loader->targets));
	loader->published = calloc(n, sizeof(*loader->published));
	stats->databases = calloc(n, sizeof(*stats->databases));
	if (loader->targets == NULL || loader->published == NULL ||
	    stats->databases == NULL) {
		return dit_job_fail(&loader->job, -ENOMEM,
		                    loader->job.chosen.db->data.directory);
	}
	for (size_t i = 0; i < n && r == 0; i++) {
		r = add_target(loader, loader->job.glue.databases[i]);
	}
	return dit_job_fail(&loader->job, r, loader->job.chosen.db->data.directory);
}

static int check_opts(const struct loader *loader)
{
	const struct dit_load_opts *opts = loader->opts;
	const struct dit_job_range own[] = {{"sid", opts->sid, 0, DIT_NSIDS - 1},
	                                    {"writer", opts->writer,
	                                     DIT_LOAD_WRITER_DEFAULT,
	                                     DIT_LOAD_WRITER_APPEND}};

	if (opts->is_prepared && opts->is_dry_run) {
		return dit_job_say(
			&loader->job, -EINVAL,
			"a dry run prepares nothing: leave out -u or --prepare");
	}
	if (opts->replaces && opts->only_if_empty) {
		return dit_job_say(&loader->job, -EINVAL,
		                   "replaces and only_if_empty exclude each other");
	}
	if (opts->directory != NULL && opts->is_prepared) {
		return dit_job_say(&loader->job, -EINVAL,
		                   "directory and is_prepared exclude each other");
	}
	return dit_job_check(&loader->job, own, sizeof(own) / sizeof(own[0]));
}

/* In slapadd's words. */
static int read_removed_sids(struct loader *loader)
{
	const struct dit_load_opts *opts = loader->opts;
	int r = 0;

	if (opts->remove_sids == NULL) {
		return 0;
	}
	r = dit_sid_set_parse(opts->remove_sids, &loader->reading.removed_sids);
	if (r < 0) {
		dit_job_report(&loader->job, DIT_REPORT_PLAIN,
		               "unable to parse remove-sids=\"%s\".", opts->remove_sids);
		return -EINVAL;
	}
	if (dit_sid_set_has(&loader->reading.removed_sids, (int)opts->sid)) {
		return dit_job_say(&loader->job, -EINVAL,
		                   "remove-sids contains configured serverID %u.",
		                   opts->sid);
	}
	return 0;
}

int dit_load_read_settings(struct loader *loader)
{
	struct dit_job *job = &loader->job;
	int r = check_opts(loader);

	r = r ?: read_removed_sids(loader);
	r = r ?: dit_job_read(job);
	r = r ?: dit_job_choose(job);
	loader->stats->openldap = job->chosen.openldap;
	loader->stats->is_openldap_found = job->chosen.is_openldap_found;
	if (r < 0) {
		return r;
	}
	loader->stats->threads = job->nthreads;
	return make_targets(loader);
}

static int make_context(struct loader *loader)
{
	const struct dit_load_opts *opts = loader->opts;
	const struct dit_database *db = loader->job.chosen.db;
	struct dit_entry_context *context = &loader->reading.context;
	int r = 0;

	loader->files = (struct dit_file_rules){
		.refuse_all = opts->no_urls,
		.allow_special = opts->special_urls,
		.value_max = dit_record_max(opts->record_max_bytes),
		.stop = &loader->job.stop};
	loader->reading.rules =
		dit_release_rules(loader->job.chosen.openldap, loader->job.chosen.patch);
	*context = dit_database_context(&loader->reading.rules,
	                                loader->job.chosen.settings, db);
	context->lastmod = context->lastmod && !opts->is_exact;
	context->is_strict = opts->is_strict;
	context->is_quick = opts->is_quick;
	/* The classes of the configuration are those of one release, and of no module. */
	context->check_schema = !opts->no_schema_check && strcmp(db->type, "config") != 0;
	context->check_values = opts->check_values && !opts->is_quick;
	context->sid = opts->sid;
	context->removed_sids =
		opts->remove_sids == NULL ? NULL : &loader->reading.removed_sids;
	context->files = &loader->files;
	r = dit_sorted_types_make(loader->job.chosen.settings, &loader->reading.sorted);
	r = r ?: dit_load_csn_start(loader);
	if (r < 0) {
		return dit_job_fail(&loader->job, r, "could not start the load");
	}
	context->sorted = loader->reading.sorted;
	r = dit_fingerprint_key_make(&loader->name_key);
	r = r ?: dit_entry_clock_init(&loader->clock);
	if (r < 0) {
		return dit_job_fail(&loader->job, r, "no random numbers");
	}
	return 0;
}

/* ---- memory, threads, files ---- */

static int check_tmpdir(struct loader *loader)
{
	const char *dir = dit_tmp_dir(loader->opts->tmpdir);
	char text[PATH_MAX];
	int r = dit_tmp_dir_check(dir, text, sizeof(text));

	return dit_job_fail(&loader->job, r, text);
}

static int make_member(struct loader *loader, struct load_member *member)
{
	int r = dit_entry_caches_init(&member->caches);

	assert(loader->ntargets > 0);
	member->keys = calloc(loader->ntargets, sizeof(struct dit_index_work *));
	if (member->keys == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < loader->ntargets && r == 0; i++) {
		r = loader->targets[i].is_foreign
		            ? 0
		            : dit_index_work_new(&member->keys[i],
		                                 loader->targets[i].indexes);
	}
	return r;
}

static int make_members(struct loader *loader)
{
	int r = 0;

	loader->members = calloc(loader->job.nthreads, sizeof(*loader->members));
	if (loader->members == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < loader->job.nthreads && r == 0; i++) {
		loader->members[i].number = i;
		r = make_member(loader, &loader->members[i]);
	}
	return r;
}

/* Where an attribute has that name, "version: 1" may be a value. */
static bool keeps_version(const struct loader *loader)
{
	return loader->opts->is_strict ||
	       dit_schema_find_type(loader->reading.context.schema,
	                            DIT_SPAN("version")) != NULL;
}

static int open_input(struct loader *loader)
{
	const struct dit_load_opts *opts = loader->opts;
	struct dit_ldif_reader_opts reader = {.paths = opts->inputs,
	                                      .npaths = opts->ninputs,
	                                      .is_threaded = loader->job.nthreads > 1,
	                                      .files = &loader->files,
	                                      .batch_bytes = loader->budget.batch_bytes,
	                                      .batch_records =
	                                              loader->budget.batch_records,
	                                      .first_line = opts->first_line,
	                                      .record_max = loader->files.value_max,
	                                      .keep_digests = opts->keep_digests,
	                                      .keep_version = keeps_version(loader),
	                                      .keep_mark = opts->is_strict};
	int r = dit_job_open_input(&loader->job, &reader, &loader->input.reader);

	r = r ?: dit_load_ahead_open(loader, &reader);
	if (r < 0) {
		return r;
	}
	/* slapadd says it after all that can be wrong with its arguments. */
	if (opts->is_quick && opts->check_values) {
		dit_job_report(&loader->job, DIT_REPORT_ERROR,
		               "value-check incompatible with quick mode; disabled.");
	}
	return 0;
}

int dit_load_make_pipeline(struct loader *loader, const struct dit_pipeline_ops *ops)
{
	const struct dit_pipeline_opts opts = {.ops = *ops,
	                                       .ctx = loader,
	                                       .shared =
	                                               dit_job_shared(&loader->job, NULL),
	                                       .name = "tool",
	                                       .is_ahead = loader->job.nthreads > 1};

	if (loader->input.slots == NULL) {
		loader->input.slots =
			calloc(DIT_PIPELINE_NSLOTS_MAX, sizeof(*loader->input.slots));
	}
	return loader->input.slots == NULL ? -ENOMEM
	                                   : dit_pipeline_new(&loader->pipeline, &opts);
}

static int make_page_writer(struct loader *loader)
{
	int r = loader->opts->is_dry_run ? 0
	                                 : dit_page_writer_new(&loader->job.page_writer,
	                                                       loader->job.nthreads > 1);

	return dit_job_fail(&loader->job, r, "could not start the threads");
}

static int open_seal(struct load_target *target)
{
	const struct loader *loader = target->loader;
	int r = dit_job_open_seal(&loader->job, target->db, &target->seal);

	return r
	               ?: dit_job_check_rejects(&loader->job, target->db, target->seal,
	                                        loader->opts->reject);
}

/*
 * Tell which directories will be opened, then look into them.
 *
 * @return 0; 1: there is nothing to do; negative, reported
 */
static int tell_directories(struct loader *loader)
{
	const struct dit_load_opts *opts = loader->opts;
	const struct dit_glue *glue = &loader->job.glue;
	int r = dit_job_before_open(&loader->job, glue->databases, glue->ndatabases);

	if (r == 0 && opts->is_scratch) {
		r = dit_load_scratch_make(loader);
	}
	if (r == 0 && opts->is_scratch && opts->known != NULL) {
		r = opts->known->get(opts->known->ctx, &loader->known);
	}
	r = r ?: dit_load_each(loader, open_seal);
	if (r == 0 && !opts->replaces &&
	    (opts->only_if_empty || loader->is_estimate ||
	     (!opts->keep_going && (opts->is_dry_run || opts->explain)))) {
		r = dit_load_each(loader, dit_load_look);
	}
	return r == 0 && dit_load_look_is_unneeded(loader) ? 1 : r;
}

int dit_load_prepare(struct loader *loader)
{
	static const struct dit_pipeline_ops ops = {.fill = dit_load_fill,
	                                            .begin = dit_load_begin,
	                                            .before_order = dit_load_parse,
	                                            .in_order = dit_load_in_order,
	                                            .after_order = dit_load_key};
	int r = dit_load_budget_make(&loader->job, loader->opts, loader->job.nthreads,
	                             loader->ntargets, &loader->budget);

	if (r < 0) {
		return r;
	}
	/* Main reads the input itself. */
	loader->job.stop.ticker =
		loader->job.nthreads > 1 ? NULL : dit_job_ticker(&loader->job);
	r = make_context(loader);
	r = r ?: open_input(loader);
	r = r ?: tell_directories(loader);
	/* From here on the process may be another user's: all that needs more is open. */
	r = r ?: make_page_writer(loader);
	r = r ?: check_tmpdir(loader);
	r = r ?: dit_load_each(loader, dit_load_target_prepare);
	if (r != 0) {
		return r; /* reported */
	}
	r = dit_job_fail(&loader->job, make_members(loader),
	                 "could not start the threads");
	r = r ?: dit_load_ahead(loader);
	if (r != 0) {
		return r; /* reported */
	}
	r = dit_load_make_pipeline(loader, &ops);
	return dit_job_fail(&loader->job, r, "could not start the threads");
}

/* ---- release ---- */

static void free_slots(struct loader *loader)
{
	for (unsigned i = 0; loader->input.slots != NULL && i < DIT_PIPELINE_NSLOTS_MAX;
	     i++) {
		free(loader->input.slots[i].items);
		dit_ldif_batch_deinit(&loader->input.slots[i].batch);
	}
	free(loader->input.slots);
}

static void free_members(struct loader *loader)
{
	for (unsigned i = 0; loader->members != NULL && i < loader->job.nthreads; i++) {
		struct load_member *member = &loader->members[i];

		dit_entry_caches_deinit(&member->caches);
		for (unsigned t = 0; member->keys != NULL && t < loader->ntargets; t++) {
			dit_index_work_free(member->keys[t]);
		}
		free(member->keys);
	}
	free(loader->members);
}

void dit_load_release(struct loader *loader)
{
	/* Threads first: nothing they use may go before they do. A failed load does not
	 * wait for input, or for the end of work that is not needed. */
	dit_stop_end(&loader->job.stop);
	dit_pipeline_free(loader->pipeline);
	free_members(loader);
	free_slots(loader);
	dit_ldif_reader_close(loader->input.reader);
	for (unsigned i = 0; i < loader->ntargets; i++) {
		dit_load_target_deinit(&loader->targets[i]);
	}
	free(loader->targets);
	free(loader->published);
	dit_page_writer_free(loader->job.page_writer);
	dit_load_ahead_deinit(loader);
	dit_load_csn_deinit(&loader->csn);
	free(loader->told);
	free(loader->reading.sorted);
	dit_job_deinit(&loader->job);
}
