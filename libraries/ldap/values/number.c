/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers.
 *
 * slapd does not insist on digits. It reads decimal text 8 characters at a time, from its
 * right end on, and takes of each group what strtol() makes of it: "1000 " is 1000, "abc"
 * is 0. Hexadecimal text goes 16 characters at a time through strtoul(), signs and all.
 * It dies of a decimal group that is negative, as in "--1".
 */
#include "values/number.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GROUP       8 /* decimal digits taken at a time */
#define GROUP_SCALE 100000000u
#define HEX_GROUP   16

/**
 * n = n * scale + add. A number that is zero grows by a byte nevertheless, as in slapd:
 * so "-00000000000" has two bytes of zeros, one for each group.
 */
static void number_append(struct dit_number *n, uint32_t scale, uint32_t add)
{
	uint64_t carry = add;

	for (size_t i = 0; i < n->len; i++) {
		unsigned char *byte = &n->bytes[DIT_NUMBER_MAX - 1 - i];

		carry += (uint64_t)*byte * scale;
		*byte = (unsigned char)carry;
		carry >>= 8;
	}
	do {
		n->len++;
		*dit_number_first(n) = (unsigned char)carry;
		carry >>= 8;
	} while (carry > 0);
}

/*
 * strtoul() for up to 16 characters; "-1" is a -1, too. Its calls cost 0.6 percent of a
 * load, so plain decimal digits go without them.
 */
static unsigned long read_any_group(const char *text, size_t len, int base)
{
	char group[HEX_GROUP + 1];

	memcpy(group, text, len);
	group[len] = '\0';
	return strtoul(group, NULL, base);
}

static uint32_t read_group(const char *text, size_t len)
{
	uint32_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9') {
			long any = (long)read_any_group(text, len, 10);

			return any < 0 ? 0 : (uint32_t)any;
		}
		n = n * 10 + (uint32_t)(text[i] - '0');
	}
	return n;
}

/** Length of the first group, which is the short one. */
static size_t first_group(size_t len)
{
	return len % GROUP == 0 ? GROUP : len % GROUP;
}

static void read_decimal(struct dit_number *n, const char *text, size_t len)
{
	size_t group = first_group(len);
	size_t at = 0;

	while (at < len) {
		number_append(n, GROUP_SCALE, read_group(text + at, group));
		at += group;
		group = GROUP;
	}
}

/**
 * Leading zeros stay: it is a string of bytes, as long as the text, read in groups of 16
 * characters from its end on.
 */
static void read_hex(struct dit_number *n, const char *text, size_t len)
{
	n->len = (len + 1) / 2;
	for (size_t nread = 0; nread < n->len; nread += HEX_GROUP / 2) {
		size_t end = len - 2 * nread;
		size_t group = end < HEX_GROUP ? end : HEX_GROUP;
		uint64_t bits = read_any_group(text + end - group, group, 16);

		for (size_t i = nread; i < nread + (group + 1) / 2; i++) {
			n->bytes[DIT_NUMBER_MAX - 1 - i] = (unsigned char)bits;
			bits >>= 8;
		}
	}
}

/** Turn a magnitude into the shortest two's complement of its negative. */
static void negate(struct dit_number *n)
{
	unsigned carry = 1;

	for (size_t i = 0; i < n->len; i++) {
		unsigned char *byte = &n->bytes[DIT_NUMBER_MAX - 1 - i];

		carry += (unsigned char)~*byte;
		*byte = (unsigned char)carry;
		carry >>= 8;
	}
	if (n->len > 0 && *dit_number_first(n) < 0x80) {
		n->len++;
		*dit_number_first(n) = 0xff;
	}
}

static bool is_hex_prefixed(struct dit_span text)
{
	return text.len >= 2 && text.data[0] == '0' && (text.data[1] | 0x20) == 'x';
}

static bool is_hex_quoted(struct dit_span text)
{
	return text.len >= 3 && text.data[0] == '\'' && text.data[text.len - 2] == '\'' &&
	       text.data[text.len - 1] == 'H';
}

void dit_number_read(struct dit_number *n, struct dit_span text)
{
	assert(text.len <= DIT_NUMBER_TEXT_MAX);
	n->len = 0;
	if (is_hex_prefixed(text)) {
		read_hex(n, text.data + 2, text.len - 2);
	} else if (is_hex_quoted(text)) {
		read_hex(n, text.data + 1, text.len - 3);
	} else if (text.len > 0 && text.data[0] == '-') {
		read_decimal(n, text.data + 1, text.len - 1);
		negate(n);
	} else {
		read_decimal(n, text.data, text.len);
		if (n->len > 0 && *dit_number_first(n) >= 0x80) {
			n->len++;
			*dit_number_first(n) = 0;
		}
	}
}

bool dit_number_is_sound(struct dit_span text)
{
	/* A '-' may stand in front of the groups, in none of them. */
	size_t at = text.len > 0 && text.data[0] == '-' ? 1 : 0;
	size_t group = first_group(text.len - at);

	if (text.len == 0) {
		return false;
	}
	if (is_hex_prefixed(text) || is_hex_quoted(text) ||
	    memchr(text.data + at, '-', text.len - at) == NULL) {
		return true;
	}
	for (; at < text.len; at += group, group = GROUP) {
		if ((long)read_any_group(text.data + at, group, 10) < 0) {
			return false;
		}
	}
	return true;
}
