/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values that are stored apart: which ones, in what records, in what order; what slapadd
 * 2.5.13 wrote for the examples, and where it is not followed.
 */
#include "test.h"

#include "base/error.h"
#include "codec/entry_codec.h"
#include "entry/entry_fixture.h"

#define PERSON                                                                           \
 "dn: cn=a,dc=x\nobjectClass: person\nobjectClass: extensibleObject\ncn: a\nsn: a\n"

struct fixture {
	struct entry_fixture entry;
	struct dit_encoded encoded;
	struct dit_stored_entry stored;
	uint32_t limits[4096];
	struct dit_split_rules rules;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (f == NULL || entry_fixture_init(&f->entry) < 0) {
		free(f);
		return -1;
	}
	for (size_t i = 0; i < 4096; i++) {
		f->limits[i] = UINT32_MAX;
	}
	f->rules = (struct dit_split_rules){.limits = f->limits,
	                                    .nlimits = 4096,
	                                    .limit = UINT32_MAX,
	                                    .record_max = DIT_SPLIT_RECORD_MAX};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	entry_fixture_deinit(&f->entry);
	free(f);
	return 0;
}

static void limit(struct fixture *f, const char *name, uint32_t hi)
{
	const struct dit_ad *ad = NULL;

	assert_int_equal(dit_ad_find(f->entry.schema, NULL, dit_span_of(name), &ad, NULL),
	                 0);
	assert_true(ad->ordinal < 4096);
	f->limits[ad->ordinal] = hi;
}

/* Read, encode and decode again. */
static void encode(struct fixture *f, const char *record)
{
	struct dit_span bytes;

	assert_int_equal(fixture_read(&f->entry, record), 0);
	assert_int_equal(dit_split_join(&f->entry.entry, &f->rules, &f->entry.arena), 0);
	assert_int_equal(dit_entry_encode(&f->entry.entry, &f->rules, &f->entry.arena,
	                                  &f->encoded),
	                 0);
	bytes = (struct dit_span){f->encoded.bytes, f->encoded.len};
	assert_int_equal(dit_entry_decode(bytes, &f->entry.arena, &f->stored), 0);
}

static void assert_record(const struct dit_split *split, uint32_t i,
                          struct dit_span expected)
{
	assert_true(i < split->nrecords);
	assert_int_equal(split->records[i].len, expected.len);
	assert_memory_equal(split->records[i].data, expected.data, expected.len);
}

#define RECORD(text) ((struct dit_span){text, sizeof(text) - 1})

FIXTURE_TEST(values_over_the_limit_are_ordered_records)
{
	struct fixture *f = *state;
	const struct dit_split *split = NULL;

	limit(f, "description", 3);
	encode(f, PERSON "description: zeta\ndescription: Alpha\n"
	                 "description: gamma  two\ndescription: beta\n");
	split = f->encoded.splits.list;
	assert_int_equal(f->encoded.splits.n, 1);
	assert_string_equal(split->ad->name.data, "description");
	assert_int_equal(split->nrecords, 4);
	assert_record(split, 0, RECORD("beta\0beta\0\4\0"));
	assert_record(split, 1, RECORD("zeta\0zeta\0\4\0"));
	assert_record(split, 2, RECORD("alpha\0Alpha\0\5\0"));
	assert_record(split, 3, RECORD("gamma two\0gamma  two\0\12\0"));
	assert_true(f->stored.attrs[3].is_split);
	assert_int_equal(f->stored.attrs[3].nvalues, 4);
	assert_null(f->stored.attrs[3].values);
	assert_false(f->stored.attrs[1].is_split);
	assert_false(f->encoded.splits.is_too_long);
}

FIXTURE_TEST(values_without_normal_form_stand_alone)
{
	struct fixture *f = *state;

	limit(f, "objectClass", 1);
	encode(f, PERSON);
	assert_int_equal(f->encoded.splits.n, 1);
	assert_int_equal(f->encoded.splits.list->nrecords, 2);
	assert_record(f->encoded.splits.list, 0, RECORD("person\0\0\0"));
	assert_record(f->encoded.splits.list, 1, RECORD("extensibleObject\0\0\0"));
}

FIXTURE_TEST(as_many_values_as_the_limit_stay)
{
	struct fixture *f = *state;

	limit(f, "description", 2);
	encode(f, PERSON "description: a\ndescription: b\n");
	assert_int_equal(f->encoded.splits.n, 0);
	assert_false(f->stored.attrs[3].is_split);
}

FIXTURE_TEST(limits_are_of_one_description_and_not_of_those_below)
{
	struct fixture *f = *state;

	limit(f, "description", 0);
	limit(f, "name", 0);
	encode(f, PERSON "description;lang-de: a\n");
	assert_int_equal(f->encoded.splits.n, 0);

	f->rules.limit = 0; /* of all that are not named, which none is in a short list */
	f->rules.nlimits = 0;
	encode(f, PERSON "description;lang-de: a\n");
	assert_int_equal(f->encoded.splits.n, 4);
}

FIXTURE_TEST(the_size_counts_values_wherever_they_are)
{
	static const char record[] = PERSON "description: zeta\ndescription: Alpha\n";
	struct fixture *f = *state;
	size_t size = 0;

	encode(f, record);
	size = f->encoded.size_limit_bytes;
	assert_int_equal(f->stored.content_len, size);
	limit(f, "description", 1);
	encode(f, record);
	assert_int_equal(f->encoded.size_limit_bytes, size);
	assert_true(f->encoded.len < size);
}

FIXTURE_TEST(of_equal_values_the_last_is_kept_whole)
{
	struct fixture *f = *state;
	const struct dit_split *split = NULL;

	limit(f, "description", 1);
	encode(f, PERSON "description: a  B\ndescription: c\ndescription: A    b\n"
	                 "description: C\n");
	split = f->encoded.splits.list;
	assert_int_equal(split->nrecords, 2);
	assert_record(split, 0, RECORD("c\0C\0\1\0"));
	assert_record(split, 1, RECORD("a b\0A    b\0\6\0"));
	assert_int_equal(f->stored.attrs[3].nvalues, 4);
}

FIXTURE_TEST(empty_values_equal_nothing)
{
	struct fixture *f = *state;

	limit(f, "description", 1);
	limit(f, "tNone", 1);
	encode(f, PERSON "description:\ndescription:\ntNone:\ntNone:\n");
	assert_int_equal(f->encoded.splits.n, 2);
	assert_int_equal(f->encoded.splits.list[0].nrecords, 2);
	assert_record(&f->encoded.splits.list[0], 1, RECORD("\0\0\0\0"));
	assert_int_equal(f->encoded.splits.list[1].nrecords, 1);
	assert_record(&f->encoded.splits.list[1], 0, RECORD("\0\0\0"));
}

FIXTURE_TEST(blocks_that_would_share_a_key_become_one)
{
	struct fixture *f = *state;

	limit(f, "description", 1);
	f->entry.context.is_quick = true;
	encode(f, PERSON "description: d\ndescription: b\no: x\n"
	                 "description: c\ndescription: a\nou: x\ndescription: e\n");
	assert_int_equal(f->encoded.splits.n, 1);
	assert_int_equal(f->encoded.splits.list->nrecords, 4);
	assert_record(f->encoded.splits.list, 0, RECORD("a\0a\0\1\0"));
	assert_record(f->encoded.splits.list, 3, RECORD("d\0d\0\1\0"));
	assert_true(f->stored.attrs[3].is_split);
	assert_int_equal(f->stored.attrs[3].nvalues, 4);
	/* One value is not over the limit. */
	assert_int_equal(f->stored.nattrs, 7);
	assert_false(f->stored.attrs[6].is_split);
}

FIXTURE_TEST(a_record_may_have_as_many_bytes_as_lmdb_takes)
{
	/* Normal form, value, two NULs, two bytes of length: 253 + 254 + 4 = 511 */
	struct fixture *f = *state;
	char value[600];
	char record[2000];

	limit(f, "description", 1);
	memset(value, 'v', sizeof(value));
	value[253] = '\0';
	(void)snprintf(record, sizeof(record),
	               PERSON "description: %s \ndescription: b\n", value);
	encode(f, record);
	assert_false(f->encoded.splits.is_too_long);
	assert_int_equal(f->encoded.splits.list->records[1].len, DIT_SPLIT_RECORD_MAX);

	value[253] = 'v';
	value[254] = '\0';
	(void)snprintf(record, sizeof(record), PERSON "description: %s\ndescription: b\n",
	               value);
	encode(f, record);
	assert_true(f->encoded.splits.is_too_long);

	/* Other files take longer ones. */
	f->rules.record_max = DIT_SPLIT_RECORD_MAX + 1;
	encode(f, record);
	assert_false(f->encoded.splits.is_too_long);
	f->rules.record_max = DIT_SPLIT_RECORD_MAX;

	/* Also one that an equal value would replace. */
	value[254] = 'v';
	value[400] = '\0';
	(void)snprintf(record, sizeof(record),
	               PERSON "objectClass: %s\nobjectClass: %s\n", value, value);
	value[508] = '\0';
	limit(f, "objectClass", 1);
	encode(f, record);
	assert_false(f->encoded.splits.is_too_long);
	memset(value + 400, 'v', sizeof(value) - 400);
	value[509] = '\0';
	(void)snprintf(record, sizeof(record),
	               PERSON "objectClass: %s\nobjectClass: %s\n", value, value);
	encode(f, record);
	assert_true(f->encoded.splits.is_too_long);
}

FIXTURE_TEST(records_are_read_as_they_were_written)
{
	struct fixture *f = *state;
	const struct dit_split *split = NULL;
	struct dit_span value;
	struct dit_span normal;

	limit(f, "description", 1);
	limit(f, "objectClass", 1);
	encode(f, PERSON "description: Two  b\ndescription: a\n");
	assert_int_equal(f->encoded.splits.n, 2);
	split = &f->encoded.splits.list[0];
	assert_int_equal(dit_split_decode(split->records[0], false, &value, &normal), 0);
	assert_span_equal(value, "person");
	split = &f->encoded.splits.list[1];
	assert_int_equal(dit_split_decode(split->records[1], true, &value, &normal), 0);
	assert_span_equal(value, "Two  b");
	assert_span_equal(normal, "two b");
	/* As slapd stores empty values. */
	assert_int_equal(dit_split_decode(RECORD("\0\0\0\0"), true, &value, &normal), 0);
	assert_int_equal(value.len, 0);
	assert_int_equal(normal.len, 0);
}

TEST(records_that_are_none_are_refused)
{
	static const struct {
		struct dit_span record;
		bool has_normal;
	} cases[] = {
		{{"", 0}, true},
		{{"\0\0", 2}, false},
		{{"ab\0\0", 4}, false},      /* no NUL after it */
		{{"ab\0\1\0", 5}, false},    /* a length without a normal form */
		{{"\0\0\0", 3}, true},       /* one NUL alone */
		{{"ab\0ab\0\3\0", 8}, true}, /* the length of another value */
		{{"ab\0ab\0\1\0", 8}, true}, /* likewise */
		{{"ab\0ab\0\5\0", 8}, true}, /* longer than the record */
		{{"ab\0ab\0\0\1", 8}, true}, /* much longer */
		{{"ab\0abc\2\0", 8}, true},  /* no NUL after the value */
	};
	struct dit_span value;
	struct dit_span normal;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		print_message("case %zu\n", i);
		assert_int_equal(dit_split_decode(cases[i].record, cases[i].has_normal,
		                                  &value, &normal),
		                 DIT_E_CORRUPT);
	}
}

FIXTURE_TEST(sorted_values_are_marked)
{
	struct fixture *f = *state;
	uint64_t *sorted = test_alloc((dit_schema_ntypes(f->entry.schema) / 64 + 1) * 8);
	uint32_t ordinal =
		dit_schema_find_type(f->entry.schema, DIT_SPAN("description"))->ordinal;

	sorted[ordinal / 64] |= (uint64_t)1 << (ordinal % 64);
	f->entry.context.sorted = sorted;
	encode(f, PERSON "description: b\ndescription: a\n");
	assert_true(f->stored.attrs[3].is_sorted);
	assert_span_equal(f->stored.attrs[3].values[0], "a");
	assert_false(f->stored.attrs[2].is_sorted);
}
