/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where temporary files go: empty names count as none.
 */
#include "base/tmp_dir.h"

#include "test.h"

static void first_that_is_not_empty_is_taken(void **state)
{
	(void)state;

	assert_int_equal(setenv("TMPDIR", "/var/tmp", 1), 0);
	assert_string_equal(dit_tmp_dir("/chosen"), "/chosen");
	assert_string_equal(dit_tmp_dir(""), "/var/tmp");
	assert_string_equal(dit_tmp_dir(NULL), "/var/tmp");
	assert_int_equal(setenv("TMPDIR", "", 1), 0);
	assert_string_equal(dit_tmp_dir("/chosen"), "/chosen");
	assert_string_equal(dit_tmp_dir(""), "/tmp");
	assert_string_equal(dit_tmp_dir(NULL), "/tmp");
	assert_int_equal(unsetenv("TMPDIR"), 0);
	assert_string_equal(dit_tmp_dir(NULL), "/tmp");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_that_is_not_empty_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
