/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ASCII, sixteen bytes at a time, against the same byte by byte.
 */
#include "base/ascii.h"

#include "test.h"

#define LEN_MAX 40

/* The promise of dit_ascii_squeeze(), kept the slow way. */
static ptrdiff_t squeeze_slowly(struct dit_span text, unsigned flags, char *to)
{
	ptrdiff_t n = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];

		if (((unsigned char)c >= 0x80 && (flags & DIT_ASCII_ANY) == 0) ||
		    (c == '\0' && (flags & DIT_ASCII_NO_NUL) != 0)) {
			return -1;
		}
		if (c == ' ' && (n == 0 || to[n - 1] == ' ')) {
			continue;
		}
		to[n++] = (flags & DIT_ASCII_FOLD) != 0 ? dit_ascii_lower(c) : c;
	}
	return n > 0 && to[n - 1] == ' ' ? n - 1 : n;
}

/* The text ends where its memory ends: a sanitizer sees a read too far. */
static void check(struct dit_span text, unsigned flags)
{
	char want[LEN_MAX];
	char got[LEN_MAX + DIT_ASCII_SLACK];
	char *exact = malloc(text.len + 1);
	ptrdiff_t n = squeeze_slowly(text, flags, want);

	assert_non_null(exact);
	memcpy(exact + 1, text.data, text.len);
	text.data = exact + 1;
	if (dit_ascii_squeeze(text, flags, got) != n ||
	    (n > 0 && memcmp(want, got, (size_t)n) != 0)) {
		fail_msg("flags %u: \"%.*s\"", flags, DIT_SPAN_ARGS(text));
	}
	free(exact);
}

TEST(squeezing_words_equals_squeezing_bytes)
{
	static const char alphabet[] = "  aAzZ@[`{0-\t~\x7F\xC1";
	char text[LEN_MAX];

	srand(1);
	for (unsigned round = 0; round < 50000; round++) {
		size_t len = (size_t)rand() % LEN_MAX;

		for (size_t i = 0; i < len; i++) {
			text[i] = alphabet[(size_t)rand() % (sizeof(alphabet) - 1)];
		}
		check((struct dit_span){text, len}, round % 8);
	}
}

TEST(a_byte_that_is_not_handled_is_found_in_every_place)
{
	char text[LEN_MAX];

	for (size_t len = 1; len < LEN_MAX; len++) {
		for (size_t i = 0; i < len; i++) {
			memset(text, 'A', len);
			text[i] = '\0';
			check((struct dit_span){text, len}, DIT_ASCII_NO_NUL);
			check((struct dit_span){text, len}, DIT_ASCII_FOLD);
			assert_true(dit_ascii_is((struct dit_span){text, len}));

			text[i] = (char)0x80;
			check((struct dit_span){text, len}, 0);
			assert_false(dit_ascii_is((struct dit_span){text, len}));

			/* After two spaces it goes byte by byte. */
			memset(text, ' ', i);
			check((struct dit_span){text, len}, 0);
		}
	}
}

TEST(hex_digits_have_values_and_others_do_not)
{
	static const char digits[] = "0123456789abcdef";

	for (int c = 0; c < 256; c++) {
		const char *found = strchr(digits, dit_ascii_lower((char)c));
		int want = c == 0 || found == NULL ? -1 : (int)(found - digits);

		assert_int_equal(dit_ascii_hex((char)c), want);
	}
}

TEST(lower_case_copies_in_place)
{
	char text[] = "AZ@[az\xC3\x89";

	dit_ascii_copy_lower(text, (struct dit_span){text, strlen(text)});

	assert_string_equal(text, "az@[az\xC3\x89");
}

TEST(escapes_of_a_url_are_a_percent_sign_and_two_digits)
{
	static const char *const refused[] = {"%", "%4", "%4g", "a%g4"};
	char out[8];

	assert_int_equal(dit_ascii_unescape_url(DIT_SPAN("a%4b%00%fF"), out), 4);
	assert_memory_equal(out, "aK\0\xff", 4);
	assert_int_equal(dit_ascii_unescape_url(DIT_SPAN(""), out), 0);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_int_equal(dit_ascii_unescape_url(dit_span_of(refused[i]), out),
		                 -1);
	}
}

/* ---- without case ---- */

TEST(letters_alone_compare_without_case)
{
	for (int i = 0; i < 256 * 256; i++) {
		const char a[] = {'x', (char)(i >> 8), '\0'};
		const char b[] = {'X', (char)i, '\0'};
		int x = (unsigned char)dit_ascii_lower(a[1]);
		int y = (unsigned char)dit_ascii_lower(b[1]);

		assert_int_equal(dit_span_eq_nocase((struct dit_span){a, 2},
		                                    (struct dit_span){b, 2}),
		                 x == y);
		assert_int_equal(dit_ascii_strcasecmp(a, b), x - y);
		assert_int_equal(dit_ascii_strncasecmp(a, b, 1), 0);
	}
	assert_false(dit_span_eq_nocase(DIT_SPAN("ab"), DIT_SPAN("a")));
	assert_true(dit_span_eq_nocase(dit_span_of(NULL), DIT_SPAN("")));
	assert_true(dit_ascii_strncasecmp("ab", "a", 3) > 0);
}
