/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LDIF records that are wrong in every way, for a comparison of messages:
 *
 *   brokengen SEED RECORDS [once] [known]
 *
 * A record is made of a sound one by up to four changes, each of which may break it, mend
 * it, or do nothing. One seed makes one text. With "once" no DN comes twice, and with
 * "known" every name of an attribute is known without the schema check, either of which
 * slapadd finds out when it stores the entry: with -q that costs it other entries.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LINES_MAX 64
#define LINE_MAX_ 1200

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static uint64_t state;
static bool is_once;
static bool is_known;

static unsigned below(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)((state >> 11) % n);
}

#define ONE_OF(list) ((list)[below(COUNT(list))])

struct record {
	char lines[LINES_MAX][LINE_MAX_];
	unsigned n;
};

static const char *const templates[][12] = {
	{"dn: cn=%u,dc=example,dc=com", "objectClass: person", "cn: %u", "sn: Smith",
         "description: one", "description: two", "telephoneNumber: +1 2%u"},
	{"dn: uid=%u,ou=people,dc=example,dc=com", "objectClass: inetOrgPerson",
         "objectClass: posixAccount", "uid: %u", "cn: Some One", "sn: One",
         "uidNumber: %u", "gidNumber: 5", "homeDirectory: /home/%u", "mail: %u@x.de",
         "jpegPhoto:: /9j/4AAQ"},
	{"dn: ou=%u,dc=example,dc=com", "objectClass: organizationalUnit", "ou: %u",
         "l: Bonn", "postalAddress: A$B$C"},
	{"dn: cn=%u,ou=groups,dc=example,dc=com", "objectClass: groupOfNames", "cn: %u",
         "member: cn=a,dc=example,dc=com", "member: CN=B , dc=example,dc=com",
         "owner: cn=c"},
	{"dn: cn=%u,dc=example,dc=com", "objectClass: device", "objectClass: ipHost",
         "cn: %u", "ipHostNumber: 10.0.0.1", "serialNumber: %u", "seeAlso: cn=x"},
	{"dn: cn=%u,dc=example,dc=com", "objectClass: alias",
         "objectClass: extensibleObject", "cn: %u",
         "aliasedObjectName: cn=1,dc=example,dc=com"},
	{"dn: cn=%u,dc=example,dc=com", "objectClass: referral",
         "objectClass: extensibleObject", "cn: %u", "ref: ldap://x/dc=y"},
	{"dn: cn=%u+sn=both,dc=example,dc=com", "objectClass: person", "sn: other"},
	{"dn: cn=%u,dc=example,dc=com", "objectClass: subentry",
         "objectClass: extensibleObject", "cn: %u", "subtreeSpecification: {}"},
	{"dn: cn=%u,dc=example,dc=com", "objectClass: organizationalRole", "cn: %u",
         "roleOccupant: cn=r", "createTimestamp: 20200101000000Z",
         "entryUUID: 00000000-0000-1000-8000-%012u", "creatorsName: cn=me"},
	{"dn: cn=%u,dc=example,dc=com", "objectClass: posixGroup", "cn: %u",
         "gidNumber: %u", "memberUid: a", "memberUid: b"},
	{"dn: c=DE,ou=%u,dc=example,dc=com", "objectClass: country", "c: DE",
         "description: x"},
};

static const char *const dns[] = {
	"",
	"dc=com",
	"dc=example,dc=com",
	"cn=x,dc=other,dc=com",
	"cn=x;;,dc=example,dc=com",
	"nonsense",
	"cn=,dc=example,dc=com",
	"cn=a+cn=b,dc=example,dc=com",
	"foo=bar,dc=example,dc=com",
	"cn=%u,cn=missing,ou=also missing,dc=example,dc=com",
	"CN=%u , DC=Example,DC=com",
	"cn=a\\,%u,dc=example,dc=com",
	"cn=\"q%u\",dc=example,dc=com",
	"cn=\\c3\\a9%u,dc=example,dc=com",
	"cn=#0401%02u,dc=example,dc=com",
	"uid=%u+cn=%u,dc=example,dc=com",
	"createTimestamp=20200101000000Z,dc=example,dc=com",
	"gidNumber=7,ou=%u,dc=example,dc=com",
	"gidNumber=007,dc=example,dc=com",
	"cn=%u,dc=example,dc=com ",
	"2.5.4.3=%u,dc=example,dc=com",
	"commonName=%u,dc=example,dc=com",
	"cn;lang-de=%u,dc=example,dc=com",
	"cn=%u\\",
	"cn=a\\zz%u,dc=example,dc=com",
	"member=cn\\3Da,ou=%u,dc=example,dc=com",
	"objectClass=person,ou=%u,dc=example,dc=com",
	"cn=%u,,dc=example,dc=com",
	"jpegPhoto=%u,dc=example,dc=com",
	"cn=%u/dc=example/dc=com",
};

static const char *const names[] = {
	"cn",
	"CN",
	"commonName",
	"2.5.4.3",
	"cn;lang-de",
	"cn;lang-DE;lang-en",
	"cn;lang-",
	"sn",
	"surname",
	"dn",
	"DN",
	"objectClass",
	"oBjEcTcLaSs",
	"description",
	"structuralObjectClass",
	"entryUUID",
	"entryCSN",
	"createTimestamp",
	"modifiersName",
	"uidNumber",
	"member",
	"userCertificate",
	"mail",
	"l",
	"localityName",
	"telephoneNumber",
	"ref",
	"aliasedObjectName",
	"administrativeRole",
	"entryTtl",
	"subtreeSpecification",
	"namingContexts",
	"hasSubordinates",
	"entryDN",
	"subschemaSubentry",
	"c-l",
	"memberUid",
	"dc",
	"seeAlso",
	"jpegPhoto",
	"userPassword",
	"contextCSN",
};

static const char *const unknown_names[] = {
	"version",
	"changetype",
	"control",
	"fooAttr",
	"-",
	"1.2.3.4",
	"add",
	"x-y",
	"cn-",
	"cn;x-foo",
	"cn;",
	"cn;binary",
	"c_n",
	"createTimestamp;lang-en",
	"collectiveExclusions",
	"pwdPolicySubentry",
};

static const char *const classes[] = {
	"top",
	"person",
	"PERSON",
	"2.5.6.6",
	"organizationalPerson",
	"inetOrgPerson",
	"device",
	"domain",
	"dcObject",
	"alias",
	"referral",
	"subentry",
	"extensibleObject",
	"glue",
	"posixAccount",
	"shadowAccount",
	"fooClass",
	"",
	"dynamicObject",
	"OpenLDAProotDSE",
	"LDAProotDSE",
	"subschema",
	"locality",
	"syncProviderSubentry",
	"collectiveAttributeSubentry",
	"pkiUser",
	"country",
	"uidObject",
	"simpleSecurityObject",
	"olcGlobal",
};

static const char *const values[] = {
	"",
	"x",
	" ",
	"abc",
	"7",
	"-7",
	"007",
	"7x",
	"TRUE",
	"true",
	"cn=a,dc=b",
	"cn=",
	"20200101000000Z",
	"20200101",
	"2020010100Z",
	"20201301000000Z",
	"20200101000000.000001Z#000000#000#000000",
	"#",
	"1.2.3",
	"person",
	"top",
	"a$b",
	"00000000-0000-0000-0000-000000000001",
	"00000000-0000-0000-0000",
	"ldap://x",
	"http://y",
	"\xc3\xa9",
	"\xff\xfe",
	"\xc3",
	"a\tb",
	"a  b",
	"a b ",
	"DE",
	"D",
	"{0}x",
	"{x}",
	"( 1.2.3 NAME 'x' )",
	"'0101'B",
	"one",
	"ONE",
	"two",
	"Smith",
};

static void put(char *line, size_t size, const char *format, unsigned number)
{
	/* Formats of this file, with at most three numbers. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
	(void)snprintf(line, size, format, number, number, number);
#pragma GCC diagnostic pop
}

static char *add(struct record *r, unsigned at)
{
	if (r->n == LINES_MAX) {
		return r->lines[LINES_MAX - 1];
	}
	at = at > r->n ? r->n : at;
	memmove(r->lines[at + 1], r->lines[at], (r->n - at) * sizeof(r->lines[0]));
	r->n++;
	return r->lines[at];
}

static void drop(struct record *r, unsigned at)
{
	r->n--;
	memmove(r->lines[at], r->lines[at + 1], (r->n - at) * sizeof(r->lines[0]));
}

static const char *any_name(void)
{
	return !is_known && below(6) == 0 ? ONE_OF(unknown_names) : ONE_OF(names);
}

/* ---- changes ---- */

static void drop_line(struct record *r, unsigned number)
{
	(void)number;
	if (r->n > 1) {
		drop(r, below(r->n));
	}
}

static void repeat_line(struct record *r, unsigned number)
{
	unsigned from = below(r->n);
	char copy[LINE_MAX_];
	(void)number;

	memcpy(copy, r->lines[from], sizeof(copy));
	memcpy(add(r, 1 + below(r->n)), copy, sizeof(copy));
}

static void move_line(struct record *r, unsigned number)
{
	unsigned from = below(r->n);
	char copy[LINE_MAX_];
	(void)number;

	memcpy(copy, r->lines[from], sizeof(copy));
	drop(r, from);
	memcpy(add(r, below(r->n + 1)), copy, sizeof(copy));
}

static void add_line(struct record *r, unsigned number)
{
	static const char *const marks[] = {": ", ":",  ":  ", ": ",
	                                    ": ", ": ", " : ", ":\t"};
	const char *name = any_name();
	const char *value = ONE_OF(values);
	const char *mark = ONE_OF(marks);
	(void)number;

	(void)snprintf(add(r, 1 + below(r->n)), LINE_MAX_, "%s%s%s", name, mark, value);
}

static void add_class(struct record *r, unsigned number)
{
	(void)number;
	(void)snprintf(add(r, 1 + below(3)), LINE_MAX_, "objectClass: %s",
	               ONE_OF(classes));
}

static void change_class(struct record *r, unsigned number)
{
	(void)number;
	for (unsigned i = 0; i < r->n; i++) {
		if (strncmp(r->lines[i], "objectClass: ", 13) == 0) {
			(void)snprintf(r->lines[i], LINE_MAX_, "objectClass: %s",
			               ONE_OF(classes));
			return;
		}
	}
}

static void change_dn(struct record *r, unsigned number)
{
	char dn[LINE_MAX_ - 8];

	do {
		put(dn, sizeof(dn), ONE_OF(dns), number);
		/* These come more than once. */
	} while (is_once && (strstr(dn, "Timestamp=") != NULL || dn[0] == '\0' ||
	                     strncmp(dn, "dc=", 3) == 0 || strstr(dn, "#0401") != NULL));
	(void)snprintf(r->lines[0], LINE_MAX_, "dn: %s", dn);
}

static void add_odd_line(struct record *r, unsigned number)
{
	static const char *const lines[] = {
		"garbage line",
		": no name",
		"::YWJj",
		"::YW@j",
		":< file:///nonexistent",
		":",
		"# a comment",
		"# a folded\n  comment",
		" more of the last line",
		"  ",
		"\tbehind a tab: x",
		"cn",
		"description",
		"description:: YWJj",
		"description:: YW@Jj",
		"description:: YWJj=",
		"description::YWI=x",
		"description::",
		"description:: ",
		"description:<",
		"description:< ",
		"description:< file:///nonexistent",
		"description:< http://x",
		"description:< /etc/hostname",
		"dn:: Y249YSxkYz1leGFtcGxlLGRjPWNvbQ==",
		"dn:: @@",
		"dn:< file:///nonexistent",
		"cn :x",
		"cn: a\rb",
		"cn: a\r",
		"jpegPhoto:: @",
		"userCertificate: x",
	};
	const char *line = ONE_OF(lines);
	(void)number;

	if (is_known && strncmp(line, "dn:", 3) == 0) {
		return; /* no DN can be read of it, and "dn" is no attribute */
	}

	(void)snprintf(add(r, below(r->n + 1)), LINE_MAX_, "%s", line);
}

static void add_number_line(struct record *r, unsigned number)
{
	put(add(r, below(8) == 0 ? 1 : 0), LINE_MAX_,
	    below(2) == 0 ? "%u" : "%u dn: cn=x", number);
}

static void fold_line(struct record *r, unsigned number)
{
	char *line = r->lines[below(r->n)];
	size_t len = strlen(line);
	size_t at = len < 2 ? 0 : 1 + below((unsigned)len - 1);
	(void)number;

	if (len + 3 < LINE_MAX_ && at > 0 && (!is_known || at > strcspn(line, ":"))) {
		memmove(line + at + 2, line + at, len - at + 1);
		memcpy(line + at, "\n ", 2);
	}
}

static void change_byte(struct record *r, unsigned number)
{
	static const char bytes[] = ":;=,+\\\"#<> \t{}$\xe9"
				    "aZ0-_";
	unsigned at_line = is_known && r->n > 1 ? 1 + below(r->n - 1) : below(r->n);
	char *line = r->lines[at_line];
	size_t len = strlen(line);
	(void)number;

	if (len > 4) {
		size_t at = 4 + below((unsigned)len - 4);

		if (!is_known ||
		    (strchr(line, ':') != NULL && strchr(line, ':') < line + at)) {
			line[at] = bytes[below(sizeof(bytes) - 1)];
		}
	}
}

static void change_value(struct record *r, unsigned number)
{
	char *line = r->lines[below(r->n)];
	char *colon = strchr(line, ':');
	(void)number;

	if (colon != NULL && line != r->lines[0]) {
		(void)snprintf(colon, (size_t)(line + LINE_MAX_ - colon), ": %s",
		               ONE_OF(values));
	}
}

static void add_many(struct record *r, unsigned number)
{
	unsigned n = 2 + below(30);
	const char *name = below(2) == 0 ? "description" : "memberUid";
	(void)number;

	for (unsigned i = 0; i < n && r->n < LINES_MAX; i++) {
		(void)snprintf(add(r, r->n), LINE_MAX_, "%s: v%u", name, below(4 * n));
	}
}

typedef void (*change_fn)(struct record *r, unsigned number);

static const change_fn changes[] = {
	drop_line, repeat_line,  move_line,   add_line,     add_line,     add_line,
	add_class, change_class, change_dn,   add_odd_line, add_odd_line, add_number_line,
	fold_line, change_byte,  change_byte, change_value, change_value, add_many,
};

static void make(struct record *r, unsigned number)
{
	size_t template = below(COUNT(templates));
	unsigned n = below(5);

	/* The same number again is the same DN again, if the template is. */
	if (!is_once && number > 20 && below(40) == 0) {
		number -= 1 + below(20);
	}
	r->n = 0;
	for (size_t i = 0; i < COUNT(templates[0]); i++) {
		if (templates[template][i] != NULL) {
			put(add(r, r->n), LINE_MAX_, templates[template][i], number);
		}
	}
	for (unsigned i = 0; i < n; i++) {
		change_fn change = ONE_OF(changes);

		if (is_once && (change == change_byte || change == move_line)) {
			continue; /* of the DN; it might become another's */
		}
		change(r, number);
	}
}

/*
 * slapadd reads a text that is no number on into the memory after it, and may die of an
 * empty one.
 */
static void mend_number(char *line)
{
	char *value = line + strcspn(line, ":");

	if (strncasecmp(line, "uidNumber", 9) != 0 &&
	    strncasecmp(line, "gidNumber", 9) != 0) {
		return;
	}
	value += value[0] == ':';
	value += strspn(value, " ");
	if (value[0] == '\0' || strspn(value, "0123456789") < strlen(value)) {
		(void)snprintf(line, LINE_MAX_, "gidNumber: 12");
	}
}

static void print(struct record *r)
{
	static const char *const ends[] = {
		"\n", "\n", "\n", "\n", "\n\n", "\r\n", "# between\n\n", "\n# before\n"};

	/* Nor are its messages of a record with nothing but a number always the same. */
	if (r->n == 1 && strspn(r->lines[0], "0123456789") > 0) {
		return;
	}
	for (unsigned i = 0; i < r->n; i++) {
		mend_number(r->lines[i]);
		(void)fputs(r->lines[i], stdout);
		(void)fputs(below(200) == 0 ? "\r\n" : "\n", stdout);
	}
	(void)fputs(ONE_OF(ends), stdout);
}

int main(int argc, char *argv[])
{
	static struct record record;
	unsigned long n = 0;

	if (argc < 3) {
		(void)fputs("usage: brokengen SEED RECORDS [once] [known]\n", stderr);
		return EXIT_FAILURE;
	}
	state = 0x9e3779b97f4a7c15ull * (strtoul(argv[1], NULL, 10) + 1);
	n = strtoul(argv[2], NULL, 10);
	for (int i = 3; i < argc; i++) {
		is_once = is_once || strcmp(argv[i], "once") == 0;
		is_known = is_known || strcmp(argv[i], "known") == 0;
	}
	(void)fputs(
		"dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n"
		"dn: ou=people,dc=example,dc=com\nobjectClass: organizationalUnit\n\n",
		stdout);
	for (unsigned long i = 1; i <= n; i++) {
		make(&record, (unsigned)i);
		print(&record);
	}
	return ferror(stdout) != 0 || fflush(stdout) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
