/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines are skipped up to a blank one, as a walk line by line finds it. */
#include "test.h"

#include "ldif/ldif_lines.h"

/* Line by line. */
static size_t walk(struct dit_span text, uint64_t *ret_nlines)
{
	size_t at = 0;

	*ret_nlines = 0;
	while (at < text.len) {
		const char *lf = memchr(text.data + at, '\n', text.len - at);
		size_t end = lf == NULL ? 0 : (size_t)(lf - text.data) + 1;

		if (lf == NULL ||
		    dit_ldif_is_blank((struct dit_span){text.data + at, end - at})) {
			return at;
		}
		at = end;
		++*ret_nlines;
	}
	return at;
}

static void expect_same(struct dit_span text)
{
	uint64_t expected_nlines = 0;
	uint64_t nlines = 0;
	size_t expected = walk(text, &expected_nlines);

	assert_int_equal(dit_ldif_skip_lines(text, &nlines), expected);
	assert_int_equal(nlines, expected_nlines);
}

/* One place of interest in a text of other lines, at each distance from each end. */
TEST(a_blank_line_is_found_wherever_it_stands)
{
	static const char *const places[] = {"",       "\n",       "\n\n", "\r\n",
	                                     "\n\r\n", "\n\r\r\n", "\n\r", "\r"};
	char text[300];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		size_t len = strlen(places[i]);

		for (size_t before = 0; before < 150; before++) {
			for (size_t after = 0; after < 140; after++) {
				memset(text, 'x', sizeof(text));
				memcpy(text + before, places[i], len);
				expect_same(
					(struct dit_span){text, before + len + after});
			}
		}
	}
}

TEST(any_text_gives_the_lines_of_a_walk)
{
	static const char alphabets[][6] = {"\nx", "\r\nx", "\r\nxxx", "xx\n\r "};
	static char text[40000];
	uint64_t seed = 1;

	for (unsigned round = 0; round < 4000; round++) {
		const char *alphabet = alphabets[round % 4];
		size_t len = round % 100 == 0 ? sizeof(text) : round % 500;
		unsigned rare = 1 + round % 7 * 9;

		for (size_t i = 0; i < len; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			text[i] = (seed >> 40) % rare != 0
			                  ? 'y'
			                  : alphabet[(seed >> 33) % strlen(alphabet)];
		}
		for (size_t at = 0; at < len; at += 1 + len / 30) {
			expect_same((struct dit_span){text + at, len - at});
		}
	}
}

TEST(more_lines_than_a_lane_counts)
{
	static char text[100000];

	for (size_t i = 0; i < sizeof(text); i++) {
		text[i] = i % 2 == 0 ? 'x' : '\n';
	}
	expect_same((struct dit_span){text, sizeof(text)});
	text[sizeof(text) - 2] = '\n';
	expect_same((struct dit_span){text, sizeof(text)});
}
