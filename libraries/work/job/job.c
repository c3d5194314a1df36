/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/job.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/tell.h"
#include "job/hint.h"

void dit_job_init(struct dit_job *job, const struct dit_job_opts *opts)
{
	*job = (struct dit_job){.opts = *opts,
	                        .interrupted = "interrupted",
	                        .stop = {.flag = opts->stop},
	                        .teller = {.fill = opts->fill,
	                                   .ctx = opts->ctx,
	                                   .progress = opts->progress,
	                                   .progress_ctx = opts->progress_ctx}};
	dit_teller_init(&job->teller);
}

void dit_job_deinit(struct dit_job *job)
{
	dit_glue_deinit(&job->glue);
	dit_chosen_deinit(&job->chosen);
}

/* ---- which databases ---- */

static struct dit_chosen_opts chosen_opts(const struct dit_job *job)
{
	const struct dit_job_opts *opts = &job->opts;

	return (struct dit_chosen_opts){.conf = opts->conf,
	                                .conf_dir = opts->conf_dir,
	                                .suffix = opts->suffix,
	                                .database = opts->database,
	                                .tool = opts->tool,
	                                .openldap = opts->openldap,
	                                .is_verbose = opts->is_verbose,
	                                .report = opts->report,
	                                .report_ctx = opts->report_ctx};
}

int dit_job_read(struct dit_job *job)
{
	const struct dit_chosen_opts opts = chosen_opts(job);

	return dit_chosen_read_settings(&job->chosen, &opts);
}

int dit_job_choose(struct dit_job *job)
{
	const struct dit_chosen_opts opts = chosen_opts(job);
	int r = dit_chosen_choose(&job->chosen, &opts);

	if (r == 0) {
		job->nthreads = dit_thread_count(job->opts.threads, job->chosen.settings);
	}
	return r;
}

int dit_job_glue(struct dit_job *job)
{
	const struct dit_job_opts *opts = &job->opts;
	const struct dit_database *orphan = NULL;
	const struct dit_glue_opts glue = {.settings = job->chosen.settings,
	                                   .chosen = job->chosen.db,
	                                   .has_number = opts->database >= 0,
	                                   .has_suffix = opts->suffix != NULL,
	                                   .no_glue = opts->no_glue};
	int r = dit_glue_make(&job->glue, &glue, &orphan);

	if (r == DIT_E_CONFIG) {
		dit_job_report(job, DIT_REPORT_DIAGNOSTIC,
		               "glue: no superior found for sub %.*s!",
		               DIT_SPAN_ARGS(orphan->suffix));
		dit_job_report(job, DIT_REPORT_ERROR, "subordinate configuration error");
		return r;
	}
	return r < 0 ? dit_job_fail(job, r, "could not start") : 0;
}

int dit_job_before_open(const struct dit_job *job,
                        const struct dit_database *const *databases, size_t n)
{
	const char **directories = NULL;
	size_t ndirectories = 0;
	int r = 0;

	if (job->opts.before_open == NULL) {
		return 0;
	}
	directories = calloc(n + 1, sizeof(*directories));
	if (directories == NULL) {
		return dit_job_fail(job, -ENOMEM, "could not start");
	}
	for (size_t i = 0; i < n; i++) {
		if (strcmp(databases[i]->type, "mdb") == 0) {
			directories[ndirectories++] = databases[i]->data.directory;
		}
	}
	r = job->opts.before_open(job->opts.before_open_ctx, directories, ndirectories);
	free(directories);
	return r;
}

/* ---- reports ---- */

void dit_job_report(const struct dit_job *job, enum dit_report_kind kind,
                    const char *format, ...)
{
	va_list args;

	va_start(args, format);
	dit_tell(job->opts.report, job->opts.report_ctx, kind, format, args);
	va_end(args);
}

int dit_job_fail(const struct dit_job *job, int r, const char *what)
{
	/* Whatever else went wrong, such as work that was cut short, is not the cause. */
	if (dit_stop_is_set(&job->stop)) {
		dit_job_report(job, DIT_REPORT_ERROR, "%s", job->interrupted);
		return DIT_E_STOPPED;
	}
	dit_job_report(job, DIT_REPORT_ERROR, "%s: %s%s", what, dit_strerror(r),
	               dit_hint(r));
	return r;
}

bool dit_job_tell_publish(const struct dit_job *job, const struct dit_published *item,
                          enum dit_publish_step step, int error,
                          const struct dit_publish_words *words)
{
	switch (step) {
	case DIT_PUBLISH_PREPARE:
	case DIT_PUBLISH_COMMIT:
	case DIT_PUBLISH_PLACE:
		return false;
	case DIT_PUBLISH_FIND:
	case DIT_PUBLISH_FIND_AGAIN:
		dit_job_report(job, DIT_REPORT_ERROR, "%s: %s", item->directory,
		               item->fault.text);
		break;
	case DIT_PUBLISH_TAKE_BACK:
		if (error > 0) {
			dit_job_report(job, DIT_REPORT_WARNING, "%s: %s", item->directory,
			               words->undone);
		} else {
			dit_job_report(job, DIT_REPORT_ERROR, "%s: %s: %s%s",
			               item->directory, words->kept, dit_strerror(error),
			               words->end);
		}
		break;
	case DIT_PUBLISH_END:
		dit_job_report(job, DIT_REPORT_WARNING,
		               "%s: the database is in place, but a crash of the system "
		               "may bring the old one back: %s",
		               item->directory, dit_strerror(error));
		break;
	}
	return true;
}
