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

static bool is_below(const struct dit_settings *settings, const struct dit_database *d,
                     const struct dit_database *superior)
{
	return d->is_subordinate && dit_settings_superior(settings, d) == superior;
}

static bool has_subordinate(const struct dit_settings *settings,
                            const struct dit_database *superior)
{
	for (size_t i = 0; i < settings->ndatabases; i++) {
		if (is_below(settings, &settings->databases[i], superior)) {
			return true;
		}
	}
	return false;
}

/* Are subordinate databases overlooked when the one for an entry is selected? */
static bool is_glued(const struct dit_settings *settings,
                     const struct dit_database *chosen, const struct dit_job_opts *opts)
{
	if (opts->database >= 0) {
		return false;
	}
	return opts->suffix == NULL ||
	       (!opts->no_glue && has_subordinate(settings, chosen));
}

int dit_glue_make(struct dit_glue *glue, const struct dit_settings *settings,
                  const struct dit_database *chosen, const struct dit_job_opts *opts,
                  const struct dit_database **ret_orphan)
{
	*ret_orphan = opts->no_glue ? NULL : find_orphan(settings);
	if (*ret_orphan != NULL) {
		return DIT_E_CONFIG;
	}
	glue->settings = settings;
	glue->is_glued = is_glued(settings, chosen, opts);
	glue->databases = calloc(settings->ndatabases, sizeof(*glue->databases));
	if (glue->databases == NULL) {
		return -ENOMEM;
	}
	glue->databases[glue->ndatabases++] = chosen;
	if (opts->no_glue || chosen->is_subordinate) {
		return 0;
	}
	for (size_t i = 0; i < settings->ndatabases; i++) {
		const struct dit_database *d = &settings->databases[i];

		if (is_below(settings, d, chosen)) {
			glue->databases[glue->ndatabases++] = d;
		}
	}
	return 0;
}

void dit_glue_deinit(struct dit_glue *glue)
{
	free(glue->databases);
	*glue = (struct dit_glue){0};
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
	char hint[64] = "";

	if (other != NULL && other != db) {
		(void)snprintf(hint, sizeof(hint), "; did you mean to use database #%d (",
		               other->number);
	}
	(void)dit_why_set(
		notes, dit_why_dn(dn->norm.len == 0 ? DIT_WHY_DN_EMPTY : DIT_WHY_DN_SCOPE,
	                          dn->pretty, db->suffix));
	if (dn->norm.len == 0) {
		dit_notes_add(notes, DIT_REPORT_ERROR,
		              "line %lu: cannot add entry with empty dn=\"%.*s\"%s%.*s%s",
		              line, DIT_SPAN_ARGS(dn->pretty), hint,
		              hint[0] == '\0' ? 0 : (int)other->suffix.len,
		              hint[0] == '\0' ? "" : other->suffix.data,
		              hint[0] == '\0' ? "" : ")?");
		return DIT_E_INVALID;
	}
	dit_notes_add(
		notes, DIT_REPORT_ERROR,
		"line %lu: database #%d (%.*s) not configured to hold \"%.*s\"%s%.*s%s",
		line, db->number, DIT_SPAN_ARGS(db->suffix), DIT_SPAN_ARGS(dn->pretty),
		hint[0] == '\0' ? "; no database configured for that naming context"
				: hint,
		hint[0] == '\0' ? 0 : (int)other->suffix.len,
		hint[0] == '\0' ? "" : other->suffix.data, hint[0] == '\0' ? "" : ")?");
	return DIT_E_INVALID;
}
