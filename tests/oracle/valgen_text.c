/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Strings for valgen.
 *
 * The number of a record picks one code point of the Unicode tables, so that a run of as
 * many records as the tables have code points meets each of them at least once; the rest
 * is drawn.
 */
#include "oracle/valgen.h"

#include <string.h>

/* SplitMix64 (Steele, Lea, Flood 2014). */
uint64_t next_random(struct gen *g)
{
	uint64_t z = g->state += 0x9E3779B97F4A7C15u;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

size_t pick(struct gen *g, size_t n)
{
	return (size_t)(next_random(g) % n);
}

bool one_in(struct gen *g, size_t n)
{
	return pick(g, n) == 0;
}

void put(struct buf *b, char c)
{
	if (b->n < VALUE_MAX) {
		b->data[b->n++] = c;
	}
}

void put_bytes(struct buf *b, const char *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		put(b, data[i]);
	}
}

void put_str(struct buf *b, const char *text)
{
	put_bytes(b, text, strlen(text));
}

/* Up to six bytes; surrogates and what lies above 10FFFF included. */
void put_point(struct buf *b, uint32_t c)
{
	static const unsigned char lead[] = {0xC0, 0xE0, 0xF0, 0xF8, 0xFC};
	unsigned more = 1;

	if (c < 0x80) {
		put(b, (char)c);
		return;
	}
	while (more < 5 && c >= (uint32_t)1 << (5 * more + 6)) {
		more++;
	}
	put(b, (char)(lead[more - 1] | c >> (6 * more)));
	while (more-- > 0) {
		put(b, (char)(0x80 | ((c >> (6 * more)) & 0x3F)));
	}
}

void put_digits(struct gen *g, struct buf *b, size_t n)
{
	while (n-- > 0) {
		put(b, (char)('0' + pick(g, 10)));
	}
}

static void put_word(struct gen *g, struct buf *b)
{
	static const char *const parts[] = {
		"kn",  "ph", "wr", "wh",  "tch", "th",  "sch", "sh", "ck", "gh", "gn",
		"dge", "x",  "ae", "cia", "tio", "sio", "gg",  "mb", "Q",  "z",  "gned",
	};
	size_t n = 1 + pick(g, one_in(g, 20) ? 40 : 8);

	for (size_t i = 0; i < n; i++) {
		if (one_in(g, 6)) {
			put_str(b, PICK(g, parts));
		} else {
			put(b, (char)((one_in(g, 3) ? 'A' : 'a') + pick(g, 26)));
		}
	}
}

static void put_spaces(struct gen *g, struct buf *b, size_t max)
{
	for (size_t n = pick(g, max + 1); n > 0; n--) {
		put(b, ' ');
	}
}

void put_ascii(struct gen *g, struct buf *b)
{
	size_t nwords = 1 + pick(g, 4);

	put_spaces(g, b, one_in(g, 3) ? 3 : 0);
	for (size_t i = 0; i < nwords; i++) {
		if (i > 0) {
			put_spaces(g, b, 3);
		}
		put_word(g, b);
		if (one_in(g, 6)) {
			put(b, (char)(' ' + pick(g, 95)));
		}
	}
	put_spaces(g, b, one_in(g, 3) ? 3 : 0);
}

/* Leading, vowel and trailing letters with a step across the edge of each range. */
static void put_hangul(struct gen *g, struct buf *b)
{
	for (size_t n = 1 + pick(g, 3); n > 0; n--) {
		if (one_in(g, 3)) {
			put_point(b, 0xAC00 + (uint32_t)pick(g, 0x2C00));
		} else {
			put_point(b, 0x1100 + (uint32_t)pick(g, 20));
			put_point(b, 0x1160 + (uint32_t)pick(g, 23));
		}
		if (!one_in(g, 3)) {
			put_point(b, 0x11A6 + (uint32_t)pick(g, 31));
		}
	}
}

static void put_marks(struct gen *g, struct buf *b)
{
	static const uint32_t marks[] = {
		0x300, 0x301, 0x302, 0x303,  0x304,  0x306,  0x307,  0x308,  0x309,
		0x30A, 0x30B, 0x30C, 0x315,  0x31B,  0x321,  0x323,  0x324,  0x325,
		0x327, 0x328, 0x32D, 0x331,  0x334,  0x338,  0x340,  0x342,  0x343,
		0x344, 0x345, 0x5B0, 0x5BC,  0x64B,  0x653,  0x670,  0x93C,  0xF71,
		0xF72, 0xF74, 0xF80, 0x3099, 0x309A, 0x20D0, 0x302A, 0xFB1E, 0x1D165,
	};

	for (size_t n = pick(g, one_in(g, 10) ? 40 : 4); n > 0; n--) {
		put_point(b, PICK(g, marks));
	}
}

static uint32_t any_point(struct gen *g)
{
	static const uint32_t special[] = {
		0x00,      0x7F,       0x80,     0x85,     0xA0,     0xAD,     0xB5,
		0xDF,      0x130,      0x131,    0x149,    0x17F,    0x1C5,    0x1F0,
		0x345,     0x390,      0x3C2,    0x3F4,    0x587,    0x1E9E,   0x1FFC,
		0x2000,    0x2003,     0x200B,   0x2028,   0x2126,   0x212A,   0x212B,
		0x2160,    0x24B6,     0x3000,   0xA64A,   0xD7A3,   0xD7A4,   0xD7FF,
		0xD800,    0xDFFF,     0xE000,   0xF900,   0xF902,   0xFB03,   0xFDFA,
		0xFEFF,    0xFFFD,     0xFFFF,   0x10000,  0x10400,  0x1D400,  0x1D60E,
		0x1D60F,   0x2F800,    0x10FFFF, 0x110000, 0x1FFFFF, 0x200000, 0x3FFFFFF,
		0x4000000, 0x7FFFFFFF,
	};

	switch (pick(g, 6)) {
	case 0:
		return PICK(g, special);
	case 1:
		return (uint32_t)pick(g, 0x110000);
	case 2:
		return (uint32_t)pick(g, 0x3000);
	case 3: /* next to one that is in the tables */
		return g->points[pick(g, g->npoints)] + (uint32_t)pick(g, 3) - 1;
	default:
		return g->points[pick(g, g->npoints)];
	}
}

void put_unicode(struct gen *g, struct buf *b)
{
	size_t at = one_in(g, 2) ? 0 : 1;

	for (size_t n = 1 + pick(g, one_in(g, 20) ? 60 : 6); n > 0; n--) {
		switch (at-- == 0 ? 9 : pick(g, 9)) {
		case 0:
			put_word(g, b);
			break;
		case 1:
			put_hangul(g, b);
			break;
		case 2:
			put_marks(g, b);
			break;
		case 3:
			put_spaces(g, b, 3);
			break;
		case 4:
			put(b, (char)('a' + pick(g, 26)));
			put_marks(g, b);
			break;
		case 9:
			put_point(b, g->points[g->number % g->npoints]);
			break;
		default:
			put_point(b, any_point(g));
			break;
		}
	}
}

static void put_rubbish(struct gen *g, struct buf *b)
{
	for (size_t n = pick(g, 12); n > 0; n--) {
		put(b, (char)pick(g, 256));
	}
}

/* Lengths around the parameters of substring indexes. */
static void put_short(struct gen *g, struct buf *b)
{
	for (size_t n = pick(g, 10); n > 0; n--) {
		put(b, one_in(g, 5) ? ' ' : (char)('a' + pick(g, 4)));
	}
}

static void put_long(struct gen *g, struct buf *b)
{
	for (size_t n = 20 + pick(g, 100); n > 0; n--) {
		put_word(g, b);
		put_spaces(g, b, 2);
		if (one_in(g, 10)) {
			put_point(b, any_point(g));
		}
	}
}

void put_text(struct gen *g, struct buf *b)
{
	size_t from = b->n;

	switch (pick(g, 16)) {
	case 0:
	case 1:
	case 2:
		put_ascii(g, b);
		break;
	case 3:
		put_spaces(g, b, 5);
		break;
	case 4:
	case 5:
		put_short(g, b);
		break;
	case 6:
		put_rubbish(g, b);
		break;
	case 7:
		put_unicode(g, b);
		mutate(g, b, from, NULL);
		break;
	case 8:
		if (one_in(g, 8)) {
			put_long(g, b);
		}
		break;
	default:
		put_unicode(g, b);
		break;
	}
}

static void insert(struct buf *b, size_t at, const char *data, size_t n)
{
	if (b->n + n > VALUE_MAX) {
		return;
	}
	memmove(b->data + at + n, b->data + at, b->n - at);
	memcpy(b->data + at, data, n);
	b->n += n;
}

static void erase(struct buf *b, size_t at, size_t n)
{
	memmove(b->data + at, b->data + at + n, b->n - at - n);
	b->n -= n;
}

static const char *pick_token(struct gen *g, const char *const *tokens)
{
	size_t n = 0;

	while (tokens[n] != NULL) {
		n++;
	}
	return tokens[pick(g, n)];
}

void mutate(struct gen *g, struct buf *b, size_t from, const char *const *tokens)
{
	for (size_t n = 1 + pick(g, 3); n > 0; n--) {
		size_t len = b->n - from;
		size_t at = from + (len > 0 ? pick(g, len) : 0);
		char byte = (char)(one_in(g, 3) ? pick(g, 256) : ' ' + pick(g, 95));
		const char *token = tokens != NULL ? pick_token(g, tokens) : " ";

		switch (pick(g, 6)) {
		case 0:
			insert(b, at, &byte, 1);
			break;
		case 1:
			insert(b, at, token, strlen(token));
			break;
		case 2:
			if (len > 0) {
				b->data[at] = byte;
			}
			break;
		case 3:
			if (len > 0) {
				erase(b, at, 1);
			}
			break;
		case 4:
			if (len > 1 && one_in(g, 3)) {
				b->n = at;
			}
			break;
		default:
			insert(b, one_in(g, 2) ? from : b->n, token, strlen(token));
			break;
		}
	}
}
