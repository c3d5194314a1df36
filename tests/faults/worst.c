/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The worst LDIF that somebody can think of: one kind of it, N large.
 *
 *   worst SHAPE N    to standard output
 *   worst --list     the names of the shapes
 *
 * Each LDIF begins with the entry dc=x. The schema is that of core, cosine, nis and
 * inetorgperson.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_person(const char *name)
{
	(void)printf("\ndn: cn=%s,dc=x\nobjectClass: inetOrgPerson\nobjectClass: "
	             "extensibleObject\ncn: %s\nsn: s\n",
	             name, name);
}

/* ---- many lines, long lines ---- */

static void put_text(size_t n)
{
	static const char words[] = "Some Words of a Text, ";

	for (size_t i = 0; i < n; i++) {
		(void)putchar(words[i % (sizeof(words) - 1)]);
	}
	(void)puts("end");
}

static void values(size_t n)
{
	put_person("a");
	for (size_t i = 0; i < n; i++) {
		(void)printf("description: value %zu\n", i * 2654435761u % 4294967291u);
	}
}

static void equal_values(size_t n)
{
	put_person("a");
	for (size_t i = 0; i < n; i++) {
		(void)printf("description: %s Value\n", i % 2 == 0 ? "the" : "THE");
	}
}

static void dn_values(size_t n)
{
	put_person("a");
	for (size_t i = 0; i < n; i++) {
		(void)printf("seeAlso: cn=m%zu, OU=Some Unit,dc=x\n", i);
	}
}

static void folded(size_t n)
{
	put_person("a");
	(void)printf("description: a");
	for (size_t i = 0; i < n; i++) {
		(void)printf("\n %c", "abc d"[i % 5]);
	}
	(void)puts("\n z");
}

static void text(size_t n)
{
	put_person("a");
	(void)printf("description: ");
	put_text(n);
}

static void indexed_text(size_t n)
{
	put_person("a");
	(void)printf("title: ");
	put_text(n);
}

static void blanks(size_t n)
{
	put_person("a");
	(void)printf("description: a%*s\n", (int)n, "b");
}

static void comments(size_t n)
{
	put_person("a");
	(void)puts("description: a");
	for (size_t i = 0; i < n; i++) {
		(void)puts(i % 2 == 0 ? "# a comment" : "  of two lines");
	}
	(void)puts("title: b");
}

static void blank_lines(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		(void)putchar('\n');
	}
	put_person("a");
}

/* ---- base64 ---- */

/* Bytes that wait until there are three of them. */
struct base64 {
	unsigned char bytes[3];
	unsigned nbytes;
};

static void put_quantum(struct base64 *b)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned long bits = (unsigned long)b->bytes[0] << 16 |
	                     (unsigned long)b->bytes[1] << 8 | b->bytes[2];

	for (unsigned i = 0; i < 4; i++) {
		(void)putchar(i <= b->nbytes ? digits[bits >> (18 - 6 * i) & 63] : '=');
	}
	*b = (struct base64){{0}, 0};
}

static void put_byte(struct base64 *b, unsigned c)
{
	b->bytes[b->nbytes++] = (unsigned char)c;
	if (b->nbytes == 3) {
		put_quantum(b);
	}
}

static void put_bytes(struct base64 *b, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		put_byte(b, (unsigned char)bytes[i]);
	}
}

static void end_base64(struct base64 *b)
{
	if (b->nbytes > 0) {
		put_quantum(b);
	}
	(void)putchar('\n');
}

static void bytes(size_t n)
{
	struct base64 b = {{0}, 0};

	put_person("a");
	(void)printf("audio:: ");
	for (size_t i = 0; i < n; i++) {
		put_byte(&b, i * 37 & 255);
	}
	end_base64(&b);
}

/* Two classes of marks in turn: each lower one has to go to the front. */
static void marks(size_t n)
{
	struct base64 b = {{0}, 0};

	put_person("a");
	(void)printf("description:: ");
	put_byte(&b, 'a');
	for (size_t i = 0; i < n; i++) {
		put_bytes(&b, i % 2 == 0 ? "\xCC\x81" : "\xCC\xA3", 2);
	}
	end_base64(&b);
}

/* ---- certificates ---- */

#define DER_HEAD 6 /* tag, length of the length, four bytes of length */

static void put_head(struct base64 *b, unsigned tag, size_t len)
{
	put_byte(b, tag);
	put_byte(b, 0x84);
	for (int shift = 24; shift >= 0; shift -= 8) {
		put_byte(b, len >> shift & 255);
	}
}

/* An issuer's RDN: cn=ca */
static const char der_rdn[] = "\x31\x0B\x30\x09\x06\x03\x55\x04\x03\x0C\x02"
			      "ca";
#define DER_RDN_BYTES (sizeof(der_rdn) - 1)
static const char der_algorithm[] = "\x30\x0A\x06\x08\x2A\x86\x48\xCE\x3D\x04\x03\x02";
#define DER_ALGORITHM_BYTES (sizeof(der_algorithm) - 1)
/* Validity, no subject, a key without bits. */
static const char der_rest[] = "\x30\x1E\x17\x0D"
			       "200101000000Z"
			       "\x17\x0D"
			       "300101000000Z"
			       "\x30\x00\x30\x11\x30\x0A\x06\x08\x2A\x86\x48\xCE\x3D\x04"
			       "\x03\x02\x03\x03\x00\x00\x00";
#define DER_REST_BYTES (sizeof(der_rest) - 1)
static const char der_signature[] = "\x03\x02\x00\x00";
#define DER_SIGNATURE_BYTES (sizeof(der_signature) - 1)

static void put_certificate(size_t nserial, size_t nrdns)
{
	struct base64 b = {{0}, 0};
	size_t issuer = nrdns * DER_RDN_BYTES;
	size_t inner = 5 + DER_HEAD + nserial + DER_ALGORITHM_BYTES + DER_HEAD + issuer +
	               DER_REST_BYTES;

	put_person("a");
	(void)printf("userCertificate;binary:: ");
	put_head(&b, 0x30, DER_HEAD + inner + DER_ALGORITHM_BYTES + DER_SIGNATURE_BYTES);
	put_head(&b, 0x30, inner);
	put_bytes(&b, "\xA0\x03\x02\x01\x02", 5);
	put_head(&b, 0x02, nserial);
	for (size_t i = 0; i < nserial; i++) {
		put_byte(&b, 1 + i % 100);
	}
	put_bytes(&b, der_algorithm, DER_ALGORITHM_BYTES);
	put_head(&b, 0x30, issuer);
	for (size_t i = 0; i < nrdns; i++) {
		put_bytes(&b, der_rdn, DER_RDN_BYTES);
	}
	put_bytes(&b, der_rest, DER_REST_BYTES);
	put_bytes(&b, der_algorithm, DER_ALGORITHM_BYTES);
	put_bytes(&b, der_signature, DER_SIGNATURE_BYTES);
	end_base64(&b);
}

static void serial_number(size_t n)
{
	put_certificate(n, 1);
}

static void issuer(size_t n)
{
	put_certificate(8, n);
}

/* ---- names ---- */

static void options(size_t n)
{
	put_person("a");
	(void)printf("description");
	for (size_t i = 0; i < n; i++) {
		(void)printf(";lang-%zu", i);
	}
	(void)puts(": a");
}

static void descriptions(size_t n)
{
	put_person("a");
	for (size_t i = 0; i < n; i++) {
		(void)printf("description;lang-%zu: a\n", i);
	}
}

static void classes(size_t n)
{
	put_person("a");
	for (size_t i = 0; i < n; i++) {
		(void)printf("objectClass: class%zu\n", i);
	}
}

static void dn_bytes(size_t n)
{
	(void)printf("\ndn: cn=");
	for (size_t i = 0; i < n; i++) {
		(void)putchar('a');
	}
	(void)puts(",dc=x\nobjectClass: device");
}

static void dn_escapes(size_t n)
{
	(void)printf("\ndn: cn=");
	for (size_t i = 0; i < n; i++) {
		(void)printf("\\2C");
	}
	(void)puts(",dc=x\nobjectClass: device");
}

static void rdns(size_t n)
{
	(void)printf("\ndn: ");
	for (size_t i = 0; i < n; i++) {
		(void)printf("o=a,");
	}
	(void)puts("dc=x\nobjectClass: device");
}

static void rdn_parts(size_t n)
{
	(void)printf("\ndn: cn=a");
	for (size_t i = 0; i < n; i++) {
		(void)printf("+cn=%zu", i);
	}
	(void)puts(",dc=x\nobjectClass: device");
}

static void dn_value(size_t n)
{
	put_person("a");
	(void)printf("seeAlso: ");
	for (size_t i = 0; i < n; i++) {
		(void)printf("o=a,");
	}
	(void)puts("dc=x");
}

/* ---- values of odd syntaxes ---- */

static void repeat(const char *head, const char *part, size_t n, const char *tail)
{
	put_person("a");
	(void)printf("%s", head);
	for (size_t i = 0; i < n; i++) {
		(void)printf("%s", part);
	}
	(void)puts(tail);
}

/* ---- many records ---- */

static void put_entries(size_t n, const char *parent)
{
	for (size_t i = 0; i < n; i++) {
		(void)printf("\ndn: cn=c%zu%s,dc=x\nobjectClass: device\ncn: c%zu\n"
		             "description: the same\n",
		             i, parent, i);
	}
}

static void one_key(size_t n)
{
	put_entries(n, "");
}

static void holes(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		(void)printf("\ndn: cn=c,ou=u%zu,dc=x\nobjectClass: device\ncn: c\n", i);
	}
}

static void refused(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		(void)printf("\ndn: cn=c%zu,dc=x\nobjectClass: device\nfoo: a\n", i);
	}
}

static void same_dn(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		(void)puts("\ndn: cn=c,dc=x\nobjectClass: device\ncn: c");
	}
}

/* Each entry is the child of the one before; the DN grows up to its limit, and begins
 * again. */
static void deep_tree(size_t n)
{
	char dn[8200] = "dc=x";

	for (size_t i = 0; i < n; i++) {
		char rdn[40];
		size_t len = (size_t)snprintf(rdn, sizeof(rdn), "cn=%zu,", i);

		if (strlen(dn) + len > 8000) {
			(void)snprintf(dn, sizeof(dn), "dc=x");
		}
		memmove(dn + len, dn, strlen(dn) + 1);
		memcpy(dn, rdn, len);
		(void)printf("\ndn: %s\nobjectClass: device\ncn: %zu\n", dn, i);
	}
}

static const struct {
	const char *name;
	void (*put)(size_t n); /* NULL: repeat() does */
	const char *head;
	const char *part;
	const char *tail;
} shapes[] = {
	{.name = "values", .put = values},
	{.name = "equal-values", .put = equal_values},
	{.name = "dn-values", .put = dn_values},
	{.name = "folded", .put = folded},
	{.name = "text", .put = text},
	{.name = "indexed-text", .put = indexed_text},
	{.name = "blanks", .put = blanks},
	{.name = "comments", .put = comments},
	{.name = "blank-lines", .put = blank_lines},
	{.name = "bytes", .put = bytes},
	{.name = "marks", .put = marks},
	{.name = "serial-number", .put = serial_number},
	{.name = "issuer", .put = issuer},
	{.name = "options", .put = options},
	{.name = "descriptions", .put = descriptions},
	{.name = "classes", .put = classes},
	{.name = "dn-bytes", .put = dn_bytes},
	{.name = "dn-escapes", .put = dn_escapes},
	{.name = "rdns", .put = rdns},
	{.name = "rdn-parts", .put = rdn_parts},
	{.name = "dn-value", .put = dn_value},
	{"integer", NULL, "uidNumber: 9", "7", ""},
	{"bits", NULL, "x500UniqueIdentifier: '", "01", "'B"},
	{"address", NULL, "postalAddress: a", "$ B", ""},
	{"telephone", NULL, "telephoneNumber: 1", "- 2", ""},
	{"digits", NULL, "x121Address: 1", " 2", ""},
	{"fraction", NULL, "createTimestamp: 20260101000000.", "10", "Z"},
	{"unique-name", NULL, "uniqueMember: cn=a,dc=x#'", "1", "'B"},
	{"rule-expression", NULL, "authzTo: dn.regex:^", "((a*)*|b{1,200}){1,200}", "$"},
	{"rule-wide", NULL, "authzTo: ldap:///dc=x??sub?(|", "(cn=a*b*c)", ")"},
	{"rule-deep", NULL, "authzTo: ldap:///dc=x??sub?", "(!", "(cn=a)"},
	{.name = "one-key", .put = one_key},
	{.name = "holes", .put = holes},
	{.name = "refused", .put = refused},
	{.name = "same-dn", .put = same_dn},
	{.name = "deep-tree", .put = deep_tree},
};
#define NSHAPES (sizeof(shapes) / sizeof(shapes[0]))

static void put(size_t i, size_t n)
{
	if (shapes[i].put != NULL) {
		shapes[i].put(n);
	} else {
		repeat(shapes[i].head, shapes[i].part, n, shapes[i].tail);
	}
}

int main(int argc, char **argv)
{
	bool is_list = argc == 2 && strcmp(argv[1], "--list") == 0;

	for (size_t i = 0; i < NSHAPES; i++) {
		if (is_list) {
			(void)puts(shapes[i].name);
		} else if (argc == 3 && strcmp(argv[1], shapes[i].name) == 0) {
			(void)puts("dn: dc=x\nobjectClass: domain\ndc: x");
			put(i, strtoul(argv[2], NULL, 10));
			return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
		}
	}
	if (!is_list) {
		(void)fprintf(stderr, "usage: worst SHAPE N | worst --list\n");
	}
	return is_list ? EXIT_SUCCESS : 2;
}
