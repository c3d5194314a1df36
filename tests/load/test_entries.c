/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of entries:
 * - a record gets its attribute numbers; in order, it goes to the output at once;
 * - what comes late waits, and so do values of id2v, if the output wants order: they are
 *   written by ID, attribute and place;
 * - any other output takes everything as it comes;
 * - records of a batch are filled by members, if their room lasts, and by main if not; it
 *   says when the last batch but one can be written;
 * - the entry with the empty DN is known, stored or new;
 * - the writing of what waits can be stopped;
 * - errors of the output, and missing memory, are passed on.
 */
#include "test.h"

#include "base/error.h"
#include "entry/entry_fixture.h"
#include "indexing/fake_output.h"
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
	struct fixture *f = test_alloc(sizeof(*f));

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
	return 0;
}

static int new_entries(struct fixture *f)
{
	const struct dit_shared shared = {.tmpdir = test_tmp_dir(), .stop = &f->stop};

	return dit_entries_new(&f->entries, &f->fake.output, &f->numbers,
	                       DIT_SORT_SHARE_MIN, &shared);
}

/* A record of two words that name attributes a and b, with values of b and a apart. */
struct record {
	_Alignas(4) char bytes[16];
	const struct dit_ad *used[2];
	uint32_t at[2];
	struct dit_split list[2];
	struct dit_encoded encoded;
	struct dit_entries_place place;
};

static void record_init(struct record *record, bool has_splits)
{
	static struct dit_span texts[] = {{"x", 1}, {"y", 1}};
	const uint32_t words[] = {0, 1u << 31, 77, 0};

	/* b comes first here, but has the higher number. */
	*record = (struct record){
		.used = {&ads[0], &ads[1]},
		.at = {0, 1},
		.list = {{.ad = &ads[1], .records = texts, .nrecords = 2},
	                 {.ad = &ads[0], .records = texts + 1, .nrecords = 1}}};
	record->encoded =
		(struct dit_encoded){.bytes = record->bytes,
	                             .nbytes = sizeof(record->bytes),
	                             .len = sizeof(record->bytes),
	                             .nopen = 2,
	                             .ads = record->used,
	                             .ad_words = record->at,
	                             .splits = {record->list, has_splits ? 2 : 0, false}};
	memcpy(record->bytes, words, sizeof(words));
}

static int put(struct fixture *f, uint32_t id, bool has_splits)
{
	struct record record;

	record_init(&record, has_splits);
	return dit_entries_put(f->entries, id, &record.encoded);
}

static int put_later(struct fixture *f, uint32_t id, struct record *record)
{
	record_init(record, false);
	return dit_entries_put_later(f->entries, id, &record->encoded, &record->place);
}

static void assert_record(const struct fixture *f, uint32_t id)
{
	static const uint32_t want[] = {1, 1u << 31 | 2, 77, 0};

	assert_int_equal(f->fake.entries[id].len, sizeof(want));
	assert_memory_equal(f->fake.entries[id].bytes, want, sizeof(want));
}

FIXTURE_TEST(what_comes_in_order_is_put_at_once)
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

/* Nothing has been copied. */
static void assert_is_open(const struct fixture *f, uint32_t id)
{
	static const char zeros[16];

	assert_memory_equal(f->fake.entries[id].bytes, zeros, sizeof(zeros));
}

FIXTURE_TEST(members_fill_what_lasts)
{
	struct fixture *f = *state;
	struct record records[8];

	f->fake.lasting_max = 16;
	assert_int_equal(new_entries(f), 0);
	for (uint32_t id = 1; id <= 4; id++) {
		assert_int_equal(put_later(f, id, &records[id]), 0);
		assert_is_open(f, id);
	}
	assert_int_equal(dit_entries_end_batch(f->entries), 0);
	assert_is_open(f, 4);

	assert_int_equal(put_later(f, 5, &records[5]), 0);
	for (uint32_t id = 4; id > 0; id--) {
		dit_entries_fill(f->entries, &records[id].place);
	}
	assert_record(f, 4);
	assert_record(f, 3);
	assert_record(f, 2);
	assert_record(f, 1);
	assert_int_equal(dit_entries_end_batch(f->entries), 0);
	assert_is_open(f, 5);

	/* An empty batch. */
	assert_int_equal(dit_entries_end_batch(f->entries), 0);
	assert_int_equal(dit_entries_end_batches(f->entries), 0);
	fake_assert(&f->fake, "entry 1\nentry 2\nentry 3\nentry 4\nrelease 0\n"
	                      "entry 5\nrelease 0\nrelease 1\nrelease 3\n");
}

FIXTURE_TEST(main_fills_what_does_not_last)
{
	struct fixture *f = *state;
	struct record records[8];

	/* The room of the first ones lasts, that of the third does not. */
	f->fake.lasting_max = 16;
	assert_int_equal(new_entries(f), 0);
	assert_int_equal(put_later(f, 3, &records[3]), 0);
	assert_int_equal(put_later(f, 4, &records[4]), 0);
	record_init(&records[5], false);
	records[5].encoded.len = 24;
	records[5].encoded.bytes = calloc(1, 24);
	assert_non_null(records[5].encoded.bytes);
	memcpy(records[5].encoded.bytes, records[5].bytes, 16);
	assert_int_equal(dit_entries_put_later(f->entries, 5, &records[5].encoded,
	                                       &records[5].place),
	                 0);
	assert_null(records[5].place.space);
	assert_non_null(records[4].place.space);
	assert_non_null(records[3].place.space);
	assert_memory_equal(f->fake.entries[5].bytes, records[5].encoded.bytes, 24);
	assert_is_open(f, 4);
	assert_is_open(f, 3);

	/* A late one waits, with its bytes; one that is put at once has them at once. */
	assert_int_equal(put_later(f, 2, &records[2]), 0);
	assert_null(records[2].place.space);
	assert_int_equal(put(f, 6, false), 0);
	assert_record(f, 6);
	dit_entries_fill(f->entries, &records[3].place);
	assert_record(f, 3);
	assert_int_equal(dit_entries_write_late(f->entries), 0);
	assert_record(f, 2);
	free(records[5].encoded.bytes);
}

FIXTURE_TEST(what_comes_late_waits)
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

FIXTURE_TEST(an_entry_for_a_stored_hole_is_late)
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

FIXTURE_TEST(the_root_may_come_first)
{
	struct fixture *f = *state;

	assert_int_equal(new_entries(f), 0);
	assert_int_equal(put(f, 0, false), 0);
	assert_int_equal(put(f, 1, false), 0);
	assert_true(dit_entries_has_root(f->entries));
	fake_assert(&f->fake, "entry 0\nentry 1\n");
}

FIXTURE_TEST(writing_can_be_stopped)
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
static int use(struct fixture *f, int fail_at)
{
	struct record later;
	int r = 0;

	fake_init(&f->fake);
	f->fake.fail_at = fail_at;
	f->fake.lasting_max = 16;
	r = new_entries(f);
	r = r ?: dit_entries_put_hole(f->entries, 1);
	r = r ?: put(f, 2, true);
	r = r ?: put(f, 1, false);
	r = r ?: put_later(f, 3, &later);
	r = r ?: dit_entries_end_batch(f->entries);
	r = r ?: dit_entries_end_batches(f->entries);
	r = r < 0 ? r : dit_entries_write_late(f->entries);
	forget(f);
	return r;
}

FIXTURE_TEST(errors_are_passed_on)
{
	struct fixture *f = *state;

	for (int n = 1; n <= 11; n++) {
		assert_int_equal(use(f, n), n == 11 ? 0 : -EIO);
	}
	assert_true(calls_until_memory(use(f, 0)) > 3);
	dit_entries_free(NULL);
}
