/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which databases are written, and which of them holds an entry.
 */
#include "job/job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "entry/why.h"

/* The last one is the first to be told. The front end has no superior ever. */
static const struct dit_database *find_orphan(const struct dit_settings *settings)
{
	static const struct dit_database frontend = {.type = "frontend"};

	for (size_t i = settings->ndatabases; i > 0; i--) {
		const struct dit_database *d = &settings->databases[i - 1];

		if (d->is_subordinate && dit_settings_superior(settings, d) == NULL) {
			return d;
		}
	}
	return settings->is_frontend_subordinate ? &frontend : NULL;
}

int dit_job_glue(struct dit_job *job)
{
	const struct dit_settings *settings = job->chosen.settings;
	const struct dit_database *orphan =
		job->opts.no_glue ? NULL : find_orphan(settings);
	struct dit_glue *glue = &job->glue;

	if (orphan != NULL) {
		dit_job_report(job, DIT_REPORT_DIAGNOSTIC,
		               "glue: no superior found for sub %.*s!",
		               DIT_SPAN_ARGS(orphan->suffix));
		return dit_job_say(job, DIT_E_CONFIG, "subordinate configuration error");
	}
	glue->settings = settings;
	glue->databases = calloc(settings->ndatabases, sizeof(*glue->databases));
	if (glue->databases == NULL) {
		return dit_job_fail(job, -ENOMEM, "could not start");
	}
	glue->databases[glue->ndatabases++] = job->chosen.db;
	for (size_t i = 0; i < settings->ndatabases && !job->opts.no_glue; i++) {
		const struct dit_database *d = &settings->databases[i];

		if (d->is_subordinate &&
		    dit_settings_superior(settings, d) == job->chosen.db) {
			glue->databases[glue->ndatabases++] = d;
		}
	}
	glue->is_glued = job->opts.database < 0 &&
	                 (job->opts.suffix == NULL || glue->ndatabases > 1);
	return 0;
}

const struct dit_database *dit_glue_select(const struct dit_glue *glue,
                                           const struct dit_dn *dn)
{
	return dit_settings_select(glue->settings, dn->norm, glue->is_glued);
}

int dit_glue_find(const struct dit_glue *glue, const struct dit_dn *dn)
{
	const struct dit_database *chosen = glue->databases[0];

	if (dn->norm.len == 0 && chosen->suffix_norm.len > 0) {
		return -1;
	}
	if (dit_glue_select(glue, dn) != chosen) {
		return -1;
	}
	/* In order of definition: nested subordinates come before those around them. */
	for (size_t i = 1; i < glue->ndatabases; i++) {
		if (dit_dn_is_below(dn->norm, glue->databases[i]->suffix_norm)) {
			return (int)i;
		}
	}
	return 0;
}

int dit_glue_refuse(const struct dit_glue *glue, const struct dit_database *db,
                    const struct dit_dn *dn, uint64_t line, struct dit_notes *notes)
{
	const struct dit_database *other = dit_glue_select(glue, dn);
	bool is_empty = dn->norm.len == 0;
	char *hint = NULL;

	if (other != NULL && other != db &&
	    asprintf(&hint, "; did you mean to use database #%d (%.*s)?", other->number,
	             DIT_SPAN_ARGS(other->suffix)) < 0) {
		return -ENOMEM;
	}
	(void)dit_why_set(notes,
	                  dit_why_dn(is_empty ? DIT_WHY_DN_EMPTY : DIT_WHY_DN_SCOPE,
	                             dn->pretty, db->suffix));
	if (is_empty) {
		dit_notes_add(notes, DIT_REPORT_ERROR,
		              "line %lu: cannot add entry with empty dn=\"%.*s\"%s", line,
		              DIT_SPAN_ARGS(dn->pretty), hint ?: "");
	} else {
		dit_notes_add(
			notes, DIT_REPORT_ERROR,
			"line %lu: database #%d (%.*s) not configured to hold \"%.*s\"%s",
			line, db->number, DIT_SPAN_ARGS(db->suffix),
			DIT_SPAN_ARGS(dn->pretty),
			hint ?: "; no database configured for that naming context");
	}
	free(hint);
	return DIT_E_INVALID;
}
