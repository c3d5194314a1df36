/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line is laid out with room for its longest form reserved first, so that nothing below
 * looks at the size again. Base64 is made in pieces that stay in the first cache, then
 * copied into the lines.
 *
 * Nearly all lines of a directory are short. Those are written on trust: the value is
 * copied, and each block of it is looked at while it is in a register. If a byte says
 * that the line is of another form, the line is written again by the general function.
 * No byte after a value is read: the last block ends where the value ends, and overlaps
 * the block before it.
 */
#include "ldif/ldif_write.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/grow.h"
#include "ldif/base64.h"

#define PIECE_BYTES 768 /* of a value at once; a multiple of 3 */
#define PIECE_TEXT  (PIECE_BYTES / 3 * 4)
#define ROOM_BYTES  (32u << 10) /* that a text has at once */

#define SHORT_MAX 256 /* columns of a line that is checked while it is copied */

/* Where the next character goes. */
struct place {
	char *at;
	size_t column;
	size_t wrap; /* SIZE_MAX: none */
};

void dit_ldif_text_deinit(struct dit_ldif_text *text)
{
	DIT_FREE_LARGE(text->data, text->size);
	*text = (struct dit_ldif_text){.wrap = text->wrap};
}

/* ---- which form ---- */

/* Bytes that are looked at together; the compiler makes one instruction of each line. */
typedef signed char block __attribute__((vector_size(16)));
typedef unsigned char wrapping __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

#define BLANKS 0x2020202020202020u

/*
 * All bits of a byte are set where it is printable, 0x20 to 0x7e: one more than that is
 * above 0x20. One more than 0x7f is negative.
 */
static inline block printable_in(block bytes)
{
	return (block)((block)((wrapping)bytes + 1) > 0x20);
}

static inline bool is_all_set(block bits)
{
	halves words = (halves)bits;

	return (words[0] & words[1]) == UINT64_MAX;
}

/*
 * A value of "half" to 2 * "half" bytes: its first and its last ones, some of them twice.
 * "half" is a constant where this function is used.
 */
static inline block take_halves(const char *from, size_t len, char *to, size_t half)
{
	uint64_t first = BLANKS;
	uint64_t last = BLANKS;

	memcpy(&first, from, half);
	memcpy(&last, from + len - half, half);
	if (to != NULL) {
		memcpy(to, &first, half);
		memcpy(to + len - half, &last, half);
	}
	return printable_in((block)(halves){first, last});
}

/* @param len  from 1 to 15 */
static inline block take_short(const char *from, size_t len, char *to)
{
	return len >= 8   ? take_halves(from, len, to, 8)
	       : len >= 4 ? take_halves(from, len, to, 4)
	       : len >= 2 ? take_halves(from, len, to, 2)
	                  : take_halves(from, len, to, 1);
}

static inline block take_block(const char *from, char *to, size_t at)
{
	block bytes;

	memcpy(&bytes, from + at, sizeof(bytes));
	if (to != NULL) {
		memcpy(to + at, &bytes, sizeof(bytes));
	}
	return printable_in(bytes);
}

/*
 * Are all bytes printable? They are copied on the way.
 *
 * @param to  NULL: they are not; the first that is not printable ends it
 */
static inline bool take(const char *from, size_t len, char *to)
{
	block printable;

	if (len < sizeof(printable)) {
		return is_all_set(take_short(from, len, to));
	}
	/* The last one ends with the value, and overlaps the one before it. */
	printable = take_block(from, to, 0);
	printable &= take_block(from, to, len - sizeof(printable));
	for (size_t at = sizeof(printable); at + sizeof(printable) < len;
	     at += sizeof(printable)) {
		printable &= take_block(from, to, at);
		if (to == NULL && !is_all_set(printable)) {
			return false;
		}
	}
	return is_all_set(printable);
}

/* @param value  not empty */
static inline bool has_plain_ends(struct dit_span value)
{
	unsigned char first = (unsigned char)value.data[0];

	return first != ' ' && first != ':' && first != '<' &&
	       value.data[value.len - 1] != ' ';
}

bool dit_ldif_is_plain(struct dit_span value)
{
	return value.len == 0 ||
	       (has_plain_ends(value) && take(value.data, value.len, NULL));
}

/* ---- room ---- */

int dit_ldif_reserve(struct dit_ldif_text *text, size_t nbytes)
{
	size_t need = 0;

	if (__builtin_add_overflow(text->len, nbytes, &need)) {
		return -ENOMEM;
	}
	return DIT_GROW_LARGE(text->data, text->size,
	                      need < ROOM_BYTES ? ROOM_BYTES : need);
}

/* Reserve room for a name, colons, a value in the given form, folds and the newline. */
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
	return dit_ldif_reserve(text, n);
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

static void put_base64(struct place *place, struct dit_span value)
{
	char piece[PIECE_TEXT];
	size_t done = 0;

	while (done < value.len) {
		size_t left = value.len - done;
		size_t n = left < PIECE_BYTES ? left : PIECE_BYTES;
		struct dit_span bytes = {value.data + done, n};
		size_t len = dit_base64_encode(bytes, piece);

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

/* ---- all values of an attribute ---- */

void dit_ldif_label_make(struct dit_ldif_label *label, struct dit_span name,
                         bool is_base64)
{
	*label = (struct dit_ldif_label){.name = name, .is_base64 = is_base64};
	if (!is_base64 && name.len + 2 <= sizeof(label->bytes)) {
		label->len = name.len + 2;
		memcpy(label->bytes, name.data, name.len);
		memcpy(label->bytes + name.len, ": ", 2);
	}
}

/*
 * Most lines are short, plain and not folded. A label is copied as a whole, whatever its
 * length: there is room for that.
 *
 * @return length of the line; 0: this value is no such line
 */
static inline size_t put_short(char *at, size_t most, const struct dit_ldif_label *label,
                               struct dit_span value)
{
	size_t len = label->len + value.len;

	if (label->len == 0 || value.len == 0 || len > most || !has_plain_ends(value)) {
		return 0;
	}
	memcpy(at, label->bytes, sizeof(label->bytes));
	if (!take(value.data, value.len, at + label->len)) {
		return 0;
	}
	at[len] = '\n';
	return len + 1;
}

int dit_ldif_write_values(struct dit_ldif_text *text, const struct dit_ldif_label *label,
                          const struct dit_span *values, size_t n)
{
	size_t most = text->wrap == DIT_LDIF_WRAP_NONE || text->wrap > SHORT_MAX
	                      ? SHORT_MAX
	                      : text->wrap;

	for (size_t i = 0; i < n; i++) {
		size_t len = 0;
		int r = 0;

		if (text->size - text->len > SHORT_MAX + sizeof(label->bytes)) {
			len = put_short(text->data + text->len, most, label, values[i]);
			text->len += len;
		}
		if (len == 0) {
			r = dit_ldif_write_value(text, label->name, values[i],
			                         label->is_base64);
		}
		if (r < 0) {
			return r;
		}
	}
	return 0;
}

/* ---- between lines ---- */

int dit_ldif_write_raw(struct dit_ldif_text *text, struct dit_span bytes)
{
	int r = bytes.len == 0 ? 0 : dit_ldif_reserve(text, bytes.len);

	if (r == 0 && bytes.len > 0) {
		memcpy(text->data + text->len, bytes.data, bytes.len);
		text->len += bytes.len;
	}
	return r;
}
