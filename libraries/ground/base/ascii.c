/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Squeezing ASCII text, sixteen bytes at a time.
 *
 * Nearly every value is ASCII with single spaces, and then the result has the length of
 * the trimmed input and each byte stays in place: bytes are loaded, folded and stored. A
 * block in which two spaces meet, or with a byte that is not handled, ends that; from
 * there on it goes byte by byte. Spaces meet where a byte and its neighbour are spaces.
 *
 *     "  Ann  Lee "    trimmed to "Ann  Lee", spaces meet, "ann lee"
 *     "Ann Lee Miller" its first and last eight bytes: "ann lee " and " miller"
 *
 * Words are little-endian in the register, the first byte lowest.
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

#define LANES 16

typedef signed char lanes __attribute__((vector_size(LANES)));
typedef uint64_t word_pair __attribute__((vector_size(LANES)));

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

/* 1 to 8 bytes; the others of the word become 0x7F, which no test here looks for. */
static uint64_t load_short(const char *at, size_t n)
{
	uint64_t word = n == 8 ? 0 : EVERY(0x7F) << (8 * n);

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

		if (((c & 0x80) != 0 && (flags & DIT_ASCII_ANY) == 0) ||
		    (c == '\0' && (flags & DIT_ASCII_NO_NUL) != 0)) {
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

static lanes load_lanes(const char *at)
{
	lanes ret;

	memcpy(&ret, at, sizeof(ret));
	return ret;
}

/* @param neighbours  the byte before each, or the one after it. @return is it done? */
static inline bool fold_block(lanes *block, lanes neighbours, unsigned flags)
{
	const lanes zero = {0};
	const lanes space = zero + ' '; /* also the bit that makes a letter a small one */
	lanes bad = (*block < zero) | ((*block == space) & (neighbours == space));
	word_pair words;

	if ((flags & DIT_ASCII_NO_NUL) != 0) {
		bad |= *block == zero;
	}
	if ((flags & DIT_ASCII_FOLD) != 0) {
		*block |=
			(*block > zero + ('A' - 1)) & (*block < zero + ('Z' + 1)) & space;
	}
	words = (word_pair)bad;
	return (words[0] | words[1]) == 0;
}

/* 1 to 16 bytes: as two words, which overlap or are the same. */
static bool squeeze_words(struct dit_span text, unsigned flags, char *to)
{
	bool is_one = text.len <= sizeof(uint64_t);
	size_t at = is_one ? 0 : text.len - sizeof(uint64_t);
	uint64_t first = is_one ? load_short(text.data, text.len) : load_word(text.data);
	word_pair words = {first, is_one ? first : load_word(text.data + at)};
	word_pair before = {first << 8,
	                    is_one ? first << 8 : load_word(text.data + at - 1)};
	lanes block = (lanes)words;

	if (!fold_block(&block, (lanes)before, flags)) {
		return false;
	}
	words = (word_pair)block;
	store_word(to, words[0]);
	store_word(to + at, words[1]);
	return true;
}

ptrdiff_t dit_ascii_squeeze(struct dit_span text, unsigned flags, char *to)
{
	size_t at = 0;

	while (text.len > 0 && text.data[0] == ' ') {
		text.data++;
		text.len--;
	}
	while (text.len > 0 && text.data[text.len - 1] == ' ') {
		text.len--;
	}
	if (text.len <= LANES) {
		return text.len == 0 || squeeze_words(text, flags, to)
		               ? (ptrdiff_t)text.len
		               : squeeze_bytes(text, 0, flags, to);
	}
	do {
		lanes block = load_lanes(text.data + at);
		size_t neighbour = at == 0 ? 1 : at - 1;

		if (!fold_block(&block, load_lanes(text.data + neighbour), flags)) {
			return squeeze_bytes(text, at, flags, to);
		}
		memcpy(to + at, &block, sizeof(block));
		/* The last block takes the last bytes, some of them again. */
		at = at + 2 * LANES <= text.len || at + LANES == text.len
		             ? at + LANES
		             : text.len - LANES;
	} while (at < text.len);
	return (ptrdiff_t)text.len;
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

/* ---- without case ---- */

int dit_ascii_strncasecmp(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	while (i < n && a[i] != '\0' && dit_ascii_lower(a[i]) == dit_ascii_lower(b[i])) {
		i++;
	}
	return i == n ? 0
	              : (unsigned char)dit_ascii_lower(a[i]) -
	                        (unsigned char)dit_ascii_lower(b[i]);
}

int dit_ascii_strcasecmp(const char *a, const char *b)
{
	return dit_ascii_strncasecmp(a, b, SIZE_MAX);
}
