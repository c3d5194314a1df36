/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line is laid out with room for its longest form reserved first, so that nothing below
 * looks at the size again. Base64 is made in pieces that stay in the first cache, then
 * copied into the lines.
 */
#include "ldif/ldif_write.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define PIECE_BYTES 768 /* of a value at once; a multiple of 3 */
#define PIECE_TEXT  (PIECE_BYTES / 3 * 4)

#define EACH_BYTE(b) ((uint64_t)(b)*0x0101010101010101U)

/* Where the next character goes. */
struct place {
	char *at;
	size_t column;
	size_t wrap; /* SIZE_MAX: none */
};

void dit_ldif_text_deinit(struct dit_ldif_text *text)
{
	free(text->data);
	*text = (struct dit_ldif_text){.wrap = text->wrap};
}

/* ---- which form ---- */

static bool is_printable(unsigned char c)
{
	return c >= 0x20 && c < 0x7f;
}

/*
 * Eight bytes at once: the high bit of a byte of the result is set where a byte is below
 * 0x20, is 0x7f, or has its own high bit set. (A borrow can only start at a byte that is
 * found itself, so no text is taken for printable that is not.)
 */
static bool has_unprintable(uint64_t word)
{
	uint64_t below = word - EACH_BYTE(0x20);
	uint64_t del = (word ^ EACH_BYTE(0x7f)) - EACH_BYTE(1);

	return ((word | below | del) & EACH_BYTE(0x80)) != 0;
}

bool dit_ldif_is_plain(struct dit_span value)
{
	const char *at = value.data;
	const char *end = at + value.len;
	uint64_t word = 0;

	if (value.len == 0) {
		return true;
	}
	if (at[0] == ' ' || at[0] == ':' || at[0] == '<' || end[-1] == ' ') {
		return false;
	}
	for (; end - at >= (ptrdiff_t)sizeof(word); at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		if (has_unprintable(word)) {
			return false;
		}
	}
	while (at < end) {
		if (!is_printable((unsigned char)*at++)) {
			return false;
		}
	}
	return true;
}

/* ---- room ---- */

/* 0, or -ENOMEM also where the sum is more than SIZE_MAX. */
static int reserve(struct dit_ldif_text *text, size_t nbytes)
{
	size_t need = 0;
	char *data = NULL;

	if (__builtin_add_overflow(text->len, nbytes, &need)) {
		return -ENOMEM;
	}
	data = dit_grow(text->data, &text->size, need, 1);
	if (data == NULL) {
		return -ENOMEM;
	}
	text->data = data;
	return 0;
}

/* Of a name, its colons, a value in the given form, all folds and the newline. */
static int reserve_value(struct dit_ldif_text *text, size_t name_len, size_t value_len,
                         bool is_base64)
{
	size_t n = value_len;

	if (is_base64 && __builtin_mul_overflow(value_len / 3 + 1, (size_t)4, &n)) {
		return -ENOMEM;
	}
	if (text->wrap != DIT_LDIF_WRAP_NONE &&
	    __builtin_add_overflow(n, n / (text->wrap - 1) * 2 + 2, &n)) {
		return -ENOMEM;
	}
	if (__builtin_add_overflow(n, name_len + sizeof(":: \n"), &n)) {
		return -ENOMEM;
	}
	return reserve(text, n);
}

/* ---- lines ---- */

static void put_bytes(struct place *place, const char *data, size_t len)
{
	memcpy(place->at, data, len);
	place->at += len;
	place->column += len;
}

static void put_folded(struct place *place, const char *data, size_t len)
{
	while (len > 0) {
		size_t room = 0;
		size_t n = 0;

		if (place->column >= place->wrap) {
			place->at[0] = '\n';
			place->at[1] = ' ';
			place->at += 2;
			place->column = 1;
		}
		room = place->wrap - place->column;
		n = len < room ? len : room;
		put_bytes(place, data, n);
		data += n;
		len -= n;
	}
}

/* @return length of the text, a multiple of 4 */
static size_t encode(const unsigned char *in, size_t len, char *out)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *at = out;

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
	return (size_t)(at - out);
}

static void put_base64(struct place *place, struct dit_span value)
{
	char piece[PIECE_TEXT];
	size_t done = 0;

	while (done < value.len) {
		size_t left = value.len - done;
		size_t n = left < PIECE_BYTES ? left : PIECE_BYTES;
		size_t len = encode((const unsigned char *)value.data + done, n, piece);

		put_folded(place, piece, len);
		done += n;
	}
}

int dit_ldif_write_value(struct dit_ldif_text *text, struct dit_span name,
                         struct dit_span value, bool is_base64)
{
	struct place place = {.wrap = text->wrap == DIT_LDIF_WRAP_NONE ? SIZE_MAX
	                                                               : text->wrap};
	int r = 0;

	is_base64 = value.len > 0 && (is_base64 || !dit_ldif_is_plain(value));
	r = reserve_value(text, name.len, value.len, is_base64);
	if (r < 0) {
		return r;
	}
	place.at = text->data + text->len;
	put_bytes(&place, name.data, name.len);
	if (value.len == 0) {
		put_bytes(&place, ":", 1);
	} else if (is_base64) {
		put_bytes(&place, ":: ", 3);
		put_base64(&place, value);
	} else {
		put_bytes(&place, ": ", 2);
		put_folded(&place, value.data, value.len);
	}
	*place.at++ = '\n';
	text->len = (size_t)(place.at - text->data);
	return 0;
}

int dit_ldif_write_raw(struct dit_ldif_text *text, struct dit_span bytes)
{
	int r = bytes.len == 0 ? 0 : reserve(text, bytes.len);

	if (r == 0 && bytes.len > 0) {
		memcpy(text->data + text->len, bytes.data, bytes.len);
		text->len += bytes.len;
	}
	return r;
}

int dit_ldif_write_end(struct dit_ldif_text *text)
{
	return dit_ldif_write_raw(text, DIT_SPAN("\n"));
}
