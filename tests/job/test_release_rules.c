/* SPDX-License-Identifier: BSD-2-Clause */
/* Since when slapadd does what with entries. */
#include "test.h"

#include "job/release_rules.h"

/* A letter for each rule that holds, in this order. */
static void write_rules(const struct dit_release_rules *rules, char ret[10])
{
	const bool holds[] = {rules->entries.names_first,
	                      rules->entries.gathers_lines,
	                      rules->entries.drops_dynamic,
	                      rules->entries.warns_of_csn,
	                      rules->entries.spares_root,
	                      rules->entries.ldif.trims_names,
	                      rules->entries.ldif.keeps_controls,
	                      rules->has_ixck,
	                      rules->has_lmdb_10};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(holds); i++) {
		if (holds[i]) {
			ret[n++] = "ngdwstkil"[i];
		}
	}
	ret[n] = '\0';
}

TEST(each_rule_has_its_first_release)
{
	static const struct {
		enum dit_openldap_version version;
		unsigned patch;
		const char *want;
	} cases[] = {
		{DIT_OPENLDAP_2_5, 0, ""},          {DIT_OPENLDAP_2_5, 20, ""},
		{DIT_OPENLDAP_2_6, 0, ""},          {DIT_OPENLDAP_2_6, 10, ""},
		{DIT_OPENLDAP_2_6, 11, "gk"},       {DIT_OPENLDAP_2_6, 12, "gtk"},
		{DIT_OPENLDAP_2_6, 13, "gtk"},      {DIT_OPENLDAP_2_6, 14, "gdtk"},
		{DIT_OPENLDAP_2_7, 0, "ngdwstkil"}, {DIT_OPENLDAP_2_7, 1, "ngdwstkil"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_release_rules rules =
			dit_release_rules(cases[i].version, cases[i].patch);
		char got[10];

		write_rules(&rules, got);
		assert_string_equal(got, cases[i].want);
	}
}

TEST(each_release_has_its_limit)
{
	static const struct {
		enum dit_openldap_version version;
		unsigned patch;
		size_t want;
	} cases[] = {
		{DIT_OPENLDAP_2_5, 0, 124},  {DIT_OPENLDAP_2_5, 13, 124},
		{DIT_OPENLDAP_2_5, 14, 252}, {DIT_OPENLDAP_2_5, 20, 252},
		{DIT_OPENLDAP_2_6, 0, 123},  {DIT_OPENLDAP_2_6, 3, 123},
		{DIT_OPENLDAP_2_6, 4, 251},  {DIT_OPENLDAP_2_6, 10, 251},
		{DIT_OPENLDAP_2_7, 0, 251},  {DIT_OPENLDAP_2_7, 3, 251},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(dit_index_limit(cases[i].version, cases[i].patch),
		                 cases[i].want);
	}
}
