/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which index databases are built.
 *
 * An attribute that is named stands for the index database of its type, with all
 * definitions that share it: to build a database from some of its definitions would take
 * away the keys of the others.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reindex/reindexer.h"

#define UNDEFINED_TYPE 17 /* LDAP's result code */

int dit_reindex_find_attrs(struct reindexer *reindexer)
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

static bool is_asked_for(const struct reindexer *reindexer,
                         const struct dit_attr_type *type)
{
	for (size_t i = 0; i < reindexer->nattrs; i++) {
		if (reindexer->attrs[i]->type == type) {
			return true;
		}
	}
	return reindexer->nattrs == 0;
}

static int check_attrs(const struct reindex_target *target)
{
	const struct reindexer *reindexer = target->reindexer;
	const struct dit_database *db = target->db;

	for (size_t i = 0; i < reindexer->nattrs; i++) {
		const char *name = reindexer->attrs[i]->name.data;
		size_t k = 0;

		while (k < db->nindexes && db->indexes[k].ad != reindexer->attrs[i]) {
			k++;
		}
		if (k == db->nindexes) {
			dit_job_report(
				&reindexer->job, DIT_REPORT_DIAGNOSTIC,
				"mdb_tool_entry_reindex: no index configured for %s",
				name);
			dit_job_report(&reindexer->job, DIT_REPORT_ERROR,
			               "no index of %s is configured: add \"index %s "
			               "eq\" to slapd.conf, or \"olcDbIndex: %s eq\" to "
			               "the entry of the database",
			               name, name, name);
			return DIT_E_CONFIG;
		}
	}
	return 0;
}

int dit_reindex_make_set(struct reindex_target *target)
{
	const struct reindexer *reindexer = target->reindexer;
	const struct dit_settings *settings = reindexer->job.chosen.settings;
	const struct dit_database *db = target->db;
	struct dit_index_spec *specs = NULL;
	const struct dit_ad *culprit = NULL;
	size_t nspecs = 0;
	int r = check_attrs(target);

	if (r < 0) {
		return r;
	}
	specs = calloc(db->nindexes + 1, sizeof(*specs));
	if (specs == NULL) {
		return dit_job_fail(&reindexer->job, -ENOMEM, "could not start");
	}
	for (size_t i = 0; i < db->nindexes; i++) {
		if (is_asked_for(reindexer, db->indexes[i].ad->type)) {
			specs[nspecs++] = db->indexes[i];
		}
	}
	r = dit_index_set_new(&target->indexes, settings->schema, specs, nspecs,
	                      &settings->index, !reindexer->opts->byte_keys, &culprit);
	free(specs);
	if (r == DIT_E_UNSUPPORTED && culprit != NULL) {
		dit_job_report(&reindexer->job, DIT_REPORT_ERROR,
		               "index of attribute \"%s\" is not supported by this "
		               "release",
		               culprit->name.data);
		return r;
	}
	return r < 0 ? dit_job_fail(&reindexer->job, r, "could not prepare the indexes")
	             : 0;
}

bool dit_reindex_is_configured(const struct reindex_target *target, const char *name)
{
	for (size_t i = 0; i < target->db->nindexes; i++) {
		if (strcmp(target->db->indexes[i].ad->type->name, name) == 0) {
			return true;
		}
	}
	return false;
}
