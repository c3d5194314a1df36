/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UTF-8 and the preparation of strings (values.md 4.1). That the tables are right is the
 * business of test_normalize_vectors.c.
 */
#include "values/utf8_prep.h"

#include "base/error.h"
#include "schema_test.h"
#include "test.h"

static int setup(void **state)
{
	*state = test_arena(1024);
	return 0;
}

struct prep_case {
	const char *in;
	const char *fold;
	const char *exact;
};

TEST(strings_are_prepared_as_the_specification_says)
{
	static const struct prep_case cases[] = {
		{"", "", ""},
		{"  Foo   Bar  ", "foo bar", "Foo Bar"},
		{"   ", " ", " "},
		{"A\tB", "a\tb", "A\tB"},
		/* Sharp s stays; dotted capital i has one-to-one lower case. */
		{"Stra\xC3\x9F"
	         "e",
	         "stra\xC3\x9F"
	         "e",
	         "Stra\xC3\x9F"
	         "e"},
		{"\xC4\xB0", "i", "\xC4\xB0"},
		{"E\xCC\x81", "\xC3\xA9", "\xC3\x89"},
		{"\xEF\xAC\x83", "ffi", "ffi"},
		/* Roman numeral eight decomposes to capitals, after folding. */
		{"\xE2\x85\xA7", "VIII", "VIII"},
		{"\xE2\x85\xB7", "viii", "viii"},
		/* Full width, with an ideographic space. */
		{"\xEF\xBC\xA1\xEF\xBC\xA2\xE3\x80\x80\xEF\xBC\x91", "ab 1", "AB 1"},
		/* Jamo compose, syllables stay. */
		{"\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB", "\xED\x95\x9C", "\xED\x95\x9C"},
		{"\xED\x95\x9C", "\xED\x95\x9C", "\xED\x95\x9C"},
		/* U+11C3 after an LV syllable makes the next LV syllable. */
		{"\xEA\xB0\x80\xE1\x87\x83", "\xEA\xB0\x9C", "\xEA\xB0\x9C"},
		/* Soft hyphen and zero width space are kept. */
		{"co\xC2\xADop", "co\xC2\xADop", "co\xC2\xADop"},
		{"a\xE2\x80\x8B"
	         "b",
	         "a\xE2\x80\x8B"
	         "b",
	         "a\xE2\x80\x8B"
	         "b"},
		{"\xC2\xA0", " ", " "},
		{"\xC2\xA0 A \xC2\xA0", "a", "A"},
		/* Marks are put in order: below (220) before above (230). */
		{"q\xCC\x87\xCC\xA3", "q\xCC\xA3\xCC\x87", "q\xCC\xA3\xCC\x87"},
		/*
		 * Two marks never compose with each other, though there is such a pair.
		 */
		{"\xCC\x88\xCC\x81", "\xCC\x88\xCC\x81", "\xCC\x88\xCC\x81"},
		{"x\xCC\x88\xCC\x81", "\xE1\xBA\x8D\xCC\x81", "\xE1\xBA\x8D\xCC\x81"},
		/* Surrogates and code points past Unicode pass. */
		{"\xC3\x89\xED\xA0\x80", "\xC3\xA9\xED\xA0\x80", "\xC3\x89\xED\xA0\x80"},
		{"\xF8\x88\x80\x80\x80", "\xF8\x88\x80\x80\x80", "\xF8\x88\x80\x80\x80"},
		{"\xFD\xBF\xBF\xBF\xBF\xBF", "\xFD\xBF\xBF\xBF\xBF\xBF",
	         "\xFD\xBF\xBF\xBF\xBF\xBF"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_span in = dit_span_of(cases[i].in);
		struct dit_span out = {0};

		assert_int_equal(dit_utf8_prep(in, true, *state, &out), 0);
		assert_non_null(out.data);
		assert_span_equal(out, cases[i].fold);
		assert_int_equal(dit_utf8_prep(in, false, *state, &out), 0);
		assert_span_equal(out, cases[i].exact);
	}
}

TEST(malformed_text_is_refused)
{
	static const char *const cases[] = {
		"caf\xE9",
		"\x80",
		"\xC0\x80",
		"\xC1\xBF",
		"\xFE",
		"\xFF",
		"\xC3",
		"\xC3"
		"A",
		"\xE2\x82",
		"\xE0\x9F\xBF", /* overlong */
		"\xF0\x8F\xBF\xBF",
		"\xF8\x87\xBF\xBF\xBF",
		"\xFC\x83\xBF\xBF\xBF\xBF",
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_span in = dit_span_of(cases[i]);
		struct dit_span out = {0};

		assert_int_equal(dit_utf8_prep(in, true, *state, &out), DIT_E_INVALID);
		assert_false(dit_utf8_is_valid(in));
	}
}

TEST(every_length_of_code_point_survives_a_round_trip)
{
	static const uint32_t cases[] = {
		0,       0x7F,     0x80,     0x7FF,     0x800,     0xFFFF,
		0x10000, 0x1FFFFF, 0x200000, 0x3FFFFFF, 0x4000000, 0x7FFFFFFF,
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char bytes[DIT_UTF8_MAX];
		size_t len = dit_utf8_encode(cases[i], bytes);
		uint32_t c = 0;

		assert_int_equal(len, i / 2 + 1);
		assert_int_equal(dit_utf8_decode((struct dit_span){bytes, len}, &c), len);
		assert_int_equal(c, cases[i]);
	}
}

TEST(a_nul_is_an_ordinary_character)
{
	struct dit_span out = {0};

	assert_int_equal(dit_utf8_prep(DIT_SPAN("A\0\xC3\x89"), true, *state, &out), 0);

	assert_true(dit_span_eq(out, DIT_SPAN("a\0\xC3\xA9")));
}

/* Longer than the array on the stack, and expanding to eighteen code points each. */
TEST(long_values_are_prepared_too)
{
	enum {
		COUNT = 1000,
		LEN = 33 /* bytes of U+FDFA decomposed */
	};
	char *in = test_alloc(3 * COUNT);
	struct dit_span out = {0};

	for (size_t i = 0; i < COUNT; i++) {
		memcpy(in + 3 * i, "\xEF\xB7\xBA", 3);
	}

	assert_int_equal(
		dit_utf8_prep((struct dit_span){in, 3 * COUNT}, true, *state, &out), 0);

	assert_int_equal(out.len, COUNT * LEN);
	assert_memory_equal(out.data, out.data + LEN, out.len - LEN);
}

/*
 * 4 MB of marks in falling order of their classes, above (230) before below (220). A
 * quadratic method takes half an hour for them.
 */
TEST(a_long_run_of_marks_is_put_in_order)
{
	enum {
		EACH = 1024 * 1024 /* marks of each class */
	};
	char *in = test_alloc(4 * EACH + 1);
	struct dit_span out = {0};

	in[0] = 'Q';
	for (size_t i = 0; i < 2 * EACH; i++) {
		memcpy(in + 1 + 2 * i, i < EACH ? "\xCC\x87" : "\xCC\xA3", 2);
	}

	assert_int_equal(
		dit_utf8_prep((struct dit_span){in, 4 * EACH + 1}, true, *state, &out),
		0);

	assert_int_equal(out.len, 4 * EACH + 1);
	assert_int_equal(out.data[0], 'q');
	assert_memory_equal(out.data + 1, in + 1 + 2 * EACH, 2 * EACH);
	assert_memory_equal(out.data + 1 + 2 * EACH, in + 1, 2 * EACH);
}

/* Classes 230, 220, 230 and again; a letter between them ends the run. */
TEST(marks_of_one_class_keep_their_order)
{
	static const char in[] = "q\xCC\x87\xCC\xA3\xCC\x81q\xCC\x81\xCC\x87";
	struct dit_span out = {0};

	assert_int_equal(dit_utf8_prep(DIT_SPAN(in), true, *state, &out), 0);

	assert_span_equal(out, "q\xCC\xA3\xCC\x87\xCC\x81q\xCC\x81\xCC\x87");
}

MAIN_WITH(setup, NULL)
