/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Other values for one attribute of a stored entry: everything else stays, byte by byte.
 */
#include "test.h"

#include "base/error.h"
#include "codec/entry_codec.h"
#include "codec/entry_edit.h"

/* Three attributes: 5 with two values and normal forms, 6 with one, 7 in id2v. */
static struct dit_span sample(char *out)
{
	static const uint32_t words[] = {3,           6 + 2 + 6,
	                                 0x10100,     2 + 4 + 2 + 1 + 2,
	                                 5,           2 | 1u << 31,
	                                 1,           2,
	                                 1,           2,
	                                 6,           1,
	                                 3,           7 | 1u << 30,
	                                 2 | 1u << 31};
	static const char values[] = "A\0BB\0a\0bb\0xyz";
	size_t len = sizeof(words) + sizeof(values);

	memset(out, 0, 128);
	memcpy(out, words, sizeof(words));
	memcpy(out + sizeof(words), values, sizeof(values));
	return (struct dit_span){out, (len + 7) / 8 * 8};
}

static const struct dit_span two[] = {{"first", 5}, {"2nd", 3}};

static void assert_value(const struct dit_span *values, unsigned i, const char *want)
{
	assert_int_equal(values[i].len, strlen(want));
	assert_memory_equal(values[i].data, want, strlen(want));
}

static void an_attribute_is_appended(void **state)
{
	char bytes[128];
	struct dit_arena arena;
	struct dit_span record = {0};
	struct dit_stored_entry entry = {0};

	(void)state;
	dit_arena_init(&arena, 512);
	assert_int_equal(dit_entry_set_values(sample(bytes), 9, two, 2, &arena, &record),
	                 0);
	assert_int_equal(record.len % 8, 0);
	assert_int_equal(dit_entry_decode(record, &arena, &entry), 0);
	assert_int_equal(entry.nattrs, 4);
	assert_int_equal(entry.oc_flags, 0x10100);
	assert_value(entry.attrs[0].values, 1, "BB");
	assert_value(entry.attrs[0].normal, 1, "bb");
	assert_value(entry.attrs[1].values, 0, "xyz");
	assert_true(entry.attrs[2].is_split);
	assert_int_equal(entry.attrs[3].ad_number, 9);
	assert_null(entry.attrs[3].normal);
	assert_value(entry.attrs[3].values, 0, "first");
	assert_value(entry.attrs[3].values, 1, "2nd");
	dit_arena_deinit(&arena);
}

static void an_attribute_is_replaced_where_it_is(void **state)
{
	char bytes[128];
	struct dit_arena arena;
	struct dit_span record = {0};
	struct dit_stored_entry entry = {0};

	(void)state;
	dit_arena_init(&arena, 512);
	assert_int_equal(dit_entry_set_values(sample(bytes), 5, two, 1, &arena, &record),
	                 0);
	assert_int_equal(dit_entry_decode(record, &arena, &entry), 0);
	assert_int_equal(entry.nattrs, 3);
	assert_int_equal(entry.attrs[0].ad_number, 5);
	assert_int_equal(entry.attrs[0].nvalues, 1);
	assert_null(entry.attrs[0].normal);
	assert_value(entry.attrs[0].values, 0, "first");
	assert_value(entry.attrs[1].values, 0, "xyz");
	assert_true(entry.attrs[2].is_split);
	dit_arena_deinit(&arena);
}

static void values_in_id2v_and_damaged_records_are_refused(void **state)
{
	char bytes[128];
	struct dit_arena arena;
	struct dit_span record = sample(bytes);
	struct dit_span ret = {0};

	(void)state;
	dit_arena_init(&arena, 512);
	assert_int_equal(dit_entry_set_values(record, 7, two, 1, &arena, &ret),
	                 DIT_E_UNSUPPORTED);
	for (size_t len = 0; len < record.len; len += 8) {
		struct dit_span cut = {record.data, len};

		assert_int_equal(dit_entry_set_values(cut, 9, two, 1, &arena, &ret),
		                 DIT_E_CORRUPT);
	}
	dit_arena_deinit(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_attribute_is_appended),
		cmocka_unit_test(an_attribute_is_replaced_where_it_is),
		cmocka_unit_test(values_in_id2v_and_damaged_records_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
