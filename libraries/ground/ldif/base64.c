/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Base64, decoded four characters at a time.
 *
 *   "YWJj" "YWI=" -> "abc" "ab"      padding in place 3 or 4 ends the text
 *   "YWJj" "YW"   -> "abc"           incomplete group: dropped, stopped by 0
 *   "YWJj" "YW@x" -> "abc"           stopped by '@'
 *
 * slapd checks all four characters of a group first and takes "=" for a valid one; as a
 * first or second character it then counts as -1, whose surplus bits reach the
 * neighbouring sextet: "Y===" is the byte ff, "=YWJ" is fd 85 89. Such text is broken,
 * but it is stored, so we store the same.
 */
#include "ldif/base64.h"

#include <stdbool.h>
#include <stdint.h>

/* The sextet of a character of the alphabet has this bit added; all others are zero. */
#define IN_ALPHABET 0x40U

/* clang-format off */
static const unsigned char sextets[256] = {
	['A'] = 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47,
	        0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f,
	        0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57,
	        0x58, 0x59,
	['a'] = 0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0x60, 0x61,
	        0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69,
	        0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f, 0x70, 0x71,
	        0x72, 0x73,
	['0'] = 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x7b,
	        0x7c, 0x7d,
	['+'] = 0x7e,
	['/'] = 0x7f,
};
/* clang-format on */

static bool decode_plain_group(const unsigned char *in, unsigned char *out)
{
	uint32_t a = sextets[in[0]];
	uint32_t b = sextets[in[1]];
	uint32_t c = sextets[in[2]];
	uint32_t d = sextets[in[3]];

	if ((a & b & c & d & IN_ALPHABET) == 0) {
		return false;
	}
	out[0] = (unsigned char)(a << 2 | (b & 0x3f) >> 4);
	out[1] = (unsigned char)(b << 4 | (c & 0x3f) >> 2);
	out[2] = (unsigned char)(c << 6 | (d & 0x3f));
	return true;
}

static uint32_t padded_sextet(unsigned char c)
{
	return c == '=' ? UINT32_MAX : sextets[c] & 0x3fU;
}

/**
 * The last group, or one with padding.
 *
 * @param ret_nout  bytes written; fewer than 3: the text ends here
 *
 * @return as dit_base64_decode(); nothing is written when a character stopped it
 */
static int decode_odd_group(const unsigned char *in, unsigned char *out, size_t *ret_nout)
{
	uint32_t s[4] = {0};

	for (int i = 0; i < 4; i++) {
		if (in[i] != '=' && sextets[in[i]] == 0) {
			return in[i];
		}
		s[i] = padded_sextet(in[i]);
	}
	out[0] = (unsigned char)(s[0] << 2 | s[1] >> 4);
	*ret_nout = 1;
	if (in[2] == '=') {
		return DIT_BASE64_COMPLETE;
	}
	out[1] = (unsigned char)(s[1] << 4 | s[2] >> 2);
	*ret_nout = 2;
	if (in[3] == '=') {
		return DIT_BASE64_COMPLETE;
	}
	out[2] = (unsigned char)(s[2] << 6 | s[3]);
	*ret_nout = 3;
	return DIT_BASE64_COMPLETE;
}

int dit_base64_decode(struct dit_span text, char *dst, size_t *ret_len)
{
	const unsigned char *in = (const unsigned char *)text.data;
	unsigned char *out = (unsigned char *)dst;
	size_t nout = 0;
	size_t at = 0;
	int r = DIT_BASE64_COMPLETE;

	while (at < text.len) {
		unsigned char group[4] = {0};
		size_t left = text.len - at;
		size_t n = 0;

		if (left >= 4 && decode_plain_group(in + at, out + nout)) {
			at += 4;
			nout += 3;
			continue;
		}
		/* A copy: the output may overlap the text, and the text end too early. */
		memcpy(group, in + at, left < 4 ? left : 4);
		r = decode_odd_group(group, out + nout, &n);
		nout += n;
		if (n < 3) {
			break;
		}
		at += 4;
	}
	*ret_len = nout;
	return r;
}

size_t dit_base64_encode(struct dit_span bytes, char *dst)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *in = (const unsigned char *)bytes.data;
	size_t len = bytes.len;
	char *at = dst;

	for (; len >= 3; len -= 3, in += 3, at += 4) {
		uint32_t bits = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];

		at[0] = alphabet[bits >> 18];
		at[1] = alphabet[bits >> 12 & 0x3f];
		at[2] = alphabet[bits >> 6 & 0x3f];
		at[3] = alphabet[bits & 0x3f];
	}
	if (len > 0) {
		uint32_t bits =
			(uint32_t)in[0] << 16 | (len == 2 ? (uint32_t)in[1] << 8 : 0);

		at[0] = alphabet[bits >> 18];
		at[1] = alphabet[bits >> 12 & 0x3f];
		at[2] = len == 2 ? alphabet[bits >> 6 & 0x3f] : '=';
		at[3] = '=';
		at += 4;
	}
	return (size_t)(at - dst);
}
