/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the files of valgen: random numbers, a bounded buffer, makers of values.
 *
 *   valgen.c        options, records
 *   valgen_text.c   strings: ASCII, every code point of the tables, rubbish; mutations
 *   valgen_rule.c   the attribute types of tests/data/conf/values.conf, a maker for each
 *   valgen_rights.c authorization rules and ACIs
 *   valgen_dn.c     DNs
 *   valgen_der.c    certificates
 */
#ifndef DITKIT_VALGEN_H
#define DITKIT_VALGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))
#define PICK(g, array) ((array)[pick(g, COUNT(array))])

/* One character of a string. */
#define PICK_CHAR(g, text) ((text)[pick(g, sizeof(text) - 1)])

#define VALUE_MAX 65536

/** One record's state; the same number gives the same record, whatever came before. */
struct gen {
	uint64_t state;         /* SplitMix64 */
	uint64_t number;        /* of the record */
	const uint32_t *points; /* code points that the Unicode tables name */
	size_t npoints;
	unsigned depth; /* of DNs in values of DNs */
};

/** Bytes; what does not fit is dropped. */
struct buf {
	size_t n;
	char data[VALUE_MAX];
};

/* valgen_text.c */
uint64_t next_random(struct gen *g);
/** 0 ... n-1 */
size_t pick(struct gen *g, size_t n);
/** True once in n times. */
bool one_in(struct gen *g, size_t n);
void put(struct buf *b, char c);
void put_bytes(struct buf *b, const char *data, size_t n);
void put_str(struct buf *b, const char *text);
void put_point(struct buf *b, uint32_t c);
void put_text(struct gen *g, struct buf *b);
/** Well-formed UTF-8, as slapd sees it. */
void put_unicode(struct gen *g, struct buf *b);
void put_ascii(struct gen *g, struct buf *b);
void put_digits(struct gen *g, struct buf *b, size_t n);
/** Change a few bytes from offset @p from on; tokens are NULL-terminated, or NULL. */
void mutate(struct gen *g, struct buf *b, size_t from, const char *const *tokens);

/* valgen_der.c */
void put_certificate(struct gen *g, struct buf *b);
void put_certificate_list(struct gen *g, struct buf *b);
void put_attribute_certificate(struct gen *g, struct buf *b);
void put_private_key(struct gen *g, struct buf *b);

/* valgen_rights.c */
void make_authz(struct gen *g, struct buf *b);
void make_aci(struct gen *g, struct buf *b);

/* valgen_rule.c */
void make_oid(struct gen *g, struct buf *b);
/** mutate() one value in four. */
void maybe_mutate(struct gen *g, struct buf *b, size_t from, const char *const *tokens);
struct value_type {
	const char *name; /* of the attribute type */
	const char *rule; /* or syntax, where it has no rule */
	void (*make)(struct gen *g, struct buf *b);
	bool takes_empty; /* empty values are not among those that slapadd dies of */
	bool is_binary;   /* transferred with ";binary" */
	bool in_dns;      /* may stand in an RDN without special care */
};

/* valgen_dn.c */
void put_dn(struct gen *g, struct buf *b, size_t nrdns);
/** The DN of a record, below dc=x more often than not. */
void put_entry_dn(struct gen *g, struct buf *b);
/** One type and value, as they stand in a DN. */
void put_rdn_of(struct gen *g, const struct value_type *type, struct buf *b);

extern const struct value_type value_types[];
extern const size_t nvalue_types;

#endif
