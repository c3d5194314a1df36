/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The attribute types of tests/data/conf/values.conf and how their values are made: most
 * are what the rule expects, many of those are changed a little, some are anything.
 */
#include "oracle/valgen.h"

#include <stdio.h>
#include <string.h>

void maybe_mutate(struct gen *g, struct buf *b, size_t from, const char *const *tokens)
{
	if (one_in(g, 4)) {
		mutate(g, b, from, tokens);
	}
}

static void make_text(struct gen *g, struct buf *b)
{
	put_text(g, b);
}

static void make_ia5(struct gen *g, struct buf *b)
{
	size_t from = b->n;

	put_text(g, b);
	if (one_in(g, 8)) {
		return;
	}
	for (size_t i = from; i < b->n; i++) {
		b->data[i] &= 0x7F;
	}
	if (one_in(g, 6)) {
		put(b, '\0');
		put_ascii(g, b);
	}
}

/* For an approximate index: slapadd dies of what is not UTF-8. */
static void make_sound(struct gen *g, struct buf *b)
{
	size_t from = b->n;

	if (one_in(g, 3)) {
		put_unicode(g, b);
		return;
	}
	put_text(g, b);
	for (size_t i = from; i < b->n; i++) {
		b->data[i] &= 0x7F;
	}
}

static void make_numeric(struct gen *g, struct buf *b)
{
	static const char *const tokens[] = {" ", "  ", "0", "-", "a", NULL};
	size_t from = b->n;

	for (size_t n = 1 + pick(g, 12); n > 0; n--) {
		put(b, one_in(g, 4) ? ' ' : (char)('0' + pick(g, 10)));
	}
	maybe_mutate(g, b, from, tokens);
}

static void make_telephone(struct gen *g, struct buf *b)
{
	static const char *const tokens[] = {"-",  " ",   "+", "(0)", "\xE2\x80\x90",
	                                     "--", "ext", NULL};
	size_t from = b->n;

	if (one_in(g, 10)) {
		put_text(g, b);
		return;
	}
	for (size_t n = 1 + pick(g, 14); n > 0; n--) {
		put(b, one_in(g, 4) ? PICK_CHAR(g, "- +") : (char)('0' + pick(g, 10)));
	}
	maybe_mutate(g, b, from, tokens);
}

static void make_postal(struct gen *g, struct buf *b)
{
	static const char *const tokens[] = {"$",  "$$",  "\\24", "\\5c", "\\5C",
	                                     "\\", "\\2", " $ ",  NULL};
	size_t from = b->n;

	for (size_t n = pick(g, 6); n > 0; n--) {
		if (one_in(g, 8)) {
			put_str(b, PICK(g, tokens) == NULL ? "$" : "\\24");
		}
		if (one_in(g, 3)) {
			put_text(g, b);
		} else {
			put_ascii(g, b);
		}
		if (n > 1) {
			put(b, '$');
		}
	}
	maybe_mutate(g, b, from, tokens);
}

static void make_boolean(struct gen *g, struct buf *b)
{
	static const char *const words[] = {"TRUE", "FALSE", "true", "False", "1", ""};

	put_str(b, PICK(g, words));
	if (one_in(g, 4)) {
		put_text(g, b);
	}
}

/* Little is left of a quoted number that is so long that its end is cut off. */
static void put_hex_number(struct gen *g, struct buf *b)
{
	bool is_quoted = one_in(g, 2);

	put_str(b, is_quoted ? "'" : "0x");
	for (size_t n = pick(g, is_quoted ? 9 : 40); n > 0; n--) {
		put(b, one_in(g, 40) ? PICK_CHAR(g, "+- \txg")
		                     : PICK_CHAR(g, "0123456789abcdefABCDEF"));
	}
	put_str(b, is_quoted ? "'H" : "");
}

/* Long enough to be cut at every length that index_intlen may have. */
static void make_integer(struct gen *g, struct buf *b)
{
	static const char *const tokens[] = {"-",  "0",     "+",        " ", "0x", "'",
	                                     "'H", "00000", "00000000", "a", NULL};
	static const char *const edges[] = {
		"0",
		"-0",
		"127",
		"128",
		"-128",
		"-129",
		"255",
		"256",
		"65535",
		"65536",
		"2147483647",
		"2147483648",
		"-2147483648",
		"-2147483649",
		"1073741823",
		"1073741824",
		"-1073741824",
		"-1073741825",
		"4294967295",
		"4294967296",
		"9223372036854775807",
		"9223372036854775808",
		"-9223372036854775808",
	};
	size_t from = b->n;
	size_t kind = pick(g, 8);

	switch (kind) {
	case 0:
		put_str(b, PICK(g, edges));
		break;
	case 1: /* a power of two or its neighbour */
	{
		char text[24];

		(void)snprintf(text, sizeof(text), "%lld",
		               (long long)(((uint64_t)1 << pick(g, 63)) + pick(g, 3)) -
		                       1);
		put_str(b, one_in(g, 2) ? "-" : "");
		put_str(b, text);
	} break;
	case 2:
		put_hex_number(g, b);
		break;
	default:
		put_str(b, one_in(g, 3) ? "-" : "");
		put(b, (char)('1' + pick(g, 9)));
		put_digits(g, b, pick(g, one_in(g, 8) ? 700 : 24));
		break;
	}
	/* Digits cut off a number that reads as a small one: slapadd's key is chance. */
	if (b->n - from < 11 && kind != 2) {
		maybe_mutate(g, b, from, tokens);
		b->n = b->n - from > 11 ? from + 11 : b->n;
	}
	if (b->n == from) {
		put(b, '0');
	}
	/* slapadd dies of a '-' where it begins to read a group of digits. */
	for (size_t i = from + 1; i < b->n && kind != 2; i++) {
		if (b->data[i] == '-') {
			b->data[i] = '+';
		}
	}
}

static void make_bits(struct gen *g, struct buf *b)
{
	static const char *const tokens[] = {"'", "B", "b", "2", " ", "'B", NULL};
	size_t from = b->n;

	put(b, '\'');
	for (size_t n = pick(g, 20); n > 0; n--) {
		put(b, (char)('0' + pick(g, 2)));
	}
	put_str(b, "'B");
	maybe_mutate(g, b, from, tokens);
}

static void make_octets(struct gen *g, struct buf *b)
{
	for (size_t n = pick(g, one_in(g, 50) ? 4000 : 20); n > 0; n--) {
		put(b, (char)pick(g, 256));
	}
}

static void make_dn(struct gen *g, struct buf *b)
{
	put_dn(g, b, pick(g, 5));
}

static void make_name_uid(struct gen *g, struct buf *b)
{
	put_dn(g, b, pick(g, 4));
	if (one_in(g, 2)) {
		put(b, '#');
		make_bits(g, b);
	}
}

static void put_two(struct gen *g, struct buf *b, size_t low, size_t high)
{
	size_t n = one_in(g, 20) ? pick(g, 100) : low + pick(g, high - low + 1);

	put(b, (char)('0' + n / 10));
	put(b, (char)('0' + n % 10));
}

/* YYYYmmddHHMMSS or its beginning. */
static void put_date(struct gen *g, struct buf *b, bool is_whole)
{
	static const char *const years[] = {"0000", "9999", "1900", "2000", "2024",
	                                    "2023", "0001", "1970", "2100"};

	if (one_in(g, 3)) {
		put_str(b, PICK(g, years));
	} else {
		put_digits(g, b, 4);
	}
	put_two(g, b, 1, 12);
	put_two(g, b, 1, one_in(g, 3) ? 31 : 28);
	put_two(g, b, 0, 23);
	if (is_whole || !one_in(g, 5)) {
		put_two(g, b, 0, 59);
		if (is_whole || !one_in(g, 5)) {
			put_two(g, b, 0, one_in(g, 5) ? 62 : 59);
		}
	}
}

static void make_time(struct gen *g, struct buf *b)
{
	static const char *const tokens[] = {"Z", "z",  ".",  ",",   "+", "-",
	                                     "0", "00", ".0", ".50", NULL};
	size_t from = b->n;

	put_date(g, b, false);
	if (one_in(g, 3)) {
		put(b, PICK_CHAR(g, ".,."));
		put_digits(g, b, pick(g, 8));
		put_str(b, one_in(g, 3) ? "00" : "");
	}
	if (one_in(g, 2)) {
		put(b, 'Z');
	} else {
		put(b, one_in(g, 2) ? '+' : '-');
		put_two(g, b, 0, one_in(g, 3) ? 23 : 14);
		if (one_in(g, 2)) {
			put_two(g, b, 0, 59);
		}
	}
	maybe_mutate(g, b, from, tokens);
}

static void put_hex(struct gen *g, struct buf *b, size_t n)
{
	while (n-- > 0) {
		put(b, "0123456789abcdefABCDEF"[pick(g, 22)]);
	}
}

static void make_csn(struct gen *g, struct buf *b)
{
	static const char *const tokens[] = {"#", "Z", ":", ".", "0x", "0", "g", NULL};
	size_t from = b->n;

	switch (pick(g, 4)) {
	case 0:
		put_date(g, b, true);
		put_str(b, "Z#");
		put_hex(g, b, 6);
		put(b, '#');
		put_hex(g, b, 2);
		put(b, '#');
		put_hex(g, b, 6);
		break;
	case 1:
		put_digits(g, b, 4);
		put_two(g, b, 1, 12);
		put_two(g, b, 1, 28);
		put_two(g, b, 0, 23);
		put(b, ':');
		put_two(g, b, 0, 59);
		put(b, ':');
		put_two(g, b, 0, 59);
		put_str(b, "Z#0x");
		put_hex(g, b, 4);
		put(b, '#');
		put_hex(g, b, 1);
		put(b, '#');
		put_hex(g, b, 4);
		break;
	default:
		put_date(g, b, true);
		put(b, '.');
		put_digits(g, b, 6);
		put_str(b, "Z#");
		put_hex(g, b, 6);
		put(b, '#');
		put_hex(g, b, 3);
		put(b, '#');
		put_hex(g, b, 6);
		break;
	}
	maybe_mutate(g, b, from, tokens);
}

static void make_sid(struct gen *g, struct buf *b)
{
	put_hex(g, b, one_in(g, 4) ? pick(g, 6) : 3);
	if (one_in(g, 6)) {
		mutate(g, b, 0, NULL);
	}
}

static void make_uuid(struct gen *g, struct buf *b)
{
	static const char *const tokens[] = {"-", "--", "0", "g", "", NULL};
	size_t from = b->n;

	put_hex(g, b, 8);
	for (unsigned i = 0; i < 3; i++) {
		put(b, '-');
		put_hex(g, b, 4);
	}
	put(b, '-');
	put_hex(g, b, 12);
	maybe_mutate(g, b, from, tokens);
	/*
	 * Dashes may stand anywhere, but a digit too few leaves slapadd a byte of
	 * chance.
	 */
	for (size_t i = from, ndashes = 0; i < b->n; i++) {
		ndashes += b->data[i] == '-';
		if (ndashes > 4 && b->data[i] == '-') {
			b->data[i] = 'f';
		}
	}
}

void make_oid(struct gen *g, struct buf *b)
{
	static const char *const tokens[] = {".", "..", "0",      "00", "a",
	                                     " ", "cn", "person", NULL};
	size_t from = b->n;

	put_digits(g, b, 1);
	for (size_t n = pick(g, 8); n > 0; n--) {
		put(b, '.');
		put_digits(g, b, 1 + pick(g, 4));
	}
	maybe_mutate(g, b, from, tokens);
}

static void put_first(struct gen *g, struct buf *b,
                      void (*make)(struct gen *g, struct buf *b))
{
	static const char *const tokens[] = {"(", ")",  "{",        "}",
	                                     " ", "  ", "NAME 'x'", NULL};
	bool is_brace = one_in(g, 4);
	size_t from = b->n;

	if (!one_in(g, 10)) {
		put(b, is_brace ? '{' : '(');
	}
	put_bytes(b, "    ", pick(g, 3));
	make(g, b);
	if (one_in(g, 2)) {
		put_str(b, " NAME 'x' DESC '");
		put_ascii(g, b);
		put_str(b, "'");
	}
	put_bytes(b, "    ", pick(g, 3));
	if (!one_in(g, 10)) {
		put(b, is_brace ? '}' : ')');
	}
	maybe_mutate(g, b, from, tokens);
}

static void make_first_oid(struct gen *g, struct buf *b)
{
	put_first(g, b, make_oid);
}

static void make_first_integer(struct gen *g, struct buf *b)
{
	put_first(g, b, make_integer);
}

static void make_classes(struct gen *g, struct buf *b)
{
	static const char *const names[] = {
		"person",           "PERSON",   "inetOrgPerson",
		"2.5.6.6",          "top",      "device",
		"account",          "2.5.6.14", "dcObject",
		"uidObject",        "nosuch",   "organizationalPerson",
		"extensibleObject", "alias",    "subentry",
	};

	put_str(b, PICK(g, names));
	if (one_in(g, 10)) {
		mutate(g, b, 0, NULL);
	}
}

static void make_delivery(struct gen *g, struct buf *b)
{
	static const char *const words[] = {"any",      "mhs",       "Physical", "telex",
	                                    "TELETEX",  "g3fax",     "g4fax",    "ia5",
	                                    "videotex", "telephone", "nosuch",   ""};
	static const char *const tokens[] = {" ", "$", " $ ", "any", NULL};
	size_t from = b->n;

	put_str(b, PICK(g, words));
	for (size_t n = pick(g, 4); n > 0; n--) {
		put_bytes(b, "   ", pick(g, 3));
		put(b, '$');
		put_bytes(b, "   ", pick(g, 3));
		put_str(b, PICK(g, words));
	}
	maybe_mutate(g, b, from, tokens);
}

static void make_triple(struct gen *g, struct buf *b)
{
	static const char *const tokens[] = {"(", ")", ",", " ", "-", "host.x", NULL};
	static const char *const parts[] = {"",  "host",      "a-b.c;d",
	                                    "-", "user name", "x_y"};
	size_t from = b->n;

	put(b, '(');
	put_str(b, PICK(g, parts));
	put(b, ',');
	put_str(b, PICK(g, parts));
	put(b, ',');
	put_str(b, PICK(g, parts));
	put(b, ')');
	maybe_mutate(g, b, from, tokens);
}

static void make_boot(struct gen *g, struct buf *b)
{
	static const char *const tokens[] = {"=", ":", "/", " ", "_", NULL};
	static const char *const parts[] = {"", "root", "a-b.c;d", "-", "fs x", "x_y"};
	size_t from = b->n;

	put_str(b, PICK(g, parts));
	put(b, '=');
	put_str(b, PICK(g, parts));
	put(b, ':');
	put_str(b, PICK(g, parts));
	put_str(b, "/nfs/root");
	maybe_mutate(g, b, from, tokens);
}

static void make_printables(struct gen *g, struct buf *b)
{
	static const char *const tokens[] = {"$", "$$", "*", "@", "_", NULL};
	size_t from = b->n;

	for (size_t n = 1 + pick(g, 4); n > 0; n--) {
		for (size_t k = pick(g, 6); k > 0; k--) {
			put(b, PICK_CHAR(g, "abzAZ09'()+,-./:? ="));
		}
		put_str(b, n > 1 ? "$" : "");
	}
	maybe_mutate(g, b, from, tokens);
}

static void make_country(struct gen *g, struct buf *b)
{
	for (size_t n = one_in(g, 6) ? pick(g, 4) : 2; n > 0; n--) {
		put(b, one_in(g, 8) ? (char)pick(g, 256) : (char)('A' + pick(g, 58)));
	}
}

static void put_order(struct gen *g, struct buf *b)
{
	static const char *const prefixes[] = {"{0}",   "{12}",   "{ 3}", "{}",
	                                       "{x}",   "{-1}",   "{1",   "",
	                                       "{007}", "{1}{2}", " {1}"};

	put_str(b, PICK(g, prefixes));
}

static void make_ordered_text(struct gen *g, struct buf *b)
{
	put_order(g, b);
	put_text(g, b);
}

static void make_ordered_dn(struct gen *g, struct buf *b)
{
	put_order(g, b);
	put_dn(g, b, pick(g, 3));
}

const struct value_type value_types[] = {
	/* name, rule or syntax, maker, takes_empty, is_binary, in_dns */
	{"tCIM", "caseIgnoreMatch", make_text, true, false, true},
	{"tCEM", "caseExactMatch", make_text, true, false, true},
	{"tNSM", "numericStringMatch", make_numeric, false, false, true},
	{"tCILM", "caseIgnoreListMatch", make_postal, true, false, true},
	{"tBOOL", "booleanMatch", make_boolean, true, false, true},
	{"tINT", "integerMatch", make_integer, false, false, true},
	{"tBIT", "bitStringMatch", make_bits, true, false, true},
	{"tOCT", "octetStringMatch", make_octets, true, false, true},
	{"tTEL", "telephoneNumberMatch", make_telephone, true, false, true},
	{"tUM", "uniqueMemberMatch", make_name_uid, true, false, true},
	{"tGT", "generalizedTimeMatch", make_time, true, false, true},
	{"tIFC", "integerFirstComponentMatch", make_first_integer, true, false, true},
	{"tIFCi", "integerFirstComponentMatch", make_first_integer, true, false, true},
	{"tOFC", "objectIdentifierFirstComponentMatch", make_first_oid, true, false,
         true},
	{"tOFCo", "objectIdentifierFirstComponentMatch", make_first_oid, true, false,
         true},
	{"tCert", "certificateExactMatch", put_certificate, false, true, false},
	{"tCRL", "certificateListExactMatch", put_certificate_list, false, true, false},
	{"tAC", "attributeCertificateExactMatch", put_attribute_certificate, false, true,
         false},
	{"tCEI", "caseExactIA5Match", make_ia5, true, false, true},
	{"tCII", "caseIgnoreIA5Match", make_ia5, true, false, true},
	{"tCEIA", "caseExactIA5Match, approximate", make_sound, true, false, true},
	{"tCIIA", "caseIgnoreIA5Match, approximate", make_sound, true, false, true},
	{"tUUID", "UUIDMatch", make_uuid, true, false, true},
	{"tCSN", "CSNMatch", make_csn, true, false, true},
	{"tCSNSID", "CSNSIDMatch", make_csn, true, false, true},
	{"tAuthz", "authzMatch", make_authz, true, false, true},
	{"tDN", "distinguishedNameMatch", make_dn, true, false, true},
	{"tRDN", "rdnMatch", make_dn, true, false, true},
	{"tOID", "objectIdentifierMatch", make_oid, true, false, true},
	{"tPK", "privateKeyMatch", put_private_key, false, true, false},
	{"tCountry", "country string", make_country, true, false, true},
	{"tPrint", "printable string", make_text, true, false, true},
	{"tPrintE", "printable string, exact", make_text, true, false, true},
	{"tNone", "no rule", make_text, true, false, false},
	{"tAci", "OpenLDAPaciMatch", make_aci, true, false, false},
	{"tOrdered", "X-ORDERED text", make_ordered_text, true, false, false},
	{"tOrderedDN", "X-ORDERED DN", make_ordered_dn, true, false, false},
	{"tPhone", "caseIgnoreMatch on telephone numbers", make_text, true, false, true},
	{"tDelivery", "delivery method", make_delivery, true, false, false},
	{"tTriple", "nisNetgroupTriple", make_triple, true, false, false},
	{"tBoot", "bootParameter", make_boot, true, false, false},
	{"tTeletex", "teletex terminal identifier", make_printables, true, false, false},
	{"tFax", "facsimile telephone number", make_printables, true, false, false},
	{"tPair", "certificate pair", make_octets, false, true, false},
	{"tSID", "server ID", make_sid, true, false, false},
	{"tMailbox", "other mailbox", make_ia5, true, false, false},
	{"objectClass", "object classes", make_classes, true, false, true},
};

const size_t nvalue_types = COUNT(value_types);
