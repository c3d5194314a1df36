/* SPDX-License-Identifier: BSD-2-Clause */
/* Naming values: the same are refused and added as by slapadd 2.5.13. */
#include "entry/check_fixture.h"

TEST(some_attributes_cannot_name_entries)
{
	static const struct refusal_case cases[] = {
		{"dn: createTimestamp=20200101000000Z\nobjectClass: device\n", 64,
	         "naming attribute 'createTimestamp' is operational", ""},
		{"dn: c-l=a\nobjectClass: device\n", 64,
	         "naming attribute 'c-l' is collective", ""},
		{"dn: tObs=a\n" DEVICE, 64, "naming attribute 'tObs' is obsolete", ""},
		{"dn: tNone=a\n" DEVICE, 64,
	         "naming attribute 'tNone' has no equality matching rule", ""},
		{"dn: createTimestamp=20200101000000Z\nobjectClass: cRule\n", 64,
	         "naming attribute 'createTimestamp' is operational", ""},
		{"dn: createTimestamp=20200101000000Z\nobjectClass: device\n"
	         "structuralObjectClass: person\n",
	         69,
	         "structural object class modification from 'person' to 'device' not "
	         "allowed",
	         ""},
	};

	EXPECT_REFUSALS(*state, cases);
}

TEST(single_valued_naming_attribute_must_have_the_naming_value)
{
	static const struct refusal_case cases[] = {
		{"dn: c=US\nobjectClass: country\nc: DE\n", 64,
	         "value of single-valued naming attribute 'c' conflicts with value "
	         "present in "
	         "entry",
	         ""},
		{"dn: uidNumber=7\n" DEVICE "uidNumber: 007\n", 64,
	         "value of single-valued naming attribute 'uidNumber' conflicts with "
	         "value "
	         "present in entry",
	         ""},
		{"dn: mail=a+tSingle=x\n" DEVICE "tSingle: y\n", 64,
	         "value of single-valued naming attribute 'tSingle' conflicts with value "
	         "present in entry",
	         ""},
	};

	EXPECT_REFUSALS(*state, cases);
}

TEST(missing_naming_values_are_added)
{
	static const struct pass_case cases[] = {
		/* present by its normal form */
		{"dn: cn=A  b\nobjectClass: device\ncn: a B\n",
	         "objectClass: device\ncn: a B=a b\nstructuralObjectClass: device\n"},
		/* appended to the block; new block after structuralObjectClass */
		{"dn: cn=A+sn=B\nobjectClass: person\ncn: z\n",
	         "objectClass: person\ncn: z=z | A=a\nstructuralObjectClass: person\n"
	         "sn: B=b\n"},
		/* options make another attribute */
		{"dn: dc=x\nobjectClass: domain\ndc;lang-en: x\n",
	         "objectClass: domain\ndc;lang-en: x=x\nstructuralObjectClass: domain\n"
	         "dc: x=x\n"},
		/* pretty value, its normal form */
		{"dn: l=Foo  BAR\n" DEVICE "l: z\n", DEVICE_READ
	         "l: z=z | Foo  BAR=foo bar\nstructuralObjectClass: device\n"},
		{"dn: seeAlso=cn\\=A\\,dc\\=X\n" DEVICE "seeAlso: CN=A , DC=X\n",
	         DEVICE_READ "seeAlso: CN=A , DC=X=cn=a,dc=x\n"
	                     "structuralObjectClass: device\n"},
		{"dn: seeAlso=CN\\=A\\,DC\\=X\n" DEVICE,
	         DEVICE_READ "structuralObjectClass: device\n"
	                     "seeAlso: cn=A,dc=X=cn=a,dc=x\n"},
	};

	EXPECT_PASSES(*state, cases);
}

TEST(naming_values_compare_by_the_equality_rule)
{
	static const struct pass_case cases[] = {
		/* a DN keeps the text of a UUID; an attribute has 16 bytes */
		{"dn: tUUID=AAAAAAAA-bbbb-1111-2222-333333333333\n" DEVICE
	         "tUUID: aaaaaaaa-BBBB-1111-2222-333333333333\n",
	         DEVICE_READ "tUUID: aaaaaaaa-BBBB-1111-2222-333333333333="
	                     "\\aa\\aa\\aa\\aa\\bb\\bb\\11\\11\"\"333333\n"
	                     "structuralObjectClass: device\n"},
		{"dn: tUUID=AAAAAAAA-bbbb-1111-2222-333333333333\n" DEVICE,
	         DEVICE_READ "structuralObjectClass: device\n"
	                     "tUUID: aaaaaaaa-bbbb-1111-2222-333333333333="
	                     "\\aa\\aa\\aa\\aa\\bb\\bb\\11\\11\"\"333333\n"},
		/* first component: bare values only in DNs; they go unnormalised */
		{"dn: tOFCo=1.2.3\n" DEVICE "tOFCo: ( 1.2.3 NAME 'x' )\n",
	         DEVICE_READ "tOFCo: ( 1.2.3 NAME 'x' )=1.2.3\n"
	                     "structuralObjectClass: device\n"},
		{"dn: tOFCo=1.2.3\n" DEVICE,
	         DEVICE_READ "structuralObjectClass: device\ntOFCo: 1.2.3\n"},
		{"dn: tOFCo=1.2.3\n" DEVICE "tOFCo: ( 1.2.4 )\n",
	         DEVICE_READ "tOFCo: ( 1.2.4 ) | 1.2.3\nstructuralObjectClass: device\n"},
		{"dn: tOFC=( 1.2.3 )\n" DEVICE,
	         DEVICE_READ "structuralObjectClass: device\ntOFC: ( 1.2.3 )=1.2.3\n"},
		/* no normaliser: bytes; lengths of booleans; ancestry of classes */
		{"dn: tInt=7\n" DEVICE "tInt: 007\n",
	         DEVICE_READ "tInt: 007 | 7\nstructuralObjectClass: device\n"},
		{"dn: tOct=a\n" DEVICE "tOct: b\ntOct: a\n",
	         DEVICE_READ "tOct: b | a\nstructuralObjectClass: device\n"},
		{"dn: tBool=TRUE\n" DEVICE "tBool: abcd\n",
	         DEVICE_READ "tBool: abcd\nstructuralObjectClass: device\n"},
		{"dn: tBool=TRUE\n" DEVICE "tBool: abcde\n",
	         DEVICE_READ "tBool: abcde | TRUE\nstructuralObjectClass: device\n"},
		{"dn: objectClass=person+cn=x\nobjectClass: inetOrgPerson\ncn: x\n"
	         "sn: x\n",
	         "objectClass: inetOrgPerson\ncn: x=x\nsn: x=x\n"
	         "structuralObjectClass: inetOrgPerson\n"},
		{"dn: objectClass=top+cn=x\nobjectClass: 2.5.6.14\ncn: x\n",
	         "objectClass: 2.5.6.14\ncn: x=x\nstructuralObjectClass: device\n"},
		/* a class added by name only is not checked */
		{"dn: objectClass=posixAccount+cn=x\nobjectClass: person\nsn: x\n",
	         "objectClass: person | posixAccount\nsn: x=x\n"
	         "structuralObjectClass: person\ncn: x=x\n"},
	};

	EXPECT_PASSES(*state, cases);
}

TEST(only_the_first_block_is_looked_at_for_a_naming_value)
{
	static const struct pass_case passes[] = {
		{"dn: cn=b\nobjectClass: device\ncn: a\nl: x\ncn: b\n",
	         "objectClass: device\ncn: a=a | b=b\nl: x=x\ncn: b=b\n"
	         "structuralObjectClass: device\n"},
	};
	static const struct refusal_case cases[] = {
		{"dn: tSingle=b\n" DEVICE "tSingle: a\nl: x\ntSingle: b\n", 64,
	         "value of single-valued naming attribute 'tSingle' conflicts with value "
	         "present in entry",
	         ""},
	};
	struct entry_fixture *f = *state;

	f->context.is_quick = true;
	EXPECT_PASSES(f, passes);
	EXPECT_REFUSALS(f, cases);
	f->context.is_quick = false;
}

TEST(as_many_naming_values_are_added_as_the_rdn_has)
{
	static const struct pass_case cases[] = {
		{"dn: uid=1+sn=2+o=3+ou=4+l=5+mail=6+tInt=7+tOct=8+name=9+tSingle=10+"
	         "telephoneNumber=11+homeDirectory=12+gidNumber=13\n" DEVICE,
	         DEVICE_READ
	         "structuralObjectClass: device\ngidNumber: 13\nhomeDirectory: 12=12\n"
	         "l: 5=5\nmail: 6=6\nname: 9=9\no: 3=3\nou: 4=4\nsn: 2=2\ntInt: 7\n"
	         "tOct: 8\ntSingle: 10=10\ntelephoneNumber: 11=11\nuid: 1=1\n"},
	};

	EXPECT_PASSES(*state, cases);
}

TEST(glue_entries_get_no_naming_values)
{
	static const struct pass_case passes[] = {
		{"dn: dc=x\nobjectClass: glue\n",
	         "objectClass: glue\nstructuralObjectClass: glue\n"},
	};
	static const struct refusal_case cases[] = {
		{"dn: dc=x\nobjectClass: glue\ncn: foo\n", 65,
	         "attribute 'cn' not allowed", "Entry (dc=x), "},
	};

	EXPECT_PASSES(*state, passes);
	EXPECT_REFUSALS(*state, cases);
}

TEST(later_releases_add_naming_values_first)
{
	static const struct pass_case passes[] = {
		{"dn: cn=A+sn=B\nobjectClass: person\ncn: z\n",
	         "objectClass: person\ncn: z=z | A=a\nsn: B=b\n"
	         "structuralObjectClass: person\n"},
		/* present ones stay where they are */
		{"dn: cn=a\nobjectClass: device\ncn: A\nl: x\n",
	         "objectClass: device\ncn: A=a\nl: x=x\n"
	         "structuralObjectClass: device\n"},
		/* once: a value that its rule does not find again among the values */
		{"dn: tOFC=( 3.9.259 NAME 'x' )\n" DEVICE,
	         DEVICE_READ "tOFC: ( 3.9.259 NAME 'x' )=3.9.259\n"
	                     "structuralObjectClass: device\n"},
	};
	static const struct refusal_case cases[] = {
		{"dn: dc=x\nobjectClass: glue\n", 65, "attribute 'dc' not allowed",
	         "Entry (dc=x), "},
		{"dn: sn=x+cn=a\nobjectClass: device\n", 65, "attribute 'sn' not allowed",
	         "Entry (cn=a+sn=x), "},
		{"dn: c=US\nobjectClass: country\nc: DE\n", 64, "(null)", ""},
		{"dn: createTimestamp=20200101000000Z\nobjectClass: device\n", 64,
	         "(null)", ""},
		{"dn: tObs=a\n" DEVICE, 64, "(null)", ""},
		/* before all other checks but the first */
		{"dn: c=US\nobjectClass: nobody\nc: DE\n", 64, "(null)", ""},
		{"dn: c=US\nc: DE\n", 0, "no objectClass attribute", ""},
		/* a class that came from the name is one of the entry */
		{"dn: objectClass=posixAccount+cn=x\nobjectClass: person\nsn: x\n", 65,
	         "object class 'posixAccount' requires attribute 'uid'",
	         "Entry (cn=x+objectClass=posixAccount): "},
	};
	struct entry_fixture *f = *state;
	struct refusal refusal = {0};

	f->context.names_first = true;
	EXPECT_PASSES(f, passes);
	EXPECT_REFUSALS(f, cases);
	/* -s */
	f->context.check_schema = false;
	assert_int_equal(check(f, "dn: cn=a\nobjectClass: device\nl: x\n", &refusal), 0);
	assert_string_equal(fixture_entry(f), "objectClass: device\nl: x=x\n");
	f->context.check_schema = true;
	f->context.names_first = false;
}

MAIN_WITH(entry_fixture_setup, entry_fixture_teardown)
