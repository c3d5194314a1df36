/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of text that is read from its front:
 * - what is not there is not cut off;
 * - a part ends at its mark, or takes all that is left.
 */
#include "test.h"

#include "base/cut.h"

TEST(a_prefix_is_cut_off_whole_or_not_at_all)
{
	struct dit_span text = DIT_SPAN("LdapS://x");

	assert_false(dit_cut_prefix(&text, DIT_SPAN("ldap:")));
	assert_false(dit_cut_prefix(&text, DIT_SPAN("ldaps://x/")));
	assert_true(dit_span_eq(text, DIT_SPAN("LdapS://x")));
	assert_true(dit_cut_prefix(&text, DIT_SPAN("ldaps://")));
	assert_true(dit_span_eq(text, DIT_SPAN("x")));
	assert_false(dit_cut_char(&text, 'X'));
	assert_true(dit_cut_char(&text, 'x'));
	assert_false(dit_cut_char(&text, 'x'));
	assert_int_equal(text.len, 0);
	assert_true(dit_cut_prefix(&text, DIT_SPAN("")));
}

TEST(spaces_are_cut_off_on_the_sides_that_are_asked_for)
{
	struct dit_span text = DIT_SPAN("  a b  ");

	assert_true(dit_cut_spaces(&text));
	assert_true(dit_span_eq(text, DIT_SPAN("a b  ")));
	assert_false(dit_cut_spaces(&text));
	dit_cut_spaces_around(&text);
	assert_true(dit_span_eq(text, DIT_SPAN("a b")));
	text = DIT_SPAN("   ");
	dit_cut_spaces_around(&text);
	assert_int_equal(text.len, 0);
}

TEST(a_part_ends_at_its_mark_or_with_the_text)
{
	struct dit_span text = DIT_SPAN("a;;b");
	struct dit_span part = {0};

	assert_true(dit_cut_until(&text, ';', &part));
	assert_true(dit_span_eq(part, DIT_SPAN("a")));
	assert_true(dit_cut_until(&text, ';', &part));
	assert_int_equal(part.len, 0);
	assert_false(dit_cut_until(&text, ';', &part));
	assert_true(dit_span_eq(part, DIT_SPAN("b")));
	assert_false(dit_cut_until(&text, ';', &part));
	assert_int_equal(part.len, 0);
}
