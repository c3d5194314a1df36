/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where temporary files go: empty names count as none.
 */
#include "system/tmp_files.h"

#include "test.h"

TEST(first_that_is_not_empty_is_taken)
{
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

TEST(missing_rights_name_the_user)
{
	char text[100];

	assert_int_equal(dit_tmp_dir_check("/tmp", text, sizeof(text)), 0);
	assert_int_equal(dit_tmp_dir_check("/nonexistent", text, sizeof(text)), -ENOENT);
	assert_string_equal(text, "/nonexistent");
	if (geteuid() == 0) {
		pid_t pid = test_fork();

		assert_true(pid >= 0);
		if (pid == 0) { /* for good: root may write everywhere */
			bool is_told = setuid(65534) == 0 &&
			               dit_tmp_dir_check("/usr", text, sizeof(text)) ==
			                       -EACCES &&
			               strcmp(text, "/usr, for temporary files of user "
			                            "65534") == 0;

			_exit(is_told ? 0 : 1);
		}
		assert_int_equal(test_wait(pid), 0);
	} else {
		assert_int_equal(dit_tmp_dir_check("/usr", text, sizeof(text)), -EACCES);
		assert_non_null(strstr(text, "/usr, for temporary files of user "));
	}
}
