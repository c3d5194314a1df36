/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Integer keys: examples that slapd made, and the order they promise.
 */
#include "index/key_bytes.h"

#include "test.h"

struct example {
	const char *value;
	unsigned intlen;
	const char *key;
};

/* clang-format off */
static const struct example examples[] = {
	/* values.md 6.6 */
	{"0", 4, "80000000"},
	{"1", 4, "80000001"},
	{"-1", 4, "7fffffff"},
	{"255", 4, "800000ff"},
	{"65536", 4, "80010000"},
	{"-1000", 4, "7ffffc18"},
	{"1073741823", 4, "bfffffff"},
	{"1073741824", 4, "c0400000"},
	{"-1073741825", 4, "3fbfffff"},
	{"4294967296", 4, "c1010000"},
	{"100000000000", 4, "c1174876"},
	{"99999999999", 4, "c1174876"},
	{"123456789012345678901234567890", 4, "c9075bcd"},
	{"12345678901234567890", 8, "c0ab54a98ceb1f0a"},
	/* made with slapadd 2.5.13 */
	{"-128", 4, "7fffff80"},
	{"-129", 4, "7fffff7f"},
	{"007", 8, "8000000000000007"},
	{"-0", 4, "7fffff00"},
	{"-", 4, "7fffffff"},
	{"-00000000000000000001", 8, "7fffffffffffffff"},
	{"0x0F", 4, "8000000f"},
	{"0Xf", 4, "8000000f"},
	{"0x", 4, "80000000"},
	{"'F'H", 4, "8000000f"},
	{"''H", 4, "80000000"},
	{"'1f'h", 4, "80000000"},
	{"0x80000000", 4, "c0800000"},
	{"0x0080000000", 4, "c0800000"},
	{"0x000080000000", 4, "c1008000"},
	{"0x1g34", 4, "80000001"},
	{"0xzz", 4, "80000000"},
	{"-0x1", 4, "7fffff00"},
	{"0x1111111111111111111111111111111111111111", 4, "ce111111"},
	{"0x1111111111111111111111111111111111111111", 8, "cb01111111111111"},
	{"+5", 4, "80000005"},
	{" 5", 4, "80000005"},
	{"5 ", 4, "80000005"},
	{"5x", 4, "80000005"},
	{"x5", 4, "80000000"},
	{"abc", 4, "80000000"},
	{"111111111111111111111111111111x", 16, "8000000e063191caf8f3b3044683db47"},
	/* zeros have a byte for each group */
	{"-0", 4, "7fffff00"},
	{"-00000000000", 4, "7fff0000"},
	{"-0000000000000000", 4, "3dff0000"},
	{"-099999999", 4, "7a0a1f01"},
	/* hexadecimal text is as long as it looks, in groups of 16 characters */
	{"0x868zz6A0A27eqW", 4, "c2000868"},
	{"0x1-12345678901234567", 12, "800000012345678901234567"},
	{"0x123456789012345-2", 12, "800000010023456789012345"},
	{"0x-12", 4, "8000ffee"},
	{"0x+12", 4, "80000012"},
	{"0x0x12", 4, "80000012"},
	{"0x0xg2", 4, "80000000"},
	{"'+1'H", 4, "80000001"},
	{"0x", 4, "80000000"},
	/* slapd fills up with what memory holds */
	{"00000000000000000001", 4, "80000000"},
};

/* Values that kill slapd while it makes keys of 4 bytes (values.md 2.6), and others. */
static const struct {
	const char *value;
	bool is_sound;
} soundness[] = {
	{"", false},
	{"--1", false},
	{"--0", true},
	{"- -1", false},
	{"a-2741810", false},
	{" -288230376151711743", false},
	{"+-1001993", false},
	{"1-2", true},
	{"-", true},
	{"-0", true},
	{"0", true},
	{"0x-12", true},
	{"'-12'H", true},
	{"000000000001", true},
	{"000000000000000000000000000000", true},
	{"123456789012345678901234567890", true},
};
/* clang-format on */

TEST(values_have_slapds_keys)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		const struct example *e = &examples[i];
		unsigned char key[DIT_INTLEN_MAX];
		char hex[2 * DIT_INTLEN_MAX + 1] = "";

		dit_key_integer(dit_span_of(e->value), e->intlen, key);
		for (unsigned k = 0; k < e->intlen; k++) {
			(void)snprintf(hex + 2 * k, 3, "%02x", key[k]);
		}
		print_message("  %s\n", e->value);
		assert_string_equal(hex, e->key);
	}
}

TEST(values_that_kill_slapd_are_known)
{
	for (size_t i = 0; i < sizeof(soundness) / sizeof(soundness[0]); i++) {
		print_message("  %s\n", soundness[i].value);
		assert_int_equal(
			dit_key_integer_is_sound(dit_span_of(soundness[i].value), 4),
			soundness[i].is_sound);
	}
	/* Digits are cut off and fewer bytes than 9 remain. */
	assert_false(dit_key_integer_is_sound(
		DIT_SPAN("00000000000000000000000000000001"), 9));
	assert_true(dit_key_integer_is_sound(DIT_SPAN("10000000000000000000000000000001"),
	                                     9));
	/* 6 bytes and a group of 3; one less. */
	assert_true(dit_key_integer_is_sound(DIT_SPAN("00000000002000000000000000000000"),
	                                     9));
	assert_false(dit_key_integer_is_sound(
		DIT_SPAN("00000000000009000000000000000000"), 9));
}

/** Keys of a bigger number are never smaller. */
TEST(keys_sort_as_numbers_do)
{
	static const unsigned intlens[] = {4, 5, 8, 64, 255};

	for (size_t i = 0; i < sizeof(intlens) / sizeof(intlens[0]); i++) {
		unsigned intlen = intlens[i];
		unsigned char last[DIT_INTLEN_MAX] = {0};
		unsigned char key[DIT_INTLEN_MAX];
		char text[710];

		/* -999..9, ..., -99, -9, then 1, 10, 100 ... */
		for (int n = -700; n <= 700; n++) {
			int len = n < 0 ? -n : n;

			memset(text, n < 0 ? '9' : '0', sizeof(text));
			text[0] = n < 0 ? '-' : '1';
			if (n == 0) {
				continue;
			}
			dit_key_integer((struct dit_span){text, (size_t)len + (n < 0)},
			                intlen, key);
			assert_true(memcmp(last, key, intlen) <= 0);
			memcpy(last, key, intlen);
		}
	}
}

TEST(all_sixteen_bit_numbers_have_their_own_keys)
{
	unsigned char last[4] = {0};

	for (int n = -32768; n <= 32767; n++) {
		unsigned char key[4];
		char text[16];

		(void)snprintf(text, sizeof(text), "%d", n);
		dit_key_integer(dit_span_of(text), 4, key);
		assert_true(memcmp(last, key, 4) < 0);
		memcpy(last, key, 4);
	}
}

TEST(texts_of_any_length_stay_in_bounds)
{
	static const char *const starts[] = {"",   "-",        "0x",  "'",
	                                     "-0", "00000000", "0x00"};
	char *text = test_alloc(100000);

	for (unsigned intlen = DIT_INTLEN_MIN; intlen <= DIT_INTLEN_MAX; intlen += 251) {
		for (size_t len = 10; len < 100000; len += len < 1000 ? 1 : 33333) {
			for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
				unsigned char key[DIT_INTLEN_MAX];

				memset(text, (int)('0' + len % 10), len);
				memcpy(text, starts[i], strlen(starts[i]));
				if (starts[i][0] == '\'') {
					memcpy(text + len - 2, "'H", 2);
				}
				dit_key_integer((struct dit_span){text, len}, intlen,
				                key);
				(void)dit_key_integer_is_sound(
					(struct dit_span){text, len}, intlen);
			}
		}
	}
}
