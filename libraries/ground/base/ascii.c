/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Squeezing ASCII text, eight bytes at a time.
 *
 * Nearly every value is ASCII with single spaces, and then the result has the length of
 * the trimmed input and each byte stays in place: words are loaded, folded and stored.
 * A word in which two spaces meet ends that; from there on it goes byte by byte.
 *
 *     "  Ann  Lee "   trimmed to "Ann  Lee", spaces meet in the only word, "ann lee"
 *     "Ann Lee Miller" "ann lee " then the last eight bytes again, " Miller" with 'e'
 *
 * The arithmetic works on all eight bytes of a word at once and needs bytes below 0x80,
 * so that no carry leaves its byte: adding 0x80 - c raises the high bit of the bytes that
 * are c or above. Words are little-endian in the register, the first byte lowest.
 */
#include "base/ascii.h"

#include <endian.h>
#include <string.h>

#define EVERY(byte) (0x0101010101010101u * (uint64_t)(byte))
#define HIGH_BITS   EVERY(0x80)

/* clang-format off */
#define NO_HEX_8 -1, -1, -1, -1, -1, -1, -1, -1
#define NO_HEX_16 NO_HEX_8, NO_HEX_8
#define NO_HEX_128 NO_HEX_16, NO_HEX_16, NO_HEX_16, NO_HEX_16, \
		   NO_HEX_16, NO_HEX_16, NO_HEX_16, NO_HEX_16
/* A table: digits of random bytes are what branch prediction cannot learn. */
const signed char dit_ascii_hex_values[256] = {
	NO_HEX_16, NO_HEX_16, NO_HEX_16,
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -1, -1, -1, -1, -1,
	-1, 10, 11, 12, 13, 14, 15, -1, NO_HEX_8, NO_HEX_16,
	-1, 10, 11, 12, 13, 14, 15, -1, NO_HEX_8, NO_HEX_16,
	NO_HEX_128,
};
/* clang-format on */

static uint64_t load_word(const char *at)
{
	uint64_t word = 0;

	memcpy(&word, at, sizeof(word));
	return le64toh(word);
}

static void store_word(char *to, uint64_t word)
{
	word = htole64(word);
	memcpy(to, &word, sizeof(word));
}

/* 1 to 7 bytes; the others of the word become 0x7F, which no test here looks for. */
static uint64_t load_short(const char *at, size_t n)
{
	uint64_t word = EVERY(0x7F) << (8 * n);

	if (n >= 4) {
		uint32_t first = 0;
		uint32_t last = 0;

		memcpy(&first, at, sizeof(first));
		memcpy(&last, at + n - 4, sizeof(last));
		word |= le32toh(first);
		word |= (uint64_t)le32toh(last) << (8 * (n - 4));
	} else {
		word |= (unsigned char)at[0];
		word |= (uint64_t)(unsigned char)at[n / 2] << (8 * (n / 2));
		word |= (uint64_t)(unsigned char)at[n - 1] << (8 * (n - 1));
	}
	return word;
}

/* High bit set in each byte that is zero. */
static uint64_t zero_bytes(uint64_t word)
{
	return ~(word + EVERY(0x7F)) & HIGH_BITS;
}

static uint64_t lower_word(uint64_t word)
{
	uint64_t from_a = word + EVERY(0x80 - 'A');
	uint64_t past_z = word + EVERY(0x80 - 'Z' - 1);

	return word | ((from_a & ~past_z & HIGH_BITS) >> 2);
}

bool dit_ascii_is(struct dit_span text)
{
	const char *at = text.data;
	size_t n = text.len;
	uint64_t seen = 0;

	for (; n >= 8; at += 8, n -= 8) {
		seen |= load_word(at);
	}
	if (n > 0) {
		seen |= load_short(at, n);
	}
	return (seen & HIGH_BITS) == 0;
}

static ptrdiff_t squeeze_bytes(struct dit_span text, size_t at, unsigned flags, char *to)
{
	size_t n = at;
	bool after_space = at > 0 && text.data[at - 1] == ' ';

	for (; at < text.len; at++) {
		char c = text.data[at];

		if ((c & 0x80) != 0 || (c == '\0' && (flags & DIT_ASCII_NO_NUL) != 0)) {
			return -1;
		}
		if (c == ' ' && after_space) {
			continue;
		}
		after_space = c == ' ';
		to[n++] = (flags & DIT_ASCII_FOLD) != 0 ? dit_ascii_lower(c) : c;
	}
	return (ptrdiff_t)n;
}

enum word_kind {
	WORD_PLAIN,
	WORD_SPACES_MEET,
	WORD_NOT_HANDLED,
};

/* @param after_space 0x80 if the byte in front is a space, else 0 */
static inline enum word_kind squeeze_word(uint64_t word, uint64_t after_space,
                                          unsigned flags, char *to)
{
	uint64_t spaces = 0;

	if ((word & HIGH_BITS) != 0 ||
	    ((flags & DIT_ASCII_NO_NUL) != 0 && zero_bytes(word) != 0)) {
		return WORD_NOT_HANDLED;
	}
	spaces = zero_bytes(word ^ EVERY(' '));
	if ((spaces & (spaces << 8 | after_space)) != 0) {
		return WORD_SPACES_MEET;
	}
	store_word(to, (flags & DIT_ASCII_FOLD) != 0 ? lower_word(word) : word);
	return WORD_PLAIN;
}

ptrdiff_t dit_ascii_squeeze(struct dit_span text, unsigned flags, char *to)
{
	enum word_kind kind = WORD_PLAIN;
	size_t at = 0;

	while (text.len > 0 && text.data[0] == ' ') {
		text.data++;
		text.len--;
	}
	while (text.len > 0 && text.data[text.len - 1] == ' ') {
		text.len--;
	}
	if (text.len == 0) {
		return 0;
	}
	if (text.len < 8) {
		kind = squeeze_word(load_short(text.data, text.len), 0, flags, to);
	} else {
		/* The last round takes the last eight bytes, some of them again. */
		for (at = 0; kind == WORD_PLAIN; at += 8) {
			uint64_t after_space = 0;

			if (at + 8 > text.len) {
				at = text.len - 8;
			}
			after_space = at > 0 && text.data[at - 1] == ' ' ? 0x80 : 0;
			kind = squeeze_word(load_word(text.data + at), after_space, flags,
			                    to + at);
			if (kind != WORD_PLAIN || at + 8 == text.len) {
				break;
			}
		}
	}
	if (kind == WORD_SPACES_MEET) {
		return squeeze_bytes(text, at, flags, to);
	}
	return kind == WORD_PLAIN ? (ptrdiff_t)text.len : -1;
}

ptrdiff_t dit_ascii_unescape_url(struct dit_span text, char *to)
{
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++) {
		int byte = (unsigned char)text.data[i];

		if (byte == '%') {
			byte = text.len - i < 3 ? -1
			                        : dit_ascii_hex_pair(text.data + i + 1);
			i += 2;
		}
		if (byte < 0) {
			return -1;
		}
		to[n++] = (char)byte;
	}
	return (ptrdiff_t)n;
}
