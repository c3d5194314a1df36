/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registry refuses the definitions that slapd refuses, in slapd's words. A refused
 * definition leaves nothing.
 */
#include "schema/schema.h"

#include "base/error.h"
#include "schema/schema_private.h"
#include "schema_fixture.h"

/* All texts as printed by slapd 2.5.13. */
static const struct refused_case {
	define_fn fn;
	const char *text;
	int code;
	const char *message;
} refused_cases[] = {
/* clang-format off */
#define AT dit_schema_define_type
#define OC dit_schema_define_class
#define CR dit_schema_define_content_rule
#define SY dit_schema_define_syntax
#define NOTFOUND "attributetype: AttributeType not found: "
#define RULE "attributetype: AttributeType inappropriate matching rule: "
#define USAGE "attributetype: AttributeType inappropriate USAGE: "
#define SUP "attributetype: AttributeType inappropriate SUPerior: "
#define CLSUP "objectclass: user-defined ObjectClass has inappropriate SUPerior: "
#define AUX "ditcontentrule: Content Rule AUX contains inappropriate object class: "
{AT, "( 1.2.3 NAME 'x' SUP nope )", DIT_E_UNKNOWN, NOTFOUND "\"nope\""},
{AT, "( 1.2.3 NAME 'x' )", DIT_E_INVALID,
 "attributetype: AttributeType SYNTAX or SUPerior required: \"x\""},
{AT, "( 1.2.3 )", DIT_E_INVALID,
 "attributetype: AttributeType SYNTAX or SUPerior required: \"1.2.3\""},
{AT, "( 1.2.3 NAME 'x' EQUALITY nope SYNTAX " S "15 )", DIT_E_UNKNOWN,
 "attributetype: MatchingRule not found: \"nope\""},
{AT, "( 1.2.3 NAME 'x' SYNTAX 1.2.3.4 )", DIT_E_UNKNOWN,
 "attributetype: Syntax not found: \"1.2.3.4\""},
{AT, "( 1.2.3 NAME 'x' SYNTAX nope )", DIT_E_UNKNOWN,
 "attributetype: OID could not be expanded: \"nope\""},
{AT, "( bad:1 NAME 'x y' SUP name )", DIT_E_UNKNOWN,
 "attributetype: OID could not be expanded: \"bad:1\""},
{AT, "( 1.2.3 NAME 'x_y' SUP name COLLECTIVE SINGLE-VALUE )", DIT_E_INVALID,
 "attributetype: Invalid NAME: \"x_y\""},
{AT, "( 1.2.3 NAME ( 'ok' '1a' ) SUP name )", DIT_E_INVALID,
 "attributetype: Invalid NAME: \"1a\""},
{AT, "( 1.2.3 NAME '' SUP name )", DIT_E_INVALID, "attributetype: Invalid NAME: \"\""},
{AT, "( 1.2.3 NAME 'x' SUP nope COLLECTIVE SINGLE-VALUE )", DIT_E_INVALID,
 USAGE "\"x\""},
{AT, "( 1.2.3 NAME 'x' SUP name NO-USER-MODIFICATION )", DIT_E_INVALID, USAGE "\"x\""},
{AT, "( 1.2.3 NAME 'x' SUP createTimestamp OBSOLETE )", DIT_E_INVALID, USAGE "\"x\""},
{AT, "( OLcfg:5 NAME 'x' SUP nope USAGE dSAOperation )", DIT_E_INVALID,
 "attributetype: \"OLcfg:5\" is operational"},
{AT, "( 1.2.3 NAME 'x' SUP cn USAGE directoryOperation )", DIT_E_INVALID,
 "attributetype: \"1.2.3\" is operational"},
{AT, "( 1.2.3 NAME 'x' SUP cn USAGE distributedOperation )", DIT_E_INVALID,
 "attributetype: \"1.2.3\" is operational"},
{AT, "( 1.2.3 NAME 'x' SUP c SYNTAX " S "15 )", DIT_E_INVALID, SUP "\"x\""},
{AT, "( 1.2.3 NAME 'x' SUP name EQUALITY caseIgnoreOrderingMatch )", DIT_E_INVALID,
 RULE "\"caseIgnoreOrderingMatch\""},
{AT, "( 1.2.3 NAME 'x' SUP name EQUALITY integerMatch )", DIT_E_INVALID,
 RULE "\"integerMatch\""},
{AT, "( 1.2.3 NAME 'x' EQUALITY dnSubtreeMatch SYNTAX " S "12 )", DIT_E_INVALID,
 RULE "\"dnSubtreeMatch\""},
{AT, "( 1.2.3 NAME 'x' SUP name ORDERING caseIgnoreMatch )", DIT_E_INVALID,
 RULE "\"caseIgnoreMatch\""},
{AT, "( 1.2.3 NAME 'x' SUP name ORDERING integerOrderingMatch )", DIT_E_INVALID,
 RULE "\"integerOrderingMatch\""},
{AT, "( 1.2.3 NAME 'x' SUP name ORDERING nope )", DIT_E_UNKNOWN,
 "attributetype: MatchingRule not found: \"nope\""},
{AT, "( 1.2.3 NAME 'x' SUBSTR a ORDERING b SYNTAX " S "15 )", DIT_E_INVALID,
 RULE "\"b\""},
{AT, "( 1.2.3 NAME 'x' SUBSTR a SYNTAX " S "15 )", DIT_E_INVALID, RULE "\"a\""},
{AT, "( 1.2.3 NAME 'x' SUP name SUBSTR integerMatch )", DIT_E_INVALID,
 RULE "\"integerMatch\""},
{AT, "( 1.2.3 NAME 'x' SUP name SUBSTR nope )", DIT_E_UNKNOWN,
 "attributetype: MatchingRule not found: \"nope\""},
{AT, "( 1.2.3 NAME 'x' SUP name SUBSTR caseExactIA5SubstringsMatch SYNTAX " S "26 )",
 DIT_E_INVALID,
 RULE "\"caseExactIA5SubstringsMatch\""},
{AT, "( 2.5.4.4 NAME 'sn' SUP cn )", DIT_E_DUPLICATE,
 "attributetype: Duplicate attributeType: \"2.5.4.4\""},
{AT, "( 2.5.4.4 NAME ( 'surname' 'sn' ) SUP cn )", DIT_E_DUPLICATE,
 "attributetype: Inconsistent duplicate attributeType: \"2.5.4.4\""},
{AT, "( 2.5.4.4 SUP cn )", DIT_E_DUPLICATE,
 "attributetype: Inconsistent duplicate attributeType: \"2.5.4.4\""},
{AT, "( 2.5.4.4 NAME ( 'sn' 'surname' 'x' ) SUP cn )", DIT_E_DUPLICATE,
 "attributetype: Inconsistent duplicate attributeType: \"2.5.4.4\""},
{AT, "( 1.2.3 NAME ( 'x' 'SN' ) SUP cn )", DIT_E_DUPLICATE,
 "attributetype: Inconsistent duplicate attributeType: \"SN\""},
{AT, "( 1.2.3 NAME ( 'x' 'X' ) SUP cn )", DIT_E_DUPLICATE,
 "attributetype: Duplicate attributeType: \"X\""},
{AT, "( 1.2.3 NAME 'x' NAME 'y' SUP cn )", DIT_E_SYNTAX,
 "attributetype: Duplicate option before  'y' SUP cn )"},
{AT, "( 1.2.3 NAME 'x' SUP cn", DIT_E_SYNTAX,
 "attributetype: Missing closing parenthesis before end of input"},
{AT, "( NAME 'x' SUP cn )", DIT_E_SYNTAX, "attributetype: OID is missing"},
{AT, "( 1..2 NAME 'x' SUP cn )", DIT_E_SYNTAX,
 "attributetype: Expecting digit before .2 NAME 'x' SUP cn )"},
{OC, "( 1.2.3 NAME 'x' SUP nope )", DIT_E_UNKNOWN,
 "objectclass: ObjectClass not found: \"nope\""},
{OC, "( 1.2.3 NAME 'x' SUP dcObject )", DIT_E_INVALID, CLSUP "\"dcObject\""},
{OC, "( 1.2.3 NAME 'x' SUP person ABSTRACT )", DIT_E_INVALID, CLSUP "\"person\""},
{OC, "( 1.2.3 NAME 'x' AUXILIARY SUP ( dcObject $ person ) )", DIT_E_INVALID,
 CLSUP "\"person\""},
{OC, "( 1.2.3 NAME 'x' SUP subentry MUST nope )", DIT_E_INVALID,
 CLSUP "\"( 1.2.3 NAME 'x' SUP subentry MUST nope )\""},
{OC, "( 1.2.3 NAME 'x' MUST nope MAY nope2 )", DIT_E_UNKNOWN,
 "objectclass: AttributeType not found: \"nope\""},
{OC, "( 1.2.3 NAME 'x' MAY nope2 )", DIT_E_UNKNOWN,
 "objectclass: AttributeType not found: \"nope2\""},
{OC, "( 1.2.3 NAME 'x' MAY ref )", DIT_E_INVALID,
 "objectclass: user-defined ObjectClass includes operational attributes: \"( "
 "1.2.3 NAME 'x' MAY ref )\""},
{OC, "( nope:1 NAME 'x y' )", DIT_E_INVALID,
 "objectclass: Invalid NAME: \"( nope:1 NAME 'x y' )\""},
{OC, "( nope:1 NAME 'x' )", DIT_E_UNKNOWN,
 "objectclass: OID could not be expanded: \"nope:1\""},
{OC, "( 2.5.6.6 NAME 'person' )", DIT_E_DUPLICATE,
 "objectclass: Duplicate objectClass: \"2.5.6.6\""},
{OC, "( 2.5.6.6 NAME 'personx' )", DIT_E_DUPLICATE,
 "objectclass: Inconsistent duplicate objectClass: \"2.5.6.6\""},
{OC, "( 1.2.3 NAME 'person' )", DIT_E_DUPLICATE,
 "objectclass: Inconsistent duplicate objectClass: \"person\""},
{OC, "( 1.2.3 NAME 'x' BOGUS )", DIT_E_SYNTAX,
 "objectclass: Unexpected token before  )"},
{OC, "( NAME 'x' )", DIT_E_SYNTAX, "objectclass: OID is missing"},
{CR, "( 1.2.3 AUX nope )", DIT_E_UNKNOWN,
 "ditcontentrule: ObjectClass not found: \"1.2.3\""},
{CR, "( person )", DIT_E_UNKNOWN,
 "ditcontentrule: OID could not be expanded: \"person\""},
{CR, "( 1.3.6.1.4.1.1466.344 )", DIT_E_INVALID,
 "ditcontentrule: Content Rule not for STRUCTURAL object class: "
 "\"1.3.6.1.4.1.1466.344\""},
{CR, "( 2.5.6.6 AUX nope MUST nope )", DIT_E_UNKNOWN,
 "ditcontentrule: ObjectClass not found: \"nope\""},
{CR, "( 2.5.6.6 AUX person )", DIT_E_INVALID, AUX "\"person\""},
{CR, "( 2.5.6.6 AUX subschema )", DIT_E_INVALID, AUX "\"( 2.5.6.6 AUX subschema )\""},
{CR, "( 2.5.6.1 )", DIT_E_INVALID, AUX "\"( 2.5.6.1 )\""},
{CR, "( 2.5.6.6 MAY createTimestamp )", DIT_E_INVALID,
 AUX "\"( 2.5.6.6 MAY createTimestamp )\""},
{CR, "( 2.5.6.6 MUST nope MAY nope2 )", DIT_E_UNKNOWN,
 "ditcontentrule: AttributeType not found: \"nope\""},
{CR, "( 2.5.6.6 NOT nope3 )", DIT_E_UNKNOWN,
 "ditcontentrule: AttributeType not found: \"nope3\""},
{CR, "( 2.5.6.6 MUST cn MAY ( sn $ commonName ) )", DIT_E_INVALID,
 "ditcontentrule: Content Rule attribute type list contains duplicate: \"commonName\""},
{CR, "( 2.5.6.6 MUST ( cn $ cn ) )", DIT_E_INVALID,
 "ditcontentrule: Content Rule attribute type list contains duplicate: \"cn\""},
{CR, "( 2.5.6.6 NAME 'x y' AUX nope )", DIT_E_INVALID,
 "ditcontentrule: Invalid NAME: \"( 2.5.6.6 NAME 'x y' AUX nope )\""},
{CR, "( NAME 'x' )", DIT_E_SYNTAX, "ditcontentrule: OID is missing"},
{CR, "foo", DIT_E_SYNTAX, "ditcontentrule: Missing opening parenthesis before foo"},
{SY, "( " S "15 DESC 'x' )", DIT_E_DUPLICATE,
 "ldapsyntax: Duplicate ldapSyntax: \"" S "15\""},
{SY, "( " S "15 X-SUBST '1.2.3' )", DIT_E_UNKNOWN,
 "ldapsyntax: Substitute syntax not found: \"( " S "15 X-SUBST '1.2.3' )\""},
{SY, "( 1.2.3 X-SUBST ( '1.2' '1.3' ) )", DIT_E_INVALID,
 "ldapsyntax: Substitute syntax not specified: \"( 1.2.3 X-SUBST ( '1.2' '1.3' ) )\""},
{SY, "( OMsx DESC 'x' )", DIT_E_SYNTAX,
 "ldapsyntax: Expecting digit before OMsx DESC 'x' )"},
	/* clang-format on */
};

PERSON_TEST(refused_definitions_have_slapds_message)
{
	struct dit_schema *schema = *state;
	size_t ntypes = dit_schema_ntypes(schema);
	size_t nclasses = schema->nclasses;

	for (size_t i = 0; i < sizeof(refused_cases) / sizeof(refused_cases[0]); i++) {
		const struct refused_case *c = &refused_cases[i];
		struct dit_schema_error error = {0};
		int r = c->fn(schema, c->text, &error);

		if (r != c->code || strcmp(error.text, c->message) != 0) {
			print_error("%s: %d %s\n", c->text, r, error.text);
			fail();
		}
	}
	assert_int_equal(dit_schema_ntypes(schema), ntypes);
	assert_int_equal(schema->nclasses, nclasses);
	assert_null(type_of(schema, "x"));
	assert_null(type_of(schema, "1.2.3"));
	assert_null(class_of(schema, "x"));
}

SETUP_TEST(bad_substitutes_come_with_a_line_of_detail)
{
	struct dit_schema_error error = {0};

	assert_int_equal(
		dit_schema_define_syntax(*state, "( 1.2.3 X-SUBST '1.9' )", &error),
		DIT_E_UNKNOWN);
	assert_string_equal(error.detail,
	                    "syn_add(1.2.3): substitute syntax 1.9 not found");
	assert_int_equal(dit_schema_define_syntax(*state, "( 1.2.3 X-SUBST () )", &error),
	                 DIT_E_INVALID);
	assert_string_equal(error.detail, "syn_add(1.2.3): exactly one substitute syntax "
	                                  "must be present");
	/* The next one has none. */
	assert_true(dit_schema_define_syntax(*state, "1.2.3", &error) < 0);
	assert_string_equal(error.detail, "");
}

SETUP_TEST(obsolete_superiors_need_obsolete_subordinates)
{
	struct dit_schema_error error;

	define(*state, dit_schema_define_type,
	       "( 1.2.3.1 NAME 'old' SUP name OBSOLETE )");
	define(*state, dit_schema_define_class, "( 1.2.4.1 NAME 'oldc' OBSOLETE )");

	assert_int_equal(
		dit_schema_define_type(*state, "( 1.2.3.2 NAME 'x' SUP old )", &error),
		DIT_E_INVALID);
	assert_string_equal(error.text,
	                    "attributetype: AttributeType inappropriate SUPerior: \"x\"");
	assert_int_equal(
		dit_schema_define_class(*state, "( 1.2.4.2 NAME 'x' SUP oldc )", &error),
		DIT_E_INVALID);
	assert_string_equal(error.text, "objectclass: user-defined ObjectClass has "
	                                "inappropriate SUPerior: \"oldc\"");
}

PERSON_TEST(one_class_has_one_content_rule)
{
	struct dit_schema_error error;

	define(*state, dit_schema_define_content_rule, "( 2.5.6.6 NAME ( 'a' 'b' ) )");
	define(*state, dit_schema_define_class, "( 1.2.4.1 NAME 'x' )");

	assert_int_equal(
		dit_schema_define_content_rule(*state, "( 2.5.6.6 NAME 'c' )", &error),
		DIT_E_DUPLICATE);
	assert_string_equal(error.text,
	                    "ditcontentrule: Duplicate Content Rule: \"2.5.6.6\"");
	assert_int_equal(dit_schema_define_content_rule(
				 *state, "( 1.2.4.1 NAME ( 'c' 'B' ) )", &error),
	                 DIT_E_DUPLICATE);
	assert_string_equal(error.text, "ditcontentrule: Duplicate Content Rule: \"B\"");
	assert_null(class_of(*state, "x")->content_rule);
}

SETUP_TEST(messages_are_cut_where_slapd_cuts_them)
{
	struct dit_schema_error error;
	char *text = test_text("( 1.2.3 NAME '%0300d' SUP name )", 0);

	assert_int_equal(dit_schema_define_type(*state, text, &error), DIT_E_INVALID);
	assert_int_equal(strlen(error.text), 255);
}
