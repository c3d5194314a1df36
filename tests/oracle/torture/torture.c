/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * torture: a directory of extremes as LDIF, the same for the same arguments everywhere,
 * for tests/data/conf/torture.conf.
 *
 *   torture [--children N] [--values N] [--bytes N] [--over]
 *   torture --changes
 *
 *   --children N   entries below one parent (100000)
 *   --values N     values of one attribute (10000)
 *   --bytes N      length of the longest values (1 MiB)
 *   --over         also names one byte too long, which cannot be stored
 *   --changes      no directory, but changes to it for ldapmodify -c
 *
 * Branches of the tree, in this order: syntaxes (values of every syntax), deep (chains of
 * 30 names, one of them written from its end), wide, many (many values), long (long
 * values), names (RDNs at the size limit), holes, kinds (aliases, referrals, subentries,
 * collective attributes, glue), tags (options).
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SUFFIX       "dc=example,dc=com"
#define LEVELS       30
/* Both forms of an RDN take 491 bytes at most (storage.md 3.6); "cn=" is in each. */
#define NAME_MAX_LEN 242

struct options {
	unsigned nchildren;
	unsigned nvalues;
	unsigned nbytes;
	bool has_over;
	bool wants_changes;
};

static const struct {
	const char *attribute;
	const char *values[12];
} samples[] = {
	{"tCIM", {"Some  Text", "STRASSE", "Straße", "Ⅷ ﬁ", "İ", "", "x", "한글 漢字 😀"}},
	{"tCEM", {"Some  Text", "some text", "Straße", "Éte\xCC\x81", "", "x y z"}},
	{"tNSM", {"1 2 3", "123", "   ", "007", "12 ab"}},
	{"tCILM", {"A$B  c$ d ", "Straße$x", "$", "one line", "a\\24b"}},
	{"tBOOL", {"TRUE", "FALSE", "maybe"}},
	{"tINT", {"0", "-1", "2147483648", "-99999999999999999999", "abc", "0x10"}},
	{"tBIT", {"'0101'B", "''B", "'1'B", "none"}},
	{"tOCT", {"abcd", "ABCD", "a", "a longer value of octets"}},
	{"tTEL", {"+1 555-1234", "15551234", "- -", "ABC"}},
	{"tUM", {"cn=A , dc=X#'01'B", "cn=a,dc=x", "CN=b,DC=y#'1'B"}},
	{"tGT",
         {"20220101120000Z", "2022010112Z", "20220101123045,25+0130", "00000101000000Z"}},
	{"tIFC", {"( 5 NAME 'x' )", "{ -7 }"}},
	{"tIFCi", {"( 5 )", "{6}"}},
	{"tOFC", {"( 1.2.3 NAME 'y' )", "(2.5.4.3)"}},
	{"tOFCo", {"( 1.2.3 )", "{ 1.2.4 }"}},
	{"tCEI", {"Exact  IA5", "exact ia5", "   ", "A"}},
	{"tCII", {"User@Example.COM", "user@example.com", "   ", "b"}},
	{"tUUID",
         {"6ba7b810-9dad-11d1-80b4-00c04fd430c8",
          "6BA7B810-9DAD-11D1-80B4-00C04FD430C9"}},
	{"tCSN",
         {"20220101120000.000001Z#00000a#0AB#00000C",
          "20220101120000Z#00000a#0A#00000C"}},
	{"tCSNSID", {"20220101120000.000001Z#00000a#0AB#00000C"}},
	{"tAuthz",
         {"dn:CN=A , DC=X", "u:Bob", "*", "dn.regex:^cn=.*$", "group:CN=G,DC=X"}},
	{"tDN", {"CN=Some   Body , DC=X", "cn=some body,dc=x", "", "2.5.4.3=Foo;dc=x"}},
	{"tRDN", {"CN=Foo", "SN=b+CN=a"}},
	{"tOID", {"1.2.3.4", "person", "2.5.6.6"}},
	{"tNone", {"No  Rule", "", "x"}},
	{"tOrdered", {"{0}First  VALUE", "{1}second", "none"}},
	{"tName", {"Kept As   Is", "straße"}},
	{"tCountry", {"DE", "us"}},
	{"tPrint", {"Printable  Text", "x"}},
	{"tPrintE", {"Printable  Text", "x"}},
	{"tPK;binary", {"0\x01"}},
	{"1.3.6.1.4.1.99999.1.40", {"No  Name", "none"}},
	{"mail", {"A.B@Example.COM", "ä@b.c"}},
	{"telephoneNumber", {"+49 40 555-0", "+49405550"}},
	{"postalAddress", {"Pier 1$20457 Hamburg"}},
	{"uidNumber", {"1000", "-5", "4294967296"}},
	{"member", {"CN=One,OU=wide," SUFFIX, "cn=two, ou=WIDE, " SUFFIX}},
	{"uniqueMember", {"cn=one," SUFFIX "#'01'B"}},
	{"userPassword", {"{SSHA}xxxx", "plain"}},
	{"jpegPhoto", {"\x01\x02\xFF\xD8"}},
	{"createTimestamp", {"20220101120000Z"}},
	{"entryCSN", {"20220101120000.000001Z#000000#001#000000"}},
	{"entryUUID", {"6ba7b810-9dad-11d1-80b4-00c04fd430ca"}},
	{"employeeNumber", {"17"}},
	{"labeledURI", {"http://example.com/ Example"}},
};

/* A letter that looks random and depends on its place alone. */
static char letter(uint32_t at)
{
	static const char letters[] = "abcdefghij KLMNO";
	uint32_t hash = at * 2654435761u;

	return letters[(hash ^ (hash >> 15)) % (COUNT(letters) - 1)];
}

static void base64(const char *data, size_t len)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		size_t n = len - i < 3 ? len - i : 3;
		unsigned char group[3] = {0};
		uint32_t bits = 0;

		memcpy(group, data + i, n);
		bits = (uint32_t)group[0] << 16 | (uint32_t)group[1] << 8 | group[2];
		for (unsigned j = 0; j < 4; j++) {
			(void)putchar(j <= n ? alphabet[bits >> (18 - 6 * j) & 63] : '=');
		}
	}
}

static void attribute(const char *name, const char *value)
{
	if (value[0] == '\0') {
		(void)printf("%s:\n", name);
		return;
	}
	(void)printf("%s:: ", name);
	base64(value, strlen(value));
	(void)puts("");
}

/* A branch below the suffix, and the name of what follows below it. */
static void branch(const char *name)
{
	(void)printf("dn: ou=%s," SUFFIX "\nobjectClass: organizationalUnit\n\n", name);
}

static void suffix(void)
{
	(void)printf("dn: " SUFFIX "\nobjectClass: domain\ndc: example\n\n");
}

/* Each sample alone, then all of an attribute together. */
static void syntaxes(void)
{
	branch("syntaxes");
	for (unsigned i = 0; i < COUNT(samples); i++) {
		unsigned n = 0;

		for (; n < COUNT(samples[i].values) && samples[i].values[n] != NULL;
		     n++) {
			(void)printf("dn: cn=%u.%u,ou=syntaxes," SUFFIX
			             "\nobjectClass: device\nobjectClass: "
			             "extensibleObject\n",
			             i, n);
			attribute(samples[i].attribute, samples[i].values[n]);
			(void)puts("");
		}
		if (n < 3) {
			continue; /* mostly single-valued ones */
		}
		(void)printf("dn: cn=%u,ou=syntaxes," SUFFIX
		             "\nobjectClass: device\nobjectClass: extensibleObject\n",
		             i);
		for (unsigned j = 0;
		     j < n && strcmp(samples[i].attribute, "uidNumber") != 0; j++) {
			attribute(samples[i].attribute, samples[i].values[j]);
		}
		(void)puts("");
	}
}

static void deep_name(unsigned chain, unsigned level)
{
	(void)printf("dn: ");
	for (unsigned i = level; i > 0; i--) {
		(void)printf("cn=Chain %u Level %u,", chain, i);
	}
	(void)printf("ou=deep," SUFFIX "\nobjectClass: person\nsn: Level %u\n\n", level);
}

/* Chain 0 from above, 1 from below, 2 the odd levels first; of 3 the end alone. */
static void deep(void)
{
	branch("deep");
	for (unsigned level = 1; level <= LEVELS; level++) {
		deep_name(0, level);
		deep_name(1, LEVELS + 1 - level);
		deep_name(2,
		          level <= LEVELS / 2 ? 2 * level - 1 : 2 * (level - LEVELS / 2));
	}
	deep_name(3, LEVELS);
}

static void wide(unsigned n)
{
	branch("wide");
	for (unsigned i = 0; i < n; i++) {
		(void)printf("dn: cn=child %u,ou=wide," SUFFIX
		             "\nobjectClass: person\nsn: of %u\nsn: Smith\n"
		             "telephoneNumber: +49 %u\n\n",
		             i, i % 100, i);
	}
}

/* In one entry for each attribute, so that no record exceeds what one batch holds. */
static void many(unsigned n)
{
	static const struct {
		const char *name;
		const char *format;
	} lists[] = {
		{"member", "member: CN=Child %u, OU=Wide, " SUFFIX "\n"},
		{"description", "description: value  %u of many\n"},
		{"telephoneNumber", "telephoneNumber: +49 %u\n"},
		{"memberUid", "memberUid: u%u\n"},
		{"tags", "cn;lang-de: Wert %u\n"},
		{"tINT", "tINT: %u\n"},
		{"jpegPhoto", "jpegPhoto: %u\n"},
		{"uniqueMember", "uniqueMember: cn=%u,dc=x#'01'B\n"},
	};

	branch("many");
	for (unsigned i = 0; i < COUNT(lists); i++) {
		(void)printf("dn: cn=many %s,ou=many," SUFFIX
		             "\nobjectClass: device\nobjectClass: extensibleObject\n",
		             lists[i].name);
		for (unsigned j = 0; j < n; j++) {
			/* The formats are those above. */
			(void)printf(lists[i].format, j * 7919 % n);
		}
		(void)puts("");
	}
}

static void long_values(unsigned n)
{
	static const char *const names[] = {"description", "mail",         "tOCT", "tCEM",
	                                    "jpegPhoto",   "userPassword", "tNone"};

	branch("long");
	for (unsigned i = 0; i < COUNT(names); i++) {
		/* One at the length, one longer by a byte, one by a page. */
		for (unsigned more = 0; more < 3; more++) {
			unsigned len = n + (more == 2 ? 4096 : more);

			(void)printf("dn: cn=%s %u,ou=long," SUFFIX
			             "\nobjectClass: device\n"
			             "objectClass: extensibleObject\n%s: ",
			             names[i], more, names[i]);
			for (unsigned j = 0; j < len; j++) {
				(void)putchar(j == 0 ? 'x' : letter(j / 3 % 40000 + i));
			}
			(void)printf("\n\n");
		}
	}
}

static void long_name(char byte, unsigned len)
{
	(void)printf("dn: cn=");
	for (unsigned i = 0; i < len; i++) {
		(void)putchar(byte);
	}
	(void)printf(",ou=names," SUFFIX "\nobjectClass: person\nsn: %u\n\n", len);
}

static void names(bool has_over)
{
	branch("names");
	for (unsigned len = NAME_MAX_LEN - 3; len <= NAME_MAX_LEN; len++) {
		long_name('a', len);
	}
	if (has_over) {
		long_name('b', NAME_MAX_LEN + 1);
		long_name('c', NAME_MAX_LEN + 1);
	}
	for (unsigned i = 1; i < 40; i++) {
		long_name('d', i);
	}
	(void)printf("dn: cn=Two+sn=Parts+uid=And three,ou=names," SUFFIX
	             "\nobjectClass: inetOrgPerson\n\n");
}

static void holes(void)
{
	(void)printf("dn: cn=first,ou=never,ou=HOLES," SUFFIX "\nobjectClass: device\n\n"
	             "dn: ou=holes," SUFFIX "\nobjectClass: organizationalUnit\n\n"
	             "dn: cn=x,cn=Later,ou=holes," SUFFIX "\nobjectClass: device\n\n"
	             "dn: cn=later,ou=holes," SUFFIX "\nobjectClass: device\n\n"
	             "dn: cn=y,cn=a+sn=b,ou=holes," SUFFIX "\nobjectClass: device\n\n"
	             "dn: sn=B+cn=A,ou=holes," SUFFIX "\nobjectClass: person\nsn: b\n\n");
}

static void kinds(void)
{
	branch("kinds");
	(void)printf("dn: cn=alias,ou=kinds," SUFFIX
	             "\nobjectClass: alias\nobjectClass: extensibleObject\n"
	             "aliasedObjectName: cn=child 1,ou=wide," SUFFIX "\n\n"
	             "dn: cn=referral,ou=kinds," SUFFIX
	             "\nobjectClass: referral\nobjectClass: extensibleObject\n"
	             "ref: ldap://elsewhere.example/ou=kinds," SUFFIX "\n\n"
	             "dn: cn=below,cn=referral,ou=kinds," SUFFIX
	             "\nobjectClass: device\n\n"
	             "dn: cn=subentry,ou=kinds," SUFFIX
	             "\nobjectClass: subentry\nsubtreeSpecification: {}\n\n"
	             "dn: cn=provider,ou=kinds," SUFFIX
	             "\nobjectClass: subentry\nobjectClass: syncProviderSubentry\n"
	             "subtreeSpecification: { }\n\n"
	             "dn: cn=consumer,ou=kinds," SUFFIX
	             "\nobjectClass: subentry\nobjectClass: syncConsumerSubentry\n"
	             "subtreeSpecification: { }\nsyncreplCookie: rid=001\n\n"
	             "dn: cn=small,ou=kinds," SUFFIX
	             "\nobjectClass: tSmall\nobjectClass: tRules\ndescription: d\n"
	             "tCIM: by the content rule\n\n"
	             "dn: cn=dynamic group,ou=kinds," SUFFIX
	             "\nobjectClass: organizationalRole\nobjectClass: top\n"
	             "roleOccupant: cn=child 2,ou=wide," SUFFIX "\n\n"
	             "dn: ou=glue,ou=kinds," SUFFIX "\nobjectClass: glue\n\n"
	             "dn: cn=under,ou=glue,ou=kinds," SUFFIX "\nobjectClass: device\n\n");
}

static void tags(void)
{
	static const char *const options[] = {
		"", ";lang-de", ";lang-en", ";x-plain", ";lang-de;lang-en", ";x-kind-a"};

	branch("tags");
	for (unsigned i = 0; i < 1u << COUNT(options); i++) {
		(void)printf("dn: cn=tags %u,ou=tags," SUFFIX
		             "\nobjectClass: inetOrgPerson\nobjectClass: "
		             "extensibleObject\nsn: s\n",
		             i);
		for (unsigned j = 0; j < COUNT(options); j++) {
			if ((i >> j & 1) != 0) {
				(void)printf("cn%s: Name %u\ntCIM%s: Text  %u\n",
				             options[j], i % 7, options[j], i % 5);
			}
		}
		(void)puts("");
	}
}

/* ---- changes ---- */

static void add_and_modify(void)
{
	for (unsigned i = 0; i < 40; i++) {
		(void)printf("dn: cn=added %u,ou=wide," SUFFIX
		             "\nchangetype: add\nobjectClass: inetOrgPerson\nsn: Smith\n"
		             "mail: Added%u@Example.com\ndescription: added\n\n",
		             i, i % 9);
		(void)printf("dn: cn=child %u,ou=wide," SUFFIX
		             "\nchangetype: modify\nreplace: telephoneNumber\n"
		             "telephoneNumber: %u\n-\nadd: description\n"
		             "description: changed  %u\n-\ndelete: sn\nsn: smith\n\n",
		             i * 3, i, i % 4);
	}
	for (unsigned i = 0; i < COUNT(samples); i++) {
		(void)printf("dn: cn=%u.0,ou=syntaxes," SUFFIX
		             "\nchangetype: modify\ndelete: %s\n\n",
		             i, samples[i].attribute);
		(void)printf("dn: cn=%u.1,ou=syntaxes," SUFFIX
		             "\nchangetype: modify\nadd: tCIM\ntCIM: One  More\n-\n"
		             "replace: description\ndescription: Replaced\n\n",
		             i);
	}
	(void)printf(
		"dn: cn=many member,ou=many," SUFFIX
		"\nchangetype: modify\ndelete: member\n"
		"member: cn=child 5,ou=wide," SUFFIX "\n-\nadd: member\n"
		"member: cn=new,dc=x\n\n"
		"dn: cn=many description,ou=many," SUFFIX
		"\nchangetype: modify\nadd: description\ndescription: one more\n\n"
		"dn: cn=many telephoneNumber,ou=many," SUFFIX
		"\nchangetype: modify\ndelete: telephoneNumber\n\n"
		"dn: cn=description 1,ou=long," SUFFIX
		"\nchangetype: modify\nreplace: description\ndescription: short\n\n");
}

static void rename_and_delete(void)
{
	for (unsigned i = 0; i < 30; i++) {
		(void)printf("dn: cn=child %u,ou=wide," SUFFIX "\nchangetype: modrdn\n"
		             "newrdn: cn=renamed %u\ndeleteoldrdn: %u\n%s\n",
		             i * 5 + 1, i, i % 2,
		             i % 3 == 0 ? "newsuperior: ou=tags," SUFFIX "\n" : "");
		(void)printf("dn: cn=child %u,ou=wide," SUFFIX "\nchangetype: delete\n\n",
		             i * 5 + 2);
	}
	(void)printf("dn: cn=Chain 0 Level 1,ou=deep," SUFFIX
	             "\nchangetype: modrdn\nnewrdn: cn=moved\ndeleteoldrdn: 1\n"
	             "newsuperior: ou=kinds," SUFFIX "\n\n"
	             "dn: cn=Chain 1 Level 1,ou=deep," SUFFIX "\nchangetype: delete\n\n"
	             "dn: ou=tags," SUFFIX
	             "\nchangetype: modrdn\nnewrdn: ou=labels\ndeleteoldrdn: 0\n\n"
	             "dn: cn=alias,ou=kinds," SUFFIX "\nchangetype: delete\n\n"
	             "dn: cn=x,cn=Later,ou=holes," SUFFIX "\nchangetype: delete\n\n"
	             "dn: cn=later,ou=holes," SUFFIX "\nchangetype: delete\n\n"
	             "dn: cn=two+sn=parts+uid=and three,ou=names," SUFFIX
	             "\nchangetype: modrdn\nnewrdn: cn=one\ndeleteoldrdn: 1\n\n");
}

static int usage(void)
{
	(void)fprintf(stderr, "usage: torture [--children N] [--values N] [--bytes N] "
	                      "[--over]\n       torture --changes\n");
	return 2;
}

static int parse(int argc, char **argv, struct options *ret)
{
	static const struct option long_options[] = {
		{"children", required_argument, NULL, 'c'},
		{"values", required_argument, NULL, 'v'},
		{"bytes", required_argument, NULL, 'b'},
		{"over", no_argument, NULL, 'o'},
		{"changes", no_argument, NULL, 'm'},
		{NULL, 0, NULL, 0},
	};
	int c = 0;

	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		switch (c) {
		case 'c':
			ret->nchildren = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'v':
			ret->nvalues = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'b':
			ret->nbytes = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'o':
			ret->has_over = true;
			break;
		case 'm':
			ret->wants_changes = true;
			break;
		default:
			return usage();
		}
	}
	return optind < argc ? usage() : 0;
}

int main(int argc, char **argv)
{
	struct options options = {
		.nchildren = 100000, .nvalues = 10000, .nbytes = 1u << 20};
	int r = parse(argc, argv, &options);

	if (r != 0) {
		return r;
	}
	if (options.wants_changes) {
		add_and_modify();
		rename_and_delete();
	} else {
		suffix();
		syntaxes();
		deep();
		wide(options.nchildren);
		many(options.nvalues);
		long_values(options.nbytes);
		names(options.has_over);
		holes();
		kinds();
		tags();
	}
	return fflush(stdout) != 0 || ferror(stdout) != 0;
}
