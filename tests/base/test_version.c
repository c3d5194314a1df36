/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/version.h"

#include "test.h"

/* One struct of options in two releases. */
struct first_opts {
	size_t size;
	int database;
	int threads;
};

struct second_opts {
	struct first_opts first;
	const char *mode; /* zero is what the first release does */
};

TEST(the_macros_are_the_text)
{
	char *text = test_text("ditkit %d.%d.%d", DIT_VERSION_MAJOR, DIT_VERSION_MINOR,
	                       DIT_VERSION_PATCH);

	assert_string_equal(dit_version(), text);
	assert_int_equal(DIT_VERSION_NUMBER / 10000, DIT_VERSION_MAJOR);
	assert_int_equal(DIT_VERSION_NUMBER / 100 % 100, DIT_VERSION_MINOR);
	assert_int_equal(DIT_VERSION_NUMBER % 100, DIT_VERSION_PATCH);
}

TEST(options_of_an_older_release_get_zeros)
{
	const struct first_opts old = {sizeof(old), -1, 3};
	struct second_opts own;

	memset(&own, 0xff, sizeof(own));
	assert_int_equal(dit_opts_take(&own, sizeof(own), &old), 0);
	assert_int_equal(own.first.size, sizeof(own));
	assert_int_equal(own.first.database, -1);
	assert_int_equal(own.first.threads, 3);
	assert_null(own.mode);
}

TEST(options_of_a_later_release_must_not_be_set)
{
	struct second_opts later = {{sizeof(later), -1, 3}, NULL};
	struct first_opts own;

	assert_int_equal(dit_opts_take(&own, sizeof(own), &later), 0);
	assert_int_equal(own.size, sizeof(own));
	assert_int_equal(own.threads, 3);
	later.mode = "fast";
	assert_int_equal(dit_opts_take(&own, sizeof(own), &later), DIT_E_UNSUPPORTED);
}

TEST(options_without_their_size_are_refused)
{
	const struct first_opts zero = {0};
	struct first_opts own;

	assert_int_equal(dit_opts_take(&own, sizeof(own), &zero), -EINVAL);
}
