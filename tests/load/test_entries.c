/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of entries:
 * - a record gets its attribute numbers; in order, it goes to the output at once;
 * - what comes late waits, and so do values of id2v, if the output wants order: they are
 *   written by ID, attribute and place;
 * - any other output takes everything as it comes;
 * - the entry with the empty DN is known, stored or new;
 * - the writing of what waits can be stopped;
 * - errors of the output, and missing memory, are passed on.
 */
#include "test.h"

#include <errno.h>

#include "base/error.h"
#include "build/fake_output.h"
#include "entry/entry_fixture.h"
#include "load/entries.h"
#include "nomem.h"
#include "sort/sort.h"

struct fixture {
	struct fake_output fake;
	struct dit_ad_numbers numbers;
	struct dit_entries *entries;
	struct dit_stop stop;
};

static struct dit_ad ads[3] = {{.name = {"a", 1}, .ordinal = 4},
                               {.name = {"b", 1}, .ordinal = 2},
                               {.name = {"c", 1}, .ordinal = 9}};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (f == NULL) {
		return -1;
	}
	fake_init(&f->fake);
	*state = f;
	return 0;
}

static void forget(struct fixture *f)
{
	dit_entries_free(f->entries);
	f->entries = NULL;
	dit_ad_numbers_deinit(&f->numbers);
}

static int teardown(void **state)
{
	forget(*state);
	free(*state);
	return 0;
}

static int new_entries(struct fixture *f)
{
	struct dit_entries_opts opts = {.output = &f->fake.output,
	                                .numbers = &f->numbers,
	                                .memory_bytes = DIT_SORT_SHARE_MIN,
	                                .tmpdir = test_tmp_dir(),
	                                .stop = &f->stop};

	return dit_entries_new(&f->entries, &opts);
}

/* A record of two words that name attributes a and b, with values of b and a apart. */
static int put(struct fixture *f, uint32_t id, bool has_splits)
{
	static struct dit_span texts[] = {{"x", 1}, {"y", 1}};
	_Alignas(4) char bytes[16] = "";
	const uint32_t words[] = {0, 1u << 31, 77, 0};
	const struct dit_ad *used[] = {&ads[0], &ads[1]};
	uint32_t at[] = {0, 1};
	/* b comes first here, but has the higher number. */
	struct dit_split list[] = {{.ad = &ads[1], .records = texts, .nrecords = 2},
	                           {.ad = &ads[0], .records = texts + 1, .nrecords = 1}};
	struct dit_encoded encoded = {.bytes = bytes,
	                              .nbytes = sizeof(bytes),
	                              .len = sizeof(bytes),
	                              .nopen = 2,
	                              .ads = used,
	                              .ad_words = at,
	                              .splits = {list, has_splits ? 2 : 0, false}};

	memcpy(bytes, words, sizeof(bytes));
	return dit_entries_put(f->entries, id, &encoded);
}

static void assert_record(const struct fixture *f, uint32_t id)
{
	static const uint32_t want[] = {1, 1u << 31 | 2, 77, 0};

	assert_int_equal(f->fake.entries[id].len, sizeof(want));
	assert_memory_equal(f->fake.entries[id].bytes, want, sizeof(want));
}

static void what_comes_in_order_is_put_at_once(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(new_entries(f), 0);
	assert_false(dit_entries_has_root(f->entries));
	assert_int_equal(put(f, 1, false), 0);
	assert_int_equal(dit_entries_put_hole(f->entries, 2), 0);
	assert_int_equal(put(f, 3, false), 0);
	fake_assert(&f->fake, "entry 1\nhole 2\nentry 3\n");
	assert_record(f, 1);
	assert_record(f, 3);
	assert_int_equal(dit_entries_write_late(f->entries), 0);
	fake_assert(&f->fake, "");
	assert_int_equal(dit_entries_run_bytes(f->entries), 0);
}

static void what_comes_late_waits(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(new_entries(f), 0);
	assert_int_equal(dit_entries_put_hole(f->entries, 1), 0);
	assert_int_equal(dit_entries_put_hole(f->entries, 2), 0);
	assert_int_equal(put(f, 3, true), 0);
	assert_int_equal(put(f, 2, false), 0);
	assert_int_equal(put(f, 1, true), 0);
	assert_int_equal(put(f, 0, false), 0);
	assert_true(dit_entries_has_root(f->entries));
	fake_assert(&f->fake, "hole 1\nhole 2\nentry 3\n");
	assert_int_equal(dit_entries_write_late(f->entries), 0);
	fake_assert(&f->fake, "replace 0\nreplace 1\nreplace 2\n"
	                      "split 1 1 0 y\nsplit 1 2 0 x\nsplit 1 2 1 y\n"
	                      "split 3 1 0 y\nsplit 3 2 0 x\nsplit 3 2 1 y\n");
	assert_record(f, 0);
	assert_record(f, 1);
	assert_record(f, 2);
}

static void an_entry_for_a_stored_hole_is_late(void **state)
{
	struct fixture *f = *state;

	f->fake.output.stored.last_id = 6;
	f->fake.output.stored.has_root_entry = true;
	assert_int_equal(new_entries(f), 0);
	assert_true(dit_entries_has_root(f->entries));
	assert_int_equal(put(f, 2, true), 0);
	assert_int_equal(put(f, 7, true), 0);
	fake_assert(&f->fake, "entry 7\n");
	assert_int_equal(dit_entries_write_late(f->entries), 0);
	fake_assert(&f->fake, "replace 2\n"
	                      "split 2 1 0 y\nsplit 2 2 0 x\nsplit 2 2 1 y\n"
	                      "split 7 1 0 y\nsplit 7 2 0 x\nsplit 7 2 1 y\n");
	assert_record(f, 2);
	assert_record(f, 7);
}

static void the_root_may_come_first(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(new_entries(f), 0);
	assert_int_equal(put(f, 0, false), 0);
	assert_int_equal(put(f, 1, false), 0);
	assert_true(dit_entries_has_root(f->entries));
	fake_assert(&f->fake, "entry 0\nentry 1\n");
}

static void writing_can_be_stopped(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(new_entries(f), 0);
	assert_int_equal(put(f, 3, false), 0);
	assert_int_equal(put(f, 2, false), 0);
	assert_int_equal(put(f, 1, false), 0);
	dit_stop_end(&f->stop);
	assert_int_equal(dit_entries_write_late(f->entries), DIT_E_STOPPED);
	fake_assert(&f->fake, "entry 3\nreplace 1\n");
}

/* All that a load does with entries, up to the first error. */
static int use(struct fixture *f)
{
	int r = new_entries(f);

	if (r == 0) {
		r = dit_entries_put_hole(f->entries, 1);
	}
	if (r == 0) {
		r = put(f, 2, true);
	}
	if (r == 0) {
		r = put(f, 1, false);
	}
	return r < 0 ? r : dit_entries_write_late(f->entries);
}

static void errors_are_passed_on(void **state)
{
	struct fixture *f = *state;

	int r = -EIO;

	for (int n = 1; r < 0; n++) {
		fake_init(&f->fake);
		f->fake.fail_at = n;
		r = use(f);
		forget(f);
		assert_true(r == 0 ? n == 7 : r == -EIO);
	}
	r = -ENOMEM;
	for (long n = 0; r < 0; n++) {
		fake_init(&f->fake);
		countdown = n;
		r = use(f);
		countdown = -1;
		forget(f);
		assert_true(r == 0 ? n > 2 : r == -ENOMEM);
	}
	dit_entries_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_comes_in_order_is_put_at_once, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(what_comes_late_waits, setup, teardown),
		cmocka_unit_test_setup_teardown(an_entry_for_a_stored_hole_is_late, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(the_root_may_come_first, setup, teardown),
		cmocka_unit_test_setup_teardown(writing_can_be_stopped, setup, teardown),
		cmocka_unit_test_setup_teardown(errors_are_passed_on, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
