/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stored entries are shown in full; what is wrong with one is shown with it.
 *
 * The database has the tree of store_fixture.h and below it, by ID:
 *
 *   4  a hole             7  an attribute number that no description has
 *   5  split values       8  split values that are not there
 *   6  no record at all   9  no node in the tree
 */
#include "base/error.h"
#include "nomem.h"
#include "output/store_fixture.h"
#include "reader/entry_reader.h"

#define SPLIT  (1u << 30)
#define NORMAL (1u << 31)
/* No memory is taken for so many values before they are read. */
#define FORGED_COUNT 0x7fffff00u
#define NSPLITS      5000

struct fixture {
	char *dir;
	struct dit_snapshot *snapshot;
	struct dit_ad_names names;
	struct dit_entry_reader *reader;
};

/* One attribute, whose values are in id2v. */
static void put_split_entry(struct dit_record_output *staging, uint64_t id,
                            uint32_t count)
{
	uint32_t words[6] = {1, 0, 0x100, 2, 4 | SPLIT, count};

	words[1] = ((count & ~NORMAL) + 1) * ((count & NORMAL) != 0 ? 2 : 1);
	fixture_put_entry(staging, id, words, sizeof(words));
}

static void put_more(struct dit_record_output *staging)
{
	const struct fixture_attr unnamed[] = {{77, "x", NULL}};
	char record[200];
	size_t len = fixture_entry(record, unnamed, 1, 0, 0);

	fixture_put_entry(staging, 4, "", 0);
	put_split_entry(staging, 5, 3 | NORMAL);
	fixture_put_entry(staging, 6, "no entry", 8);
	fixture_put_entry(staging, 7, record, len);
	put_split_entry(staging, 8, 1);
	put_split_entry(staging, 9, FORGED_COUNT);
	for (uint64_t id = 4; id <= 8; id++) {
		char rdn[16];

		(void)snprintf(rdn, sizeof(rdn), "cn=%u", (unsigned)id);
		fixture_put_self(id, rdn, 1);
	}
}

static void add_split(struct dit_record_output *staging, uint64_t id,
                      struct dit_span record)
{
	assert_int_equal(fixture_put_split(staging, id, 4, record), 0);
}

static void put_many_splits(struct dit_record_output *staging, uint64_t id)
{
	for (unsigned i = 0; i < NSPLITS; i++) {
		char record[16] = {0};
		int len = snprintf(record, sizeof(record), "v%05u", i);

		add_split(staging, id, (struct dit_span){record, (size_t)len + 3});
	}
}

static int setup(void **state)
{
	struct fixture *f = test_alloc(sizeof(*f));
	struct dit_entry_reader_opts opts = {.reader = 0};
	struct dit_record_output *staging = NULL;
	uint64_t bytes = 0;

	f->dir = test_scratch();
	staging = fixture_open(f->dir);
	fixture_put_tree(staging, FIXTURE_VARIANT);
	put_more(staging);
	fixture_write_tables(staging);
	assert_int_equal(dit_output_begin_changes(staging), 0);
	add_split(staging, 5, DIT_SPAN("b\0B\0\1\0"));
	add_split(staging, 5, DIT_SPAN("a  c\0A c\0\3\0"));
	put_many_splits(staging, 9);
	assert_int_equal(fixture_end(staging, &bytes), 0);

	assert_int_equal(fixture_open_snapshot(&f->snapshot, f->dir), 0);
	assert_int_equal(dit_ad_names_read(&f->names, f->snapshot, 0, NULL), 0);
	opts.snapshot = f->snapshot;
	opts.names = &f->names;
	assert_int_equal(dit_entry_reader_new(&f->reader, &opts), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	dit_entry_reader_free(f->reader);
	dit_ad_names_deinit(&f->names);
	dit_snapshot_close(f->snapshot);
	return 0;
}

static struct dit_entry_view seek(struct fixture *f, uint64_t id)
{
	struct dit_entry_view view;

	assert_int_equal(dit_entry_reader_seek(f->reader, id, &view), 1);
	assert_int_equal(view.id, id);
	return view;
}

FIXTURE_TEST(entries_have_names_and_values)
{
	struct dit_entry_view view = seek(*state, 3);

	assert_int_equal(view.name_error, 0);
	assert_int_equal(view.record_error, 0);
	assert_string_equal(view.reason, "");
	assert_false(view.is_hole);
	assert_int_equal(view.parent, 1);
	assert_span_equal(view.dn, "cn=b,dc=example,dc=com");
	assert_span_equal(view.norm_dn, "cn=b,dc=example,dc=com");
	assert_int_equal(view.oc_flags, 0x100);
	assert_int_equal(view.nattrs, 3);
	assert_span_equal(view.attrs[0].name, "objectClass");
	assert_null(view.attrs[0].normal);
	assert_int_equal(view.attrs[2].number, 5);
	assert_span_equal(view.attrs[2].name, "sn");
	assert_int_equal(view.attrs[2].nvalues, 1);
	assert_span_equal(view.attrs[2].values[0], "Roe");
	assert_span_equal(view.attrs[2].normal[0], "roe");
	assert_false(view.attrs[2].is_split);
}

FIXTURE_TEST(all_are_found_in_the_order_of_ids)
{
	struct fixture *f = *state;
	struct dit_entry_view view;

	assert_int_equal(dit_entry_reader_seek(f->reader, 0, &view), 1);
	for (uint64_t id = 1; id < 9; id++) {
		assert_int_equal(view.id, id);
		assert_int_equal(dit_entry_reader_next(f->reader, &view), 1);
	}
	assert_int_equal(view.id, 9);
	assert_int_equal(dit_entry_reader_next(f->reader, &view), 0);
	assert_int_equal(dit_entry_reader_seek(f->reader, 10, &view), 0);
}

FIXTURE_TEST(a_hole_has_names_alone)
{
	struct dit_entry_view view = seek(*state, 4);

	assert_true(view.is_hole);
	assert_int_equal(view.name_error, 0);
	assert_int_equal(view.record_error, 0);
	assert_span_equal(view.dn, "cn=4,dc=example,dc=com");
	assert_int_equal(view.nattrs, 0);
}

/* The entry counts three, of which two were equal. */
FIXTURE_TEST(values_stored_apart_are_joined)
{
	struct dit_entry_view view = seek(*state, 5);

	assert_int_equal(view.record_error, 0);
	assert_int_equal(view.nattrs, 1);
	assert_true(view.attrs[0].is_split);
	assert_int_equal(view.attrs[0].nvalues, 2);
	assert_span_equal(view.attrs[0].values[0], "B");
	assert_span_equal(view.attrs[0].normal[0], "b");
	assert_span_equal(view.attrs[0].values[1], "A c");
	assert_span_equal(view.attrs[0].normal[1], "a  c");
}

FIXTURE_TEST(values_without_normal_form_are_joined)
{
	struct dit_entry_view view = seek(*state, 9);

	assert_int_equal(view.record_error, 0);
	assert_int_equal(view.attrs[0].nvalues, NSPLITS);
	for (unsigned i = 0; i < NSPLITS; i++) {
		char expected[16];

		(void)snprintf(expected, sizeof(expected), "v%05u", i);
		assert_span_equal(view.attrs[0].values[i], expected);
	}
	assert_null(view.attrs[0].normal);
	/* And there is no node of that ID. */
	assert_int_equal(view.name_error, DIT_E_UNKNOWN);
	assert_int_equal(view.dn.len, 0);
}

FIXTURE_TEST(what_is_wrong_with_a_record_is_said)
{
	struct dit_entry_view view = seek(*state, 6);

	assert_int_equal(view.record_error, DIT_E_CORRUPT);
	assert_string_equal(view.reason, "the record contradicts its format");
	assert_span_equal(view.dn, "cn=6,dc=example,dc=com");
	assert_span_equal(view.record, "no entry");

	view = seek(*state, 7);
	assert_int_equal(view.record_error, DIT_E_UNKNOWN);
	assert_string_equal(view.reason, "no attribute description has the number 77");

	/* slapd has lost the values, and shows the rest of the entry. */
	view = seek(*state, 8);
	assert_int_equal(view.record_error, 0);
	assert_string_equal(view.reason, "");
	assert_true(view.nattrs > 0);
	assert_true(view.attrs[view.nattrs - 1].is_split);
	assert_int_equal(view.attrs[view.nattrs - 1].nvalues, 0);
}

FIXTURE_TEST(a_record_at_hand_is_shown)
{
	struct fixture *f = *state;
	struct dit_entry_view view = seek(f, 2);
	struct dit_entry_view shown;

	assert_int_equal(dit_entry_reader_show(f->reader, 3, view.record, &shown), 0);
	assert_span_equal(shown.dn, "cn=b,dc=example,dc=com");
	assert_span_equal(shown.attrs[1].values[0], "a");
	assert_int_equal(dit_entry_reader_next(f->reader, &view), 1);
	assert_int_equal(view.id, 3);
}

FIXTURE_TEST(names_can_be_left_out)
{
	struct fixture *f = *state;
	struct dit_entry_reader_opts opts = {
		.snapshot = f->snapshot, .names = &f->names, .without_dn = true};
	struct dit_entry_view view;

	dit_entry_reader_free(f->reader);
	assert_int_equal(dit_entry_reader_new(&f->reader, &opts), 0);
	view = seek(f, 9);
	assert_int_equal(view.name_error, 0);
	assert_int_equal(view.dn.len, 0);
	assert_int_equal(view.nattrs, 1);
}

/* Entry 8 misses values of attribute 4, entry 7 has a number of no attribute. */
FIXTURE_TEST(entries_are_shown_without_unwanted_attributes)
{
	bool is_unwanted[16] = {false, true, false, false, true, false};
	struct fixture *f = *state;
	struct dit_entry_view view;

	assert_in_range(f->names.n, 6, 16);
	f->names.is_unwanted = is_unwanted;
	view = seek(f, 3);
	assert_int_equal(view.nattrs, 1);
	assert_span_equal(view.attrs[0].name, "sn");
	assert_span_equal(view.attrs[0].values[0], "Roe");
	view = seek(f, 8);
	assert_int_equal(view.record_error, 0);
	assert_int_equal(view.nattrs, 0);
	view = seek(f, 7);
	assert_int_equal(view.record_error, DIT_E_UNKNOWN);
	f->names.is_unwanted = NULL;
}

static int read_all(struct fixture *f)
{
	struct dit_entry_reader_opts opts = {.snapshot = f->snapshot, .names = &f->names};
	struct dit_entry_reader *reader = NULL;
	struct dit_entry_view view;
	int r = dit_entry_reader_new(&reader, &opts);

	r = r ?: dit_entry_reader_seek(reader, 0, &view);
	while (r > 0) {
		r = dit_entry_reader_next(reader, &view);
	}
	dit_entry_reader_free(reader);
	return r;
}

FIXTURE_TEST(lack_of_memory_is_told)
{
	assert_true(calls_until_memory(read_all(*state)) > 8);
}

MAIN_OF_BOTH_LMDB
