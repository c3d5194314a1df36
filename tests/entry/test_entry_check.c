/* SPDX-License-Identifier: BSD-2-Clause */
/* The check of one entry. Texts, notes and their order are those of slapadd 2.5.13. */
#include "entry/check_fixture.h"
#include "entry/entry_work.h"

/* ---- presence of objectClass ---- */

TEST(entry_without_object_class_is_always_refused)
{
	static const struct refusal_case cases[] = {
		{"dn: dc=x\ndc: x\n", 0, "no objectClass attribute", ""},
		{"dn: dc=x\nobjectClass;lang-en: domain\ndc: x\n", 0,
	         "no objectClass attribute", ""},
		{"dn: dc=x\n", 0, "no objectClass attribute", ""},
	};
	struct entry_fixture *f = *state;

	EXPECT_REFUSALS(f, cases);
	assert_int_equal(f->entry.oc_flags, 0x100);
	f->context.check_schema = false;
	EXPECT_REFUSALS(f, cases);
	f->context.check_schema = true;
}

TEST(without_schema_check_nothing_is_refused_or_added)
{
	static const struct pass_case cases[] = {
		{"dn: cn=x\nobjectClass: fooz\nmail: x\n",
	         "objectClass: fooz\nmail: x=x\n"},
		{"dn: c-l=x\nobjectClass: top\nc-l: x\n", "objectClass: top\nc-l: x=x\n"},
	};
	struct entry_fixture *f = *state;

	f->context.check_schema = false;
	EXPECT_PASSES(f, cases);
	f->context.check_schema = true;
}

/* ---- A ---- */

TEST(attributes_outside_of_their_places_are_refused)
{
	static const struct refusal_case cases[] = {
		{"dn: dc=x\nobjectClass: domain\naliasedObjectName: dc=y\n", 65,
	         "attribute \"aliasedObjectName\" only allowed in the alias", ""},
		{"dn: dc=x\nobjectClass: domain\naliasedObjectName;lang-en: dc=y\n", 65,
	         "attribute \"aliasedObjectName;lang-en\" only allowed in the alias", ""},
		{"dn: dc=x\nobjectClass: domain\nref: ldap://x\n", 65,
	         "attribute \"ref\" only allowed in the referral", ""},
		{"dn: dc=x\nobjectClass: domain\nsubtreeSpecification: {}\n", 65,
	         "attribute \"subtreeSpecification\" only allowed in the subentry", ""},
		{"dn: dc=x\nobjectClass: domain\nnamingContexts: dc=y\n", 65,
	         "attribute \"namingContexts\" only allowed in the root DSE", ""},
		{"dn: dc=x\nobjectClass: domain\nadministrativeRole: a\n", 65,
	         "attribute \"administrativeRole\" not supported!", ""},
		{"dn: dc=x\nobjectClass: domain\nentryTtl: 600\n", 65,
	         "attribute \"entryTtl\" not supported in context", ""},
		{"dn: cn=a\nobjectClass: device\nc-l: x\n", 65,
	         "'c-l' can only appear in collectiveAttributeSubentry", ""},
	};
	static const struct refusal_case dynamic[] = {
		{"dn: dc=x\nobjectClass: domain\nentryTtl: 600\n", 65,
	         "attribute \"entryTtl\" only allowed in dynamic object", ""},
	};
	struct entry_fixture *f = *state;

	EXPECT_REFUSALS(f, cases);
	f->context.allow_dynamic = true;
	EXPECT_REFUSALS(f, dynamic);
	f->context.allow_dynamic = false;
}

TEST(attributes_in_their_places_pass)
{
	static const struct pass_case cases[] = {
		{"dn: cn=x\nobjectClass: alias\n" ANY "cn: x\naliasedObjectName: dc=y\n",
	         "objectClass: alias | extensibleObject\ncn: x=x\n"
	         "aliasedObjectName: dc=y=dc=y\nstructuralObjectClass: alias\n"},
		{"dn: cn=x\nobjectClass: subentry\nobjectClass: subschema\ncn: x\n"
	         "subtreeSpecification: {}\n",
	         "objectClass: subentry | subschema\ncn: x=x\nsubtreeSpecification: {}\n"
	         "structuralObjectClass: subentry\n"},
		{"dn:\nobjectClass: OpenLDAProotDSE\nnamingContexts: dc=y\n",
	         "objectClass: OpenLDAProotDSE\nnamingContexts: dc=y=dc=y\n"
	         "structuralObjectClass: OpenLDAProotDSE\n"},
		{"dn: dc=x\nobjectClass: domain\ndc: x\nhasSubordinates: TRUE\n",
	         "objectClass: domain\ndc: x=x\nhasSubordinates: TRUE\n"
	         "structuralObjectClass: domain\n"},
	};
	static const struct pass_case dynamic[] = {
		{"dn: dc=x\nobjectClass: domain\nobjectClass: dynamicObject\ndc: x\n"
	         "entryTtl: 600\n",
	         "objectClass: domain | dynamicObject\ndc: x=x\nentryTtl: 600\n"
	         "structuralObjectClass: domain\n"},
	};
	struct entry_fixture *f = *state;

	EXPECT_PASSES(f, cases);
	f->context.allow_dynamic = true;
	EXPECT_PASSES(f, dynamic);
	f->context.allow_dynamic = false;
}

TEST(single_valued_attributes_hold_one_value_in_a_block)
{
	static const struct refusal_case cases[] = {
		{"dn: dc=x\nobjectClass: domain\ngidNumber: 1\ngidNumber: 2\n", 19,
	         "attribute 'gidNumber' cannot have multiple values", "Entry (dc=x), "},
		{"dn: DC = X\nobjectClass: domain\nc;lang-en: a\nc;LANG-EN: b\n", 19,
	         "attribute 'c;lang-en' cannot have multiple values", "Entry (dc=X), "},
		{"dn: dc=x\nobjectClass: fooz\ngidNumber: 1\ngidNumber: 2\nref: x\n", 19,
	         "attribute 'gidNumber' cannot have multiple values", "Entry (dc=x), "},
		{"dn: dc=x\nobjectClass: fooz\nref: x\ngidNumber: 1\ngidNumber: 2\n", 65,
	         "attribute \"ref\" only allowed in the referral", ""},
	};
	static const struct pass_case quick[] = {
		{"dn: cn=x\n" DEVICE "tSingle: 1\no: x\ntSingle: 2\n",
	         DEVICE_READ "tSingle: 1=1\no: x=x\ntSingle: 2=2\n"
	                     "structuralObjectClass: device\n"},
	};
	struct entry_fixture *f = *state;

	EXPECT_REFUSALS(f, cases);
	f->context.is_quick = true;
	EXPECT_PASSES(f, quick);
	f->context.is_quick = false;
}

/* ---- B ---- */

TEST(structural_class_must_be_one_chain)
{
	static const struct refusal_case cases[] = {
		{"dn: dc=x\nobjectClass: domain\nobjectClass: fooClass\ndc: x\n", 65,
	         "unrecognized objectClass 'fooClass'", ""},
		{"dn: dc=x\nobjectClass: person\nobjectClass: foo\nobjectClass: device\n",
	         65, "unrecognized objectClass 'foo'", ""},
		{"dn: dc=x\nobjectClass: top\n" ANY "dc: x\n", 65,
	         "no structural object class provided", ""},
		{"dn: dc=x\nobjectClass: DEVICE\nobjectClass: 2.5.6.6\n", 65,
	         "invalid structural object class chain (DEVICE/2.5.6.6)", ""},
		{"dn: cn=x\nobjectClass: cA\nobjectClass: cB\nobjectClass: person\n", 65,
	         "invalid structural object class chain (cA/cB)", ""},
		{"dn: dc=x\nobjectClass: domain\nobjectClass: alias\n", 65,
	         "invalid structural object class chain (domain/alias)", ""},
	};
	static const struct pass_case passes[] = {
		{"dn: cn=x\nobjectClass: cA\nobjectClass: cB\nobjectClass: cAB\ncn: x\n",
	         "objectClass: cA | cB | cAB\ncn: x=x\nstructuralObjectClass: cAB\n"},
		{"dn: cn=x\nobjectClass: 2.5.6.0\nobjectClass: PERSON\n"
	         "objectClass: person\n"
	         "objectClass: inetOrgPerson\nobjectClass: person\ncn: x\nsn: x\n",
	         "objectClass: 2.5.6.0 | PERSON | person | inetOrgPerson | person\n"
	         "cn: x=x\n"
	         "sn: x=x\nstructuralObjectClass: inetOrgPerson\n"},
	};

	EXPECT_REFUSALS(*state, cases);
	EXPECT_PASSES(*state, passes);
}

TEST(long_texts_are_cut_as_slapd_cuts_them)
{
	struct entry_fixture *f = *state;
	struct refusal refusal = {0};
	char record[512];
	char name[301];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	(void)snprintf(record, sizeof(record), "dn: dc=x\nobjectClass: %s\n", name);

	assert_int_equal(check(f, record, &refusal), DIT_E_INVALID);

	assert_int_equal(strlen(refusal.text), 255);
	assert_int_equal(refusal.text[254], 'x');
}

TEST(last_object_class_block_counts_and_the_first_gives_the_flags)
{
	static const struct pass_case cases[] = {
		{"dn: dc=x\nobjectClass: top\nobjectClass: fooz\ndc: x\n"
	         "objectClass: domain\n",
	         "objectClass: top | fooz\ndc: x=x\nobjectClass: domain\n"
	         "structuralObjectClass: domain\n"},
	};
	static const struct refusal_case refusals[] = {
		/* subentry itself need not be in a subentry */
		{"dn: l=x\nobjectClass: fooz\nl: x\nobjectClass: subentry\n", 65,
	         "object class 'subentry' requires attribute 'cn'", "Entry (l=x): "},
	};
	struct entry_fixture *f = *state;

	f->context.is_quick = true;
	EXPECT_PASSES(f, cases);
	assert_int_equal(f->entry.oc_flags, 0x10100);
	EXPECT_REFUSALS(f, refusals);
	f->context.is_quick = false;
}

TEST(object_class_flags_are_those_of_the_listed_classes)
{
	static const struct {
		const char *record;
		unsigned flags;
	} cases[] = {
		{"dn: dc=x\nobjectClass: domain\ndc: x\n", 0x100},
		{"dn: dc=x\nobjectClass: domain\nobjectClass: 2.5.6.0\ndc: x\n", 0x10100},
		{"dn: cn=x\nobjectClass: alias\n" ANY "aliasedObjectName: dc=x\n",
	         0x14101},
		{"dn: cn=x\nobjectClass: referral\n" ANY "ref: ldap:///\n", 0x14102},
		{"dn: dc=x\nobjectClass: glue\n", 0x1c120},
		{"dn: cn=x\nobjectClass: subentry\nobjectClass: syncProviderSubentry\n"
	         "cn: x\n"
	         "subtreeSpecification: {}\n",
	         0x1c144},
	};
	struct entry_fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct refusal refusal = {0};

		assert_int_equal(check(f, cases[i].record, &refusal), 0);
		assert_int_equal(f->entry.oc_flags, cases[i].flags);
	}
}

/* ---- C ---- */

TEST(own_structural_class_must_be_the_computed_one)
{
	static const struct refusal_case cases[] = {
		{"dn: cn=x\nobjectClass: person\nstructuralObjectClass: foo\n", 65,
	         "(null)",
	         "entry_check_schema(cn=x): unrecognized structuralObjectClass 'foo'"},
		{"dn: cn=x\nobjectClass: person\n"
	         "structuralObjectClass: EXTENSIBLEobject\n",
	         80, "(null)",
	         "entry_check_schema(cn=x): structuralObjectClass 'EXTENSIBLEobject' "
	         "is not STRUCTURAL"},
		{"dn: cn=x\nobjectClass: cObs\nstructuralObjectClass: COBS\n", 65,
	         "(null)",
	         "entry_check_schema(cn=x): structuralObjectClass 'COBS' is OBSOLETE"},
		{"dn: cn=x\nobjectClass: cObs\n", 65, "(null)",
	         "entry_check_schema(cn=x): structuralObjectClass 'cObs' is OBSOLETE"},
		{"dn: cn=x\nobjectClass: PERSON\nstructuralObjectClass: DEVICE\n", 69,
	         "structural object class modification from 'DEVICE' to 'person' not "
	         "allowed",
	         ""},
		{"dn: cn=x\nobjectClass: cAlias\nstructuralObjectClass: 2.5.6.14\n", 69,
	         "structural object class modification from '2.5.6.14' to 'cA' not "
	         "allowed",
	         ""},
		{"dn: cn=x\nobjectClass: cA\nstructuralObjectClass: cA\n"
	         "structuralObjectClass: cA\n",
	         19, "attribute 'structuralObjectClass' cannot have multiple values",
	         "Entry (cn=x), "},
		{"dn: cn=x\nobjectClass: fooz\nstructuralObjectClass: foo\n", 65,
	         "unrecognized objectClass 'fooz'", ""},
	};
	static const struct pass_case passes[] = {
		{"dn: cn=x\nobjectClass: DEVICE\nstructuralObjectClass: GLUE\ncn: x\n",
	         "objectClass: DEVICE\nstructuralObjectClass: device\ncn: x=x\n"},
		{"dn: cn=x\nobjectClass: cAlias\nstructuralObjectClass: CALIAS\ncn: x\n",
	         "objectClass: cAlias\nstructuralObjectClass: CALIAS\ncn: x=x\n"},
	};
	static const struct pass_case quick[] = {
		{"dn: cn=x\n" DEVICE "structuralObjectClass: person\nl: x\n"
	         "structuralObjectClass: device\n",
	         DEVICE_READ "structuralObjectClass: person\nl: x=x\n"
	                     "structuralObjectClass: device\n"},
	};
	struct entry_fixture *f = *state;

	EXPECT_REFUSALS(f, cases);
	EXPECT_PASSES(f, passes);
	f->context.is_quick = true;
	EXPECT_PASSES(f, quick);
	f->context.is_quick = false;
}

/* ---- E ---- */

TEST(content_rules_are_obeyed)
{
	static const struct refusal_case cases[] = {
		{"dn: cn=x\nobjectClass: cRuleObs\ncn: x\n", 65,
	         "content rule 'rObs' is obsolete", "Entry (cn=x): "},
		{"dn: cn=x\nobjectClass: cRule\ntSingle: x\n", 65,
	         "content rule 'rRule' requires attribute 'sn'", "Entry (cn=x): "},
		{"dn: cn=x\nobjectClass: cRule\nsn: x\ntSingle;lang-en: x\n", 65,
	         "content rule 'rRule' precluded attribute 'tSingle'", "Entry (cn=x): "},
		{"dn: cn=x\nobjectClass: cRule\nobjectClass: AUXB\nsn: x\n", 65,
	         "class 'auxB' not allowed by content rule 'rRule'", "Entry (cn=x): "},
		{"dn: cn=x\nobjectClass: cRule\n" ANY "sn: x\n", 65,
	         "class 'extensibleObject' not allowed by content rule 'rRule'",
	         "Entry (cn=x): "},
		{"dn: cn=x\nobjectClass: cNoName\nobjectClass: auxB\n", 65,
	         "class 'auxB' not allowed by content rule '1.1.2.10'", "Entry (cn=x): "},
		{"dn: cn=x\nobjectClass: cRule\nsn: x\nmail: x\n", 65,
	         "attribute 'mail' not allowed", "Entry (cn=x), "},
	};
	static const struct pass_case passes[] = {
		{"dn: cn=x\nobjectClass: cRule\nobjectClass: auxA\nsn;lang-en: x\nou: x\n"
	         "description: x\n",
	         "objectClass: cRule | auxA\nsn;lang-en: x=x\nou: x=x\ndescription: x=x\n"
	         "structuralObjectClass: cRule\ncn: x=x\n"},
	};

	EXPECT_REFUSALS(*state, cases);
	EXPECT_PASSES(*state, passes);
}

/* ---- F ---- */

TEST(classes_are_checked_in_the_order_listed)
{
	static const struct refusal_case cases[] = {
		{"dn: cn=x\nobjectClass: cA\nobjectClass: AUXOBS\n", 65,
	         "objectClass 'AUXOBS' is OBSOLETE",
	         "entry_check_schema(cn=x): objectClass "
	         "'AUXOBS' is OBSOLETE"},
		{"dn: cn=x\nobjectClass: cA\nobjectClass: CABS\n", 65,
	         "instantiation of abstract objectClass 'CABS' not allowed",
	         "entry_check_schema(cn=x): instantiation of abstract objectClass 'CABS' "
	         "not allowed"},
		{"dn: cn=x\nobjectClass: cNoName\nobjectClass: cAbs\n", 65,
	         "instantiation of abstract objectClass 'cAbs' not allowed",
	         "entry_check_schema(cn=x): instantiation of abstract objectClass 'cAbs' "
	         "not allowed"},
		{"dn: dc=x\nobjectClass: domain\nobjectClass: dynamicObject\n", 65,
	         "objectClass \"1.3.6.1.4.1.1466.101.119.2\" not supported in context",
	         ""},
		{"dn: dc=x\nobjectClass: domain\nobjectClass: subschema\n", 65,
	         "objectClass \"2.5.20.1\" only allowed in subentries", ""},
		{"dn: dc=x\nobjectClass: LDAProotDSE\n", 65,
	         "objectClass \"1.3.6.1.4.1.4203.1.4.1\" only allowed in the root DSE",
	         ""},
		{"dn: cn=x\nobjectClass: PERSON\ncn: x\n", 65,
	         "object class 'PERSON' requires attribute 'sn'", "Entry (cn=x): "},
		/* superclasses of the structural class are asked nothing */
		{"dn: cn=x\nobjectClass: top\nobjectClass: person\n"
	         "objectClass: inetOrgPerson\n",
	         65, "object class 'inetOrgPerson' requires attribute 'sn'",
	         "Entry (cn=x): "},
		{"dn: cn=x\nobjectClass: cAbs\nobjectClass: cSub\n", 65,
	         "object class 'cSub' requires attribute 'sn'", "Entry (cn=x): "},
		{"dn: cn=x\nobjectClass: posixAccount\nobjectClass: device\n", 65,
	         "object class 'posixAccount' requires attribute 'uid'",
	         "Entry (cn=x): "},
		/* not satisfied by a subtype */
		{"dn: cn=x\nobjectClass: cName\n", 65,
	         "object class 'cName' requires attribute 'name'", "Entry (cn=x): "},
		{"dn: cn=x\nobjectClass: subentry\n", 65,
	         "object class 'subentry' requires attribute 'subtreeSpecification'",
	         "Entry (cn=x): "},
		{"dn: cn=x\nobjectClass: alias\n" ANY, 65,
	         "object class 'alias' requires attribute 'aliasedObjectName'",
	         "Entry (cn=x): "},
	};
	static const struct pass_case passes[] = {
		{"dn: cn=x\nobjectClass: cSub\nobjectClass: cAbs\nobjectClass: top\n"
	         "sn: x\n"
	         "tNone: x\n",
	         "objectClass: cSub | cAbs | top\nsn: x=x\ntNone: x\n"
	         "structuralObjectClass: cSub\ncn: x=x\n"},
		{"dn: cn=a\nobjectClass: person\nsn;lang-en: x\n",
	         "objectClass: person\nsn;lang-en: x=x\nstructuralObjectClass: person\n"
	         "cn: a=a\n"},
		{"dn: dc=x\nobjectClass: domain\nobjectClass: syncProviderSubentry\n"
	         "dc: x\n",
	         "objectClass: domain | syncProviderSubentry\ndc: x=x\n"
	         "structuralObjectClass: domain\n"},
	};

	EXPECT_REFUSALS(*state, cases);
	EXPECT_PASSES(*state, passes);
}

/* ---- G ---- */

TEST(attributes_must_be_allowed_by_a_listed_class)
{
	static const struct refusal_case cases[] = {
		{"dn: cn=x\nobjectClass: PERSON\nsn: x\nMAIL: foo\n", 65,
	         "attribute 'mail' not allowed", "Entry (cn=x), "},
		{"dn: cn=x\nobjectClass: person\nsn: x\nou;lang-en: foo\n", 65,
	         "attribute 'ou;lang-en' not allowed", "Entry (cn=x), "},
		{"dn: cn=x\nobjectClass: cSub\nsn: a\no: a\n", 65,
	         "attribute 'o' not allowed", "Entry (cn=x), "},
		{"dn: cn=x\nobjectClass: cName\nname: a\n", 65,
	         "attribute 'cn' not allowed", "Entry (cn=x), "},
		/* added by name, then refused */
		{"dn: cn=A+mail=b\nobjectClass: person\nsn: z\n", 65,
	         "attribute 'mail' not allowed", "Entry (cn=A+mail=b), "},
	};

	EXPECT_REFUSALS(*state, cases);
}

/* ---- memory of class lists ---- */

TEST(lists_of_classes_are_told_apart_however_many_there_are)
{
	struct entry_fixture *f = *state;
	struct refusal refusal = {0};
	char record[1200];

	for (unsigned i = 0; i < 3000; i++) {
		char *at = stpcpy(record, "dn: cn=x\nobjectClass: device\n");

		for (unsigned bit = 0; bit < 12; bit++) {
			at = stpcpy(at, "objectClass: ");
			at = stpcpy(at, (i >> bit & 1) != 0 ? "TOP\n" : "top\n");
		}
		(void)stpcpy(at, i % 7 == 0 ? "mail: x\n" : "l: x\n");
		assert_int_equal(check(f, record, &refusal),
		                 i % 7 == 0 ? DIT_E_INVALID : 0);
		assert_int_equal(f->entry.oc_flags, 0x10100);
	}
}

TEST(seen_types_survive_the_wrap_of_the_check_counter)
{
	static const struct refusal_case cases[] = {
		{"dn: cn=x\nobjectClass: person\ncn: x\n", 65,
	         "object class 'person' requires attribute 'sn'", "Entry (cn=x): "},
	};
	static const struct pass_case passes[] = {
		{"dn: cn=x\nobjectClass: person\ncn: x\nsn: x\n",
	         "objectClass: person\ncn: x=x\nsn: x=x\n"
	         "structuralObjectClass: person\n"},
	};
	struct entry_fixture *f = *state;

	EXPECT_PASSES(f, passes);
	f->caches.work->check = UINT32_MAX;
	EXPECT_REFUSALS(f, cases);
	EXPECT_PASSES(f, passes);
	EXPECT_REFUSALS(f, cases);
}

/* cBelow has a superior that is not below top. */
TEST(top_may_be_listed_with_a_class_that_is_not_below_it)
{
	static const struct pass_case passes[] = {
		{"dn: cn=x\nobjectClass: cBelow\ncn: x\n",
	         "objectClass: cBelow\ncn: x=x\nstructuralObjectClass: cBelow\n"},
		{"dn: cn=x\nobjectClass: TOP\nobjectClass: cBelow\ncn: x\n",
	         "objectClass: TOP | cBelow\ncn: x=x\nstructuralObjectClass: cBelow\n"},
		/* a naming value is looked for among the classes above */
		{"dn: objectClass=top\nobjectClass: cBelow\ncn: x\n",
	         "objectClass: cBelow | top\ncn: x=x\nstructuralObjectClass: cBelow\n"},
	};
	static const struct refusal_case cases[] = {
		{"dn: cn=x\nobjectClass: device\nobjectClass: cRoot\ncn: x\n", 65,
	         "instantiation of abstract objectClass 'cRoot' not allowed",
	         "entry_check_schema(cn=x): "},
		{"dn: cn=x\nobjectClass: cBelow\ncn: x\nsn: x\n", 65,
	         "attribute 'sn' not allowed", "Entry (cn=x), "},
	};

	EXPECT_PASSES(*state, passes);
	EXPECT_REFUSALS(*state, cases);
}

MAIN_WITH(entry_fixture_setup, entry_fixture_teardown)
