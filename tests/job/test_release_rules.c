/* SPDX-License-Identifier: BSD-2-Clause */
/* Since when slapadd does what with entries. */
#include "test.h"

#include "job/release_rules.h"

static void each_rule_has_its_first_release(void **state)
{
	static const struct {
		enum dit_openldap_version version;
		unsigned patch;
		struct dit_release_rules want;
	} cases[] = {
		{DIT_OPENLDAP_2_5,
	         0,
	         {false, false, false, false, false, {false, false}, false, false}},
		{DIT_OPENLDAP_2_5,
	         20,
	         {false, false, false, false, false, {false, false}, false, false}},
		{DIT_OPENLDAP_2_6,
	         0,
	         {false, false, false, false, false, {false, false}, false, false}},
		{DIT_OPENLDAP_2_6,
	         10,
	         {false, false, false, false, false, {false, false}, false, false}},
		{DIT_OPENLDAP_2_6,
	         11,
	         {false, true, false, false, false, {false, true}, false, false}},
		{DIT_OPENLDAP_2_6,
	         12,
	         {false, true, false, false, false, {true, true}, false, false}},
		{DIT_OPENLDAP_2_6,
	         13,
	         {false, true, false, false, false, {true, true}, false, false}},
		{DIT_OPENLDAP_2_6,
	         14,
	         {false, true, true, false, false, {true, true}, false, false}},
		{DIT_OPENLDAP_2_7,
	         0,
	         {true, true, true, true, true, {true, true}, true, true}},
		{DIT_OPENLDAP_2_7,
	         1,
	         {true, true, true, true, true, {true, true}, true, true}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_release_rules got =
			dit_release_rules(cases[i].version, cases[i].patch);

		assert_int_equal(got.names_first, cases[i].want.names_first);
		assert_int_equal(got.gathers_lines, cases[i].want.gathers_lines);
		assert_int_equal(got.drops_dynamic, cases[i].want.drops_dynamic);
		assert_int_equal(got.warns_of_csn, cases[i].want.warns_of_csn);
		assert_int_equal(got.spares_root, cases[i].want.spares_root);
		assert_int_equal(got.ldif.trims_names, cases[i].want.ldif.trims_names);
		assert_int_equal(got.ldif.keeps_controls,
		                 cases[i].want.ldif.keeps_controls);
		assert_int_equal(got.has_ixck, cases[i].want.has_ixck);
		assert_int_equal(got.has_lmdb_10, cases[i].want.has_lmdb_10);
	}
}

static void each_release_has_its_limit(void **state)
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

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(dit_index_limit(cases[i].version, cases[i].patch),
		                 cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rule_has_its_first_release),
		cmocka_unit_test(each_release_has_its_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
