/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DNs for valgen: random types and values, every way to write them, and then mistakes.
 */
#include "oracle/valgen.h"

#include <string.h>

#define DEPTH_MAX 3
#define NSTYLES   12  /* of escaping; most are the usual one */
#define AS_IT_IS  4   /* no escapes, so that separators separate */
#define RDN_LIMIT 511 /* key size of the database; dn2i keys and data stay below it */

static const char *const type_names[] = {
	"cn",           "CN",        "commonName",
	"2.5.4.3",      "sn",        "uid",
	"ou",           "o",         "l",
	"dc",           "DC",        "0.9.2342.19200300.100.1.25",
	"description",  "c",         "uidNumber",
	"member",       "seeAlso",   "telephoneNumber",
	"mail",         "title",     "street",
	"serialNumber", "entryUUID", "userId",
};

/* Spellings that are refused, and options, which are dropped. */
static const char *const odd_names[] = {
	"cn;lang-en",  "oid.2.5.4.3",  "OID.2.5.4.3",
	"nosuch",      "1.2.3.4",      "cn;;x",
	"2.5.4",       "cn;binary",    "",
	"c-n",         "2.5.4.3;x",    "tNone",
	"tOrdered",    "objectClass",  "ref",
	"collectiveX", "userPassword", "dc ",
	"cn_x",        ".2",           "2.",
	"2..5",
};

static const char *const dn_tokens[] = {
	",",  ";",   "+",   "=",        "\\",   "\"",   "<",    ">",        "#",
	" ",  "\t",  "\\,", "\\20",     "\\ ",  "\\0",  "\\00", "\\C3\\A9", "\\C3",
	"  ", "\n",  "\r",  "cn=",      ",,",   "\\\"", "\\zz", "'",        "\\\\ ",
	"#",  "\\#", "/",   "\xC3\xA9", "\xC3", NULL,
};

static void put_pair(struct buf *b, unsigned char c)
{
	put(b, '\\');
	put(b, "0123456789ABCDEF"[c >> 4]);
	put(b, "0123456789abcdef"[c & 15]);
}

static bool must_escape(const struct buf *value, size_t i)
{
	char c = value->data[i];

	return c == '\0' || strchr(",;+\"\\<>", c) != NULL ||
	       (i == 0 && strchr("# \t\r\n", c) != NULL) ||
	       (i + 1 == value->n && strchr(" \t\r\n", c) != NULL);
}

static void put_quoted(struct buf *b, const struct buf *value)
{
	put(b, '"');
	for (size_t i = 0; i < value->n; i++) {
		if (value->data[i] == '"' || value->data[i] == '\\') {
			put(b, '\\');
		}
		put(b, value->data[i]);
	}
	put(b, '"');
}

/* One value in one of the ways that RFC 1779 to RFC 4514 know. */
static void put_escaped(struct gen *g, struct buf *b, const struct buf *value,
                        size_t style)
{
	if (style == 0) {
		put_quoted(b, value);
		return;
	}
	for (size_t i = 0; i < value->n; i++) {
		unsigned char c = (unsigned char)value->data[i];

		if (style == 1 || (style == 2 && c >= 0x80) ||
		    (style == 3 && one_in(g, 3)) || (must_escape(value, i) && c < ' ')) {
			put_pair(b, c);
		} else if (must_escape(value, i) && style != AS_IT_IS) {
			put(b, '\\');
			put(b, (char)c);
		} else {
			put(b, (char)c);
		}
	}
}

static void put_gap(struct gen *g, struct buf *b)
{
	if (one_in(g, 8)) {
		put_str(b, PICK(g, ((const char *const[]){" ", "  ", "\t", "\n", "\r"})));
	}
}

static void put_value(struct gen *g, struct buf *b, struct buf *value)
{
	value->n = 0;
	if (one_in(g, 3)) {
		put_text(g, value);
	} else {
		put_ascii(g, value);
	}
	if (value->n == 0 && !one_in(g, 20)) {
		put(value, 'x');
	}
	put_escaped(g, b, value, pick(g, NSTYLES));
}

/* A value of the type's own syntax, so that it is accepted; or a DN in a DN. */
static const char *put_typed(struct gen *g, struct buf *b, struct buf *value)
{
	const struct value_type *type = &value_types[pick(g, nvalue_types)];

	/* slapadd dies of an empty authorization rule in a DN in a DN. */
	while (!type->in_dns || (g->depth > 1 && strcmp(type->name, "tAuthz") == 0)) {
		type = &value_types[pick(g, nvalue_types)];
	}
	put_str(b, type->name);
	value->n = 0;
	type->make(g, value);
	return type->name;
}

static void put_ava(struct gen *g, struct buf *b)
{
	struct buf value;
	bool is_typed = g->depth < DEPTH_MAX && one_in(g, 3);

	put_gap(g, b);
	if (is_typed) {
		(void)put_typed(g, b, &value);
	} else {
		put_str(b, one_in(g, 40) ? PICK(g, odd_names) : PICK(g, type_names));
	}
	put_gap(g, b);
	put(b, '=');
	put_gap(g, b);
	if (is_typed) {
		put_escaped(g, b, &value, pick(g, NSTYLES));
	} else {
		put_value(g, b, &value);
	}
	put_gap(g, b);
}

static void put_rdn(struct gen *g, struct buf *b)
{
	put_ava(g, b);
	while (one_in(g, 5)) {
		put(b, '+');
		put_ava(g, b);
	}
}

void put_dn(struct gen *g, struct buf *b, size_t nrdns)
{
	size_t from = b->n;

	if (g->depth == DEPTH_MAX) {
		return;
	}
	g->depth++;
	for (size_t i = 0; i < nrdns; i++) {
		if (i > 0) {
			put(b, one_in(g, 10) ? ';' : ',');
		}
		put_rdn(g, b);
	}
	g->depth--;
	if (one_in(g, 8)) {
		mutate(g, b, from, dn_tokens);
	}
}

/* An RDN around the longest that fits. */
static void put_long_rdn(struct gen *g, struct buf *b)
{
	size_t n = RDN_LIMIT / 2 - 30 + pick(g, 40);

	if (one_in(g, 2)) {
		n = RDN_LIMIT - 30 + pick(g, 40);
	}
	put_str(b, "cn=");
	while (n-- > 0) {
		put(b, (char)('a' + pick(g, 26)));
	}
}

/* Many RDNs or long values, around the longest text that slapd takes. */
static void put_long_dn(struct gen *g, struct buf *b)
{
	size_t limit = 8192 - 40 + pick(g, 60);

	while (b->n + 300 < limit) {
		put_str(b, "ou=");
		for (size_t n = 200 + pick(g, 40); n > 0; n--) {
			put(b, (char)('a' + pick(g, 26)));
		}
		put(b, ',');
	}
	put_str(b, "ou=");
	while (b->n + strlen(",dc=x") < limit) {
		put(b, (char)('a' + pick(g, 26)));
	}
}

void put_rdn_of(struct gen *g, const struct value_type *type, struct buf *b)
{
	struct buf value;

	value.n = 0;
	put_str(b, type->name);
	put(b, '=');
	g->depth++;
	type->make(g, &value);
	g->depth--;
	put_escaped(g, b, &value, pick(g, AS_IT_IS));
}

void put_entry_dn(struct gen *g, struct buf *b)
{
	static const char *const suffixes[] = {
		"dc=x", "DC=X", " dc = x ", "dc=\\78", "dc=\"x\"", "domainComponent=x"};
	size_t kind = pick(g, 60);

	if (kind == 0) {
		put_long_rdn(g, b);
	} else if (kind == 1 && one_in(g, 8)) {
		put_long_dn(g, b);
	} else {
		put_dn(g, b, 1 + (one_in(g, 4) ? pick(g, 4) : 0));
	}
	put(b, one_in(g, 10) ? ';' : ',');
	put_str(b, one_in(g, 4) ? PICK(g, suffixes) : "dc=x");
	if (one_in(g, 12)) {
		mutate(g, b, 0, dn_tokens);
	}
}
