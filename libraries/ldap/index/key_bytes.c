/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys that are no hashes: of integers, of times, of the sound of words. */
#include "index/key_bytes.h"

#include <stdint.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "base/pattern.h"
#include "values/number.h"
#include "values/utf8_prep.h"

/* ---- integers ---- */

/*
 * A number that fits is its big-endian two's complement with the sign bit inverted, so
 * that bytes compare as numbers do. A number that is too long keeps its leading bytes,
 * and the bits after the sign count the bytes that were cut, in the manner of a
 * floating point exponent. With 4 bytes:
 *
 *     -1073741825    3f bf ff ff      exponent form, one byte too long
 *     -1000          7f ff fc 18
 *     0              80 00 00 00
 *     1000           80 00 03 e8
 *     1073741823     bf ff ff ff      the longest without an exponent
 *     1073741824     c0 40 00 00      exponent form, nothing cut yet
 *     4294967296     c1 01 00 00      one byte cut
 *
 * Very long decimal texts are cut before they are converted, 7 digits counting as 3
 * bytes, which loses some order but keeps slapd's keys.
 *
 * slapd dies when digits are cut of a number with so many leading zeros that fewer bytes
 * remain than the key has. If as many remain, counting those cut, it goes on to use
 * memory that it never set; the rest of the key is zero here.
 */
/** A number that is not negative loses a zero byte in front. */
static void read_number(struct dit_number *n, struct dit_span text)
{
	dit_number_read(n, text);
	if (text.len > 0 && text.data[0] != '-' && n->len > 0 &&
	    *dit_number_first(n) == 0) {
		n->len--;
	}
}

/** Count missing bytes in front of the number. @return the mask of the sign bits */
static uint32_t add_exponent(struct dit_number *n, uint64_t ncut, unsigned fill)
{
	uint32_t mask = 0xffffff80u;

	do {
		n->len++;
		*dit_number_first(n) = (unsigned char)(ncut ^ fill);
		mask >>= 1;
		ncut >>= 8;
	} while (ncut > 0 || ((mask >> 1) & (*dit_number_first(n) ^ fill)) != 0);
	return mask;
}

/** How many times 7 digits are cut off the end of a text before it is read. */
static size_t groups_cut(struct dit_span value, unsigned intlen)
{
	bool is_negative = value.len > 0 && value.data[0] == '-';
	size_t longest = (8 * intlen - 1) * 146 / 485 + 3 - (is_negative ? 0 : 1);

	return value.len > longest ? (value.len - longest + 2) / 7 : 0;
}

void dit_key_integer(struct dit_span value, unsigned intlen, unsigned char *key)
{
	bool is_negative = value.len > 0 && value.data[0] == '-';
	unsigned fill = is_negative ? 0xff : 0;
	size_t groups = groups_cut(value, intlen);
	size_t ncut = 3 * groups;
	uint32_t mask = 0xffffff80u;
	struct dit_number n;

	value.len -= 7 * groups;
	read_number(&n, value);
	if (n.len + ncut < intlen) {
		size_t missing = intlen - n.len - ncut;

		memset(key, (int)fill, missing);
		memcpy(key + missing, dit_number_first(&n), n.len);
		memset(key + missing + n.len, 0, ncut);
	} else {
		size_t excess = n.len + ncut - intlen;

		if (excess > 0 ||
		    (n.len > 0 && ((*dit_number_first(&n) ^ fill) & 0xc0) != 0)) {
			mask = add_exponent(&n, excess, fill);
		}
		memset(key, 0, intlen);
		memcpy(key, dit_number_first(&n), n.len < intlen ? n.len : intlen);
	}
	key[0] ^= (unsigned char)mask;
}

bool dit_key_integer_is_sound(struct dit_span value, unsigned intlen)
{
	size_t groups = groups_cut(value, intlen);
	struct dit_number n;

	value.len -= 7 * groups;
	if (!dit_number_is_sound(value)) {
		return false;
	}
	if (groups == 0) {
		return true;
	}
	read_number(&n, value);
	return n.len + 3 * groups >= intlen;
}

/* ---- times ---- */

/*
 * Time keys: seconds since the year 0 in 40 bits, with the sign bit inverted.
 *
 *     00000101000000Z    40 00 00 00 00
 *     19691231235959Z    4e 79 74 7b ff
 *     19700101000000Z    4e 79 74 7c 00
 *     20220101123045Z    4e db 44 c5 75
 *     20410713010359Z    4e ff ff ff ff
 *     20410713010400Z    4e 00 00 00 00
 *     20410714000000Z    4f 00 01 42 80
 *
 * The first byte is that of the midnight before: on a day within which the lower 32 bits
 * begin again at 0, slapd leaves out the carry, and looks for such keys.
 *
 * The calendar is Gregorian throughout, and the year 0 has a 29th of February. Years are
 * counted from March, so that the leap day is the last of its year.
 *
 * Malformed times, which CSNs may hold, get no key, as slapd's parser has it: a day from
 * 1 to 31 whatever the month, hours, minutes and seconds (to 61) in range, a fraction of
 * digits after a point if any, and an upper-case Z.
 */

#define DAYS_BEFORE_MARCH 60 /* of the year 0 */

/** Days since 0000-01-01. @p month 1 .. 12 */
static int64_t days_since_zero(int year, int month, int day)
{
	int march_year = month > 2 ? year : year - 1; /* -1: Jan and Feb of the year 0 */
	int march_month = month > 2 ? month - 3 : month + 9;
	int64_t y = march_year + 400; /* not negative, and 400 years are a whole cycle */

	return y * 365 + y / 4 - y / 100 + y / 400 + (153 * march_month + 2) / 5 + day -
	       1 + DAYS_BEFORE_MARCH - 146097;
}

static bool is_in(int number, int low, int high)
{
	return number >= low && number <= high;
}

bool dit_key_time(struct dit_span value, unsigned char *key)
{
	const char *text = value.data;
	int64_t midnight = 0;
	uint32_t seconds = 0;
	int month = 0;
	int day = 0;

	/* The rest is not looked at. */
	if (!dit_pattern_cut(&value,
	                     DIT_DIGIT "{14}Z|" DIT_DIGIT "{14}[.]" DIT_DIGIT "+Z")) {
		return false;
	}
	month = dit_ascii_number(text + 4, 2);
	day = dit_ascii_number(text + 6, 2);
	if (!is_in(month, 1, 12) || !is_in(day, 1, 31) ||
	    !is_in(dit_ascii_number(text + 8, 2), 0, 23) ||
	    !is_in(dit_ascii_number(text + 10, 2), 0, 59) ||
	    !is_in(dit_ascii_number(text + 12, 2), 0, 61)) {
		return false;
	}
	midnight = days_since_zero(dit_ascii_number(text, 4), month, day) * 86400;
	seconds = (uint32_t)midnight;
	seconds += (uint32_t)(dit_ascii_number(text + 8, 2) * 3600 +
	                      dit_ascii_number(text + 10, 2) * 60 +
	                      dit_ascii_number(text + 12, 2));
	key[0] = (unsigned char)(((midnight >> 32) & 0x7f) ^ 0x40);
	key[1] = (unsigned char)(seconds >> 24);
	key[2] = (unsigned char)(seconds >> 16);
	key[3] = (unsigned char)(seconds >> 8);
	key[4] = (unsigned char)seconds;
	return true;
}

/* ---- what words sound like ---- */

/*
 * Approximate keys, a cousin of Lawrence Philips' Metaphone of 1990.
 *
 * A value is decomposed and all that is not ASCII dropped; spaces divide it into words. A
 * word is what its letters up to the first digit or punctuation mark are:
 *
 *     "René"       R E N E       RN      a vowel counts only in front
 *     "Knight's"   N I G H T     NKT     K is silent before N
 *     "Xavier"     S A V I E R   SFR     an X in front is an S
 *     "Thatch"     T H A T C H   0X      0 stands for TH, X for CH and SH
 *
 * Where that is not how English sounds, it is how slapd spells its keys.
 */

#define WORD_MAX 31 /* letters of a word that count */

/* A word: its letters in upper case with NULs on both sides. */
struct word {
	char room[1 + WORD_MAX + 3]; /* rules look at one letter back and three ahead */
	char *letters;
	size_t n;
	bool is_closed; /* by a digit, a mark or a tab; the rest does not count */
};

static void word_start(struct word *word)
{
	memset(word->room, 0, sizeof(word->room));
	word->letters = word->room + 1;
	word->n = 0;
	word->is_closed = false;
}

static void word_add(struct word *word, char c)
{
	if (word->is_closed) {
		return;
	}
	if (dit_ascii_is_alpha(c)) {
		if (word->n < WORD_MAX) {
			word->letters[word->n++] = (char)(c & ~0x20);
		}
	} else if (c > ' ' || (c >= '\t' && c <= '\r')) {
		word->is_closed = c != 0x7F;
	}
}

/* Groups of letters that sound different at the beginning of a word. */
static void begin(struct word *word)
{
	char *at = word->letters;

	if (dit_pattern_is((struct dit_span){at, 2}, "[GKP]N|AE|W[HR]")) {
		bool is_wh = at[1] == 'H';

		*at++ = '\0';
		word->letters = at;
		word->n--;
		if (is_wh) {
			at[0] = 'W';
		}
	} else if (at[0] == 'X') {
		at[0] = 'S';
	}
}

/*
 * The additions of letters to the key: the first rule that fits the letter before and
 * those after counts, and without any the letter itself. In front and at the end there
 * are NULs. X has a rule of its own, in word_key().
 */
/* clang-format off */
#define NO_SOUND '\0'
#define VOWEL    {{"[A-Z]", "", NO_SOUND}} /* counts only in front */

static const struct sound_rule {
	const char *before; /* patterns; "": anything */
	const char *after;
	char sound;
} sound_rules['Z' + 1][8] = {
	['A'] = VOWEL,
	['B'] = {{"[^M]", "[^A-Z]", 'B'}, {"", "", NO_SOUND}},
	['C'] = {{"S", "[EIY]", NO_SOUND}, {"", "IA", 'X'}, {"", "[EIY]", 'S'},
	         {"[^A-Z]", "H[^AEIOU]", 'K'}, {"S", "H", 'K'}, {"", "H", 'X'},
	         {"", "", 'K'}},
	['D'] = {{"", "G[EIY]", 'J'}, {"", "", 'T'}},
	['E'] = VOWEL,
	['G'] = {{"", "J[^AEIOU]|NED", NO_SOUND}, {"D", "[EIY]", NO_SOUND},
	         {"", "[EIY][^G]", 'G'}, {"", "", 'K'}},
	['H'] = {{"[CGPST]", "", NO_SOUND}, {"[AEIOU]", "[^AEIOU]", NO_SOUND}},
	['I'] = VOWEL,
	['K'] = {{"C", "", NO_SOUND}},
	['O'] = VOWEL,
	['P'] = {{"", "H", 'F'}},
	['Q'] = {{"", "", 'K'}},
	['S'] = {{"", "H|I[AO]", 'X'}},
	['T'] = {{"", "I[AO]", 'X'}, {"", "H", '0'}, {"", "CH", NO_SOUND}},
	['U'] = VOWEL,
	['V'] = {{"", "", 'F'}},
	['W'] = {{"", "[^AEIOU]", NO_SOUND}},
	['Y'] = {{"", "[^AEIOU]", NO_SOUND}},
	['Z'] = {{"", "", 'S'}},
};
/* clang-format on */

static char sound_of(const char *at)
{
	const struct sound_rule *rule = sound_rules[(unsigned char)*at];

	for (; rule->after != NULL; rule++) {
		struct dit_span before = {at - 1, 1};
		struct dit_span after = {at + 1, 3};

		if (dit_pattern_cut(&before, rule->before) &&
		    dit_pattern_cut(&after, rule->after)) {
			return rule->sound;
		}
	}
	return *at;
}

/* @return length of the key; 0: the word has none */
static size_t word_key(struct word *word, char *key)
{
	size_t nkey = 0;

	begin(word);
	for (const char *at = word->letters; *at != '\0' && nkey < DIT_PHONETIC_MAX;
	     at++) {
		char sound = '\0';

		if (*at == at[-1] && *at != 'C') {
			continue;
		}
		if (*at == 'X') {
			key[nkey++] = 'K';
			sound = 'S';
			at += at[1] != '\0';
		} else {
			sound = sound_of(at);
		}
		if (sound != '\0' && nkey < DIT_PHONETIC_MAX) {
			key[nkey++] = sound;
		}
	}
	return nkey;
}

bool dit_sound_next(struct dit_span *text, struct dit_sound *ret)
{
	char chars[DIT_UTF8_ASCII_MAX];
	bool is_end = false;
	struct word word;

	word_start(&word);
	ret->is_empty = true;
	while (text->len > 0 && !is_end) {
		uint32_t c = 0;
		size_t len = dit_utf8_decode(*text, &c);
		size_t nchars = len == 0 ? 0 : dit_utf8_ascii(c, chars);

		if (len == 0 || c == '\0') {
			text->len = 0; /* slapd's words end at a NUL */
			break;
		}
		dit_cut(text, len);
		/* No character decomposes to a space with a letter after it. */
		for (size_t i = 0; i < nchars && !is_end; i++) {
			is_end = chars[i] == ' ';
			if (!is_end) {
				ret->is_empty = false;
				word_add(&word, chars[i]);
			}
		}
	}
	ret->len = word_key(&word, ret->key);
	return is_end;
}
