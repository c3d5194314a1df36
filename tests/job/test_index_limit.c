/* SPDX-License-Identifier: BSD-2-Clause */
/* The indexes that a release of slapd opens at most. */
#include "test.h"

#include "job/index_limit.h"

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
		cmocka_unit_test(each_release_has_its_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
