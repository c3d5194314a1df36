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
 * is 0.
 *
 * Of some texts slapd dies: when a group is negative, as in "--1", and when digits are cut
 * of a number with so many leading zeros that fewer bytes remain than the key has. If
 * as many remain, counting those cut, it goes on to use memory that it never set; the
 * rest of the key is zero here.
 */
#include "index/key_integer.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define GROUP       8 /* decimal digits taken at a time */
#define GROUP_SCALE 100000000u
#define HEX_GROUP   16
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

/**
 * n = n * scale + add. A number that is zero grows by a byte nevertheless, as in slapd: so
 * "-00000000000" has two bytes of zeros, one for each group.
 */
static void number_append(struct number *n, uint32_t scale, uint32_t add)
{
	uint64_t carry = add;

	for (size_t i = 0; i < n->len; i++) {
		unsigned char *byte = &n->bytes[NUMBER_MAX - 1 - i];

		carry += (uint64_t)*byte * scale;
		*byte = (unsigned char)carry;
		carry >>= 8;
	}
	do {
		n->len++;
		*number_first(n) = (unsigned char)carry;
		carry >>= 8;
	} while (carry > 0 && n->len < NUMBER_MAX);
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/** What strtol() finds in up to 8 characters, never negative. */
static uint32_t read_group(const char *text, size_t len)
{
	uint32_t n = 0;
	size_t i = 0;

	while (i < len && is_space(text[i])) {
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

/** Length of the first group, which is the short one. */
static size_t first_group(size_t len)
{
	return len % GROUP == 0 ? GROUP : len % GROUP;
}

static void read_decimal(struct number *n, const char *text, size_t len)
{
	size_t group = first_group(len);
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

/** What strtoul() finds in up to 16 characters: spaces, a sign, 0x, digits. */
static uint64_t read_hex_group(const char *text, size_t len)
{
	bool is_negative = false;
	uint64_t n = 0;
	size_t i = 0;

	while (i < len && is_space(text[i])) {
		i++;
	}
	if (i < len && (text[i] == '+' || text[i] == '-')) {
		is_negative = text[i++] == '-';
	}
	if (len - i > 2 && text[i] == '0' && (text[i + 1] | 0x20) == 'x' &&
	    hex_digit(text[i + 2]) >= 0) {
		i += 2;
	}
	for (; i < len && hex_digit(text[i]) >= 0; i++) {
		n = n << 4 | (uint64_t)hex_digit(text[i]);
	}
	return is_negative ? -n : n;
}

/**
 * Leading zeros stay: it is a string of bytes, as long as the text, read in groups of 16
 * characters from its end on.
 */
static void read_hex(struct number *n, const char *text, size_t len)
{
	n->len = (len + 1) / 2;
	for (size_t nread = 0; nread < n->len; nread += HEX_GROUP / 2) {
		size_t end = len - 2 * nread;
		size_t group = end < HEX_GROUP ? end : HEX_GROUP;
		uint64_t bits = read_hex_group(text + end - group, group);

		for (size_t i = nread; i < nread + (group + 1) / 2; i++) {
			n->bytes[NUMBER_MAX - 1 - i] = (unsigned char)bits;
			bits >>= 8;
		}
	}
}

/** Turn a magnitude into the shortest two's complement of its negative. */
static void negate(struct number *n)
{
	unsigned carry = 1;

	for (size_t i = 0; i < n->len; i++) {
		unsigned char *byte = &n->bytes[NUMBER_MAX - 1 - i];

		carry += (unsigned char)~*byte;
		*byte = (unsigned char)carry;
		carry >>= 8;
	}
	if (n->len > 0 && *number_first(n) < 0x80) {
		n->len++;
		*number_first(n) = 0xff;
	}
}

static bool is_hex_prefixed(const char *text, size_t len)
{
	return len >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

static bool is_hex_quoted(const char *text, size_t len)
{
	return len >= 3 && text[0] == '\'' && text[len - 2] == '\'' &&
	       text[len - 1] == 'H';
}

static void read_number(struct number *n, const char *text, size_t len)
{
	n->len = 0;
	if (is_hex_prefixed(text, len)) {
		read_hex(n, text + 2, len - 2);
	} else if (is_hex_quoted(text, len)) {
		read_hex(n, text + 1, len - 3);
	} else if (len > 0 && text[0] == '-') {
		read_decimal(n, text + 1, len - 1);
		negate(n);
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
	struct number n;

	read_number(&n, value.data, value.len - 7 * groups);
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

/** Does strtol() find a number below zero in a group? */
static bool is_negative_group(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && is_space(text[i])) {
		i++;
	}
	if (i == len || text[i++] != '-') {
		return false;
	}
	while (i < len && text[i] == '0') {
		i++;
	}
	return i < len && text[i] >= '1' && text[i] <= '9';
}

/** A '-' may stand in front of the groups, in none of them. */
static bool has_negative_group(const char *text, size_t len)
{
	size_t at = len > 0 && text[0] == '-' ? 1 : 0;
	size_t group = first_group(len - at);

	for (; at < len; at += group, group = GROUP) {
		if (is_negative_group(text + at, group)) {
			return true;
		}
	}
	return false;
}

bool dit_key_integer_is_sound(struct dit_span value, unsigned intlen)
{
	size_t groups = groups_cut(value, intlen);
	size_t len = value.len - 7 * groups;
	struct number n;

	if (len == 0) {
		return false;
	}
	if (!is_hex_prefixed(value.data, len) && !is_hex_quoted(value.data, len) &&
	    has_negative_group(value.data, len)) {
		return false;
	}
	if (groups == 0) {
		return true;
	}
	read_number(&n, value.data, len);
	return n.len + 3 * groups >= intlen;
}
