/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The promises of index/key_bytes.h (values.md 6.9). The keys were made by slapadd
 * 2.5.13; many more words are compared with it in tests/oracle/values.sh.
 */
#include "index/key_bytes.h"

#include "test.h"

static const struct {
	const char *text;
	const char *keys; /* with a space after each */
} examples[] = {
	/* values.md 6.9 */
	{"Hello World", "HL WRLT "},
	{"Knight", "NKT "},
	{"Xavier", "SFR "},
	{"Wright Phone", "RKT FN "},
	{"Jos\xC3\xA9", "JS "},
	{"Thatch Gem", "0X GM "},
	{"Axe", "AKS "},
	{"12 34", ""},
	/* words */
	{"", ""},
	{"   ", ""},
	{"A bc d efg", "A K T EFK "},
	{"  foo  ", "F "},
	{"Robert\tHello a", "RRT A "},
	{"O'Neill x-ray", "O S "},
	{"abc\x7F"
         "def \x01x",
         "AKTF S "},
	/* all that is not ASCII is dropped after it was decomposed */
	{"\xE3\x8E\xA9 caf\xC3\xA9s", "P KFS "},
	{"\xEF\xAC\x83", "F "},
	{"na\xE2\x80\x8Bme", "NM "},
	{"\xE6\xBC\xA2\xE5\xAD\x97", ""},
	{"a\xC2\xA0knot", "A NT "},
};

static void check(struct dit_span text, const char *keys)
{
	char found[256] = "";
	struct dit_sound sound;
	bool has_more = true;

	while (has_more) {
		has_more = dit_sound_next(&text, &sound);
		assert_true(sound.len <= sizeof(sound.key));
		(void)snprintf(found + strlen(found), sizeof(found) - strlen(found),
		               "%.*s%s", (int)sound.len, sound.key,
		               sound.len > 0 ? " " : "");
	}
	assert_string_equal(found, keys);
	assert_int_equal(text.len, 0);
}

TEST(words_have_slapds_keys)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		print_message("  %s\n", examples[i].text);
		check(dit_span_of(examples[i].text), examples[i].keys);
	}
}

TEST(a_nul_ends_the_text)
{
	check((struct dit_span){"foo\0 bar", 8}, "F ");
}

/* Only the first 31 letters of a word count. */
TEST(long_words_are_cut)
{
	char text[64];

	memset(text, 'a', sizeof(text));
	text[30] = 'L';
	text[31] = 'm';
	check((struct dit_span){text, sizeof(text)}, "AL ");
}
