/* SPDX-License-Identifier: BSD-2-Clause */
/* dit_strerror() knows all three ranges and survives the rest. */
#include <limits.h>

#include <lmdb.h>

#include "base/error.h"
#include "test.h"

TEST(each_of_our_codes_has_a_text_of_its_own)
{
	for (int a = DIT_E_SYNTAX; a <= DIT_E_FORMAT; a++) {
		assert_string_not_equal(dit_strerror(a), "Unknown error");
		for (int b = DIT_E_SYNTAX; b < a; b++) {
			assert_string_not_equal(dit_strerror(a), dit_strerror(b));
		}
	}
	assert_string_equal(dit_strerror(DIT_E_FORMAT + 1), "Unknown error");
	assert_string_equal(dit_strerror(DIT_E_SYNTAX - 1), "Unknown error");
}

TEST(lmdb_codes_have_lmdbs_text)
{
	for (int code = MDB_KEYEXIST; code <= MDB_LAST_ERRCODE; code++) {
		assert_string_equal(dit_strerror(code), mdb_strerror(code));
	}
}

TEST(system_errors_are_known_with_both_signs)
{
	assert_string_equal(dit_strerror(-ENOSPC), "No space left on device");
	assert_string_equal(dit_strerror(ENOSPC), "No space left on device");
	assert_string_equal(dit_strerror(0), "Success");
}

TEST(unknown_numbers_do_no_harm)
{
	static const int numbers[] = {
		INT_MIN,
		-1000000,
		-4096,
		-4095,
		4095,
		4096,
		INT_MAX,
		MDB_KEYEXIST - 1,
		MDB_LAST_ERRCODE + 1,
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		assert_string_equal(dit_strerror(numbers[i]), "Unknown error");
	}
}
