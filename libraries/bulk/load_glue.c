/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Glued databases (config.md 5): which databases a load writes, and which of them holds
 * an entry.
 *
 *   chosen by        chosen is      entries below a subordinate's suffix go to
 *   -b, default      superior       the subordinate
 *   default, -g      superior       the chosen database
 *   -b, -g           superior       nowhere: refused
 *   -n               superior       nowhere: refused; but the subordinate's files are made
 *   -b, -n           subordinate    nowhere: refused
 *
 * A subordinate of a subordinate is glued to the same superior. Hidden and disabled
 * subordinates get their entries, too.
 */
#include "bulk/load_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "values/dn.h"

/* slapd does not start with one, whichever database is chosen. */
static int check_superiors(struct loader *loader)
{
	const struct dit_settings *settings = loader->settings;

	if (loader->opts->no_glue) {
		return 0;
	}
	/* The last one is the first to be told. */
	for (size_t i = settings->ndatabases; i > 0; i--) {
		const struct dit_database *d = &settings->databases[i - 1];

		if (d->is_subordinate && dit_settings_superior(settings, d) == NULL) {
			load_report(loader, DIT_REPORT_DIAGNOSTIC,
			            "glue: no superior found for sub %.*s!",
			            DIT_SPAN_ARGS(d->suffix));
			load_report(loader, DIT_REPORT_ERROR,
			            "subordinate configuration error");
			return DIT_E_CONFIG;
		}
	}
	return 0;
}

static bool has_subordinate(const struct dit_settings *settings,
                            const struct dit_database *superior)
{
	for (size_t i = 0; i < settings->ndatabases; i++) {
		const struct dit_database *d = &settings->databases[i];

		if (d->is_subordinate && dit_settings_superior(settings, d) == superior) {
			return true;
		}
	}
	return false;
}

/* Are subordinate databases overlooked when the one for an entry is selected? */
static bool is_glued(const struct loader *loader)
{
	if (loader->opts->database >= 0) {
		return false;
	}
	return loader->opts->suffix == NULL ||
	       (!loader->opts->no_glue && has_subordinate(loader->settings, loader->db));
}

static int add_target(struct loader *loader, const struct dit_database *db)
{
	struct dit_load_stats *stats = loader->stats;
	struct load_target *target = &loader->targets[loader->ntargets];

	target->loader = loader;
	target->number = loader->ntargets++;
	target->db = db;
	if (strcmp(db->type, "mdb") != 0) {
		target->is_foreign = true;
		return 0;
	}
	target->stats = &stats->databases[stats->ndatabases++];
	target->stats->directory = strdup(db->directory);
	return target->stats->directory == NULL ? -ENOMEM : 0;
}

int load_make_targets(struct loader *loader)
{
	const struct dit_settings *settings = loader->settings;
	struct dit_load_stats *stats = loader->stats;
	bool has_glue = !loader->opts->no_glue && !loader->db->is_subordinate;
	int r = check_superiors(loader);

	if (r < 0) {
		return r;
	}
	loader->is_glued = is_glued(loader);
	loader->targets = calloc(settings->ndatabases, sizeof(*loader->targets));
	stats->databases = calloc(settings->ndatabases, sizeof(*stats->databases));
	if (loader->targets == NULL || stats->databases == NULL) {
		return load_fail(loader, -ENOMEM, loader->db->directory);
	}
	r = add_target(loader, loader->db);
	for (size_t i = 0; i < settings->ndatabases && r == 0 && has_glue; i++) {
		const struct dit_database *d = &settings->databases[i];

		if (d->is_subordinate &&
		    dit_settings_superior(settings, d) == loader->db) {
			r = add_target(loader, d);
		}
	}
	return r < 0 ? load_fail(loader, r, loader->db->directory) : 0;
}

const struct dit_database *load_select(const struct loader *loader,
                                       const struct dit_dn *dn)
{
	return loader->is_glued ? dit_settings_select_superior(loader->settings, dn->norm)
	                        : dit_settings_select(loader->settings, dn->norm);
}

int load_find_target(const struct loader *loader, const struct dit_dn *dn)
{
	if (dn->norm.len == 0 && loader->db->suffix_norm.len > 0) {
		return -1;
	}
	if (load_select(loader, dn) != loader->db) {
		return -1;
	}
	/* In order of definition: nested subordinates come before those around them. */
	for (unsigned i = 1; i < loader->ntargets && loader->is_glued; i++) {
		if (dit_dn_is_below(dn->norm, loader->targets[i].db->suffix_norm)) {
			return (int)i;
		}
	}
	return 0;
}
