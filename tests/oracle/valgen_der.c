/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Certificates, lists and keys for valgen: the structures of RFC 5280, RFC 5755 and RFC
 * 5208 with made-up content.
 *
 * Lengths are always right: slapd does not check these values before it takes them apart,
 * and reads past their end where they break off (values.md 4.12).
 */
#include "oracle/valgen.h"

#include <string.h>

#define SEQUENCE     0x30
#define SET          0x31
#define INTEGER      0x02
#define BIT_STRING   0x03
#define OCTET_STRING 0x04
#define OID          0x06
#define UTC_TIME     0x17
#define GENERALIZED  0x18
#define CONTEXT(n)   (0xA0 + (n))

/* Wrap all from offset @p from on; one length in ten is longer than it needs to be. */
static void wrap(struct gen *g, struct buf *b, size_t from, unsigned tag)
{
	unsigned char head[6];
	size_t len = b->n - from;
	size_t nlen = len < 0x80 ? 0 : len < 0x100 ? 1 : 2;
	size_t n = 0;

	if (one_in(g, 10) && nlen < 4) {
		nlen++;
	}
	head[n++] = (unsigned char)tag;
	head[n++] = (unsigned char)(nlen == 0 ? len : 0x80 + nlen);
	for (size_t i = nlen; i-- > 0;) {
		head[n++] = (unsigned char)(len >> (8 * i));
	}
	if (b->n + n > VALUE_MAX) {
		return;
	}
	memmove(b->data + from + n, b->data + from, len);
	memcpy(b->data + from, head, n);
	b->n += n;
}

static void put_blob(struct gen *g, struct buf *b, unsigned tag, size_t max)
{
	size_t from = b->n;

	for (size_t n = pick(g, max); n > 0; n--) {
		put(b, (char)pick(g, 256));
	}
	wrap(g, b, from, tag);
}

static void put_number(struct gen *g, struct buf *b)
{
	static const unsigned char firsts[] = {0x00, 0xFF, 0x7F, 0x80, 0x01, 0x0F, 0xF0};
	size_t from = b->n;
	size_t n = one_in(g, 40) ? 0 : 1 + pick(g, one_in(g, 10) ? 300 : 20);

	for (size_t i = 0; i < n; i++) {
		put(b,
		    i == 0 && one_in(g, 2) ? (char)PICK(g, firsts) : (char)pick(g, 256));
	}
	wrap(g, b, from, INTEGER);
}

static void put_algorithm(struct gen *g, struct buf *b)
{
	static const char oid[] = "\x06\x08\x2A\x86\x48\xCE\x3D\x04\x03\x02";
	size_t from = b->n;

	put_bytes(b, oid, sizeof(oid) - 1);
	wrap(g, b, from, SEQUENCE);
}

static void put_utf16(struct gen *g, struct buf *b, size_t width)
{
	for (size_t n = pick(g, 8); n > 0; n--) {
		for (size_t i = width; i-- > 2;) {
			put(b, one_in(g, 20) ? (char)pick(g, 256) : '\0');
		}
		put(b, one_in(g, 4) ? (char)pick(g, 256) : '\0');
		put(b, (char)(one_in(g, 4) ? pick(g, 256) : 'A' + pick(g, 58)));
	}
	if (one_in(g, 20)) {
		put(b, 'x'); /* not a whole character */
	}
}

/* A string of one of the types that names are made of, and of some that they are not. */
static void put_string(struct gen *g, struct buf *b)
{
	static const unsigned char tags[] = {0x0C, 0x0C, 0x13, 0x13, 0x14,
	                                     0x1C, 0x1E, 0x16, 0x12, 0x03,
	                                     0x04, 0x1A, 0x1B, 0x17, 0x01};
	unsigned tag = one_in(g, 2) ? 0x13 : PICK(g, tags);
	size_t from = b->n;

	switch (tag) {
	case 0x1C:
		put_utf16(g, b, 4);
		break;
	case 0x1E:
		put_utf16(g, b, 2);
		break;
	case 0x0C:
	case 0x14:
		put_text(g, b);
		break;
	case 0x03:
		put(b, (char)pick(g, 9));
		for (size_t n = 1 + pick(g, 3); n > 0; n--) {
			put(b, (char)pick(g, 256));
		}
		break;
	default:
		put_ascii(g, b);
		break;
	}
	wrap(g, b, from, tag);
}

static void put_ava(struct gen *g, struct buf *b)
{
	static const char *const oids[] = {
		"\x55\x04\x03",
		"\x55\x04\x0A",
		"\x55\x04\x0B",
		"\x55\x04\x06",
		"\x55\x04\x07",
		"\x55\x04\x04",
		"\x55\x04\x05",
		"\x09\x92\x26\x89\x93\xF2\x2C\x64\x01\x19",
		"\x09\x92\x26\x89\x93\xF2\x2C\x64\x01\x01",
		"\x2A\x86\x48\x86\xF7\x0D\x01\x09\x01",
		"\x55\x04\x08",
		"\x55\x04\x03",
		"\x55\x04\x03",
		"\x55\x04\x0B",
		"\x55\x1F",
	};
	size_t from = b->n;
	size_t at = from;

	put_str(b, one_in(g, 2) ? oids[0] : PICK(g, oids));
	wrap(g, b, at, OID);
	put_string(g, b);
	wrap(g, b, from, SEQUENCE);
}

static void put_name(struct gen *g, struct buf *b)
{
	size_t from = b->n;

	for (size_t n = pick(g, 5); n > 0; n--) {
		size_t rdn = b->n;

		put_ava(g, b);
		while (one_in(g, 6)) {
			put_ava(g, b);
		}
		wrap(g, b, rdn, SET);
	}
	wrap(g, b, from, SEQUENCE);
}

static void put_der_time(struct gen *g, struct buf *b, bool is_long)
{
	static const char *const odd[] = {"Z", "2001010000Z", "20010100000",
	                                  "990229000000Z", "200101000000+0100"};
	size_t from = b->n;

	if (one_in(g, 10)) {
		put_str(b, PICK(g, odd));
	} else {
		if (is_long) {
			put_str(b, one_in(g, 2) ? "19" : "20");
		}
		put_digits(g, b, 2);
		put(b, (char)('0' + pick(g, 2)));
		put(b, (char)('0' + pick(g, 3)));
		put(b, (char)('0' + pick(g, 3)));
		put(b, (char)('0' + pick(g, 10)));
		put_str(b, "120000Z");
	}
	wrap(g, b, from, is_long ? GENERALIZED : UTC_TIME);
}

static void put_validity(struct gen *g, struct buf *b, bool is_long)
{
	size_t from = b->n;

	put_der_time(g, b, is_long);
	put_der_time(g, b, is_long);
	wrap(g, b, from, SEQUENCE);
}

static void put_signature(struct gen *g, struct buf *b)
{
	put_algorithm(g, b);
	put_blob(g, b, BIT_STRING, 40);
}

static void put_small(struct gen *g, struct buf *b, unsigned number)
{
	size_t from = b->n;

	put(b, (char)number);
	wrap(g, b, from, INTEGER);
}

/* A certificate cut off in the signature is as good as whole. */
static void maybe_cut(struct gen *g, struct buf *b)
{
	if (one_in(g, 10)) {
		b->n -= pick(g, 12);
	}
}

void put_certificate(struct gen *g, struct buf *b)
{
	size_t from = b->n;
	size_t part = 0;

	if (!one_in(g, 4)) {
		part = b->n;
		put_small(g, b, (unsigned)pick(g, 4));
		wrap(g, b, part, CONTEXT(0));
	}
	put_number(g, b);
	put_algorithm(g, b);
	put_name(g, b);
	put_validity(g, b, false);
	put_name(g, b);
	part = b->n;
	put_signature(g, b);
	wrap(g, b, part, SEQUENCE);
	if (one_in(g, 4)) {
		put_blob(g, b, CONTEXT(3), 20);
	}
	wrap(g, b, from, SEQUENCE);
	put_signature(g, b);
	wrap(g, b, from, SEQUENCE);
	maybe_cut(g, b);
}

void put_certificate_list(struct gen *g, struct buf *b)
{
	size_t from = b->n;

	if (one_in(g, 2)) {
		put_small(g, b, one_in(g, 4) ? (unsigned)pick(g, 3) : 1);
	}
	put_algorithm(g, b);
	put_name(g, b);
	put_der_time(g, b, one_in(g, 3));
	if (one_in(g, 2)) {
		put_der_time(g, b, one_in(g, 3));
	}
	if (one_in(g, 3)) {
		put_blob(g, b, SEQUENCE, 20);
	}
	if (one_in(g, 3)) {
		put_blob(g, b, CONTEXT(0), 20);
	}
	wrap(g, b, from, SEQUENCE);
	put_signature(g, b);
	wrap(g, b, from, SEQUENCE);
}

/* GeneralNames with one name of a directory, or of another kind. */
static void put_general_names(struct gen *g, struct buf *b, unsigned tag)
{
	size_t from = b->n;
	size_t name = b->n;

	if (one_in(g, 8)) {
		put_ascii(g, b);
		wrap(g, b, name, 0x82); /* dNSName */
	} else {
		put_name(g, b);
		wrap(g, b, name, CONTEXT(4));
	}
	wrap(g, b, from, tag);
}

static void put_issuer_serial(struct gen *g, struct buf *b, unsigned tag)
{
	size_t from = b->n;

	put_general_names(g, b, SEQUENCE);
	put_number(g, b);
	if (one_in(g, 8)) {
		put_blob(g, b, BIT_STRING, 8);
	}
	wrap(g, b, from, tag);
}

static void put_holder(struct gen *g, struct buf *b)
{
	size_t from = b->n;

	if (one_in(g, 2)) {
		put_issuer_serial(g, b, CONTEXT(0));
	}
	if (one_in(g, 2)) {
		put_general_names(g, b, CONTEXT(1));
	}
	if (one_in(g, 4)) {
		put_blob(g, b, CONTEXT(2), 10);
	}
	wrap(g, b, from, SEQUENCE);
}

static void put_attribute_issuer(struct gen *g, struct buf *b)
{
	size_t from = b->n;

	if (one_in(g, 3)) {
		put_general_names(g, b, SEQUENCE);
	}
	if (!one_in(g, 4)) {
		put_issuer_serial(g, b, CONTEXT(0));
	}
	if (one_in(g, 6)) {
		put_blob(g, b, CONTEXT(1), 10);
	}
	wrap(g, b, from, CONTEXT(0));
}

void put_attribute_certificate(struct gen *g, struct buf *b)
{
	size_t from = b->n;

	put_small(g, b, 1);
	put_holder(g, b);
	put_attribute_issuer(g, b);
	put_algorithm(g, b);
	put_number(g, b);
	put_validity(g, b, true);
	put_blob(g, b, SEQUENCE, 20);
	if (one_in(g, 4)) {
		put_blob(g, b, BIT_STRING, 8);
	}
	if (one_in(g, 3)) {
		put_blob(g, b, SEQUENCE, 20);
	}
	wrap(g, b, from, SEQUENCE);
	put_signature(g, b);
	wrap(g, b, from, SEQUENCE);
	maybe_cut(g, b);
}

void put_private_key(struct gen *g, struct buf *b)
{
	size_t from = b->n;

	put_small(g, b, (unsigned)pick(g, 2));
	put_algorithm(g, b);
	put_blob(g, b, one_in(g, 6) ? BIT_STRING : OCTET_STRING, 60);
	if (one_in(g, 3)) {
		put_blob(g, b, CONTEXT(0), 20);
	}
	if (one_in(g, 10)) {
		put_blob(g, b, BIT_STRING, 4);
	}
	wrap(g, b, from, SEQUENCE);
}
