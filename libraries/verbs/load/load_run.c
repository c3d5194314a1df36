/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A load from beginning to end. run() is the list of its steps; each leaves what it made
 * in the loader:
 *
 *   settings    configuration, databases, threads                load_setup.c
 *   pipeline    LDIF > parse > resolve > keys                    load_resolve.c
 *   finish      of each database: contextCSN, the tree, while    load_target.c
 *               members write indexes; what came late
 *   publish     all databases, or none                           load_run.c
 */
#include "load/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "ldif/ldif_source.h"
#include "load/loader.h"

/* ---- all records ---- */

/* All records, from the input to the run builders. */
static int run_pipeline(struct loader *loader)
{
	enum dit_pipeline_stage stage = DIT_PIPELINE_NONE;
	int r = dit_pipeline_run(loader->pipeline, &stage);

	if (stage == DIT_PIPELINE_FILL || stage == DIT_PIPELINE_STOPPED) {
		return dit_job_input_fail(&loader->job, loader->input.reader, r,
		                          "could not read the input");
	}
	return stage == DIT_PIPELINE_AFTER_ORDER ? dit_load_sort_fail(loader, r) : r;
}

/* ---- digests ---- */

/* @param number  of the input. @return 0; DIT_E_INVALID, -ENOMEM, reported */
static int take_digest(struct loader *loader, size_t number,
                       const struct dit_ldif_digest *digest)
{
	const char *path = loader->opts->inputs[number];
	const char *wanted =
		loader->opts->digests == NULL ? NULL : loader->opts->digests[number];
	struct dit_load_input *input = &loader->stats->inputs[loader->stats->ninputs++];

	input->path = path == NULL ? NULL : strdup(path);
	input->nbytes = digest->nbytes;
	memcpy(input->digest, digest->text, sizeof(input->digest));
	if (path != NULL && input->path == NULL) {
		return dit_job_fail(&loader->job, -ENOMEM, path);
	}
	if (wanted == NULL || strcmp(wanted, digest->text) == 0) {
		return 0;
	}
	return dit_job_say(&loader->job, DIT_E_INVALID,
	                   "%s is short, damaged or exchanged: its digest is %s, not %s; "
	                   "nothing was changed",
	                   path == NULL ? "standard input" : path, digest->text, wanted);
}

/* The digests of the inputs, if they are wanted, for the results; and are they right? */
static int take_digests(struct loader *loader)
{
	const struct dit_ldif_digest *digests =
		dit_ldif_reader_digests(loader->input.reader);
	size_t n = loader->opts->ninputs;
	int r = 0;

	if (digests == NULL) {
		return 0;
	}
	loader->stats->inputs = calloc(n, sizeof(*loader->stats->inputs));
	if (loader->stats->inputs == NULL) {
		return dit_job_fail(&loader->job, -ENOMEM, "could not read the input");
	}
	for (size_t i = 0; i < n && r == 0; i++) {
		r = take_digest(loader, i, &digests[i]);
	}
	return r;
}

/* ---- has the input entries? ---- */

/* A writer that failed leaves an empty pipe. */
static int check_entries(const struct loader *loader)
{
	const struct dit_load_opts *opts = loader->opts;
	bool can_be_empty = loader->stats->nrecords == 0;

	for (size_t i = 0; i < opts->ninputs; i++) {
		can_be_empty &= !dit_load_is_pipe(opts->inputs[i]);
	}
	if (!opts->replaces || loader->stats->nentries > 0 || can_be_empty) {
		return 0;
	}
	return dit_job_say(&loader->job, DIT_E_INVALID,
	                   "the input has no entry that can be stored: nothing is "
	                   "replaced");
}

/* ---- publication: all databases, or none (output/publication.h) ---- */

static void tell_failure(void *ctx, size_t number, enum dit_publish_step step, int error)
{
	struct loader *loader = ctx;
	struct load_target *target = &loader->targets[number];
	const struct dit_published *item = &loader->published[number];
	static const struct dit_publish_words words = {
		.undone = "the database is as it was, but a crash of the system may "
			  "bring the additions back",
		.kept = "the change could not be taken back",
		.end = "; the database is whole, with all that was added"};

	target->stats->bytes = item->bytes; /* maybe too many */
	if (dit_job_tell_publish(&loader->job, item, step, error, &words)) {
		return;
	}
	if (step == DIT_PUBLISH_RENAME) {
		(void)dit_job_fail(&loader->job, error,
		                   "could not put the database in place");
	} else {
		(void)dit_load_target_fail(target, error, target->db->data.directory);
	}
}

static int before_commit(void *ctx)
{
	struct loader *loader = ctx;
	const struct dit_load_opts *opts = loader->opts;
	int r = opts->before_publish == NULL
	                ? 0
	                : dit_job_answer(opts->before_publish(opts->before_publish_ctx));

	return r == 0 && opts->is_prepared ? dit_load_put_manifests(loader) : r;
}

static int publish(struct loader *loader)
{
	struct dit_published *items = loader->published;
	const struct dit_publish_opts opts = {.failed = tell_failure,
	                                      .before_commit = before_commit,
	                                      .ctx = loader,
	                                      .stop = &loader->job.stop};
	int r = 0;

	/* The chosen one is the first target, so it appears last. */
	for (unsigned i = 0; i < loader->ntargets; i++) {
		struct load_target *target = &loader->targets[i];

		items[i].output = dit_output_of(target->output);
		items[i].directory = target->db->data.directory;
		target->output = NULL;
	}
	r = dit_publish(items, loader->ntargets, &opts);
	for (unsigned i = 0; i < loader->ntargets; i++) {
		struct load_target *target = &loader->targets[i];

		if (!target->is_foreign) {
			target->stats->bytes = items[i].bytes;
			target->stats->kept_bytes = items[i].kept_bytes;
		}
	}
	return r;
}

/* ---- the end ---- */

static int finish(struct loader *loader)
{
	int r = dit_load_each(loader, dit_load_target_finish);

	if (r < 0) {
		return r;
	}
	dit_job_tell(&loader->job, DIT_LOAD_PUBLISH);
	r = publish(loader);
	dit_job_end_phase(&loader->job, DIT_LOAD_PUBLISH);
	return r;
}

static int run(struct loader *loader)
{
	int r = dit_load_read_settings(loader);

	r = r ?: dit_load_prepare(loader);
	if (r == 0) {
		/* The time until now was spent on preparations, not on entries. */
		dit_job_tell(&loader->job, DIT_LOAD_ENTRIES);
		r = run_pipeline(loader);
	}
	r = r ?: take_digests(loader);
	r = r ?: dit_load_ahead_check(loader);
	r = r ?: check_entries(loader);
	dit_job_end_phase(&loader->job, DIT_LOAD_ENTRIES);
	if (r == 0 && !loader->opts->is_dry_run) {
		r = finish(loader);
	}
	if (r == 0) {
		(void)dit_load_look_tell(loader, DIT_REPORT_REMARK);
		dit_load_report_missing(loader);
		dit_load_ahead_tell(loader);
	}
	return r < 0 ? r : 0; /* 1: there was nothing to do */
}

int dit_load(const struct dit_load_opts *opts, struct dit_load_stats *ret)
{
	struct dit_load_opts own;
	struct loader loader;
	int r = dit_opts_take(&own, sizeof(own), opts);

	*ret = (struct dit_load_stats){0};
	if (r < 0) {
		return r;
	}
	dit_loader_init(&loader, &own, ret);
	r = run(&loader);
	dit_load_release(&loader);
	if (r < 0) {
		dit_load_scratch_remove(ret);
	}
	return r;
}

void dit_load_stats_deinit(struct dit_load_stats *stats)
{
	for (size_t i = 0; i < stats->ndatabases; i++) {
		struct dit_load_database_stats *db = &stats->databases[i];

		dit_index_stats_free(db->indexes, db->nindexes);
		free(db->directory);
	}
	free(stats->databases);
	for (size_t i = 0; i < stats->nrefusals; i++) {
		free(stats->refusals[i].first_dn);
		free(stats->refusals[i].first_reason);
		free(stats->refusals[i].first_explanation);
	}
	free(stats->refusals);
	for (size_t i = 0; i < stats->ninputs; i++) {
		free(stats->inputs[i].path);
	}
	free(stats->inputs);
	*stats = (struct dit_load_stats){0};
}
