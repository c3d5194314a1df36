/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of base64, decoding first:
 * - whole text gives its bytes, and decoding in place gives the same;
 * - a bad character or an incomplete group stops it; whole groups are kept;
 * - what follows padding is ignored;
 * - misplaced padding gives the bytes that slapd 2.5.13 stores;
 * - encoded bytes are those of RFC 4648, and the decoder gives them back.
 */
#include "test.h"

#include "ldif/base64.h"

struct decode_case {
	const char *text;
	const char *bytes;
	size_t nbytes;
	int stop;
};

#define WHOLE DIT_BASE64_COMPLETE

static const struct decode_case cases[] = {
	{"", "", 0, WHOLE},
	{"YWJj", "abc", 3, WHOLE},
	{"w4k=", "\xc3\x89", 2, WHOLE},
	{"YQ==", "a", 1, WHOLE},
	{"YWJjYWJj", "abcabc", 6, WHOLE},
	{"AAEC/+9+", "\x00\x01\x02\xff\xef\x7e", 6, WHOLE},

	/* Surplus bits in front of the padding are dropped. */
	{"YWJjYWJ=", "abcab", 5, WHOLE},
	{"YWJjYf==", "abca", 4, WHOLE},

	/* After padding nothing counts. */
	{"w4k= ", "\xc3\x89", 2, WHOLE},
	{"YWI=YWJj", "ab", 2, WHOLE},
	{"YQ==YWJj", "a", 1, WHOLE},
	{"YW=a", "a", 1, WHOLE},
	{"YWI=@@@@", "ab", 2, WHOLE},

	/* Stopped: the group of the bad character is dropped as a whole. */
	{"YWJj ", "abc", 3, ' '},
	{"YWJjYW@j", "abc", 3, '@'},
	{"YWJj=@@", "abc", 3, '@'},
	{"YWJjYW=@", "abc", 3, '@'},
	{"YWJjYW@=", "abc", 3, '@'},
	{"YWJj\xe9", "abc", 3, 0xe9},
	{"YW-_", "", 0, '-'},
	{"@", "", 0, '@'},

	/* Incomplete: stopped by 0. */
	{"w4", "", 0, 0},
	{"AAECw4", "\x00\x01\x02", 3, 0},
	{"YWJjY", "abc", 3, 0},
	{"YWJjYWI", "abc", 3, 0},
	{"YWJj=", "abc", 3, 0},
	{"YWJjYW=", "abc", 3, 0},
	{"Y==", "", 0, 0},
	{"=", "", 0, 0},

	/* Misplaced padding, as stored by slapadd. */
	{"Y===", "\xff", 1, WHOLE},
	{"====", "\xff", 1, WHOLE},
	{"===Y", "\xff", 1, WHOLE},
	{"=YWJ", "\xfd\x85\x89", 3, WHOLE},
	{"=YW=", "\xfd\x85", 2, WHOLE},
	{"=Y==", "\xfd", 1, WHOLE},
	{"==W=", "\xff\xf5", 2, WHOLE},
	{"==WY", "\xff\xf5\x98", 3, WHOLE},
	{"Y=Wj", "\xff\xf5\xa3", 3, WHOLE},
	{"Y=W=", "\xff\xf5", 2, WHOLE},
	{"Y==j", "\xff", 1, WHOLE},
	{"YWJj====", "abc\xff", 4, WHOLE},
	{"=YWJYWJj",
         "\xfd\x85\x89"
         "abc",
         6, WHOLE},
};

TEST(decoding_gives_the_bytes_and_the_stop_of_slapd)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct decode_case *c = &cases[i];
		struct dit_span text = dit_span_of(c->text);
		char *bytes = malloc(DIT_BASE64_ROOM(text.len) + 1);
		size_t len = 0;

		print_message("%s\n", c->text);
		assert_non_null(bytes);
		assert_int_equal(dit_base64_decode(text, bytes, &len), c->stop);
		assert_int_equal(len, c->nbytes);
		assert_memory_equal(bytes, c->bytes, len);
		free(bytes);
	}
}

TEST(decoding_in_place_gives_the_same)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct decode_case *c = &cases[i];
		char *text = strdup(c->text);
		size_t len = 0;

		assert_non_null(text);
		assert_int_equal(dit_base64_decode(dit_span_of(text), text, &len),
		                 c->stop);
		assert_int_equal(len, c->nbytes);
		assert_memory_equal(text, c->bytes, len);
		free(text);
	}
}

/* The same bytes through an encoder that knows nothing of the decoder. */
TEST(every_byte_value_survives_at_every_place)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[344]; /* 256 bytes, the last group padded */
	char bytes[DIT_BASE64_ROOM(sizeof(text))];
	char encoded[DIT_BASE64_TEXT(256)];
	size_t len = 0;

	for (size_t shift = 0; shift < 3; shift++) {
		for (size_t i = 0; i < 256; i += 3) {
			unsigned v = 0;

			for (size_t k = i; k < i + 3; k++) {
				v = v << 8 | (k < 256 ? (k + shift) & 0xff : 0);
			}
			for (size_t k = 0; k < 4; k++) {
				text[i / 3 * 4 + k] = digits[v >> (18 - 6 * k) & 0x3f];
			}
		}
		text[342] = '=';
		text[343] = '=';
		assert_int_equal(dit_base64_decode((struct dit_span){text, sizeof(text)},
		                                   bytes, &len),
		                 WHOLE);
		assert_int_equal(len, 256);
		for (size_t i = 0; i < 256; i++) {
			assert_int_equal((unsigned char)bytes[i], (i + shift) & 0xff);
		}
		assert_int_equal(
			dit_base64_encode((struct dit_span){bytes, 256}, encoded),
			sizeof(encoded));
		assert_memory_equal(encoded, text, sizeof(text));
	}
}

/* RFC 4648 section 10. */
TEST(encoding_pads_the_last_group)
{
	static const char *const texts[] = {"",         "Zg==",     "Zm8=",    "Zm9v",
	                                    "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};

	for (size_t len = 0; len < sizeof(texts) / sizeof(texts[0]); len++) {
		struct dit_span bytes = {"foobar", len};
		char text[DIT_BASE64_TEXT(6)];

		assert_int_equal(DIT_BASE64_TEXT(len), strlen(texts[len]));
		assert_int_equal(dit_base64_encode(bytes, text), strlen(texts[len]));
		assert_memory_equal(text, texts[len], strlen(texts[len]));
	}
}
