/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run of changes from beginning to end:
 *
 *   setup     configuration, input, database, threads
 *   records   members: record > change                              modify_record.c
 *             main: change > nodes and entries in memory            modify_apply.c
 *   write     entries, names, indexes                               modify_write.c
 *   publish   one commit
 *   release   of all that, which works at every stage
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/version.h"
#include "indexing/index_setup.h"
#include "modify/modify_impl.h"

#define FIXED_DBS   8     /* as slapd makes them, and room */
#define WAIT_MS     10000 /* while LMDB's table of readers is full */
#define ARENA_BYTES (256u << 10)
#define BATCH_BYTES (128u << 10) /* for each thread */

int dit_modify_fail(struct modifier *modifier, int r, const char *what)
{
	const struct dit_database *db = modifier->db;

	if (r == DIT_E_FULL) {
		return dit_job_say(
			&modifier->job, r,
			"the database in %s has no room for the changes, maxsize is %lu: "
			"configure more, or give --grow",
			db->data.directory, db->data.maxsize_bytes);
	}
	if (r == DIT_E_CORRUPT) {
		return dit_job_say(
			&modifier->job, r,
			"the database in %s is damaged: see what \"ditcheck\" says",
			db->data.directory);
	}
	return dit_job_fail(&modifier->job, r, what);
}

/* ---- configuration ---- */

static int check_database(struct modifier *modifier)
{
	const struct dit_database *db = modifier->job.chosen.db;

	if (strcmp(db->type, "mdb") != 0) {
		return dit_job_say(&modifier->job, DIT_E_CONFIG,
		                   "database doesn't support necessary operations.");
	}
	modifier->db = db;
	modifier->stats->directory = strdup(db->data.directory);
	return modifier->stats->directory == NULL
	               ? dit_modify_fail(modifier, -ENOMEM, db->data.directory)
	               : 0;
}

static int read_settings(struct modifier *modifier)
{
	const struct dit_modify_opts *opts = modifier->opts;
	const struct dit_job_range own[] = {{"sid", opts->sid, 0, DIT_NSIDS - 1}};
	struct dit_job *job = &modifier->job;
	int r = dit_job_check(job, own, 1);

	r = r ?: dit_job_read(job);
	r = r ?: dit_job_choose(job);
	modifier->stats->openldap = job->chosen.openldap;
	modifier->stats->is_openldap_found = job->chosen.is_openldap_found;
	if (r < 0) {
		return r;
	}
	modifier->stats->threads = job->nthreads;
	r = dit_job_glue(job);
	return r ?: check_database(modifier);
}

static int make_contexts(struct modifier *modifier)
{
	const struct dit_modify_opts *opts = modifier->opts;
	const struct dit_chosen *chosen = &modifier->job.chosen;
	struct dit_entry_context *context = &modifier->adding;
	int r = dit_sorted_types_make(chosen->settings, &modifier->sorted);

	modifier->files = (struct dit_file_rules){
		.refuse_all = opts->no_urls,
		.allow_special = opts->special_urls,
		.value_max = dit_record_max(opts->record_max_bytes),
		.stop = &modifier->job.stop};
	modifier->rules = dit_release_rules(chosen->openldap, chosen->patch);
	*context = dit_database_context(&modifier->rules, chosen->settings, modifier->db);
	/* Exact changes are what is stored elsewhere, if slapd would take it or not. */
	context->check_schema = !opts->no_schema_check && !opts->is_exact;
	context->check_values = !opts->is_exact;
	context->is_request = !opts->is_exact;
	context->sid = opts->sid;
	context->files = &modifier->files;
	context->sorted = modifier->sorted;
	context->lastmod = context->lastmod && !opts->is_exact;
	modifier->changing = *context;
	modifier->changing.names_first = false;
	modifier->changing.keeps_names = true;
	modifier->changing.check_values = false; /* those of a change are checked */
	modifier->keeps_csns =
		opts->write_context_csn ||
		(!opts->is_exact &&
	         dit_settings_overlay(modifier->db->overlays, "syncprov") != NULL);
	r = r ?: dit_entry_clock_init(&modifier->clock);
	modifier->suffix_nrdns = dit_dn_depth(modifier->db->suffix);
	return r < 0 ? dit_modify_fail(modifier, r, "could not start") : 0;
}

/* ---- the input ---- */

static int open_input(struct modifier *modifier)
{
	const struct dit_modify_opts *opts = modifier->opts;
	const struct dit_ldif_reader_opts reader = {
		.path = opts->input,
		.paths = opts->inputs,
		.npaths = opts->ninputs,
		.is_threaded = modifier->job.nthreads > 1,
		.files = &modifier->files,
		.batch_bytes = BATCH_BYTES * (size_t)modifier->job.nthreads,
		.batch_records = 512 * (size_t)modifier->job.nthreads,
		.first_line = opts->first_line,
		.record_max = modifier->files.value_max};

	return dit_job_open_input(&modifier->job, &reader, &modifier->reader);
}

/* ---- the database ---- */

static int fail_open(const struct modifier *modifier, int r,
                     const struct dit_fault *fault)
{
	const char *directory = modifier->db->data.directory;

	if (r == -ENOENT) {
		return dit_job_say(&modifier->job, r,
		                   "%s has no database: load it with ditadd", directory);
	}
	return dit_job_open_fail(&modifier->job, r, directory, fault);
}

static int open_output(struct modifier *modifier, struct dit_fault *fault)
{
	const struct dit_database *db = modifier->db;
	const struct dit_output_opts opts = {
		.directory = db->data.directory,
		.mode = db->data.mode,
		.ndbs = (unsigned)dit_index_set_ndbs(modifier->indexes) + FIXED_DBS,
		.maxsize_bytes = db->data.maxsize_bytes,
		.list_max = dit_settings_list_max(modifier->job.chosen.settings),
		.is_lmdb_10 = modifier->rules.has_lmdb_10,
		.may_grow = modifier->opts->may_grow,
		.shared = dit_job_shared(&modifier->job, modifier->seal),
		.fault = fault,
	};
	int r = dit_output_merged_open(&modifier->output, &opts);

	return r < 0 ? fail_open(modifier, r, fault) : 0;
}

/* A reader for each tool thread, for main, and for look-ups of a dry run. */
static int open_snapshot(struct modifier *modifier, struct dit_fault *fault)
{
	struct dit_schema *schema = modifier->job.chosen.settings->schema;
	bool is_dry = modifier->opts->is_dry_run;
	const struct dit_snapshot_opts opts = {
		.nreaders = modifier->job.nthreads + 2,
		.sealed = dit_data_seal_format(modifier->seal),
		.lmdb.wait_ms = WAIT_MS,
		.is_claimed = !is_dry,
		.claimed_fd = is_dry ? -1 : modifier->output->base.target.data_fd,
		.lmdb.fault = fault};
	int r = dit_snapshot_open_readers(&modifier->snapshot,
	                                  modifier->db->data.directory, &opts);

	if (r == 0 && is_dry) {
		r = dit_output_view_open(&modifier->output, modifier->snapshot,
		                         modifier->job.nthreads + 1);
	}
	r = r ?: dit_ad_names_read(&modifier->names, modifier->snapshot, 0, schema);
	if (r == 0) {
		const struct dit_settings *settings = modifier->job.chosen.settings;
		const struct dit_entry_reader_opts reader = {
			.snapshot = modifier->snapshot,
			.reader = modifier->job.nthreads,
			.names = &modifier->names,
			.without_dn = true};

		dit_ad_names_sort(&modifier->names, settings->sortvals,
		                  settings->nsortvals);
		r = dit_entry_reader_new(&modifier->entries, &reader);
	}
	r = r ?: dit_ad_numbers_read(&modifier->numbers, modifier->output, schema);
	return r < 0 ? fail_open(modifier, r, fault) : 0;
}

static int open_database(struct modifier *modifier)
{
	const struct dit_database *db = modifier->db;
	bool has_threads = modifier->job.nthreads > 1;
	struct dit_fault fault = {""};
	int r = dit_job_before_open(&modifier->job, &db, 1);

	/* From here on the process may be another user's: all that needs more is open. */
	r = r ?: dit_job_open_seal(&modifier->job, db, &modifier->seal);
	if (r == 0) {
		r = dit_job_check_rejects(&modifier->job, db, modifier->seal,
		                          modifier->opts->reject);
	}
	if (r == 0) {
		r = dit_indexes_make(&modifier->job, db->indexes, db->nindexes, false,
		                     &modifier->indexes);
	}
	if (r < 0) {
		return r;
	}
	r = dit_index_work_new(&modifier->keys, modifier->indexes);
	r = r ?: dit_page_writer_new(&modifier->job.page_writer, has_threads);
	r = r ?: dit_split_rules_make(db, &modifier->split_rules);
	if (r < 0) {
		return dit_modify_fail(modifier, r, "could not start");
	}
	r = modifier->opts->is_dry_run ? 0 : open_output(modifier, &fault);
	r = r ?: open_snapshot(modifier, &fault);
	if (r == 0 && !modifier->opts->is_dry_run) {
		r = dit_indexes_add(&modifier->job, modifier->indexes,
		                    &modifier->output->base, db->data.directory, &fault);
	}
	if (r < 0) {
		return r;
	}
	if (modifier->split_rules != NULL) {
		modifier->split_rules->record_max = modifier->output->base.key_max;
	}
	modifier->tree.nstored = modifier->output->stored.last_id;
	modifier->tree.last_id = modifier->output->stored.last_id;
	return 0;
}

/* ---- all ---- */

static int setup(struct modifier *modifier)
{
	int r = 0;

	dit_arena_init_shared(&modifier->kept, ARENA_BYTES, NULL);
	dit_arena_init(&modifier->scratch, ARENA_BYTES);
	r = read_settings(modifier);
	/* Main reads the input itself. */
	modifier->job.stop.ticker =
		modifier->job.nthreads > 1 ? NULL : dit_job_ticker(&modifier->job);
	r = r ?: make_contexts(modifier);
	r = r ?: modifier->opts->mends_memberof ? 0 : open_input(modifier);
	r = r ?: open_database(modifier);
	if (r < 0) {
		return r;
	}
	r = dit_modify_make_threads(modifier);
	return r < 0 ? dit_modify_fail(modifier, r, "could not start the threads") : 0;
}

static void release(struct modifier *modifier)
{
	/* Threads first: nothing they use may go before they do. */
	dit_stop_end(&modifier->job.stop);
	dit_pipeline_free(modifier->pipeline);
	dit_ldif_reader_close(modifier->reader);
	for (unsigned i = 0; i < DIT_PIPELINE_NSLOTS_MAX; i++) {
		dit_ldif_batch_deinit(&modifier->slots[i].batch);
		free(modifier->slots[i].changes);
	}
	for (unsigned i = 0; modifier->members != NULL && i <= modifier->job.nthreads;
	     i++) {
		dit_entry_caches_deinit(&modifier->members[i].caches);
		dit_entry_reader_free(modifier->members[i].reader);
		free(modifier->members[i].attrs);
	}
	dit_key_changes_free(modifier->changes);
	free(modifier->members);
	dit_entry_reader_free(modifier->entries);
	dit_ad_names_deinit(&modifier->names);
	dit_output_abandon(dit_output_of(modifier->output));
	dit_snapshot_close(modifier->snapshot);
	dit_ad_numbers_deinit(&modifier->numbers);
	dit_page_writer_free(modifier->job.page_writer);
	dit_index_work_free(modifier->keys);
	dit_index_set_free(modifier->indexes);
	dit_data_seal_close(modifier->seal);
	free(modifier->split_rules);
	dit_modify_tree_deinit(&modifier->tree);
	dit_csn_list_deinit(&modifier->csns);
	free(modifier->values.keys);
	free(modifier->values.places);
	dit_arena_deinit(&modifier->kept);
	dit_arena_deinit(&modifier->scratch);
	free(modifier->sorted);
	dit_job_deinit(&modifier->job);
}

/* ---- records ---- */

static int run_pipeline(struct modifier *modifier)
{
	enum dit_pipeline_stage stage = DIT_PIPELINE_NONE;
	int r = dit_pipeline_run(modifier->pipeline, &stage);

	return stage == DIT_PIPELINE_FILL || stage == DIT_PIPELINE_STOPPED
	               ? dit_job_input_fail(&modifier->job, modifier->reader, r,
	                                    "could not read the input")
	               : r ?: dit_modify_check_end(modifier);
}

/* ---- publication ---- */

static void tell_failure(void *ctx, size_t number, enum dit_publish_step step, int error)
{
	struct modifier *modifier = ctx;
	static const struct dit_publish_words words = {
		.undone = "the database is as it was, but a crash of the system may "
			  "bring the changes back",
		.kept = "the changes could not be taken back",
		.end = "; the database is whole, with all changes"};

	(void)number;
	if (!dit_job_tell_publish(&modifier->job, modifier->published, step, error,
	                          &words)) {
		(void)dit_modify_fail(modifier, error, modifier->db->data.directory);
	}
}

static int before_commit(void *ctx)
{
	const struct modifier *modifier = ctx;
	const struct dit_modify_opts *opts = modifier->opts;

	return opts->before_publish == NULL
	               ? 0
	               : dit_job_answer(opts->before_publish(opts->before_publish_ctx));
}

static int publish(struct modifier *modifier)
{
	struct dit_published item = {.output = dit_output_of(modifier->output),
	                             .directory = modifier->db->data.directory};
	const struct dit_publish_opts opts = {.failed = tell_failure,
	                                      .before_commit = before_commit,
	                                      .ctx = modifier,
	                                      .stop = &modifier->job.stop};
	int r = 0;

	dit_job_tell(&modifier->job, DIT_MODIFY_PUBLISH);
	modifier->output = NULL;
	modifier->published = &item;
	r = dit_publish(&item, 1, &opts);
	modifier->published = NULL;
	modifier->stats->bytes = item.bytes;
	return r;
}

/* ---- the whole ---- */

static void fill_progress(void *ctx, struct dit_progress *ret)
{
	const struct modifier *modifier = ctx;

	ret->nentries = modifier->stats->nrecords;
	ret->bytes_read = modifier->stats->bytes_read;
	ret->threads = modifier->job.nthreads;
	ret->unit = modifier->job.phase == DIT_MODIFY_INDEXES ? DIT_PROGRESS_RECORDS
	                                                      : DIT_PROGRESS_BYTES;
	ret->done = modifier->count.done;
	ret->total = modifier->count.total;
	if (modifier->reader != NULL && modifier->job.phase == DIT_MODIFY_CHANGES) {
		ret->bytes_total = dit_ldif_reader_size(modifier->reader);
		ret->done = ret->bytes_read;
		ret->total = ret->bytes_total;
	}
}

/* Some consumers are told of changes by another database. */
static void warn_of_consumers(const struct modifier *modifier)
{
	const struct dit_database *db = modifier->db;
	const struct dit_database *above =
		db->is_subordinate
			? dit_settings_superior(modifier->job.chosen.settings, db)
			: NULL;

	if (modifier->opts->directory != NULL || modifier->opts->is_exact ||
	    modifier->stats->nentries == 0) {
		return;
	}
	if (dit_settings_overlay(db->overlays, "accesslog") != NULL) {
		dit_job_report(
			&modifier->job, DIT_REPORT_WARNING,
			"the accesslog has none of these changes: give each consumer that reads it a new copy of %s",
			db->data.directory);
	}
	if (above != NULL && dit_settings_overlay(above->overlays, "syncprov") != NULL) {
		dit_job_report(
			&modifier->job, DIT_REPORT_WARNING,
			"the contextCSN of \"%.*s\" is in another database and stays: give each of its consumers a new copy of %s",
			DIT_SPAN_ARGS(above->suffix), db->data.directory);
	}
}

static int run(struct modifier *modifier)
{
	int r = setup(modifier);

	if (r == 0) {
		dit_job_tell(&modifier->job, DIT_MODIFY_CHANGES);
		r = modifier->opts->mends_memberof ? dit_modify_mend_memberof(modifier)
		                                   : run_pipeline(modifier);
	}
	r = r ?: dit_modify_put_csns(modifier);
	dit_job_end_phase(&modifier->job, DIT_MODIFY_CHANGES);
	if (r < 0 || modifier->opts->is_dry_run) {
		return r;
	}
	r = dit_modify_write(modifier);
	dit_job_end_phase(&modifier->job, DIT_MODIFY_INDEXES);
	r = r ?: publish(modifier);
	dit_job_end_phase(&modifier->job, DIT_MODIFY_PUBLISH);
	if (r == 0) {
		warn_of_consumers(modifier);
	}
	return r;
}

int dit_modify(const struct dit_modify_opts *opts, struct dit_modify_stats *ret)
{
	struct dit_modify_opts own;
	struct modifier modifier = {.opts = &own, .stats = ret};
	struct dit_job_opts job;
	int r = dit_opts_take(&own, sizeof(own), opts);

	*ret = (struct dit_modify_stats){.nrecords = 0};
	if (r < 0) {
		return r;
	}
	job = (struct dit_job_opts){
		DIT_JOB_OPTS(&own),        .directory = own.directory,
		.tool = "slapmodify",      .is_verbose = own.is_verbose,
		.fill = fill_progress,     .ctx = &modifier,
		.phase_us = ret->phase_us, .phase_cpu_us = ret->phase_cpu_us};
	dit_job_init(&modifier.job, &job);
	modifier.job.interrupted =
		"changes ended: Interrupted; the database is what it was before";
	r = run(&modifier);
	release(&modifier);
	return r;
}

void dit_modify_stats_deinit(struct dit_modify_stats *stats)
{
	free(stats->directory);
	*stats = (struct dit_modify_stats){.nrecords = 0};
}
