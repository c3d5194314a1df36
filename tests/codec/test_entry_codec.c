/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stored entries: what slapadd 2.5.13 wrote, byte for byte; decode undoes encode; no
 * record whatsoever makes decode misbehave.
 */
#include "test.h"

#include "base/error.h"
#include "codec/entry_codec.h"
#include "schema_test.h"

#define MANY 3000

struct example_attr {
	const char *name;
	uint32_t ad_number;
	struct dit_span value;
	struct dit_span normal; /* data NULL: none */
};

/* ou=People,dc=example,dc=com of storage.md 4.9 */
static const struct example_attr example[] = {
	{"objectClass", 1, DIT_SPAN("organizationalUnit"), {NULL, 0}},
	{"ou", 11, DIT_SPAN("People"), DIT_SPAN("people")},
	{"structuralObjectClass", 4, DIT_SPAN("organizationalUnit"), {NULL, 0}},
	{"entryUUID", 5, DIT_SPAN("bf942496-795e-1041-9a7f-33889fcf040e"),
         DIT_SPAN("\xbf\x94\x24\x96\x79\x5e\x10\x41\x9a\x7f\x33\x88\x9f\xcf\x04\x0e")},
	{"creatorsName", 6, DIT_SPAN("cn=admin,dc=example,dc=com"),
         DIT_SPAN("cn=admin,dc=example,dc=com")},
	{"createTimestamp", 7, DIT_SPAN("20261120184840Z"), {NULL, 0}},
	{"entryCSN", 8, DIT_SPAN("20261120184840.923627Z#000000#000#000000"), {NULL, 0}},
	{"modifiersName", 9, DIT_SPAN("cn=admin,dc=example,dc=com"),
         DIT_SPAN("cn=admin,dc=example,dc=com")},
	{"modifyTimestamp", 10, DIT_SPAN("20261120184840Z"), {NULL, 0}},
};

#define EXAMPLE_NATTRS (sizeof(example) / sizeof(example[0]))

static const uint32_t example_words[] = {
	9,  26,         0x100, 31, /* head */
	1,  1,          18,        /* objectClass */
	11, 0x80000001, 6,     6,  /* ou */
	4,  1,          18,        /* structuralObjectClass */
	5,  0x80000001, 36,    16, /* entryUUID */
	6,  0x80000001, 26,    26, /* creatorsName */
	7,  1,          15,        /* createTimestamp */
	8,  1,          40,        /* entryCSN */
	9,  0x80000001, 26,    26, /* modifiersName */
	10, 1,          15,        /* modifyTimestamp */
};

static const char example_data[] =
	"organizationalUnit\0People\0people\0organizationalUnit\0"
	"bf942496-795e-1041-9a7f-33889fcf040e\0"
	"\xbf\x94\x24\x96\x79\x5e\x10\x41\x9a\x7f\x33\x88\x9f\xcf\x04\x0e\0"
	"cn=admin,dc=example,dc=com\0cn=admin,dc=example,dc=com\0"
	"20261120184840Z\0"
	"20261120184840.923627Z#000000#000#000000\0"
	"cn=admin,dc=example,dc=com\0cn=admin,dc=example,dc=com\0"
	"20261120184840Z\0\0\0\0\0"; /* and one more of the literal's own: five to pad */

struct fixture {
	struct dit_arena arena;
	struct dit_ad ads[EXAMPLE_NATTRS];
	struct dit_span values[EXAMPLE_NATTRS];
	struct dit_span normal[EXAMPLE_NATTRS];
	struct dit_attr attrs[EXAMPLE_NATTRS];
	struct dit_entry entry; /* the example */
	struct dit_encoded encoded;
};

static int setup(void **state)
{
	struct fixture *f = test_alloc(sizeof(*f));

	test_arena_init(&f->arena, 4096);
	for (size_t i = 0; i < EXAMPLE_NATTRS; i++) {
		f->ads[i].name = dit_span_of(example[i].name);
		f->values[i] = example[i].value;
		f->normal[i] = example[i].normal;
		f->attrs[i] = (struct dit_attr){
			.ad = &f->ads[i],
			.values = &f->values[i],
			.normal = example[i].normal.data == NULL ? NULL : &f->normal[i],
			.nvalues = 1};
	}
	f->entry.attrs = f->attrs;
	f->entry.nattrs = EXAMPLE_NATTRS;
	f->entry.oc_flags = 0x100;
	*state = f;
	return 0;
}

static void encode(struct fixture *f)
{
	assert_int_equal(dit_entry_encode(&f->entry, NULL, &f->arena, &f->encoded), 0);
}

static struct dit_span record_of(const struct fixture *f)
{
	return (struct dit_span){f->encoded.bytes, f->encoded.len};
}

static uint32_t get_word(const struct fixture *f, size_t index)
{
	uint32_t word = 0;

	memcpy(&word, f->encoded.bytes + index * 4, 4);
	return word;
}

static void set_word(struct fixture *f, size_t index, uint32_t word)
{
	memcpy(f->encoded.bytes + index * 4, &word, 4);
}

SETUP_TEST(example_is_encoded_as_slapadd_does)
{
	struct fixture *f = *state;

	encode(f);
	for (uint32_t i = 0; i < f->encoded.nopen; i++) {
		assert_ptr_equal(f->encoded.ads[i], &f->ads[i]);
		assert_int_equal(get_word(f, f->encoded.ad_words[i]), 0);
		set_word(f, f->encoded.ad_words[i], example[i].ad_number);
	}

	assert_int_equal(f->encoded.len, 432);
	assert_int_equal(f->encoded.size_limit_bytes, 427);
	assert_int_equal((uintptr_t)f->encoded.bytes % 8, 0);
	assert_memory_equal(f->encoded.bytes, example_words, sizeof(example_words));
	assert_int_equal(sizeof(example_words) + sizeof(example_data), 432);
	assert_memory_equal(f->encoded.bytes + sizeof(example_words), example_data,
	                    sizeof(example_data));
}

static void assert_decoded(struct fixture *f, struct dit_span record)
{
	struct dit_stored_entry stored = {0};

	assert_int_equal(dit_entry_decode(record, &f->arena, &stored), 0);
	assert_int_equal(stored.nattrs, f->entry.nattrs);
	assert_int_equal(stored.oc_flags, f->entry.oc_flags);
	assert_int_equal(stored.content_len, f->encoded.size_limit_bytes);
	for (uint32_t i = 0; i < stored.nattrs; i++) {
		const struct dit_attr *attr = &f->entry.attrs[i];
		const struct dit_stored_attr *got = &stored.attrs[i];

		assert_int_equal(got->nvalues, attr->nvalues);
		assert_false(got->is_sorted || got->is_split);
		assert_int_equal(got->normal == NULL, attr->normal == NULL);
		for (uint32_t j = 0; j < attr->nvalues; j++) {
			assert_true(dit_span_eq(got->values[j], attr->values[j]));
			assert_true(attr->normal == NULL ||
			            dit_span_eq(got->normal[j], attr->normal[j]));
		}
	}
}

SETUP_TEST(decode_undoes_encode)
{
	struct fixture *f = *state;

	encode(f);
	assert_decoded(f, record_of(f));
}

SETUP_TEST(record_need_not_be_aligned)
{
	struct fixture *f = *state;
	struct dit_span record = {NULL, 0};
	char *copy = NULL;

	encode(f);
	record = record_of(f);
	copy = malloc(record.len + 1);
	assert_non_null(copy);
	memcpy(copy + 1, record.data, record.len);
	assert_decoded(f, (struct dit_span){copy + 1, record.len});
	free(copy);
}

SETUP_TEST(values_may_be_empty_many_or_hold_nul)
{
	struct fixture *f = *state;
	struct dit_span *values = test_alloc(MANY * sizeof(*values));
	struct dit_attr attrs[2] = {
		{.ad = &f->ads[0], .values = values, .nvalues = MANY},
		{.ad = &f->ads[1], .values = values, .normal = values, .nvalues = MANY}};

	values[1] = DIT_SPAN("a\0b");
	values[2] = DIT_SPAN("\0");
	f->entry.attrs = attrs;
	f->entry.nattrs = 2;
	f->entry.oc_flags = 0x1c1ff;

	encode(f);

	assert_int_equal(get_word(f, 1), (MANY + 1) * 3);
	assert_int_equal(get_word(f, 3), 4 + MANY * 3);
	assert_int_equal(f->encoded.size_limit_bytes, 16 + 2 * 8 + 3 * (MANY * 5 + 4));
	assert_decoded(f, record_of(f));
}

SETUP_TEST(entry_without_attributes_is_a_head)
{
	struct fixture *f = *state;

	f->entry.nattrs = 0;
	encode(f);
	assert_int_equal(f->encoded.len, 16);
	assert_decoded(f, record_of(f));
}

SETUP_TEST(entries_over_4_gib_are_refused_before_anything_is_copied)
{
	static const size_t lens[] = {UINT32_MAX, (size_t)1 << 40, UINT32_MAX - 60};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		f->values[2].len = lens[i];
		assert_int_equal(
			dit_entry_encode(&f->entry, NULL, &f->arena, &f->encoded),
			DIT_E_TOOLONG);
	}
	f->values[2] = example[2].value;
	f->attrs[2].nvalues = 0x80000000;
	f->attrs[2].values = NULL;
	assert_int_equal(dit_entry_encode(&f->entry, NULL, &f->arena, &f->encoded),
	                 DIT_E_TOOLONG);
}

SETUP_TEST(flags_of_sorted_and_split_attributes_are_decoded)
{
	/* storage.md 4.6 with a sorted block: split without and with normal values */
	static const uint32_t words[] = {3,          4 + 10 + 4, 0x10100,    8,
	                                 0x40000001, 3,          0x4000000c, 0x80000004,
	                                 0x8000000b, 0x80000001, 1,          1};
	struct fixture *f = *state;
	struct dit_stored_entry stored = {0};
	char record[sizeof(words) + 8] = "";
	struct dit_span span = {record, sizeof(record)};

	memcpy(record, words, sizeof(words));
	memcpy(record + sizeof(words), "X\0x", 4);

	assert_int_equal(dit_entry_decode(span, &f->arena, &stored), 0);

	assert_int_equal(stored.content_len, sizeof(words) + 4);
	assert_int_equal(stored.attrs[0].ad_number, 1);
	assert_true(stored.attrs[0].is_split);
	assert_int_equal(stored.attrs[0].nvalues, 3);
	assert_null(stored.attrs[0].values);
	assert_int_equal(stored.attrs[1].ad_number, 12);
	assert_true(stored.attrs[1].is_split);
	assert_int_equal(stored.attrs[1].nvalues, 4);
	assert_int_equal(stored.attrs[2].ad_number, 11);
	assert_true(stored.attrs[2].is_sorted);
	assert_span_equal(stored.attrs[2].values[0], "X");
	assert_span_equal(stored.attrs[2].normal[0], "x");
}

SETUP_TEST(damaged_records_are_told)
{
	static const struct {
		size_t word;
		uint32_t value;
	} damages[] = {
		{0, 8},          {0, 10}, {0, UINT32_MAX}, /* attributes */
		{1, 25},         {1, 27},                  /* slots */
		{3, 30},         {3, 32}, {3, UINT32_MAX}, /* words */
		{5, 0},          {5, 2},  {5, 0x7fffffff}, /* a count */
		{5, 0x80000001},                           /* more than it has */
		{6, 17},         {6, 19}, {6, UINT32_MAX}, /* a length */
		{34, 14},                                  /* the last length */
	};
	struct fixture *f = *state;
	struct dit_stored_entry stored = {0};

	encode(f);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		uint32_t saved = get_word(f, damages[i].word);

		set_word(f, damages[i].word, damages[i].value);
		assert_int_equal(dit_entry_decode(record_of(f), &f->arena, &stored),
		                 DIT_E_CORRUPT);
		set_word(f, damages[i].word, saved);
	}
	assert_int_equal(dit_entry_decode(record_of(f), &f->arena, &stored), 0);
}

/* All but ou (11) and entryCSN (8): of each description the bytes are as they were. */
SETUP_TEST(unwanted_attributes_are_passed_over)
{
	bool is_unwanted[12];
	const struct dit_unwanted_ads some = {is_unwanted, 12};
	struct fixture *f = *state;
	struct dit_stored_entry stored = {0};
	const uint32_t wanted[] = {11, 8, 77};

	encode(f);
	for (uint32_t i = 0; i < f->encoded.nopen; i++) {
		set_word(f, f->encoded.ad_words[i], example[i].ad_number);
	}
	memset(is_unwanted, true, sizeof(is_unwanted));
	is_unwanted[11] = false;
	is_unwanted[8] = false;
	set_word(f, f->encoded.ad_words[8],
	         77); /* higher than any number that is known */
	assert_int_equal(dit_entry_decode_wanted(record_of(f), &some, &f->arena, &stored),
	                 0);
	assert_int_equal(stored.nattrs, 3);
	assert_int_equal(stored.content_len, f->encoded.size_limit_bytes);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(stored.attrs[i].ad_number, wanted[i]);
	}
	assert_true(dit_span_eq(stored.attrs[0].values[0], example[1].value));
	assert_true(dit_span_eq(stored.attrs[0].normal[0], example[1].normal));
	assert_true(dit_span_eq(stored.attrs[1].values[0], example[6].value));
	assert_true(dit_span_eq(stored.attrs[2].values[0], example[8].value));
}

SETUP_TEST(damage_of_unwanted_attributes_is_told)
{
	static const struct {
		size_t word;
		uint32_t value;
	} damages[] = {
		{0, 8},          {0, 10}, {1, 25}, {1, 27},
		{3, 30},         {3, 32}, {5, 0},  {5, 0x7fffffff},
		{5, 0x80000001}, {6, 40}, {6, 2},  {6, UINT32_MAX},
	};
	bool is_unwanted[12];
	const struct dit_unwanted_ads all = {is_unwanted, 12};
	struct fixture *f = *state;
	struct dit_stored_entry stored = {0};

	memset(is_unwanted, true, sizeof(is_unwanted));
	encode(f);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		uint32_t saved = get_word(f, damages[i].word);

		set_word(f, damages[i].word, damages[i].value);
		assert_int_equal(
			dit_entry_decode_wanted(record_of(f), &all, &f->arena, &stored),
			DIT_E_CORRUPT);
		set_word(f, damages[i].word, saved);
	}
	assert_int_equal(dit_entry_decode_wanted(record_of(f), &all, &f->arena, &stored),
	                 0);
	assert_int_equal(stored.nattrs, 0);
}

/* There is room for the values of this record, and it is for none. */
SETUP_TEST(an_attribute_has_no_words_of_later_ones)
{
	enum {
		NWORDS = 16000
	};
	struct fixture *f = *state;
	struct dit_stored_entry stored = {0};
	size_t len = (4 + NWORDS) * sizeof(uint32_t) + NWORDS;
	uint32_t *words = test_alloc(len);
	struct dit_span record = {(const char *)words, len};

	words[0] = NWORDS / 2;
	words[1] = NWORDS - 1 + NWORDS / 2 - 1;
	words[3] = NWORDS;
	words[4] = 1;
	words[5] = NWORDS - 2; /* empty values, whose NULs are there */
	assert_int_equal(dit_entry_decode(record, &f->arena, &stored), DIT_E_CORRUPT);
	words[0] = 1;
	words[1] = NWORDS - 1;
	assert_int_equal(dit_entry_decode(record, &f->arena, &stored), 0);
	assert_int_equal(stored.attrs[0].nvalues, NWORDS - 2);
}

SETUP_TEST(records_of_a_wrong_length_are_told)
{
	struct fixture *f = *state;
	struct dit_stored_entry stored = {0};
	char *copy = NULL;

	encode(f);
	copy = calloc(1, f->encoded.len + 8);
	assert_non_null(copy);
	memcpy(copy, f->encoded.bytes, f->encoded.len);
	for (size_t len = 0; len <= f->encoded.len + 8; len++) {
		struct dit_span span = {copy, len};
		int r = dit_entry_decode(span, &f->arena, &stored);

		assert_int_equal(r, len == f->encoded.len ? 0 : DIT_E_CORRUPT);
	}
	free(copy);
}

static void assert_same(struct dit_span got, struct dit_span want)
{
	assert_int_equal(got.len, want.len);
	assert_true(want.len == 0 || memcmp(got.data, want.data, want.len) == 0);
}

/* Two values apart from their normal forms, an empty one, one that is its normal form. */
SETUP_TEST(huge_values_are_not_copied)
{
	struct fixture *f = *state;
	size_t len = ((size_t)1 << 20) + 3;
	char *text = test_alloc(2 * len);
	struct dit_span values[] = {{text, len}, {NULL, 0}, {text + 5, len / 2}};
	struct dit_span normal[] = {{text + len, len}, {"n", 1}, {text + 7, 100}};
	struct dit_attr attrs[] = {
		{.ad = &f->ads[0], .values = values, .normal = normal, .nvalues = 3},
		{.ad = &f->ads[1], .values = values, .nvalues = 2}};
	static const size_t steps[] = {1, 7919, 65536, SIZE_MAX};
	struct dit_stored_entry stored;
	char *record = NULL;

	for (size_t i = 0; i < 2 * len; i++) {
		text[i] = (char)(i * 2654435761u >> 24);
	}
	f->entry.attrs = attrs;
	f->entry.nattrs = 2;
	encode(f);
	assert_non_null(f->encoded.values);
	assert_int_equal(f->encoded.nvalues, 8);
	assert_true(f->encoded.nbytes < 100);
	record = malloc(f->encoded.len);
	assert_non_null(record);
	for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {
		struct dit_encoded_cursor cursor = {.encoded = &f->encoded};

		memset(record, 'x', f->encoded.len);
		for (size_t at = 0; at < f->encoded.len;) {
			size_t n = f->encoded.len - at;

			n = n < steps[k] ? n : steps[k];
			dit_encoded_next(&cursor, record + at, n);
			at += n;
		}
		assert_int_equal(
			dit_entry_decode((struct dit_span){record, f->encoded.len},
		                         &f->arena, &stored),
			0);
		assert_int_equal(stored.content_len, f->encoded.size_limit_bytes);
		assert_int_equal(stored.nattrs, 2);
		for (size_t i = 0; i < 3; i++) {
			assert_same(stored.attrs[0].values[i], values[i]);
			assert_same(stored.attrs[0].normal[i], normal[i]);
		}
		assert_same(stored.attrs[1].values[0], values[0]);
	}
	free(record);
}

/* One copied as a whole comes out the same way. */
SETUP_TEST(a_small_record_has_pieces_too)
{
	struct fixture *f = *state;
	struct dit_encoded_cursor cursor = {.encoded = &f->encoded};
	char record[1000];

	encode(f);
	assert_null(f->encoded.values);
	assert_int_equal(f->encoded.nbytes, f->encoded.len);
	for (size_t i = 0; i < f->encoded.len; i++) {
		dit_encoded_next(&cursor, record + i, 1);
	}
	assert_memory_equal(record, f->encoded.bytes, f->encoded.len);
}

/* ---- a stored entry with one attribute changed ---- */

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

static struct dit_span two[] = {{"first", 5}, {"2nd", 3}};

static void assert_value(const struct dit_span *values, unsigned i, const char *want)
{
	assert_int_equal(values[i].len, strlen(want));
	assert_memory_equal(values[i].data, want, strlen(want));
}

/* Another attribute in the sample, decoded. */
static void set_attr(uint32_t at, uint32_t number, uint32_t nvalues,
                     struct dit_stored_entry *ret)
{
	const struct dit_stored_attr attr = {
		.ad_number = number, .values = two, .nvalues = nvalues};
	static char bytes[128];
	struct dit_arena *arena = test_arena(512);
	struct dit_span record = {0};

	assert_int_equal(dit_entry_decode(sample(bytes), arena, ret), 0);
	assert_int_equal(dit_entry_set_attr(ret, at, &attr, arena, &record), 0);
	assert_int_equal(record.len % 8, 0);
	assert_int_equal(dit_entry_decode(record, arena, ret), 0);
}

TEST(an_attribute_is_appended)
{
	struct dit_stored_entry entry = {0};

	set_attr(3, 9, 2, &entry);
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
}

TEST(an_attribute_is_replaced_where_it_is)
{
	struct dit_stored_entry entry = {0};

	set_attr(0, 5, 1, &entry);
	assert_int_equal(entry.nattrs, 3);
	assert_int_equal(entry.attrs[0].ad_number, 5);
	assert_int_equal(entry.attrs[0].nvalues, 1);
	assert_null(entry.attrs[0].normal);
	assert_value(entry.attrs[0].values, 0, "first");
	assert_value(entry.attrs[1].values, 0, "xyz");
	assert_true(entry.attrs[2].is_split);
}
