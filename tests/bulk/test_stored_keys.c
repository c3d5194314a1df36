/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys of a stored entry (stored_keys.h) are those of a new entry with the same
 * attributes: of normal values where they are stored, and of the others as they are.
 */
#include "bulk/stored_keys.h"

#include <errno.h>

#include "builders_fixture.h"

struct text {
	char bytes[400];
	size_t len;
};

static int add_keys(void *ctx, unsigned db, const uint64_t *ordinals, size_t nkeys)
{
	struct text *text = ctx;

	for (size_t i = 0; i < nkeys; i++) {
		text->len += (size_t)snprintf(text->bytes + text->len,
		                              sizeof(text->bytes) - text->len, "%u:%llx ",
		                              db, (unsigned long long)ordinals[i]);
	}
	return 0;
}

static int add_wide(void *ctx, unsigned db, struct dit_span key)
{
	struct text *text = ctx;

	text->len +=
		(size_t)snprintf(text->bytes + text->len, sizeof(text->bytes) - text->len,
	                         "%u:wide%zu ", db, key.len);
	return 0;
}

static int refuse(void *ctx, unsigned db, const uint64_t *ordinals, size_t nkeys)
{
	(void)ctx, (void)db, (void)ordinals, (void)nkeys;
	return -ENOSPC;
}

/* The keys that a new entry has. */
static struct text keys_of_new(const struct dit_index_set *set, const struct dit_ad *ad,
                               struct dit_span *values, struct dit_span *normal)
{
	struct dit_attr attr = {
		.ad = ad, .values = values, .normal = normal, .nvalues = 2};
	struct dit_entry entry = {.attrs = &attr, .nattrs = 1};
	struct dit_index_work *work = NULL;
	struct text text = {.len = 0};

	assert_int_equal(dit_index_work_new(&work, set), 0);
	assert_int_equal(dit_index_entry(work, &entry, add_keys, add_wide, &text), 0);
	dit_index_work_free(work);
	return text;
}

static void same_as_of_a_new_entry(void **state)
{
	struct fixture *f = *state;
	struct dit_index_set *set = five_databases(f);
	struct dit_span values[] = {DIT_SPAN("A  B"), DIT_SPAN("C")};
	struct dit_span normal[] = {DIT_SPAN("a b"), DIT_SPAN("c")};
	const struct dit_ad *cn = find_ad(f, "cn");
	struct dit_attr_view attrs[] = {
		{.ad = NULL, .nvalues = 2, .values = values},
		{.ad = cn, .nvalues = 2, .values = values, .normal = normal},
	};
	struct dit_entry_view view = {.id = 7, .nattrs = 2, .attrs = attrs};
	struct dit_stored_keys *keys = NULL;
	struct text text = {.len = 0};
	struct text raw = keys_of_new(set, cn, values, NULL);
	struct text want = keys_of_new(set, cn, values, normal);

	assert_int_equal(dit_stored_keys_new(&keys, set), 0);
	assert_int_equal(dit_stored_keys_make(keys, &view, add_keys, add_wide, &text), 0);
	assert_string_equal(text.bytes, want.bytes);
	assert_string_not_equal(want.bytes, raw.bytes);
	text = (struct text){.len = 0};
	attrs[1].normal = NULL;
	assert_int_equal(dit_stored_keys_make(keys, &view, add_keys, add_wide, &text), 0);
	assert_string_equal(text.bytes, raw.bytes);
	assert_int_equal(dit_stored_keys_make(keys, &view, refuse, add_wide, &text),
	                 -ENOSPC);
	/* Neither a hole nor the entry with the empty DN is indexed. */
	text = (struct text){.len = 0};
	view.is_hole = true;
	assert_int_equal(dit_stored_keys_make(keys, &view, add_keys, add_wide, &text), 0);
	view.is_hole = false;
	view.id = 0;
	assert_int_equal(dit_stored_keys_make(keys, &view, add_keys, add_wide, &text), 0);
	assert_string_equal(text.bytes, "");
	dit_stored_keys_free(keys);
	dit_index_set_free(set);
}

static void into_builders(void **state)
{
	struct fixture *f = *state;
	char *dir = test_scratch();
	struct dit_index_set *set = five_databases(f);
	struct dit_builders *builders = new_builders(set, dir, 2);
	struct dit_span time[] = {DIT_SPAN("20260101000000Z")};
	struct dit_span number[] = {DIT_SPAN("1234567890123456789012345")};
	struct dit_attr_view attrs[] = {
		{.ad = find_ad(f, "tGT"), .nvalues = 1, .values = time},
		{.ad = find_ad(f, "tINT"), .nvalues = 1, .values = number},
	};
	struct dit_entry_view view = {.id = 7, .nattrs = 2, .attrs = attrs};
	struct dit_index_cursor *cursor = NULL;
	struct dit_stored_keys *keys = NULL;
	const struct dit_output_list *lists = NULL;

	assert_int_equal(dit_stored_keys_new(&keys, set), 0);
	assert_int_equal(dit_stored_keys_push(keys, &view, builders, 1), 0);
	assert_int_equal(dit_builders_seal(builders), 0);
	for (size_t db = SHORT; db <= WIDE; db++) {
		assert_int_equal(dit_index_cursor_open(&cursor, builders, db, false), 0);
		assert_int_equal(dit_index_cursor_next(cursor, &lists), 1);
		assert_int_equal(lists[0].nids, 1);
		assert_int_equal(lists[0].ids[0], 7);
		assert_int_equal(dit_index_cursor_next(cursor, &lists), 0);
		dit_index_cursor_close(cursor);
	}
	dit_stored_keys_free(keys);
	dit_builders_free(builders);
	dit_index_set_free(set);
	test_scratch_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_of_a_new_entry),
		cmocka_unit_test(into_builders),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
