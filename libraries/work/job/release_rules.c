/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/release_rules.h"

#include "config/settings.h"

struct since {
	enum dit_openldap_version version;
	unsigned patch;
};

static const struct since names_first = {DIT_OPENLDAP_2_7, 0};
static const struct since gathers_lines = {DIT_OPENLDAP_2_6, 11};
static const struct since drops_dynamic = {DIT_OPENLDAP_2_6, 14};
static const struct since warns_of_csn = {DIT_OPENLDAP_2_7, 0};
static const struct since spares_root = {DIT_OPENLDAP_2_7, 0};
static const struct since keeps_controls = {DIT_OPENLDAP_2_6, 11};
static const struct since trims_names = {DIT_OPENLDAP_2_6, 12};
/* slapadd 2.6 makes it, too, and slapd 2.6 where it is missing. */
static const struct since has_ixck = {DIT_OPENLDAP_2_7, 0};
static const struct since has_lmdb_10 = {DIT_OPENLDAP_2_7, 0};

static bool is_since(enum dit_openldap_version version, unsigned patch,
                     struct since since)
{
	return version > since.version ||
	       (version == since.version && patch >= since.patch);
}

struct dit_release_rules dit_release_rules(enum dit_openldap_version version,
                                           unsigned patch)
{
	return (struct dit_release_rules){
		.entries = {.names_first = is_since(version, patch, names_first),
	                    .gathers_lines = is_since(version, patch, gathers_lines),
	                    .drops_dynamic = is_since(version, patch, drops_dynamic),
	                    .warns_of_csn = is_since(version, patch, warns_of_csn),
	                    .spares_root = is_since(version, patch, spares_root),
	                    .ldif = {.trims_names = is_since(version, patch, trims_names),
	                             .keeps_controls =
	                                     is_since(version, patch, keeps_controls)}},
		.has_ixck = is_since(version, patch, has_ixck),
		.has_lmdb_10 = is_since(version, patch, has_lmdb_10),
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

static const struct {
	enum dit_openldap_version version;
	unsigned patch;  /* since this one */
	unsigned nnamed; /* databases that slapd opens at most */
	unsigned nfixed; /* of them: ad2i dn2i id2e id2v, ixck since 2.6 */
} releases[] = {
	{DIT_OPENLDAP_2_5, 0, 128, 4}, {DIT_OPENLDAP_2_5, 14, 256, 4},
	{DIT_OPENLDAP_2_6, 0, 128, 5}, {DIT_OPENLDAP_2_6, 4, 256, 5},
	{DIT_OPENLDAP_2_7, 0, 256, 5},
};

size_t dit_index_limit(enum dit_openldap_version version, unsigned patch)
{
	size_t i = sizeof(releases) / sizeof(releases[0]) - 1;

	while (i > 0 && (version < releases[i].version ||
	                 (version == releases[i].version && patch < releases[i].patch))) {
		i--;
	}
	return releases[i].nnamed - releases[i].nfixed;
}
