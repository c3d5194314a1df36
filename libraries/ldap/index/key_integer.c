/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Integer keys.
 *
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
#include "index/key_bytes.h"

#include <stdint.h>
#include <string.h>

#include "values/number.h"

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
