/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The setup of a run before its first record: configuration, input, database, threads.
 * And the release of it all, which works at every stage.
 */
#include <errno.h>
#include <stdlib.h>

#include "indexing/index_setup.h"
#include "modify/modify_impl.h"

#define FIXED_DBS   8     /* as slapd makes them, and room */
#define WAIT_MS     10000 /* while LMDB's table of readers is full */
#define ARENA_BYTES (256u << 10)
#define BATCH_BYTES (128u << 10) /* for each thread */

/* ---- configuration ---- */

static int check_database(struct modifier *modifier)
{
	const struct dit_database *db = modifier->job.chosen.db;

	if (strcmp(db->type, "mdb") != 0) {
		dit_job_report(&modifier->job, DIT_REPORT_ERROR,
		               "database doesn't support necessary operations.");
		return DIT_E_CONFIG;
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
	struct dit_dn suffix;
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
	r = r ?: dit_entry_clock_init(&modifier->clock);
	if (r == 0) {
		r = dit_dn_parse(context->schema, modifier->db->suffix, &modifier->kept,
		                 NULL, &suffix);
	}
	modifier->suffix_nrdns = r == 0 ? suffix.nrdns : 0;
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
	const char *failed = opts->input;
	int r = dit_ldif_reader_open(&modifier->reader, &reader, &failed);

	if (r < 0) {
		/* slapmodify's perror() */
		dit_job_report(&modifier->job, DIT_REPORT_PLAIN, "%s: %s",
		               failed == NULL ? "stdin" : failed, dit_strerror(r));
	}
	return r;
}

/* ---- the database ---- */

static int fail_open(const struct modifier *modifier, int r,
                     const struct dit_fault *fault)
{
	const char *directory = modifier->db->data.directory;

	if (r == -ENOENT) {
		dit_job_report(&modifier->job, DIT_REPORT_ERROR,
		               "%s has no database: load it with ditadd", directory);
		return r;
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
		.merge = DIT_MERGE_GROW,
		.is_lmdb_10 = modifier->rules.has_lmdb_10,
		.may_grow = modifier->opts->may_grow,
		.shared = dit_job_shared(&modifier->job, modifier->seal),
		.fault = fault,
	};
	int r = dit_output_merged_open(&modifier->output, &opts);

	return r < 0 ? fail_open(modifier, r, fault) : 0;
}

int dit_modify_open_snapshot(const struct modifier *modifier, unsigned nreaders,
                             struct dit_fault *fault, struct dit_snapshot **ret)
{
	bool is_dry = modifier->opts->is_dry_run;
	const struct dit_snapshot_opts opts = {
		.nreaders = nreaders,
		.sealed = dit_data_seal_format(modifier->seal),
		.wait_ms = WAIT_MS,
		.is_claimed = !is_dry,
		.claimed_fd = is_dry ? -1 : modifier->output->base.target.data_fd,
		.fault = fault};

	return dit_snapshot_open_readers(ret, modifier->db->data.directory, &opts);
}

/* A reader for each tool thread, for main, and for look-ups of a dry run. */
static int open_snapshot(struct modifier *modifier, struct dit_fault *fault)
{
	struct dit_schema *schema = modifier->job.chosen.settings->schema;
	int r = dit_modify_open_snapshot(modifier, modifier->job.nthreads + 2, fault,
	                                 &modifier->snapshot);

	if (r == 0 && modifier->opts->is_dry_run) {
		r = dit_output_view_open(&modifier->output, modifier->snapshot,
		                         modifier->job.nthreads + 1);
	}
	r = r ?: dit_ad_names_read(&modifier->names, modifier->snapshot, 0, schema);
	if (r == 0) {
		const struct dit_entry_reader_opts reader = {
			.snapshot = modifier->snapshot,
			.reader = modifier->job.nthreads,
			.names = &modifier->names,
			.without_dn = true};

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

int dit_modify_setup(struct modifier *modifier)
{
	int r = 0;

	dit_arena_init(&modifier->kept, ARENA_BYTES);
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

void dit_modify_release(struct modifier *modifier)
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
		dit_entry_caches_deinit(&modifier->members[i]);
	}
	free(modifier->members);
	dit_entry_reader_free(modifier->entries);
	dit_ad_names_deinit(&modifier->names);
	dit_output_abandon(dit_output_of(modifier->output));
	if (modifier->snapshot != NULL) {
		dit_snapshot_close(modifier->snapshot);
	}
	dit_ad_numbers_deinit(&modifier->numbers);
	dit_page_writer_free(modifier->job.page_writer);
	dit_index_work_free(modifier->keys);
	dit_index_set_free(modifier->indexes);
	dit_data_seal_close(modifier->seal);
	free(modifier->split_rules);
	dit_modify_tree_deinit(&modifier->tree);
	dit_csn_list_deinit(&modifier->csns);
	dit_arena_deinit(&modifier->kept);
	dit_arena_deinit(&modifier->scratch);
	free(modifier->sorted);
	dit_job_deinit(&modifier->job);
}
