/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run of changes from beginning to end:
 *
 *   setup     configuration, input, database, threads               modify_setup.c
 *   records   members: record > change                              modify_record.c
 *             main: change > nodes and entries in memory            modify_apply.c
 *   write     entries, names, indexes                               modify_write.c
 *   publish   one commit
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/version.h"
#include "modify/modify_impl.h"

int dit_modify_fail(struct modifier *modifier, int r, const char *what)
{
	const struct dit_database *db = modifier->db;

	if (r == DIT_E_FULL) {
		dit_job_report(
			&modifier->job, DIT_REPORT_ERROR,
			"the database in %s has no room for the changes, maxsize is %llu: "
			"configure more, or give --grow",
			db->data.directory, (unsigned long long)db->data.maxsize_bytes);
		return r;
	}
	if (r == DIT_E_CORRUPT) {
		dit_job_report(
			&modifier->job, DIT_REPORT_ERROR,
			"the database in %s is damaged: see what \"ditcheck\" says",
			db->data.directory);
		return r;
	}
	return dit_job_fail(&modifier->job, r, what);
}

/* ---- records ---- */

static int run_pipeline(struct modifier *modifier)
{
	enum dit_pipeline_stage stage = DIT_PIPELINE_NONE;
	int r = dit_pipeline_run(modifier->pipeline, &stage);
	const char *text = dit_ldif_reader_error(modifier->reader);

	if (stage == DIT_PIPELINE_FILL && r != DIT_E_STOPPED && text != NULL &&
	    text[0] != '\0') {
		dit_job_report(&modifier->job, DIT_REPORT_PLAIN, "%s", text);
		return r;
	}
	return stage == DIT_PIPELINE_FILL || stage == DIT_PIPELINE_STOPPED
	               ? dit_job_fail(&modifier->job, r, "could not read the input")
	               : r;
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
	               : opts->before_publish(opts->before_publish_ctx);
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

static void end_phase(struct modifier *modifier, enum dit_modify_phase phase)
{
	dit_job_end_phase(&modifier->job, &modifier->stats->phase_us[phase],
	                  &modifier->stats->phase_cpu_us[phase]);
}

static int run(struct modifier *modifier)
{
	int r = dit_modify_setup(modifier);

	if (r == 0) {
		dit_job_tell(&modifier->job, DIT_MODIFY_CHANGES);
		r = modifier->opts->mends_memberof ? dit_modify_mend_memberof(modifier)
		                                   : run_pipeline(modifier);
	}
	r = r ?: dit_modify_put_csns(modifier);
	end_phase(modifier, DIT_MODIFY_CHANGES);
	if (r < 0 || modifier->opts->is_dry_run) {
		return r;
	}
	r = dit_modify_write(modifier);
	end_phase(modifier, DIT_MODIFY_INDEXES);
	r = r ?: publish(modifier);
	end_phase(modifier, DIT_MODIFY_PUBLISH);
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
	job = (struct dit_job_opts){DIT_JOB_OPTS(&own),    .directory = own.directory,
	                            .tool = "slapmodify",  .is_verbose = own.is_verbose,
	                            .fill = fill_progress, .ctx = &modifier};
	dit_job_init(&modifier.job, &job);
	modifier.job.interrupted =
		"changes ended: Interrupted; the database is what it was before";
	r = run(&modifier);
	dit_modify_release(&modifier);
	return r;
}

void dit_modify_stats_deinit(struct dit_modify_stats *stats)
{
	free(stats->directory);
	*stats = (struct dit_modify_stats){.nrecords = 0};
}
