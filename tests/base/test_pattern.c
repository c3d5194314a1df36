/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the form of a text:
 * - a pattern fits the whole text, or a front of it is cut off;
 * - each part takes all that it can;
 * - alternatives are tried in their order.
 */
#include "test.h"

#include "base/pattern.h"

static bool is(const char *text, const char *pattern)
{
	return dit_pattern_is(dit_span_of(text), pattern);
}

TEST(a_pattern_fits_the_whole_text)
{
	static const char integer[] = "0|-?[1-9][0-9]*";

	assert_true(is("0", integer));
	assert_true(is("10", integer));
	assert_true(is("-7", integer));
	assert_false(is("", integer));
	assert_false(is("-", integer));
	assert_false(is("-0", integer));
	assert_false(is("01", integer));
	assert_false(is("1 ", integer));
	assert_true(is("", ""));
	assert_true(is("", "x|"));
	assert_true(dit_pattern_is((struct dit_span){0}, "x*"));
	assert_false(dit_pattern_is(DIT_SPAN("a\0"), "a+"));
}

TEST(sets_have_ranges_and_their_opposites)
{
	assert_true(is("-.;", "[-.;0-9]+"));
	assert_true(is("5-", "[0-9-]+"));
	assert_false(is("/", "[-.;0-9]"));
	assert_true(is("ab#", "[^#]*#"));
	assert_false(is("#", "[^#]"));
	assert_false(is("\xC3", DIT_NAME));
	assert_true(is("\xC3", "[^a-z]"));
	assert_true(is("(.", "(."));
}

TEST(parts_have_a_number_and_give_nothing_back)
{
	assert_true(is("abc-d", "[a-z]{3}-[a-z]{1}"));
	assert_false(is("ab-d", "[a-z]{3}-[a-z]{1}"));
	assert_false(is("abcd-d", "[a-z]{3}-[a-z]{1}"));
	assert_true(is("0123456789ab", "[0-9a-f]{12}"));
	assert_false(is("115", "[0-9]*5"));
	assert_true(is("b", "a?b"));
	assert_false(is("aab", "a?b"));
}

TEST(all_parts_between_marks_are_asked_for)
{
	assert_true(dit_pattern_of_parts(DIT_SPAN("1.20.0"), '.', "0|[1-9][0-9]*"));
	assert_false(dit_pattern_of_parts(DIT_SPAN("1..0"), '.', "0|[1-9][0-9]*"));
	assert_false(dit_pattern_of_parts(DIT_SPAN("1."), '.', "0|[1-9][0-9]*"));
	assert_false(dit_pattern_of_parts(DIT_SPAN(""), '.', "[0-9]+"));
	assert_true(dit_pattern_of_parts(DIT_SPAN("$"), '$', "[0-9]*"));
}

TEST(the_first_alternative_that_fits_cuts_off_its_front)
{
	struct dit_span text = DIT_SPAN("TRUE}");

	assert_false(dit_pattern_cut(&text, "FALSE"));
	assert_int_equal(text.len, 5);
	assert_true(dit_pattern_cut(&text, "FALSE|T|TRUE"));
	assert_true(dit_span_eq(text, DIT_SPAN("RUE}")));
	assert_true(dit_pattern_cut(&text, "[0-9]*"));
	assert_int_equal(text.len, 4);
	assert_true(dit_pattern_cut(&text, "[^}]+}"));
	assert_int_equal(text.len, 0);
	assert_false(dit_pattern_cut(&text, "x"));
}
