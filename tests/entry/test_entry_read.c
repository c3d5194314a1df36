/* SPDX-License-Identifier: BSD-2-Clause */
/* From record to entry. Records, messages and their order are those of slapadd 2.5.13. */
#include "test.h"

#include "entry/entry_fixture.h"
#include "entry/entry_work.h"

struct reading_case {
	const char *record;
	const char *expected; /* entry */
};

static void expect_entries(struct entry_fixture *f, const struct reading_case *cases,
                           size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int r = fixture_read(f, cases[i].record);

		if (r != 0) {
			print_message("record:\n%s%s", cases[i].record, fixture_notes(f));
		}
		assert_int_equal(r, 0);
		assert_string_equal(fixture_entry(f), cases[i].expected);
		assert_string_equal(fixture_notes(f), "");
	}
}

#define EXPECT_ENTRIES(f, cases)                                                         \
 expect_entries(f, cases, sizeof(cases) / sizeof(cases[0]))

TEST(lines_become_blocks_in_order_of_appearance)
{
	static const struct reading_case cases[] = {
		{"dn: dc=x\nobjectClass: domain\nobjectClass: TOP\ndc: X\n",
	         "objectClass: domain | TOP\ndc: X=x\n"},
		{"dn: dc=x\nuidNumber: 007\ndescription:\nseeAlso: CN=A , DC=X\n",
	         "uidNumber: 007\ndescription: =\nseeAlso: CN=A , DC=X=cn=a,dc=x\n"},
		{"dn: dc=x\ncn;LANG-en: X\ncn: Y\n", "cn;lang-en: X=x\ncn: Y=y\n"},
		{"dn: dc=x\ntOrd: {0}Foo\ntNone: Foo\n",
	         "tOrd: {0}Foo={0}foo\ntNone: Foo\n"},
		{"dn: dc=x\n", ""},
	};

	EXPECT_ENTRIES(*state, cases);
}

TEST(names_of_one_attribute_make_one_block_when_adjacent)
{
	static const struct reading_case cases[] = {
		{"dn: dc=x\ncn: 1\nCN: 2\ncommonName: 3\n2.5.4.3: 4\n",
	         "cn: 1=1 | 2=2 | 3=3 | 4=4\n"},
		/* gathered first, then neighbours */
		{"dn: dc=x\ncn: 1\ncommonName: 2\nCN: 4\n", "cn: 1=1 | 4=4 | 2=2\n"},
		{"cn: 1\ndn: dc=x\ncn: 2\n", "cn: 1=1 | 2=2\n"},
	};
	struct entry_fixture *f = *state;

	EXPECT_ENTRIES(f, cases);
	f->context.is_quick = true;
	assert_int_equal(fixture_read(f, "dn: dc=x\ncn: 1\ncommonName: 2\nCN: 4\n"), 0);
	assert_string_equal(fixture_entry(f), "cn: 1=1 | 2=2 | 4=4\n");
	f->context.is_quick = false;
}

TEST(equal_names_are_gathered_and_aliases_are_not)
{
	static const struct reading_case cases[] = {
		{"dn: dc=x\ncn: 1\ncommonName: 2\no: a\n2.5.4.3: 3\nCN: 4\n",
	         "cn: 1=1 | 4=4 | 2=2\no: a=a\ncn: 3=3\n"},
		{"dn: dc=x\ndescription: a1\nobjectClass: top\ncn: x\nDescription: a2\n"
	         "objectClass: device\ndescription: a3\n",
	         "description: a1=a1 | a2=a2 | a3=a3\nobjectClass: top | device\n"
	         "cn: x=x\n"},
		{"dn: dc=x\ncommonName: 1\nl: a\ncn: 2\nl: b\ncn: 3\nCOMMONNAME: 4\n",
	         "cn: 1=1 | 4=4\nl: a=a | b=b\ncn: 2=2 | 3=3\n"},
		{"dn: dc=x\ncn;lang-en;lang-de: 1\no: x\ncn;lang-de;lang-en: 2\n",
	         "cn;lang-de;lang-en: 1=1\no: x=x\ncn;lang-de;lang-en: 2=2\n"},
	};

	EXPECT_ENTRIES(*state, cases);
}

TEST(quick_mode_gathers_nothing)
{
	static const struct reading_case cases[] = {
		{"dn: dc=x\ndescription: a1\nobjectClass: top\ncn: x\nDescription: a2\n"
	         "objectClass: device\ndescription: a3\n",
	         "description: a1=a1\nobjectClass: top\ncn: x=x\ndescription: a2=a2\n"
	         "objectClass: device\ndescription: a3=a3\n"},
	};
	struct entry_fixture *f = *state;

	f->context.is_quick = true;
	EXPECT_ENTRIES(f, cases);
	f->context.is_quick = false;
}

TEST(later_releases_gather_all_lines_of_a_description)
{
	static const struct reading_case cases[] = {
		/* each name has its part; slapadd 2.7.0 gives the value of o to cn */
		{"dn: dc=x\ncn: 1\no: a\ncommonName: 2\nCN: 3\n2.5.4.3: 4\n",
	         "cn: 1=1 | 3=3 | 2=2 | 4=4\no: a=a\n"},
		{"dn: dc=x\ncn: 1\ncommonName: 2\no: a\ncommonName: 3\ncn: 4\n",
	         "cn: 1=1 | 4=4 | 2=2 | 3=3\no: a=a\n"},
		/* options are another description */
		{"dn: dc=x\ncn;lang-en;lang-de: 1\ncn: x\ncn;lang-de;lang-en: 2\n",
	         "cn;lang-de;lang-en: 1=1 | 2=2\ncn: x=x\n"},
		/* single values: neighbours, and lines of one name, are the check's */
		{"dn: dc=x\nc: US\n2.5.4.6: DE\no: a\n", "c: US=us | DE=de\no: a=a\n"},
		{"dn: dc=x\nc: US\no: a\nC: DE\n", "c: US=us | DE=de\no: a=a\n"},
	};
	static const struct reading_case quick[] = {
		{"dn: dc=x\ncn: 1\no: a\ncommonName: 2\nCN: 3\no: b\ncommonName: 4\n",
	         "cn: 1=1 | 2=2 | 3=3 | 4=4\no: a=a | b=b\n"},
		{"dn: dc=x\nc: US\no: a\nC: DE\n", "c: US=us | DE=de\no: a=a\n"},
	};
	static const char renamed[] = "dn: dc=x\nc: US\no: a\ncountryName: DE\n";
	struct entry_fixture *f = *state;

	f->context.gathers_lines = true;
	for (int i = 0; i < 2; i++) {
		f->context.is_quick = i == 1;
		if (i == 0) {
			EXPECT_ENTRIES(f, cases);
		} else {
			EXPECT_ENTRIES(f, quick);
		}
		for (int j = 0; j < 2; j++) {
			f->context.check_schema = j == 0;
			assert_int_equal(fixture_read(f, renamed), DIT_E_INVALID);
			assert_string_equal(fixture_notes(f),
			                    "str2entry: single-value attributeType c "
			                    "presented under multiple names\n");
		}
		f->context.check_schema = true;
	}
	f->context.is_quick = false;
	f->context.gathers_lines = false;
	assert_int_equal(fixture_read(f, renamed), 0);
}

TEST(later_releases_drop_lines_of_dynamic_attributes_alone)
{
	/* slapadd 2.7.0 loses what stands before them, or dies */
	static const struct reading_case cases[] = {
		{"dn: dc=x\nentryDN: dc=x\ncn: 1\n", "cn: 1=1\n"},
		{"dn: dc=x\ndescription: kept\nentryDN: dc=x\nsn: s\n",
	         "description: kept=kept\nsn: s=s\n"},
		{"dn: dc=x\ncn: 1\nhasSubordinates: TRUE\n", "cn: 1=1\n"},
		{"dn: dc=x\ncn: 1\n1.3.6.1.1.20: dc=x\nSUBSCHEMASUBENTRY: cn=s\n"
	         "entryDN:\ncn: 2\n",
	         "cn: 1=1 | 2=2\n"},
		{"dn: dc=x\nentryDN: dc=x\n", ""},
	};
	struct entry_fixture *f = *state;

	f->context.drops_dynamic = true;
	f->context.gathers_lines = true;
	for (int i = 0; i < 2; i++) {
		f->context.is_quick = i == 1;
		EXPECT_ENTRIES(f, cases);
	}
	f->context =
		(struct dit_entry_context){.schema = f->schema, .check_schema = true};
	assert_int_equal(fixture_read(f, "dn: dc=x\nhasSubordinates: TRUE\n"), 0);
	assert_string_equal(fixture_entry(f), "hasSubordinates: TRUE\n");
}

TEST(dn_line_may_stand_anywhere_in_any_form)
{
	struct entry_fixture *f = *state;

	assert_int_equal(fixture_read(f, "cn: a\nDN: CN = A , DC=X\no: b\n"), 0);
	assert_span_equal(f->entry.dn.pretty, "cn=A,dc=X");
	assert_span_equal(f->entry.dn.norm, "cn=a,dc=x");
	assert_int_equal(f->entry.nattrs, 2);
	assert_int_equal(fixture_read(f, "dn:: ZGM9eA==\n"), 0);
	assert_span_equal(f->entry.dn.pretty, "dc=x");
	assert_int_equal(fixture_read(f, "dn:\nobjectClass: top\n"), 0);
	assert_int_equal(f->entry.dn.nrdns, 0);
}

TEST(values_without_an_equality_normaliser_have_no_normal_form)
{
	struct entry_fixture *f = *state;

	assert_int_equal(fixture_read(f,
	                              "dn: dc=x\nobjectClass: top\ntInt: 1\ntBool: TRUE\n"
	                              "tOct: a\ntNone: a\ncn: a\n"),
	                 0);
	for (uint32_t i = 0; i < 5; i++) {
		assert_null(f->entry.attrs[i].normal);
	}
	assert_non_null(f->entry.attrs[5].normal);
}

struct refusal_case {
	const char *record;
	const char *notes;
};

static void expect_refusals(struct entry_fixture *f, const struct refusal_case *cases,
                            size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int r = fixture_read(f, cases[i].record);

		if (r != DIT_E_INVALID) {
			print_message("record:\n%s", cases[i].record);
		}
		assert_int_equal(r, DIT_E_INVALID);
		assert_string_equal(fixture_notes(f), cases[i].notes);
	}
}

#define EXPECT_REFUSALS(f, cases)                                                        \
 expect_refusals(f, cases, sizeof(cases) / sizeof(cases[0]))

TEST(dn_errors_come_before_attribute_errors)
{
	static const struct refusal_case cases[] = {
		{"dn: cn=x;;\nfoo: 1\n",
	         "str2entry: entry -1 has invalid DN \"cn=x;;\"\n"},
		{"foo: 1\ndn: cn=x;;\n",
	         "str2entry: entry -1 has invalid DN \"cn=x;;\"\n"},
		{"cn: a\nfoo: 1\ndn: foo=a\n",
	         "str2entry: entry -1 has invalid DN \"foo=a\"\n"},
		{"objectClass: top\n", "str2entry: entry -1 has no dn\n"},
		{"foo: x\n", "str2entry: entry -1 has no dn\n"},
		{"version: 1\n", "str2entry: entry -1 has no dn\n"},
		{"", ""}, /* nothing but an entry number, which is dropped */
		{"dn : dc=x\nobjectClass: top\n", "str2entry: entry -1 has no dn\n"},
		{"dn::\nfoo: x\n", "str2entry: entry -1 has no dn\n"},
		{"dn: DC=X\nfoo: x\ndn: cn=A , dc=x\n",
	         "str2entry: entry -1 has multiple DNs \"dc=X\" and \"cn=A , dc=x\"\n"},
		{"dn: DC=X\ndn: cn=;;\n",
	         "str2entry: entry -1 has multiple DNs \"dc=X\" and \"cn=;;\"\n"},
		{"dn:\ndn: dc=x\n",
	         "str2entry: entry -1 has multiple DNs \"\" and \"dc=x\"\n"},
		{"dn:: ZGM9eAB4\n", "str2entry: entry -1 has invalid DN \"dc=x\"\n"},
		{"dn:< file:///nonexistent\ncn: x\n",
	         "ldif_parse_line: dn: URL \"file:///nonexistent\" fetch failed\n"
	         "str2entry: entry -1 has no dn\n"},
	};

	EXPECT_REFUSALS(*state, cases);
}

TEST(unknown_descriptions_are_refused)
{
	static const struct refusal_case cases[] = {
		{"dn: dc=x\nfoo: x\n",
	         "<= str2entry: str2ad(foo): attribute type undefined\n"},
		{"version: 1\ndn: dc=x\n",
	         "<= str2entry: str2ad(version): attribute type undefined\n"},
		{"dn: dc=x\nfoo::\n",
	         "<= str2entry: str2ad(foo): attribute type undefined\n"},
		{"dn::\ndn: dc=x\n",
	         "<= str2entry: str2ad(dn): attribute type undefined\n"},
		{"dn: dc=x\nfoo bar\n baz\n",
	         "<= str2entry: str2ad(foo bar\r\rbaz): empty AttributeDescription\n"},
		{"dn: dc=x\n: foo\n",
	         "<= str2entry: str2ad(): empty AttributeDescription\n"},
		{"dn: dc=x\ncn;x-foo: x\n",
	         "<= str2entry: str2ad(cn;x-foo): unrecognized option\n"},
		{"dn: dc=x\ncn;binary: x\n",
	         "<= str2entry: str2ad(cn;binary): "
	         "option \"binary\" not supported with type\n"},
		{"dn: dc=x\ncn_: x\n",
	         "<= str2entry: str2ad(cn_): "
	         "AttributeDescription contains inappropriate characters\n"},
		{"dn: dc=x\ndescription : x\n",
	         "<= str2entry: str2ad(description): "
	         "AttributeDescription contains inappropriate characters\n"},
		{"dn: dc=x\ncn;: x\n",
	         "<= str2entry: str2ad(cn;): zero length option is invalid\n"},
		{"dn: dc=x\nentryUUID;lang-en: x\n",
	         "<= str2entry: str2ad(entryUUID;lang-en): "
	         "operational attribute with options undefined\n"},
	};

	EXPECT_REFUSALS(*state, cases);
}

TEST(without_schema_check_unknown_names_are_accepted)
{
	struct entry_fixture *f = *state;

	f->context.check_schema = false;
	assert_int_equal(fixture_read(f, "dn: dc=x\nfoo;x-y: 1\nFOO;x-y: 2\ncn: a\n"), 0);
	assert_true(f->entry.has_unknown);
	assert_int_equal(f->entry.nattrs, 1);
	assert_true(f->notes.first->is_once);
	assert_string_equal(f->notes.first->text,
	                    "UNKNOWN attributeDescription \"FOO;X-Y\" inserted.");

	assert_int_equal(fixture_read(f, "dn: dc=x\nfoo_bar: 1\n"), DIT_E_INVALID);
	assert_string_equal(fixture_notes(f),
	                    "<= str2entry: slap_str2undef_ad(foo_bar): "
	                    "AttributeDescription contains inappropriate characters\n");
	assert_int_equal(fixture_read(f, "dn: dc=x\nno colon\n"), DIT_E_INVALID);
	assert_string_equal(fixture_notes(f),
	                    "<= str2entry: slap_str2undef_ad(no colon): "
	                    "empty AttributeDescription\n");
	f->context.check_schema = true;
}

TEST(unusable_values_are_refused)
{
	static const struct refusal_case cases[] = {
		{"dn: dc=x\nCommonName;lang-EN::\n",
	         "str2entry: attributeType cn;lang-en #0: no value\n"},
		{"dn: dc=x\ncn: a\ncn: b\ncn::\n",
	         "str2entry: attributeType cn #2: no value\n"},
		{"dn: dc=x\ncn: a\ncommonName::\n",
	         "str2entry: attributeType cn #1: no value\n"},
		{"dn: dc=x\ncn:< file:///nonexistent\nfoo: 1\n",
	         "ldif_parse_line: cn: URL \"file:///nonexistent\" fetch failed\n"
	         "str2entry: attributeType cn #0: no value\n"},
		{"dn: dc=x\nuserCertificate: x\n",
	         "str2entry: attributeType userCertificate #0: needs ';binary' transfer "
	         "as per "
	         "syntax 1.3.6.1.4.1.1466.115.121.1.8\n"},
		{"dn: dc=x\n2.5.4.36::\n",
	         "str2entry: attributeType userCertificate #0: needs ';binary' transfer "
	         "as per "
	         "syntax 1.3.6.1.4.1.1466.115.121.1.8\n"},
		{"dn: dc=x\nSEEALSO;LANG-en: foo\n",
	         "<= str2entry NULL (smr_normalize seeAlso;lang-en 21)\n"},
		{"dn: dc=x\ntelephoneNumber:\n",
	         "<= str2entry NULL (smr_normalize telephoneNumber 21)\n"},
		{"dn: dc=x\ndescription:: /w==\n",
	         "<= str2entry NULL (smr_normalize description 21)\n"},
		{"dn: dc=x\nentryUUID: abc\n",
	         "<= str2entry NULL (smr_normalize entryUUID 21)\n"},
		{"dn: dc=x\ntOFC: 1.2.3\n",
	         "<= str2entry NULL (smr_normalize tOFC 21)\n"},
		{"dn: dc=x\nauthzTo: foo\n",
	         "<= str2entry NULL (smr_normalize authzTo 21)\n"},
	};

	EXPECT_REFUSALS(*state, cases);
}

#define NESTED_4(text)  "seeAlso=seeAlso=seeAlso=seeAlso=" text
#define NESTED_16(text) NESTED_4(NESTED_4(NESTED_4(NESTED_4(text))))

TEST(dns_in_dns_nest_to_a_limit)
{
	static const struct refusal_case cases[] = {
		{"dn: dc=x\nseeAlso: " NESTED_16("cn=a") "\n",
	         "error: attribute 'seeAlso': the DNs or the filter in a value nest too "
	         "deeply\n"},
		{"dn: " NESTED_16("cn=a") "\n",
	         "error: dn \"" NESTED_16("cn=a") "\": the DNs in its values nest too "
	                                          "deeply\n"},
	};
	struct entry_fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(fixture_read(f, cases[i].record), DIT_E_UNSUPPORTED);
		assert_string_equal(fixture_notes(f), cases[i].notes);
	}
}

TEST(first_error_in_gathered_order_is_told)
{
	static const struct refusal_case gathered[] = {
		{"dn: dc=x\ncn: ok\nfoo: 1\nCN::\n",
	         "str2entry: attributeType cn #1: no value\n"},
		{"dn: dc=x\ncreateTimestamp: abc\ncn: a\ncreateTimestamp::\n",
	         "<= str2entry NULL (smr_normalize createTimestamp 21)\n"},
		{"dn: dc=x\ncreateTimestamp: abc\nfoo: x\n",
	         "<= str2entry NULL (smr_normalize createTimestamp 21)\n"},
		{"dn: dc=x\nfoo: 1\ncn::\n",
	         "<= str2entry: str2ad(foo): attribute type undefined\n"},
	};
	static const struct refusal_case quick[] = {
		{"dn: dc=x\ncn: ok\nfoo: 1\nCN::\n",
	         "<= str2entry: str2ad(foo): attribute type undefined\n"},
		{"dn: dc=x\ncn: x\no: x\ncn: x\ncn::\n",
	         "str2entry: attributeType cn #1: no value\n"},
	};
	struct entry_fixture *f = *state;

	EXPECT_REFUSALS(f, gathered);
	f->context.is_quick = true;
	EXPECT_REFUSALS(f, quick);
	f->context.is_quick = false;
}

TEST(many_lines_of_changing_names_stay_fast_and_whole)
{
	static const char *const names[] = {"cn", "commonName", "o",
	                                    "OU", "l",          "2.5.4.3"};
	const size_t nlines = 60000;
	struct entry_fixture *f = *state;
	char *record = malloc(nlines * 32);
	size_t len = (size_t)sprintf(record, "dn: dc=x\n");
	uint32_t total = 0;

	for (size_t i = 0; i < nlines; i++) {
		len += (size_t)sprintf(record + len, "%s: %zu\n", names[i % 6], i);
	}

	assert_int_equal(fixture_read(f, record), 0);

	/* cn and commonName are neighbours, 2.5.4.3 comes after the others */
	assert_int_equal(f->entry.nattrs, 5);
	for (uint32_t i = 0; i < f->entry.nattrs; i++) {
		total += f->entry.attrs[i].nvalues;
	}
	assert_int_equal(total, nlines);
	assert_int_equal(f->entry.attrs[0].nvalues, nlines / 3);
	assert_span_equal(f->entry.attrs[0].values[1], "6");
	assert_span_equal(f->entry.attrs[0].values[nlines / 6], "1");
	assert_span_equal(f->entry.attrs[4].normal[1], "11");
	free(record);
}

TEST(marks_survive_the_wrap_of_the_record_counter)
{
	static const struct reading_case cases[] = {
		{"dn: dc=x\ncn: 1\no: a\ncn: 2\n", "cn: 1=1 | 2=2\no: a=a\n"},
		{"dn: dc=x\no: 1\ncn: a\no: 2\n", "o: 1=1 | 2=2\ncn: a=a\n"},
	};
	struct entry_fixture *f = *state;

	EXPECT_ENTRIES(f, cases);
	f->caches.work->record = UINT32_MAX - 1;
	EXPECT_ENTRIES(f, cases);
	EXPECT_ENTRIES(f, cases);
}

static uint64_t *sort_types(struct entry_fixture *f, const char *const *names)
{
	uint64_t *sorted = calloc(dit_schema_ntypes(f->schema) / 64 + 1, sizeof(*sorted));

	assert_non_null(sorted);
	for (size_t i = 0; names[i] != NULL; i++) {
		uint32_t ordinal =
			dit_schema_find_type(f->schema, dit_span_of(names[i]))->ordinal;

		sorted[ordinal / 64] |= (uint64_t)1 << (ordinal % 64);
	}
	f->context.sorted = sorted;
	return sorted;
}

static const char *const sorted_types[] = {"l", "tInt", "tNone", NULL};

TEST(values_of_sorted_types_come_in_order)
{
	static const struct reading_case cases[] = {
		{"dn: cn=x\nl: zz\nl: B\nl: a\nl: aaa\n",
	         "l: a=a | B=b | zz=zz | aaa=aaa\n"},
		{"dn: cn=x\ntInt: 10\ntInt: -5\ntInt: 9\n", "tInt: -5 | 9 | 10\n"},
		{"dn: cn=x\nl;lang-de: b\nl;lang-de: a\nou: b\nou: a\n",
	         "l;lang-de: a=a | b=b\nou: b=b | a=a\n"},
		{"dn: cn=x\nl: c\nou: x\nl: b\n", "l: b=b | c=c\nou: x=x\n"},
		{"dn: cn=x\nl: c\nou: x\nlocalityName: b\nl: a\n",
	         "l: a=a | c=c\nou: x=x\nl: b=b\n"},
	};
	struct entry_fixture *f = *state;
	uint64_t *sorted = sort_types(f, sorted_types);

	EXPECT_ENTRIES(f, cases);
	assert_true(f->entry.attrs[0].is_sorted);
	assert_false(f->entry.attrs[1].is_sorted);
	assert_true(f->entry.attrs[2].is_sorted);
	f->context.sorted = NULL;
	free(sorted);
}

/* A block is sorted when the next one's description is known to be fine. */
TEST(duplicates_of_sorted_types_are_told_in_their_turn)
{
	static const struct refusal_case cases[] = {
		{"dn: cn=x\nl: b\nl: a\nl: B\n",
	         "str2entry: attributeType l value #0 provided more than once\n"},
		{"dn: cn=x\nl: b\nl: B\nou::\n",
	         "str2entry: attributeType l value #0 provided more than once\n"},
		{"dn: cn=x\nl: b\nl: B\nfoo: x\n",
	         "<= str2entry: str2ad(foo): attribute type undefined\n"},
		{"dn: cn=x\nl: b\nl: B\nuserCertificate: x\n",
	         "str2entry: attributeType userCertificate #0: needs ';binary' transfer "
	         "as per syntax 1.3.6.1.4.1.1466.115.121.1.8\n"},
		{"dn: cn=x\nl: b\nou::\nl: B\n",
	         "str2entry: attributeType l value #0 provided more than once\n"},
	};
	struct entry_fixture *f = *state;
	uint64_t *sorted = sort_types(f, sorted_types);

	EXPECT_REFUSALS(f, cases);
	f->context.sorted = NULL;
	free(sorted);
}

/* Their values are counted, and must be there. */
TEST(unknown_names_are_gathered_as_well)
{
	static const struct refusal_case cases[] = {
		{"dn: cn=x\nfoo: a\nbar: x\nFOO::\nbar::\n",
	         "UNKNOWN attributeDescription \"FOO\" inserted.\n"
	         "UNKNOWN attributeDescription \"FOO\" inserted.\n"
	         "str2entry: attributeType FOO #1: no value\n"},
	};
	struct entry_fixture *f = *state;

	f->context.check_schema = false;
	EXPECT_REFUSALS(f, cases);
	f->context.is_quick = true;
	assert_int_equal(fixture_read(f, "dn: cn=x\nfoo: a\nbar: x\nfoo::\n"),
	                 DIT_E_INVALID);
	assert_non_null(strstr(fixture_notes(f), "attributeType FOO #0: no value"));
	f->context.is_quick = false;
	f->context.check_schema = true;
}

TEST(records_that_add_an_entry_are_entries)
{
	static const struct reading_case cases[] = {
		{"dn: dc=x\nchangetype: add\ndc: x\n", "dc: x=x\n"},
		{"dn: dc=x\nCHANGETYPE:: QWRk\ndc: x\n", "dc: x=x\n"},
		{"dn: dc=x\ncontrol: 2.16.840.1.113730.3.4.2 true\nchangetype: add\n"
	         "dc: x\n",
	         "dc: x=x\n"},
	};
	static const struct reading_case kept[] = {
		{"dn: dc=x\ncontrol: 1.2.3 false: x\ncontrol: 1.2.4\ndc: x\n",
	         "dc: x=x\n"},
	};
	struct entry_fixture *f = *state;

	EXPECT_ENTRIES(f, cases);
	assert_int_equal(fixture_read(f, kept[0].record), 0);
	assert_string_equal(fixture_entry(f), kept[0].expected);
	assert_string_equal(fixture_notes(f), "dn=\"dc=x\": control 1.2.3 ignored\n"
	                                      "dn=\"dc=x\": control 1.2.4 ignored\n");
}

TEST(other_changes_are_refused)
{
	static const struct refusal_case cases[] = {
		{"dn: dc=x\nchangetype: modify\nadd: dc\n-\n",
	         "error: dn=\"dc=x\": changetype \"modify\" adds no entry; use ldapmodify\n"},
		{"dn: dc=x\nchangetype: add more\n",
	         "error: dn=\"dc=x\": changetype \"add more\" adds no entry; use ldapmodify\n"},
		{"dn: dc=x\nchangetype::\n",
	         "error: dn=\"dc=x\": changetype \"\" adds no entry; use ldapmodify\n"},
		{"dn: dc=x\ncontrol: 1.2.3 TRUE\nchangetype: add\n",
	         "error: dn=\"dc=x\": control 1.2.3 is critical and unknown here; use "
	         "ldapmodify\n"},
		/* after the first attribute they are attributes */
		{"dn: dc=x\ndc: x\nchangetype: add\n",
	         "<= str2entry: str2ad(changetype): attribute type undefined\n"},
	};
	static const struct refusal_case strict[] = {
		{"dn: dc=x\nchangetype: add\n",
	         "<= str2entry: str2ad(changetype): attribute type undefined\n"},
		{"dn: dc=x\ncontrol: 1.2.3\n",
	         "<= str2entry: str2ad(control): attribute type undefined\n"},
	};
	struct entry_fixture *f = *state;

	EXPECT_REFUSALS(f, cases);
	f->context.is_strict = true;
	EXPECT_REFUSALS(f, strict);
	f->context.is_strict = false;
}

MAIN_WITH(entry_fixture_setup, entry_fixture_teardown)
