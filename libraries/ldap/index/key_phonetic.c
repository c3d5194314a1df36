/* SPDX-License-Identifier: BSD-2-Clause */
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
#include "index/key_bytes.h"

#include <string.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "values/utf8_prep.h"

#define WORD_MAX 31 /* letters of a word that count */

/* A word: its letters in upper case with NULs on both sides. */
struct word {
	char room[1 + WORD_MAX + 3]; /* rules look at one letter back and three ahead */
	char *letters;
	size_t n;
	bool is_closed; /* by a digit, a mark or a tab; the rest does not count */
};

static bool is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

static bool is_vowel(char c)
{
	return is_one_of(c, "AEIOU");
}

/* Letters that make a C or G soft. */
static bool is_front(char c)
{
	return is_one_of(c, "EIY");
}

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

	if ((is_one_of(at[0], "KPG") && at[1] == 'N') || (at[0] == 'A' && at[1] == 'E') ||
	    (at[0] == 'W' && is_one_of(at[1], "RH"))) {
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

static char sound_of_c(const char *at)
{
	if (at[-1] == 'S' && is_front(at[1])) {
		return '\0';
	}
	if (at[1] == 'I' && at[2] == 'A') {
		return 'X';
	}
	if (is_front(at[1])) {
		return 'S';
	}
	if (at[1] == 'H') {
		bool is_hard = (at[-1] == '\0' && !is_vowel(at[2])) || at[-1] == 'S';

		return is_hard ? 'K' : 'X';
	}
	return 'K';
}

static char sound_of_g(const char *at)
{
	if ((at[1] == 'J' && !is_vowel(at[2])) ||
	    (at[1] == 'N' && at[2] == 'E' && at[3] == 'D') ||
	    (at[-1] == 'D' && is_front(at[1]))) {
		return '\0';
	}
	return is_front(at[1]) && at[2] != 'G' ? 'G' : 'K';
}

static char sound_of_h(const char *at)
{
	bool is_silent =
		is_one_of(at[-1], "CGPST") || (is_vowel(at[-1]) && !is_vowel(at[1]));

	return is_silent ? '\0' : 'H';
}

static char sound_of_t(const char *at)
{
	if (at[1] == 'I' && is_one_of(at[2], "OA")) {
		return 'X';
	}
	if (at[1] == 'H') {
		return '0';
	}
	return at[1] == 'C' && at[2] == 'H' ? '\0' : 'T';
}

/* The addition of a letter other than X to the key; NUL: none. */
static char sound_of(const char *at)
{
	switch (*at) {
	case 'B':
		return at[1] == '\0' && at[-1] != 'M' ? 'B' : '\0';
	case 'C':
		return sound_of_c(at);
	case 'D':
		return at[1] == 'G' && is_front(at[2]) ? 'J' : 'T';
	case 'G':
		return sound_of_g(at);
	case 'H':
		return sound_of_h(at);
	case 'K':
		return at[-1] == 'C' ? '\0' : 'K';
	case 'P':
		return at[1] == 'H' ? 'F' : 'P';
	case 'Q':
		return 'K';
	case 'S':
		return at[1] == 'H' || (at[1] == 'I' && is_one_of(at[2], "OA")) ? 'X'
		                                                                : 'S';
	case 'T':
		return sound_of_t(at);
	case 'V':
		return 'F';
	case 'W':
	case 'Y':
		return is_vowel(at[1]) ? *at : '\0';
	case 'Z':
		return 'S';
	default: /* vowels, F J L M N R */
		return !is_vowel(*at) || at[-1] == '\0' ? *at : '\0';
	}
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
