/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/release_rules.h"

#include <errno.h>
#include <stdlib.h>

#include "config/settings.h"

struct release {
	enum dit_openldap_version version;
	unsigned patch;
};

static bool is_since(struct release release, enum dit_openldap_version version,
                     unsigned patch)
{
	return release.version > version ||
	       (release.version == version && release.patch >= patch);
}

struct dit_release_rules dit_release_rules(enum dit_openldap_version version,
                                           unsigned patch)
{
	struct release release = {version, patch};
	bool is_2_7 = is_since(release, DIT_OPENLDAP_2_7, 0);

	return (struct dit_release_rules){
		.entries = {.names_first = is_2_7,
	                    .gathers_lines = is_since(release, DIT_OPENLDAP_2_6, 11),
	                    .drops_dynamic = is_since(release, DIT_OPENLDAP_2_6, 14),
	                    .warns_of_csn = is_2_7,
	                    .spares_root = is_2_7,
	                    .ldif = {.trims_names =
	                                     is_since(release, DIT_OPENLDAP_2_6, 12),
	                             .keeps_controls =
	                                     is_since(release, DIT_OPENLDAP_2_6, 11)}},
		/* slapadd 2.6 makes it, too, and slapd 2.6 where it is missing. */
		.has_ixck = is_2_7,
		.has_lmdb_10 = is_2_7,
	};
}

struct dit_entry_context dit_database_context(const struct dit_release_rules *rules,
                                              const struct dit_settings *settings,
                                              const struct dit_database *db)
{
	struct dit_entry_context context = rules->entries;

	context.schema = settings->schema;
	context.lastmod = db->lastmod;
	context.allow_dynamic = dit_settings_overlay(db->overlays, "dds") != NULL;
	context.warns_of_missing = db->is_single_shadow;
	context.rootdn = db->rootdn;
	context.rootdn_norm = db->rootdn_norm;
	return context;
}

/* ---- indexes ---- */

size_t dit_index_limit(enum dit_openldap_version version, unsigned patch)
{
	struct release release = {version, patch};
	bool is_2_6 = is_since(release, DIT_OPENLDAP_2_6, 0);
	bool has_more = is_since(release, DIT_OPENLDAP_2_6, 4) ||
	                (!is_2_6 && is_since(release, DIT_OPENLDAP_2_5, 14));
	size_t nfixed = is_2_6 ? 5 : 4; /* ad2i dn2i id2e id2v, ixck since 2.6 */

	return (has_more ? 256 : 128) - nfixed;
}

/* ---- sortvals and multival: from the settings to tables by ordinal ---- */

int dit_sorted_types_make(const struct dit_settings *settings, uint64_t **ret)
{
	size_t nwords = dit_schema_ntypes(settings->schema) / 64 + 1;

	*ret = NULL;
	if (settings->nsortvals == 0) {
		return 0;
	}
	*ret = calloc(nwords, sizeof(**ret));
	if (*ret == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < settings->nsortvals; i++) {
		uint32_t ordinal = settings->sortvals[i]->ordinal;

		(*ret)[ordinal / 64] |= (uint64_t)1 << (ordinal % 64);
	}
	return 0;
}

int dit_split_rules_make(const struct dit_database *db, struct dit_split_rules **ret)
{
	struct {
		struct dit_split_rules rules;
		uint32_t limits[];
	} *made = NULL;
	uint32_t n = 0;

	*ret = NULL;
	if (db->multival.nspecs == 0 && db->multival.hi == DIT_MULTIVAL_NONE) {
		return 0;
	}
	for (size_t i = 0; i < db->multival.nspecs; i++) {
		uint32_t ordinal = db->multival.specs[i].ad->ordinal;

		n = ordinal >= n ? ordinal + 1 : n;
	}
	made = calloc(1, sizeof(*made) + 2 * (size_t)n * sizeof(made->limits[0]));
	if (made == NULL) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		made->limits[i] = db->multival.hi;
		made->limits[n + i] = db->multival.lo;
	}
	for (size_t i = 0; i < db->multival.nspecs; i++) {
		const struct dit_multival_spec *spec = &db->multival.specs[i];

		if (spec->hi != DIT_MULTIVAL_NONE) {
			made->limits[spec->ad->ordinal] = spec->hi;
			made->limits[n + spec->ad->ordinal] = spec->lo;
		}
	}
	made->rules = (struct dit_split_rules){.limits = made->limits,
	                                       .nlimits = n,
	                                       .limit = db->multival.hi,
	                                       .least = made->limits + n,
	                                       .least_of_others = db->multival.lo,
	                                       .record_max = DIT_SPLIT_RECORD_MAX};
	*ret = &made->rules;
	return 0;
}
