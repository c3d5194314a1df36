/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of changes to one entry: what each modification makes of it, and what is
 * refused with which words. A refused record changes nothing. That slapd does the same is
 * shown by oracle/modify.sh.
 */
#include "test.h"

#include "base/error.h"
#include "base/slab.h"
#include "modify_fixture.h"

#define ONE "dn: cn=one,ou=a,dc=x\nchangetype: modify\n"
/* The values of cn=one before any change, in three parts. */
#define WORDS "xWord: a, xWord: b, xWord: c"
#define INTS  "xInt: 5, xInt: 7"
#define REST  "xNoRule: n, xSingle: s, xOrdered: {0}o, xOrdered: {1}p"
#define ALL   WORDS ", " INTS ", " REST

static int setup(void **state)
{
	*state = modify_fixture_new("lastmod off\n");
	return 0;
}

/* ---- modifications ---- */

/* clang-format off */
static const struct {
	const char *mods;
	const char *want;
} edits[] = {
	{"add: xWord\nxWord: d\n", WORDS ", xWord: d, " INTS ", " REST},
	{"add: xWord\nXWORD: d\nxword: A2\n", WORDS ", xWord: d, xWord: A2, " INTS ", " REST},
	{"add: seeAlso\nseeAlso: CN = y , DC=X\n", ALL ", seeAlso: cn=y,dc=X"},
	{"add: xOrderedName\nxOrderedName: {0}CN = y , DC=X\n", ALL ", xOrderedName: {0}cn=y,dc=X"},
	{"add: xWord;lang-de\nxWord;lang-de: a\n", ALL ", xWord;lang-de: a"},
	{"add: xWord\n", ALL},
	{"", ALL},
	{"delete: xWord\nxWord: B\n", "xWord: a, xWord: c, " INTS ", " REST},
	{"delete: xWord\nxWord: c\nxWord: a\nxWord: C\n", "xWord: b, " INTS ", " REST},
	{"delete: xWord\nxWord: b\nxWord: a\nxWord: c\n", INTS ", " REST},
	{"delete: xWord\n", INTS ", " REST},
	{"delete: xOrdered\n", WORDS ", " INTS ", xNoRule: n, xSingle: s"},
	{"replace: xWord\nxWord: b\nxWord: q\n", INTS ", " REST ", xWord: b, xWord: q"},
	{"replace: xWord\n", INTS ", " REST},
	{"replace: seeAlso\n", ALL},
	{"replace: seeAlso\nseeAlso: dc=x\n", ALL ", seeAlso: dc=x"},
	{"replace: xSingle\nxSingle: t\n",
	 WORDS ", " INTS ", xNoRule: n, xOrdered: {0}o, xOrdered: {1}p, xSingle: t"},
	{"increment: xInt\nxInt: 3\n", WORDS ", xInt: 8, xInt: 10, " REST},
	{"increment: xInt\nxInt: -8\n", WORDS ", xInt: -3, xInt: -1, " REST},
	{"replace: xInt\nxInt: 99999999999999999999\n-\nincrement: xInt\nxInt: 0\n",
	 WORDS ", " REST ", xInt: 99999999999999999999"},
	{"increment: xInt\nxInt: 9223372036854775807\n",
	 WORDS ", xInt: -9223372036854775804, xInt: -9223372036854775802, " REST},
	/* values with numbers */
	{"add: xOrdered\nxOrdered: q\n", ALL ", xOrdered: {2}q"},
	{"add: xOrdered\nxOrdered: {1}q\nxOrdered: t\nxOrdered: {9}u\n",
	 WORDS ", " INTS ", xNoRule: n, xSingle: s, xOrdered: {0}o, xOrdered: {1}q, xOrdered: {2}p, "
	 "xOrdered: {3}t, xOrdered: {4}u"},
	/* slapd's normal form of the value is {0}y. */
	{"replace: xOrdered\nxOrdered:: IHsyfVk=\n", WORDS ", " INTS ", xNoRule: n, xSingle: s, xOrdered: {0} {2}Y"},
	{"delete: xOrdered\nxOrdered: {0}\n", WORDS ", " INTS ", xNoRule: n, xSingle: s, xOrdered: {0}p"},
	{"delete: xOrdered\nxOrdered: O\n", WORDS ", " INTS ", xNoRule: n, xSingle: s, xOrdered: {0}p"},
	{"delete: xOrdered\nxOrdered: {1}p\n", WORDS ", " INTS ", xNoRule: n, xSingle: s, xOrdered: {0}o"},
	{"replace: xOrdered\nxOrdered: {1}y\nxOrdered: {0}z\n",
	 WORDS ", " INTS ", xNoRule: n, xSingle: s, xOrdered: {0}z, xOrdered: {1}y"},
	{"add: xOrdered\nxOrdered: {0x1}q\nxOrdered: {-1}t\nxOrdered: {+0}u\nxOrdered: {4294967296}v\n",
	 WORDS ", " INTS ", xNoRule: n, xSingle: s, xOrdered: {0}v, xOrdered: {1}u, xOrdered: {2}o, "
	 "xOrdered: {3}q, xOrdered: {4}p, xOrdered: {5}t"},
	/* one after the other, on what the one before made */
	{"add: xWord\nxWord: d\n-\ndelete: xWord\nxWord: a\n-\nadd: xWord\nxWord: a\n",
	 "xWord: b, xWord: c, xWord: d, xWord: a, " INTS ", " REST},
	{"delete: xWord\n-\nadd: xWord\nxWord: a\n-\n", INTS ", " REST ", xWord: a"},
	{"delete: cn\n-\nadd: cn\ncn: one\n", ALL},
	{"replace: xInt\nxInt: 1\n-\nincrement: xInt\nxInt: 1\n-\nincrement: xInt\nxInt: 1\n",
	 WORDS ", " REST ", xInt: 3"},
	{"replace: xOtherName\nxOtherName: z\n", INTS ", " REST ", xWord: z"},
};
/* clang-format on */

#define NEDITS (sizeof(edits) / sizeof(edits[0]))

/* ou=e0, ou=e1 ... with a cn=one each. */
static void load_copies(struct modify_fixture *f)
{
	const char *one = strstr(modify_fixture_entries, "objectClass: person");
	char *ldif = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&ldif, &len);

	assert_non_null(file);
	(void)fputs(modify_fixture_entries, file);
	for (size_t i = 0; i < NEDITS; i++) {
		(void)fprintf(file,
		              "dn: ou=e%zu,dc=x\nobjectClass: organizationalUnit\n"
		              "ou: e%zu\n\ndn: cn=one,ou=e%zu,dc=x\n%s",
		              i, i, i, one);
	}
	assert_int_equal(fclose(file), 0);
	modify_fixture_load(f, ldif);
	free(ldif);
}

SETUP_TEST(a_modification_makes_what_slapd_makes)
{
	struct modify_fixture *f = *state;
	char *changes = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&changes, &len);

	assert_non_null(file);
	for (size_t i = 0; i < NEDITS; i++) {
		(void)fprintf(file, "dn: cn=one,ou=e%zu,dc=x\nchangetype: modify\n%s\n",
		              i, edits[i].mods);
	}
	assert_int_equal(fclose(file), 0);
	load_copies(f);
	run_well(f, changes);
	free(changes);
	assert_int_equal(f->stats.nmodified, NEDITS);
	for (size_t i = 0; i < NEDITS; i++) {
		char dn[100];
		char *shown = NULL;

		(void)snprintf(dn, sizeof(dn), "cn=one,ou=e%zu,dc=x", i);
		shown = modify_fixture_show(f, dn);
		if (strcmp(shown, edits[i].want) != 0) {
			fail_msg("%s: %s, not %s", edits[i].mods, shown, edits[i].want);
		}
		free(shown);
	}
}

/* ---- refusals ---- */

/* clang-format off */
static const struct {
	const char *change; /* after "dn: cn=one,ou=a,dc=x"; or a whole record */
	const char *text;
} refusals[] = {
	{"add: xWord\nxWord: x\nxWord: B\n", "(20) modify/add: xWord: value #1 already exists"},
	{"add: xWord\nxWord: x\nxWord: X\n", "(20) xWord: value #0 provided more than once"},
	{"replace: xWord\nxWord: x\nxWord: y\nxWord: X\n", "(20) xWord: value #0 provided more than once"},
	{"delete: xWord\nxWord: x\n", "(16) modify/delete: xWord: no such value"},
	{"delete: seeAlso\n", "(16) modify/delete: seeAlso: no such attribute"},
	{"delete: seeAlso\nseeAlso: dc=x\n", "(16) modify/delete: seeAlso: no such attribute"},
	{"add: xSingle\nxSingle: 1\nxSingle: 2\n", "(19) xSingle: multiple values provided"},
	{"add: xSingle\nxSingle: 1\n", "(19) attribute 'xSingle' cannot have multiple values"},
	{"add: xNoRule\nxNoRule: 1\n", "(18) modify/add: xNoRule: no equality matching rule"},
	{"delete: xNoRule\nxNoRule: n\n", "(18) modify/delete: xNoRule: no equality matching rule"},
	{"add: nothing\nnothing: 1\n", "(17) nothing: attribute type undefined"},
	{"replace: nothing\n", "(17) nothing: attribute type undefined"},
	{"delete: 0bad!\n", "(17) 0bad!: "},
	{"add: xOrdered\nxOrdered: {}\n", "(21) xOrdered: value #0 invalid per syntax"},
	{"replace: xOrdered\nxOrdered: a\nxOrdered: {1 }b\n", "(21) xOrdered: value #1 invalid per syntax"},
	{"add: xInt\nxInt: 8\nxInt: x\n", "(21) xInt: value #1 invalid per syntax"},
	{"delete: xInt\nxInt: x\n", "(21) xInt: value #0 invalid per syntax"},
	{"add: objectClass\nobjectClass: domain\n", "(65) invalid structural object class chain"},
	{"delete: objectClass\n", "the entry has no object class"},
	{"delete: objectClass\nobjectClass: person\n", "(65) no structural object class provided"},
	{"delete: objectClass\nobjectClass: xThings\n", "(65) attribute 'xWord' not allowed"},
	{"add: objectClass\nobjectClass: 1.1.2.1\n", "(20) modify/add: objectClass: value #0 already exists"},
	{"add: dc\ndc: x\n", "(65) attribute 'dc' not allowed"},
	{"delete: sn\n", "(65) object class 'person' requires attribute 'sn'"},
	{"delete: xInt\n-\nadd: objectClass\nobjectClass: xNeeds\n",
	 "(65) object class 'xNeeds' requires attribute 'xInt'"},
	{"delete: cn\n", "(64) naming attribute 'cn' is not present in entry"},
	{"replace: cn\ncn: two\n", "(64) value of naming attribute 'cn' is not present in entry"},
	{"increment: seeAlso\nseeAlso: dc=x\n", "(19) seeAlso: attribute syntax inappropriate for increment"},
	{"increment: uidNumber\nuidNumber: 1\n", "(16) modify/increment: uidNumber: no such attribute"},
	{"increment: xInt\nxInt: 1\nxInt: 2\n", "(2) modify/increment operation requires single value"},
	{"increment: xInt\nxInt: 99999999999999999999\n", "(21) modify/increment: invalid syntax of increment"},
	{"increment: xInt\nxInt: abc\n", "(21) xInt: value #0 invalid per syntax"},
	{"replace: xInt\nxInt: 1\nxInt: 99999999999999999999\n-\nincrement: xInt\nxInt: 1\n",
	 "(21) modify/increment: invalid syntax of original value"},
	{"delete: xOrdered\nxOrdered: {0}p\n", "(16) modify/delete: xOrdered: no such value"},
	{"delete: xOrdered\nxOrdered: {7}\n", "(16) modify/delete: xOrdered: no such value"},
	{"delete: xOrdered\nxOrdered: q\n", "(16) modify/delete: xOrdered: no such value"},
	{"replace: entryCSN\nentryCSN: 1\n", "(19) entryCSN: no-user-modification attribute not manageable"},
	{"add: xWord\nxInt: 1\n", "could not parse entry (line=1)"},
	{"add: xWord\nxWord: x\nadd: xInt\nxInt: 1\n", "could not parse entry (line=1)"},
	{"append: xWord\nxWord: x\n", "could not parse entry (line=1)"},
	{"xWord: x\n", "could not parse entry (line=1)"},
	{"-\n", "could not parse entry (line=1)"},
	{"add: xWord\nx\n", "could not parse entry (line=1)"},
	/* all of a record is undone, whichever of its modifications is refused */
	{"delete: xWord\nxWord: a\n-\nadd: xWord\nxWord: z\n-\nincrement: xInt\nxInt: 1\n-\n"
	 "replace: xSingle\nxSingle: t\n-\nadd: xMember\nxMember: dc=x\n-\ndelete: sn\n",
	 "(65) object class 'person' requires attribute 'sn'"},
	{"dn: cn=no,ou=a,dc=x\nadd: xWord\nxWord: x\n", "no such entry \"cn=no,ou=a,dc=x\" in database (lineno=1)"},
	{"dn: cn=no,ou=a,dc=x\nadd: nothing\nnothing: x\n", "(17) nothing: attribute type undefined"},
	{"dn: cn=one,ou=a,dc=y\nadd: xWord\nxWord: x\n", "line 1: database #1 (dc=x) not configured to hold"},
	{"dn:\nadd: xWord\nxWord: x\n", "empty dn="},
	{"dn: nonsense\nadd: xWord\nxWord: x\n", "could not parse entry (line=1)"},
	{"dn: cn=one,ou=a,dc=x\nchangetype: remove\n", "could not parse entry (line=1)"},
	{"dn: cn=one,ou=a,dc=x\ncontrol: 1.2.3 true\nchangetype: delete\n", "could not parse entry (line=1)"},
	{"dn: cn=one,ou=a,dc=x\ncontrol: 2.16.840.1.113730.3.4.21 true\nchangetype: delete\n",
	 "could not parse entry (line=1)"},
	{"dn: cn=one,ou=a,dc=x\nchangetype: add\nobjectClass: domain\ndc: y\n", "(65) attribute 'cn' not allowed"},
	{"dn: cn=ONE,ou=a,dc=x\nchangetype: add\nobjectClass: person\nsn: x\n", "(68) "},
	{"dn: cn=x,ou=no,dc=x\nchangetype: add\nobjectClass: person\nsn: x\n", "(32) "},
	{"dn: cn=x,ou=a,dc=x\nchangetype: add\nobjectClass: person\n", "(65) object class 'person' requires attribute 'sn'"},
	{"dn: ou=a,dc=x\nchangetype: delete\n", "(66) subordinate objects must be deleted first"},
	{"dn: cn=no,ou=a,dc=x\nchangetype: delete\n", "no such entry \"cn=no,ou=a,dc=x\" in database (lineno=1)"},
	{"dn: cn=one,ou=a,dc=x\nchangetype: delete\nadd: sn\n", "could not parse entry (line=1)"},
	{"dn: cn=one,ou=a,dc=x\nchangetype: modrdn\nnewrdn: nonsense\ndeleteoldrdn: 1\n", "(34) invalid new RDN"},
	{"dn: cn=one,ou=a,dc=x\nchangetype: modrdn\nnewrdn: cn=x,ou=y\ndeleteoldrdn: 1\n", "(34) invalid new RDN"},
	{"dn: cn=one,ou=a,dc=x\nchangetype: modrdn\nnewrdn: cn=x\n", "could not parse entry (line=1)"},
	{"dn: cn=one,ou=a,dc=x\nchangetype: modrdn\ndeleteoldrdn: 1\n", "could not parse entry (line=1)"},
	{"dn: cn=one,ou=a,dc=x\nchangetype: modrdn\nnewrdn: cn=x\ndeleteoldrdn: 1\nnewsuperior: nonsense\n",
	 "(34) invalid newSuperior"},
	{"dn: cn=one,ou=a,dc=x\nchangetype: modrdn\nnewrdn: cn=x\ndeleteoldrdn: 1\nnewsuperior: ou=no,dc=x\n",
	 "(32) new superior not found"},
	{"dn: ou=a,dc=x\nchangetype: modrdn\nnewrdn: ou=x\ndeleteoldrdn: 1\nnewsuperior: cn=one,ou=a,dc=x\n",
	 "(53) cannot place an entry below itself"},
	{"dn: cn=one,ou=a,dc=x\nchangetype: modrdn\nnewrdn: cn=x\ndeleteoldrdn: 1\nnewsuperior: dc=y\n",
	 "(71) cannot rename between DSAs"},
	{"dn: dc=x\nchangetype: modrdn\nnewrdn: dc=y\ndeleteoldrdn: 1\n", "(71) cannot rename between DSAs"},
	{"dn: dc=x\nchangetype: modrdn\nnewrdn: DC=X\ndeleteoldrdn: 1\n", "(64) cannot rename suffix entry"},
	{"dn: ou=a,dc=x\nchangetype: modrdn\nnewrdn: ou=B\ndeleteoldrdn: 1\n", "(68) "},
	{"dn: ou=a,dc=x\nchangetype: modrdn\nnewrdn: cn=a\ndeleteoldrdn: 0\n", "(65) attribute 'cn' not allowed"},
	{"dn: cn=one,ou=a,dc=x\nchangetype: modrdn\nnewrdn: xNoRule=x\ndeleteoldrdn: 0\n",
	 "(64) naming attribute 'xNoRule' has no equality matching rule"},
	{"dn: cn=one,ou=a,dc=x\nchangetype: modrdn\nnewrdn: xSingle=x\ndeleteoldrdn: 0\n",
	 "(19) attribute 'xSingle' cannot have multiple values"},
	{"dn: cn=one,ou=a,dc=x\nchangetype: modrdn\nnewrdn: xSingle=s\ndeleteoldrdn: 1\n",
	 "(65) object class 'person' requires attribute 'cn'"},
};
/* clang-format on */

static void make_record(size_t i, char *record, size_t size)
{
	const char *change = refusals[i].change;

	(void)snprintf(record, size, "%s%s", strncmp(change, "dn:", 3) == 0 ? "" : ONE,
	               change);
}

SETUP_TEST(a_refused_record_ends_the_run_and_changes_nothing)
{
	struct modify_fixture *f = *state;
	uint64_t before = load_fixture_digest(&f->load);

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		char record[1000];
		char changes[2200];
		int r = 0;

		make_record(i, record, sizeof(record));
		(void)snprintf(changes, sizeof(changes),
		               "%s\n" ONE "add: xWord\nxWord: never\n", record);
		r = modify_fixture_run(f, NULL, changes);
		if (r != DIT_E_REFUSED ||
		    strstr(f->load.reports, refusals[i].text) == NULL ||
		    strncmp(f->load.rejects, "1|", 2) != 0) {
			fail_msg("%s: %d, not \"%s\":\n%s\n%s", record, r,
			         refusals[i].text, f->load.reports, f->load.rejects);
		}
		assert_int_equal(f->stats.nrefused, 1);
		assert_true(load_fixture_digest(&f->load) == before);
	}
}

SETUP_TEST(refused_records_are_left_out_and_the_rest_is_made)
{
	static const size_t n = sizeof(refusals) / sizeof(refusals[0]);
	struct modify_fixture *f = *state;
	struct dit_modify_opts opts = modify_fixture_opts(f);
	char *changes = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&changes, &len);

	assert_non_null(file);
	for (size_t i = 0; i < n; i++) {
		char record[1000];

		make_record(i, record, sizeof(record));
		(void)fprintf(file, "%s\n" ONE "increment: xInt\nxInt: 1\n\n", record);
	}
	assert_int_equal(fclose(file), 0);
	opts.keep_going = true;
	assert_int_equal(modify_fixture_run(f, &opts, changes), 0);
	free(changes);
	assert_int_equal(f->stats.nrefused, n);
	assert_int_equal(f->stats.nmodified, n);
	assert_listed(f, "1 dc=x\n2 ou=a,dc=x\n3 ou=b,dc=x\n4 cn=one,ou=a,dc=x\n");
	{
		char want[300];

		(void)snprintf(want, sizeof(want), WORDS ", xInt: %zu, xInt: %zu, " REST,
		               5 + n, 7 + n);
		assert_shown(f, NULL, want);
	}
	modify_fixture_check(f);
}

SETUP_TEST(the_reject_says_which_record_and_why)
{
	struct modify_fixture *f = *state;
	struct dit_modify_opts opts = modify_fixture_opts(f);

	opts.keep_going = true;
	assert_int_equal(modify_fixture_run(f, &opts,
	                                    "version: 1\n\n# first\n" ONE
	                                    "delete: xWord\nxWord: q\n\n"
	                                    "dn: ou=a,dc=x\nchangetype: delete\n"),
	                 0);
	assert_string_equal(f->load.rejects,
	                    "3|cn=one,ou=a,dc=x|dn=\"cn=one,ou=a,dc=x\" (line=3): (16) "
	                    "modify/delete: xWord: no such value\n"
	                    "9|ou=a,dc=x|dn=\"ou=a,dc=x\" (line=9): (66) subordinate "
	                    "objects must be deleted first\n");
}

/* ---- many changes of one entry ---- */

SETUP_TEST(exact_changes_give_values_no_numbers)
{
	struct modify_fixture *f = *state;
	struct dit_modify_opts opts = modify_fixture_opts(f);

	opts.is_exact = true;
	assert_int_equal(modify_fixture_run(f, &opts,
	                                    ONE "replace: xOrdered\nxOrdered: {3}b\n"
	                                        "xOrdered: a\nxOrdered: {x}c\n"),
	                 0);
	assert_shown(f, NULL,
	             WORDS ", " INTS ", xNoRule: n, xSingle: s, xOrdered: {3}b, "
	                   "xOrdered: a, xOrdered: {x}c");
}

SETUP_TEST(a_record_may_be_a_dn_alone)
{
	struct modify_fixture *f = *state;

	run_well(f, "dn: cn=one,ou=a,dc=x\n");
	assert_int_equal(f->stats.nmodified, 1);
	assert_shown(f, NULL, ALL);
}

SETUP_TEST(a_change_sees_those_before_it)
{
	struct modify_fixture *f = *state;

	run_well(f, ONE "add: xWord\nxWord: d\n\n" ONE "delete: xWord\nxWord: D\n\n" ONE
	                "delete: xWord\n\n" ONE "add: xWord\nxWord: e\n\n" ONE
	                "replace: xInt\nxInt: 1\n\n" ONE "increment: xInt\nxInt: 41\n");
	assert_int_equal(f->stats.nmodified, 6);
	assert_int_equal(f->stats.nentries, 1);
	assert_shown(f, NULL, REST ", xWord: e, xInt: 42");
}

SETUP_TEST(an_entry_of_this_run_can_be_changed)
{
	struct modify_fixture *f = *state;

	run_well(f,
	         "dn: cn=new,ou=b,dc=x\nchangetype: add\nobjectClass: person\n"
	         "objectClass: xThings\nsn: n\nxWord: q\n\n"
	         "dn: cn=new,ou=b,dc=x\nchangetype: modify\nadd: xWord\nxWord: r\n\n"
	         "dn: cn=new,ou=b,dc=x\nchangetype: modrdn\nnewrdn: cn=newer\n"
	         "deleteoldrdn: 1\nnewsuperior: ou=a,dc=x\n\n"
	         "dn: cn=newer,ou=a,dc=x\nchangetype: modify\ndelete: xWord\nxWord: q\n");
	assert_shown(f, "cn=newer,ou=a,dc=x", "xWord: r");
	assert_listed(f, "1 dc=x\n2 ou=a,dc=x\n3 ou=b,dc=x\n4 cn=one,ou=a,dc=x\n"
	                 "5 cn=newer,ou=a,dc=x\n");
	run_well(f, "dn: cn=newer,ou=a,dc=x\nchangetype: modify\nadd: xWord\nxWord: s\n\n"
	            "dn: cn=newer,ou=a,dc=x\nchangetype: delete\n");
	assert_listed(f, "1 dc=x\n2 ou=a,dc=x\n3 ou=b,dc=x\n4 cn=one,ou=a,dc=x\n");
}

/* cn=one as it was, with these members. Owned */
static char *make_group(unsigned first, unsigned end)
{
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	assert_non_null(file);
	for (unsigned i = first; i < end; i++) {
		(void)fprintf(file, "xMember: cn=m%u,dc=x\n", i);
	}
	assert_int_equal(fclose(file), 0);
	return text;
}

static void assert_group(struct modify_fixture *f, unsigned first, unsigned end)
{
	char *shown = modify_fixture_show(f, NULL);
	const char *at = shown + strlen(ALL);

	assert_memory_equal(shown, ALL, strlen(ALL));
	for (unsigned i = first; i < end; i++) {
		char line[100];

		(void)snprintf(line, sizeof(line), ", xMember: cn=m%u,dc=x", i);
		assert_memory_equal(at, line, strlen(line));
		at += strlen(line);
	}
	assert_string_equal(at, "");
	free(shown);
}

/* "add: xMember" or "delete: xMember" of each alone */
static void write_each(FILE *file, const char *how, unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++) {
		(void)fprintf(file, ONE "%s: xMember\nxMember: cn=m%u,dc=x\n\n", how, i);
	}
}

/* Its list is given room for 8192 members at the 4097th. */
SETUP_TEST(a_huge_group_grows_and_shrinks_over_a_power_of_two)
{
	struct modify_fixture *f = *state;
	char *members = make_group(0, 4095);
	char *changes = NULL;
	size_t len = 0;
	FILE *file = NULL;

	for (int is_stored = 0; is_stored < 2; is_stored++) {
		modify_fixture_load(f, modify_fixture_entries);
		file = open_memstream(&changes, &len);
		assert_non_null(file);
		(void)fprintf(file, ONE "add: xMember\n%s\n", members);
		if (is_stored) {
			assert_int_equal(fclose(file), 0);
			run_well(f, changes);
			free(changes);
			file = open_memstream(&changes, &len);
			assert_non_null(file);
		}
		write_each(file, "add", 4095, 4098);
		write_each(file, "delete", 0, 3);
		write_each(file, "add", 4098, 4100);
		write_each(file, "add", 4000, 4001); /* is there */
		write_each(file, "delete", 3, 6);
		assert_int_equal(fclose(file), 0);
		{
			struct dit_modify_opts opts = modify_fixture_opts(f);

			opts.keep_going = true;
			assert_int_equal(modify_fixture_run(f, &opts, changes), 0);
		}
		free(changes);
		assert_int_equal(f->stats.nrefused, 1);
		modify_fixture_check(f);
		assert_group(f, 6, 4100);
	}
	free(members);
}

/* Memory at the first refusal, and the most of it. */
struct held {
	uint64_t first;
	uint64_t most;
};

static int note_held(void *ctx, const struct dit_reject *reject)
{
	struct held *held = ctx;
	uint64_t bytes = dit_slab_held_bytes();

	(void)reject;
	held->first = held->first == 0 ? bytes : held->first;
	held->most = bytes > held->most ? bytes : held->most;
	return 0;
}

/* Each has room for 4096 members, which would be 128 KiB. */
SETUP_TEST(refused_changes_of_a_huge_group_keep_no_memory)
{
	struct modify_fixture *f = *state;
	struct dit_modify_opts opts = modify_fixture_opts(f);
	struct held held = {0};
	char *members = make_group(0, 4000);
	char *changes = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&changes, &len);

	assert_non_null(file);
	(void)fprintf(file, ONE "add: xMember\n%s\n", members);
	assert_int_equal(fclose(file), 0);
	free(members);
	run_well(f, changes);
	free(changes);
	file = open_memstream(&changes, &len);
	assert_non_null(file);
	write_each(file, "delete", 5000, 5200); /* are not there */
	assert_int_equal(fclose(file), 0);
	opts.keep_going = true;
	opts.reject = note_held;
	opts.reject_ctx = &held;
	assert_int_equal(modify_fixture_run(f, &opts, changes), 0);
	free(changes);
	assert_int_equal(f->stats.nrefused, 200);
	assert_true(held.most - held.first < 4u << 20);
	assert_group(f, 0, 4000);
}

SETUP_TEST(a_huge_group_may_lose_all_its_members)
{
	struct modify_fixture *f = *state;
	char *members = make_group(0, 4097);
	char *changes = NULL;

	assert_true(asprintf(&changes, ONE "add: xMember\n%s\n" ONE "delete: xMember\n%s",
	                     members, members) > 0);
	run_well(f, changes);
	free(changes);
	assert_shown(f, NULL, ALL);
	assert_true(asprintf(&changes,
	                     ONE "replace: xMember\n%s\n" ONE "replace: xMember\n",
	                     members) > 0);
	run_well(f, changes);
	free(changes);
	free(members);
	assert_shown(f, NULL, ALL);
}

/* Words from first to end, the distance apart, in one step or in one for each. */
static void write_words(FILE *file, const char *how, unsigned first, unsigned distance,
                        bool is_bulk)
{
	for (unsigned i = first; i < 97; i += distance) {
		if (i == first || !is_bulk) {
			(void)fprintf(file, "%s: xWord\n", how);
		}
		(void)fprintf(file, "xWord: w%u\n%s", i * 37 % 97, is_bulk ? "" : "-\n");
	}
	(void)fputs(is_bulk ? "-\n" : "", file);
}

static char *change_words(const char *conf, bool is_bulk)
{
	struct modify_fixture *f = modify_fixture_new(conf);
	struct dit_modify_opts opts = modify_fixture_opts(f);
	char *changes = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&changes, &len);

	assert_non_null(file);
	for (unsigned distance = 3; distance <= 4; distance++) {
		(void)fprintf(file, ONE);
		write_words(file, "add", 1, 3, is_bulk);
		write_words(file, "add", 0, 3, is_bulk);
		write_words(file, "add", 2, distance, is_bulk); /* 4: some are there */
		(void)fprintf(file, "\n" ONE);
		write_words(file, "delete", 1, distance, is_bulk);
		(void)fprintf(file, "delete: xWord\nxWord: d\n\n"); /* is not there */
		(void)fprintf(file, ONE);
		write_words(file, "delete", 1, 2, is_bulk);
		(void)fprintf(file, "\n");
	}
	assert_int_equal(fclose(file), 0);
	opts.keep_going = true;
	assert_int_equal(modify_fixture_run(f, &opts, changes), 0);
	free(changes);
	assert_int_equal(f->stats.nrefused, 4);
	modify_fixture_check(f);
	return modify_fixture_show(f, NULL);
}

/* Many values are looked up in a sorted copy of a list. */
TEST(many_values_change_as_each_alone)
{
	for (int is_sorted = 0; is_sorted < 2; is_sorted++) {
		const char *conf =
			is_sorted ? "lastmod off\nsortvals xWord\n" : "lastmod off\n";
		char *bulk = change_words(conf, true);
		char *each = change_words(conf, false);

		assert_string_equal(bulk, each);
		assert_non_null(strstr(bulk, "xWord: w"));
		free(bulk);
		free(each);
	}
}

/* ---- configurations ---- */

/* Shorter ones come first. */
TEST(sorted_values_stay_sorted)
{
	struct modify_fixture *f =
		modify_fixture_new("lastmod off\nsortvals xWord xMember\n");

	run_well(f, ONE "add: xWord\nxWord: ab\nxWord: D\nxWord: BB\n");
	assert_shown(f, NULL,
	             "xWord: a, xWord: b, xWord: c, xWord: D, xWord: ab, xWord: BB, " INTS
	             ", " REST);
	run_well(f, ONE "delete: xWord\nxWord: bb\n-\nadd: xWord\nxWord: aa\n\n" ONE
	                "delete: xWord\nxWord: d\n\n" ONE
	                "add: xWord\nxWord: z\nxWord: 0\n");
	assert_shown(f, NULL,
	             "xWord: 0, xWord: a, xWord: b, xWord: c, xWord: z, xWord: aa, "
	             "xWord: ab, " INTS ", " REST);
	run_well(f, ONE "replace: xWord\nxWord: z\nxWord: B\nxWord: q\n");
	assert_shown(f, NULL, INTS ", " REST ", xWord: B, xWord: q, xWord: z");
}

/* A refused record puts values back that had moved. */
TEST(sorted_values_are_put_back)
{
	struct modify_fixture *f = modify_fixture_new("lastmod off\nsortvals xWord\n");
	struct dit_modify_opts opts;

	opts = modify_fixture_opts(f);
	opts.keep_going = true;
	assert_int_equal(
		modify_fixture_run(f, &opts,
	                           ONE
	                           "add: xWord\nxWord: aa\n\n" ONE
	                           "add: xWord\nxWord: 0\nxWord: ab\n-\ndelete: xWord\n"
	                           "xWord: a\nxWord: c\n-\nincrement: xInt\nxInt: 1\n-\n"
	                           "delete: sn\n\n" ONE "add: xWord\nxWord: bb\n"),
		0);
	assert_int_equal(f->stats.nrefused, 1);
	modify_fixture_check(f);
	assert_shown(f, NULL,
	             "xWord: a, xWord: b, xWord: c, xWord: aa, xWord: bb, " INTS
	             ", " REST);
}

TEST(values_go_apart_and_come_back)
{
	struct modify_fixture *f =
		modify_fixture_new("lastmod off\nmultival xWord 4,4\n");

	run_well(f, ONE "add: xWord\nxWord: d\nxWord: e\n");
	assert_shown(f, NULL,
	             "xWord: a, xWord: b, xWord: c, xWord: d, xWord: e, " INTS ", " REST);
	run_well(f, ONE "add: xWord\nxWord: f\n-\ndelete: xWord\nxWord: c\n");
	assert_shown(f, NULL,
	             "xWord: a, xWord: b, xWord: d, xWord: e, xWord: f, " INTS ", " REST);
	run_well(f, ONE "delete: xWord\nxWord: d\nxWord: f\n");
	assert_shown(f, NULL, "xWord: a, xWord: b, xWord: e, " INTS ", " REST);
	run_well(f, ONE "add: xWord\nxWord: d\nxWord: f\n");
	run_well(f, ONE "delete: xWord\n");
	assert_shown(f, NULL, INTS ", " REST);
	run_well(f, ONE "add: xWord\nxWord: 1\nxWord: 2\nxWord: 3\nxWord: 4\nxWord: 5\n");
	run_well(f, "dn: cn=one,ou=a,dc=x\nchangetype: delete\n");
	assert_listed(f, "1 dc=x\n2 ou=a,dc=x\n3 ou=b,dc=x\n");
}

/* slapd stores values apart with each step, and such a one has 511 bytes at most. */
TEST(a_long_value_is_refused_while_it_would_be_apart)
{
	struct modify_fixture *f =
		modify_fixture_new("lastmod off\nmultival xWord 4,4\n");
	struct dit_modify_opts opts = modify_fixture_opts(f);
	const char *value = test_text("%0600d", 7);

	assert_int_equal(
		modify_fixture_run(f, &opts,
	                           test_text(ONE "add: xWord\nxWord: d\nxWord: %s\n-\n"
	                                         "delete: xWord\nxWord: d\nxWord: a\n",
	                                     value)),
		DIT_E_REFUSED);
	assert_shown(f, NULL, "xWord: a, xWord: b, xWord: c, " INTS ", " REST);
	run_well(f, test_text(ONE "delete: xWord\nxWord: a\n-\nadd: xWord\nxWord: %s\n",
	                      value));
	assert_shown(f, NULL,
	             test_text("xWord: b, xWord: c, xWord: %s, " INTS ", " REST, value));
}

TEST(a_change_gets_the_stamps_of_slapd)
{
	struct modify_fixture *f = modify_fixture_new("");
	char *shown = NULL;
	char *last = NULL;
	char csn[15];
	char stamp[15];

	run_well(f, ONE "add: xWord\nxWord: d\n");
	shown = modify_fixture_show(f, NULL);
	last = strstr(shown, ", entryCSN: ");
	assert_non_null(last);
	assert_true(strstr(shown, "createTimestamp: ") < last);
	assert_int_equal(
		sscanf(last,
	               ", entryCSN: %14[0-9].%*[0-9]Z#000000#000#000000, "
	               "modifiersName: cn=admin,dc=x, modifyTimestamp: %14[0-9]Z",
	               csn, stamp),
		2);
	assert_string_equal(csn, stamp);
	free(shown);
	run_well(f, ONE
	         "replace: modifyTimestamp\nmodifyTimestamp: 20200101000000Z\n-\n"
	         "replace: modifiersName\nmodifiersName: cn=other,dc=x\n-\n"
	         "replace: entryUUID\nentryUUID: 00000000-0000-4000-8000-000000000001\n");
	shown = modify_fixture_show(f, NULL);
	assert_non_null(strstr(shown,
	                       "modifyTimestamp: 20200101000000Z, modifiersName: "
	                       "cn=other,dc=x, entryUUID: "
	                       "00000000-0000-4000-8000-000000000001, entryCSN: "));
	free(shown);
}
