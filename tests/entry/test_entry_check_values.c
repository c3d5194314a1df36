/* SPDX-License-Identifier: BSD-2-Clause */
/* The value check, with the texts of slapadd 2.5.13 -o value-check=yes. */
#include "entry/check_fixture.h"

TEST(value_check_comes_last_and_refuses_bad_values)
{
	static const struct refusal_case cases[] = {
		{"dn: dc=x\ngidNumber: abc\n", 0, "no objectClass attribute", ""},
		{"dn: dc=x\nobjectClass: domain\ngidNumber: abc\n", 65,
	         "attribute 'gidNumber' not allowed", "Entry (dc=x), "},
		{"dn: cn=x\n" DEVICE "gidNumber: abc\n", 21,
	         "gidNumber: value #0 invalid per syntax", ""},
		{"dn: cn=x\n" DEVICE "tInt: 7\ntInt: 07\n", 21,
	         "tInt: value #1 invalid per syntax", ""},
		{"dn: cn=x\n" DEVICE "description: b\ndescription: b\ndescription:\n", 21,
	         "description: value #2 invalid per syntax", ""},
		{"dn: cn=x\n" DEVICE "tOFC: ( 1.2.3 )\n", 21,
	         "tOFC: no validator for syntax 1.3.6.1.4.1.1466.115.121.1.3", ""},
		{"dn: cn=x\n" DEVICE "tOrd: {0}\n", 21,
	         "tOrd: value #0 invalid per syntax", ""},
		{"dn: cn=x\n" DEVICE "hasSubordinates: foo\n", 21,
	         "hasSubordinates: value #0 invalid per syntax", ""},
	};
	static const struct pass_case passes[] = {
		{"dn: cn=x\n" DEVICE "seeAlso:\ntOrd: {}\ntOrd: {-1}\ntOrd: {1x}\n",
	         DEVICE_READ "seeAlso: =\ntOrd: {}={} | {-1}={-1} | {1x}={1x}\n"
	                     "structuralObjectClass: device\n"},
	};
	struct entry_fixture *f = *state;

	f->context.check_values = true;
	EXPECT_REFUSALS(f, cases);
	EXPECT_PASSES(f, passes);
	f->context.check_values = false;
}

TEST(value_check_refuses_duplicates_and_range_options)
{
	static const struct refusal_case cases[] = {
		{"dn: cn=x\n" DEVICE "l;lang-: x\n", 17,
	         "l;lang-: inappropriate use of tag range option", ""},
		{"dn: cn=x\n" DEVICE "l;lang-;lang-de: x\nl: a\nl: a\n", 17,
	         "l;lang-;lang-de: inappropriate use of tag range option", ""},
		{"dn: cn=x\n" DEVICE "description;lang-en: x\ndescription;lang-en: X\n",
	         20, "description;lang-en: value #0 provided more than once", ""},
		{"dn: cn=x\n" DEVICE "l: b\nl: a\nl: c\nl: A\nl: B\n", 20,
	         "l: value #1 provided more than once", ""},
		{"dn: cn=x\n" DEVICE "l: zz\nl: a\nl: a\ntInt: x\n", 20,
	         "l: value #1 provided more than once", ""},
		{"dn: cn=x\n" DEVICE "seeAlso: cn=a\nseeAlso: CN=A\n", 20,
	         "seeAlso: value #0 provided more than once", ""},
		{"dn: cn=x\n" DEVICE "tNone: b\ntNone: b\n", 20,
	         "tNone: value #0 provided more than once", ""},
		{"dn: cn=x\n" DEVICE "tBool: TRUE\ntBool: TRUE\n", 20,
	         "tBool: value #0 provided more than once", ""},
		{"dn: cn=x\n" DEVICE "objectClass: 2.5.6.14\n", 20,
	         "objectClass: value #0 provided more than once", ""},
		{"dn: cn=x\n" DEVICE
	         "l: 0\nl: 1\nl: 2\nl: 3\nl: 4\nl: 5\nl: 6\nl: 7\nl: 8\n"
	         "l: 7\nl: 3\n",
	         20, "l: value #10 provided more than once", ""},
	};
	static const struct pass_case passes[] = {
		{"dn: cn=x\n" DEVICE "tNone: b\ntNone: B\ntBool: TRUE\ntBool: FALSE\n"
	         "tOrd: {0}a\ntOrd: {1}a\n",
	         DEVICE_READ
	         "tNone: b | B\ntBool: TRUE | FALSE\ntOrd: {0}a={0}a | {1}a={1}a\n"
	         "structuralObjectClass: device\n"},
		{"dn: cn=x\nobjectClass: top\nobjectClass: person\n"
	         "objectClass: inetOrgPerson\n"
	         "sn: x\nou: 0\nou: 1\nou: 2\nou: 3\nou: 4\nou: 5\nou: 6\nou: 7\nou: 8\n",
	         "objectClass: top | person | inetOrgPerson\nsn: x=x\n"
	         "ou: 0=0 | 1=1 | 2=2 | 3=3 | 4=4 | 5=5 | 6=6 | 7=7 | 8=8\n"
	         "structuralObjectClass: inetOrgPerson\ncn: x=x\n"},
	};
	struct entry_fixture *f = *state;

	f->context.check_values = true;
	EXPECT_REFUSALS(f, cases);
	EXPECT_PASSES(f, passes);
	f->context.check_values = false;
}

TEST(naming_value_without_a_normal_form_fails_the_value_check)
{
	struct entry_fixture *f = *state;
	struct refusal refusal = {0};

	f->context.check_values = true;
	assert_int_equal(check(f, "dn: tOFCo=1.2.3\n" DEVICE, &refusal), DIT_E_INVALID);
	f->context.check_values = false;

	assert_int_equal(refusal.code, 21);
	assert_string_equal(refusal.text, "tOFCo: value #0 normalization failed");
	assert_string_equal(fixture_notes(f), "<= str2entry NULL (ssyn_normalize 21)\n");
}

#define NESTED_4(text)  "seeAlso=seeAlso=seeAlso=seeAlso=" text
#define NESTED_16(text) NESTED_4(NESTED_4(NESTED_4(NESTED_4(text))))

TEST(dns_that_nest_too_deeply_are_told)
{
	struct entry_fixture *f = *state;
	struct refusal refusal = {0};

	f->context.check_values = true;
	assert_int_equal(
		check(f, "dn: cn=x\n" DEVICE "tName: " NESTED_16("cn=a") "\n", &refusal),
		DIT_E_UNSUPPORTED);
	f->context.check_values = false;

	assert_string_equal(fixture_notes(f),
	                    "error: attribute 'tName': the DNs or the filter in a value "
	                    "nest too deeply\n");
}

/* The pretty form of a filter may be none: slapd looks at the normal form of that. */
TEST(filters_without_a_normal_pretty_form_are_refused)
{
	static const struct {
		const char *value;
		int code;
	} cases[] = {
		{"ldap:///??sub?(cn=a)", 0},
		{"{0}ldap:///??sub?(cn=a)", 0},
		{"{0}ldap:///??sub?(&)", 21},
		{"ldap:///??sub?(uidNumber=x)", 21},
	};
	struct entry_fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct refusal refusal = {0};
		char record[200];

		(void)snprintf(record, sizeof(record),
		               "dn: cn=x\n" DEVICE "authzTo: %s\n", cases[i].value);
		f->context.check_values = true;
		assert_int_equal(check(f, record, &refusal),
		                 cases[i].code == 0 ? 0 : DIT_E_INVALID);
		f->context.check_values = false;
		if (cases[i].code != 0) {
			assert_int_equal(refusal.code, cases[i].code);
			assert_string_equal(refusal.text,
			                    "authzTo: value #0 normalization failed");
		}
	}
}

TEST(value_check_works_without_schema_check)
{
	static const struct refusal_case cases[] = {
		{"dn: dc=x\nobjectClass: top\nobjectClass: fooz\n", 21,
	         "objectClass: value #1 invalid per syntax", ""},
		{"dn: dc=x\nobjectClass: top\nstructuralObjectClass: fooz\n", 21,
	         "structuralObjectClass: value #0 invalid per syntax", ""},
		{"dn: dc=x\nobjectClass: top\nstructuralObjectClass: device\n"
	         "structuralObjectClass: 2.5.6.14\n",
	         19, "structuralObjectClass: multiple values provided", ""},
		{"dn: dc=x\nobjectClass: top\ntSingle;lang-en: 1\ntSingle;lang-en: 2\n",
	         19, "tSingle;lang-en: multiple values provided", ""},
	};
	struct entry_fixture *f = *state;

	f->context.check_values = true;
	f->context.check_schema = false;
	EXPECT_REFUSALS(f, cases);
	f->context.check_schema = true;
	f->context.check_values = false;
}

MAIN_WITH(entry_fixture_setup, entry_fixture_teardown)
