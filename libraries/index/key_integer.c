/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Integer keys.
 *
 * A number that fits is its big-endian two's complement with the sign bit inverted, so
 * that bytes compare as numbers do. A number that is too long keeps its leading bytes,
 * and the bits behind the sign count the bytes that were cut, in the manner of a
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
 * slapd does not insist on digits. It reads 8 characters at a time, from the right end of
 * the text on, and takes of each group what strtol() makes of it: "1000 " is 1000, "abc"
 * is 0. Where it goes on to use memory that it never set (numbers with so many leading
 * zeros that digits are cut and yet fewer bytes remain than the key has), the rest of the
 * key is zero here.
 */
#include "index/key_integer.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define GROUP       8 /* decimal digits taken at a time */
#define GROUP_SCALE 100000000u
/*
 * The longest text left for 255 bytes has 614 + 5 characters: hexadecimal 310 bytes,
 * decimal fewer. Each group adds less than 4 bytes.
 */
#define NUMBER_MAX 512

/** A magnitude, or later a two's complement, at the end of the array. */
struct number {
	unsigned char bytes[NUMBER_MAX];
	size_t len;
};

static unsigned char *number_first(struct number *n)
{
	return n->bytes + NUMBER_MAX - n->len;
}

/** n = n * scale + add */
static void number_append(struct number *n, uint32_t scale, uint32_t add)
{
	uint64_t carry = add;

	for (size_t i = 0; i < n->len; i++) {
		unsigned char *byte = &n->bytes[NUMBER_MAX - 1 - i];

		carry += (uint64_t)*byte * scale;
		*byte = (unsigned char)carry;
		carry >>= 8;
	}
	while (carry > 0 && n->len < NUMBER_MAX) {
		n->len++;
		*number_first(n) = (unsigned char)carry;
		carry >>= 8;
	}
}

/** What strtol() finds in up to 8 characters, never negative. */
static uint32_t read_group(const char *text, size_t len)
{
	uint32_t n = 0;
	size_t i = 0;

	while (i < len && (text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r'))) {
		i++;
	}
	if (i < len && text[i] == '+') {
		i++;
	}
	for (; i < len && text[i] >= '0' && text[i] <= '9'; i++) {
		n = n * 10 + (uint32_t)(text[i] - '0');
	}
	return n;
}

static void read_decimal(struct number *n, const char *text, size_t len)
{
	/* The first group is the short one. */
	size_t group = len % GROUP == 0 ? GROUP : len % GROUP;
	size_t at = 0;

	while (at < len) {
		number_append(n, GROUP_SCALE, read_group(text + at, group));
		at += group;
		group = GROUP;
	}
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9') {
		return c - '0';
	}
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/** Leading zeros stay: it is a string of bytes. It ends before what is no digit. */
static void read_hex(struct number *n, const char *text, size_t len)
{
	size_t ndigits = 0;

	while (ndigits < len && hex_digit(text[ndigits]) >= 0) {
		ndigits++;
	}
	n->len = (ndigits + 1) / 2;
	memset(number_first(n), 0, n->len);
	for (size_t i = 0; i < ndigits; i++) {
		int digit = hex_digit(text[ndigits - 1 - i]);

		n->bytes[NUMBER_MAX - 1 - i / 2] |= (unsigned char)(digit << (i % 2 * 4));
	}
}

/** Turn a magnitude into the shortest two's complement of its negative. */
static void negate(struct number *n, bool has_digits)
{
	unsigned carry = 1;

	for (size_t i = 0; i < n->len; i++) {
		unsigned char *byte = &n->bytes[NUMBER_MAX - 1 - i];

		carry += (unsigned char)~*byte;
		*byte = (unsigned char)carry;
		carry >>= 8;
	}
	if (n->len == 0 && has_digits) {
		n->len = 1; /* "-0" is a byte of its own kind */
		*number_first(n) = 0;
	} else if (n->len > 0 && *number_first(n) < 0x80) {
		n->len++;
		*number_first(n) = 0xff;
	}
}

static void read_number(struct number *n, const char *text, size_t len)
{
	n->len = 0;
	if (len >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		read_hex(n, text + 2, len - 2);
	} else if (len >= 3 && text[0] == '\'' && text[len - 2] == '\'' &&
	           text[len - 1] == 'H') {
		read_hex(n, text + 1, len - 3);
	} else if (len > 0 && text[0] == '-') {
		read_decimal(n, text + 1, len - 1);
		negate(n, len > 1);
		return;
	} else {
		read_decimal(n, text, len);
	}
	if (n->len > 0 && *number_first(n) == 0) {
		n->len--;
	}
}

/** Count missing bytes in front of the number. @return the mask of the sign bits */
static uint32_t add_exponent(struct number *n, uint64_t ncut, unsigned fill)
{
	uint32_t mask = 0xffffff80u;

	do {
		n->len++;
		*number_first(n) = (unsigned char)(ncut ^ fill);
		mask >>= 1;
		ncut >>= 8;
	} while (ncut > 0 || ((mask >> 1) & (*number_first(n) ^ fill)) != 0);
	return mask;
}

void dit_key_integer(struct dit_span value, unsigned intlen, unsigned char *key)
{
	bool is_negative = value.len > 0 && value.data[0] == '-';
	unsigned fill = is_negative ? 0xff : 0;
	size_t longest = (8 * intlen - 1) * 146 / 485 + 3 - (is_negative ? 0 : 1);
	uint32_t mask = 0xffffff80u;
	size_t len = value.len;
	size_t ncut = 0;
	struct number n;

	if (len > longest) {
		size_t groups = (len - longest + 2) / 7;

		len -= 7 * groups;
		ncut = 3 * groups;
	}
	read_number(&n, value.data, len);
	if (n.len + ncut < intlen) {
		size_t missing = intlen - n.len - ncut;

		memset(key, (int)fill, missing);
		memcpy(key + missing, number_first(&n), n.len);
		memset(key + missing + n.len, 0, ncut);
	} else {
		size_t excess = n.len + ncut - intlen;

		if (excess > 0 ||
		    (n.len > 0 && ((*number_first(&n) ^ fill) & 0xc0) != 0)) {
			mask = add_exponent(&n, excess, fill);
		}
		memset(key, 0, intlen);
		memcpy(key, number_first(&n), n.len < intlen ? n.len : intlen);
	}
	key[0] ^= (unsigned char)mask;
}
