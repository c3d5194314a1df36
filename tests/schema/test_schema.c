/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registry.
 *
 *   The hard-coded set is there from the start and can be found by any name or OID.
 *   A definition resolves what it names, inherits, and refuses what slapd refuses, in
 *   slapd's words.
 *   A refused definition leaves nothing behind.
 */
#include "schema/schema.h"

#include "base/error.h"
#include "test.h"

#define S "1.3.6.1.4.1.1466.115.121.1."

static int setup(void **state)
{
	return dit_schema_new((struct dit_schema **)state);
}

static int teardown(void **state)
{
	dit_schema_free(*state);
	return 0;
}

static const struct dit_attr_type *type_of(const struct dit_schema *schema,
                                           const char *name)
{
	return dit_schema_find_type(schema, dit_span_of(name));
}

static const struct dit_class *class_of(const struct dit_schema *schema, const char *name)
{
	return dit_schema_find_class(schema, dit_span_of(name));
}

typedef int (*define_fn)(struct dit_schema *schema, const char *text,
                         struct dit_schema_error *error);

static void define(struct dit_schema *schema, define_fn fn, const char *text)
{
	struct dit_schema_error error = {0};

	if (fn(schema, text, &error) != 0) {
		print_error("%s: %s\n", text, error.text);
		fail();
	}
}

/* Types and classes as in core.schema that the tests build on. */
static int setup_person(void **state)
{
	struct dit_schema *schema = NULL;

	if (setup(state) != 0) {
		return -1;
	}
	schema = *state;
	define(schema, dit_schema_define_type,
	       "( 2.5.4.4 NAME ( 'sn' 'surname' ) SUP name )");
	define(schema, dit_schema_define_type,
	       "( 2.5.4.20 NAME 'telephoneNumber' EQUALITY telephoneNumberMatch "
	       "SUBSTR telephoneNumberSubstringsMatch SYNTAX " S "50{32} )");
	define(schema, dit_schema_define_type,
	       "( 2.5.4.6 NAME ( 'c' 'countryName' ) SUP name SYNTAX " S
	       "11 SINGLE-VALUE )");
	define(schema, dit_schema_define_class,
	       "( 2.5.6.6 NAME 'person' SUP top STRUCTURAL MUST ( sn $ cn ) "
	       "MAY ( userPassword $ telephoneNumber ) )");
	define(schema, dit_schema_define_class,
	       "( 1.3.6.1.4.1.1466.344 NAME 'dcObject' SUP top AUXILIARY MUST uid )");
	return 0;
}

static void hard_coded_types_are_found_by_name_alias_and_oid(void **state)
{
	const struct dit_attr_type *cn = type_of(*state, "cn");

	assert_non_null(cn);
	assert_ptr_equal(type_of(*state, "COMMONNAME"), cn);
	assert_ptr_equal(type_of(*state, "2.5.4.3"), cn);
	assert_null(type_of(*state, "2.5.4.4"));
	assert_null(type_of(*state, ""));
	assert_string_equal(cn->name, "cn");
	assert_string_equal(cn->names[1], "commonName");
	assert_string_equal(cn->oid, "2.5.4.3");
	assert_string_equal(cn->sup->name, "name");
	assert_string_equal(cn->equality->name, "caseIgnoreMatch");
	assert_string_equal(cn->approx->name, "directoryStringApproxMatch");
	assert_null(cn->ordering);
	assert_string_equal(cn->substr->name, "caseIgnoreSubstringsMatch");
	assert_int_equal(cn->substr->indexer, DIT_INDEXER_SUBSTR);
	assert_int_equal(cn->equality->normalizer, DIT_NORM_UTF8_FOLD);
	assert_string_equal(cn->syntax->oid, S "15");
	assert_int_equal(cn->validator, DIT_VALID_UTF8_NONEMPTY);
	assert_ptr_equal(cn->ad.type, cn);
	assert_span_equal(cn->ad.name, "cn");
	assert_int_equal(cn->ad.options.len, 0);
}

static void hard_coded_types_carry_their_flags(void **state)
{
	static const struct {
		const char *name;
		unsigned flags;
		enum dit_usage usage;
	} cases[] = {
		{"objectClass", 0, DIT_USAGE_USER},
		{"structuralObjectClass", DIT_TYPE_SINGLE | DIT_TYPE_NO_USER_MOD,
	         DIT_USAGE_DIRECTORY},
		{"namingContexts", DIT_TYPE_ROOTDSE_ONLY, DIT_USAGE_DSA},
		{"aliasedObjectName", DIT_TYPE_SINGLE | DIT_TYPE_ALIAS_ONLY,
	         DIT_USAGE_USER},
		{"ref", DIT_TYPE_REFERRAL_ONLY, DIT_USAGE_DISTRIBUTED},
		{"subtreeSpecification", DIT_TYPE_SINGLE | DIT_TYPE_SUBENTRY_ONLY,
	         DIT_USAGE_DIRECTORY},
		{"entryTtl",
	         DIT_TYPE_SINGLE | DIT_TYPE_NO_USER_MOD | DIT_TYPE_DYNAMIC_ONLY,
	         DIT_USAGE_DSA},
		{"administrativeRole", DIT_TYPE_ADMIN_ROLE, DIT_USAGE_DIRECTORY},
		{"olcDbIndex", 0, DIT_USAGE_USER},
		{"olcAccess", DIT_TYPE_ORDERED_VALUES, DIT_USAGE_USER},
		{"olcDatabase", DIT_TYPE_SINGLE | DIT_TYPE_ORDERED_SIBLINGS,
	         DIT_USAGE_USER},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct dit_attr_type *type = type_of(*state, cases[i].name);

		if (type == NULL || type->flags != cases[i].flags ||
		    type->usage != cases[i].usage) {
			print_error("%s: flags %x\n", cases[i].name,
			            type == NULL ? ~0u : type->flags);
			fail();
		}
	}
}

static void class_valued_types_have_functions_of_their_own(void **state)
{
	const struct dit_attr_type *oc = type_of(*state, "objectClass");
	const struct dit_attr_type *sub = NULL;

	assert_int_equal(oc->validator, DIT_VALID_OID_OR_DESCRIPTOR);
	assert_int_equal(oc->pretty, DIT_PRETTY_CLASS_NAME);
	assert_int_equal(type_of(*state, "attributeTypes")->validator,
	                 DIT_VALID_OID_OR_DESCRIPTOR);
	assert_int_equal(type_of(*state, "attributeTypes")->pretty, DIT_PRETTY_NONE);
	assert_int_equal(oc->syntax->validator, DIT_VALID_NUMERICOID);

	/* A subtype inherits them, unless it chooses a syntax. */
	define(*state, dit_schema_define_type, "( 1.2.3.1 NAME 'kind' SUP objectClass )");
	sub = type_of(*state, "kind");
	assert_int_equal(sub->pretty, DIT_PRETTY_CLASS_NAME);
}

static void hard_coded_classes_carry_what_is_stored_per_entry(void **state)
{
	static const struct {
		const char *name;
		unsigned oc_flags;
		enum dit_class_check check;
	} cases[] = {
		{"top", 0x10000, DIT_CLASS_CHECK_NONE},
		{"2.5.6.0", 0x10000, DIT_CLASS_CHECK_NONE},
		{"extensibleObject", 0x14000, DIT_CLASS_CHECK_NONE},
		{"subschema", 0x14000, DIT_CLASS_CHECK_SUBENTRY},
		{"OpenLDAProotDSE", 0x14000, DIT_CLASS_CHECK_ROOTDSE},
		{"alias", 0x14001, DIT_CLASS_CHECK_ALIAS},
		{"referral", 0x14002, DIT_CLASS_CHECK_REFERRAL},
		{"subentry", 0x14004, DIT_CLASS_CHECK_SUBENTRY},
		{"dynamicObject", 0x10008, DIT_CLASS_CHECK_DYNAMIC},
		{"glue", 0x1c020, DIT_CLASS_CHECK_NONE},
		{"syncProviderSubentry", 0x1c040, DIT_CLASS_CHECK_NONE},
		{"syncConsumerSubentry", 0x1c080, DIT_CLASS_CHECK_NONE},
		{"olcGlobal", 0x10000, DIT_CLASS_CHECK_NONE},
		{"monitor", 0x1c000, DIT_CLASS_CHECK_NONE},
		{"olmMDBDatabase", 0x18000, DIT_CLASS_CHECK_NONE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct dit_class *oc = class_of(*state, cases[i].name);

		if (oc == NULL || oc->oc_flags != cases[i].oc_flags ||
		    oc->check != cases[i].check) {
			print_error("%s: flags %x\n", cases[i].name,
			            oc == NULL ? ~0u : oc->oc_flags);
			fail();
		}
	}
}

static void rules_and_syntaxes_are_found(void **state)
{
	const struct dit_rule *rule = dit_schema_find_rule(*state, DIT_SPAN("2.5.13.20"));
	const struct dit_syntax *syntax =
		dit_schema_find_syntax(*state, dit_span_of(S "8"));

	assert_ptr_equal(dit_schema_find_rule(*state, DIT_SPAN("TELEPHONEnumberMatch")),
	                 rule);
	assert_int_equal(rule->normalizer, DIT_NORM_TELEPHONE);
	assert_int_equal(rule->indexer, DIT_INDEXER_HASH);
	assert_string_equal(rule->syntax->oid, S "50");
	assert_int_equal(syntax->flags, DIT_SYNTAX_BINARY);
	assert_int_equal(syntax->validator, DIT_VALID_CERTIFICATE);
	assert_null(dit_schema_find_rule(*state, DIT_SPAN("nope")));
	assert_null(dit_schema_find_syntax(*state, DIT_SPAN("1.2.3")));
	assert_null(class_of(*state, "nope"));
}

static void type_inherits_and_overrides(void **state)
{
	const struct dit_attr_type *c = type_of(*state, "countryName");
	const struct dit_attr_type *x = NULL;

	assert_string_equal(c->syntax->oid, S "11");
	assert_int_equal(c->validator, DIT_VALID_COUNTRY);
	assert_string_equal(c->equality->name, "caseIgnoreMatch");
	assert_int_equal(c->flags, DIT_TYPE_SINGLE);

	define(*state, dit_schema_define_type,
	       "( 1.2.3.1 NAME 'x' SUP sn EQUALITY caseExactMatch "
	       "ORDERING caseExactOrderingMatch COLLECTIVE OBSOLETE "
	       "X-ORDERED 'values' ) and more");
	x = type_of(*state, "x");
	assert_string_equal(x->equality->name, "caseExactMatch");
	assert_string_equal(x->approx->name, "directoryStringApproxMatch");
	assert_string_equal(x->ordering->name, "caseExactOrderingMatch");
	assert_string_equal(x->substr->name, "caseIgnoreSubstringsMatch");
	assert_int_equal(x->flags, DIT_TYPE_COLLECTIVE | DIT_TYPE_OBSOLETE |
	                                   DIT_TYPE_ORDERED_VALUES);

	define(*state, dit_schema_define_type,
	       "( 1.2.3.2 SUP x OBSOLETE X-ORDERED 'SIBLINGS' )");
	x = type_of(*state, "1.2.3.2");
	assert_string_equal(x->name, "1.2.3.2");
	assert_null(x->names[0]);
	assert_int_equal(x->flags, DIT_TYPE_OBSOLETE | DIT_TYPE_ORDERED_SIBLINGS);

	/* Only the first value of the extension counts, and only these two. */
	define(*state, dit_schema_define_type,
	       "( 1.2.3.3 NAME 'y' SUP name X-ORDERED ( 'bogus' 'VALUES' ) )");
	assert_int_equal(type_of(*state, "y")->flags, 0);
	define(*state, dit_schema_define_type,
	       "( 1.2.3.4 NAME 'z' EQUALITY integerMatch SYNTAX " S "27 )");
	assert_null(type_of(*state, "z")->approx);
}

static void macros_expand_in_oids_and_syntaxes(void **state)
{
	struct dit_schema_error error = {0};

	assert_int_equal(dit_schema_define_macro(*state, "my", "1.2.3", &error), 0);
	assert_int_equal(dit_schema_define_macro(*state, "at", "my:4", &error), 0);
	define(*state, dit_schema_define_type,
	       "( at:7 NAME 'x' SYNTAX OMsDirectoryString{64} )");

	assert_string_equal(type_of(*state, "x")->oid, "1.2.3.4.7");
	assert_string_equal(type_of(*state, "x")->syntax->oid, S "15");
	assert_ptr_equal(type_of(*state, "1.2.3.4.7"), type_of(*state, "x"));

	/* Case counts; the same again is worth a remark, another value an error. */
	assert_int_equal(dit_schema_define_macro(*state, "MY", "1.9", &error), 0);
	assert_int_equal(dit_schema_define_macro(*state, "at", "1.2.3.4", &error), 1);
	assert_string_equal(error.text,
	                    "objectidentifier: \"at\" previously defined \"1.2.3.4\"");
	assert_int_equal(dit_schema_define_macro(*state, "at", "1.2.3.5", &error),
	                 DIT_E_DUPLICATE);
	assert_string_equal(error.text,
	                    "objectidentifier: \"at\" previously defined \"1.2.3.4\"");
	assert_int_equal(dit_schema_define_macro(*state, "x", "nope:1", &error),
	                 DIT_E_UNKNOWN);
	assert_string_equal(error.text, "objectidentifier: OID nope:1 not recognized");
	assert_int_equal(dit_schema_define_macro(*state, "1.2", "1.3", &error),
	                 DIT_E_DUPLICATE);
}

static const char *join_names(const struct dit_attr_type **types)
{
	static char text[512];

	text[0] = '\0';
	for (; *types != NULL; types++) {
		strcat(strcat(text, (*types)->name), types[1] == NULL ? "" : " ");
	}
	return text;
}

/* The order is the one in which slapadd 2.5.13 names missing attributes. */
static void class_lists_hold_inherited_then_own_attributes_once(void **state)
{
	static const char *const names[] = {"g1", "g2", "a1", "a2", "b1",
	                                    "b2", "c1", "c2", "s"};
	const struct dit_class *ch = NULL;
	char text[200];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(text, sizeof(text), "( 1.2.3.%zu NAME '%s' SUP name )",
		               i + 1, names[i]);
		define(*state, dit_schema_define_type, text);
	}
	define(*state, dit_schema_define_class,
	       "( 1.2.4.1 NAME 'grand' SUP top MUST ( g1 $ s $ g2 ) MAY a1 )");
	define(*state, dit_schema_define_class,
	       "( 1.2.4.2 NAME 'pa' SUP grand MUST ( a1 $ a2 ) )");
	define(*state, dit_schema_define_class,
	       "( 1.2.4.3 NAME 'pb' MUST ( b1 $ s $ b2 ) )");
	define(*state, dit_schema_define_class,
	       "( 1.2.4.4 NAME ( 'ch' 'child' ) SUP ( pa $ pb ) MUST ( c1 $ s $ c2 ) "
	       "MAY ( g2 $ c1 $ c1 ) OBSOLETE )");
	ch = class_of(*state, "CHILD");

	assert_string_equal(join_names(ch->must),
	                    "objectClass g1 s g2 a1 a2 b1 b2 c1 c2");
	assert_string_equal(join_names(ch->may), "a1 g2 c1");
	assert_string_equal(ch->name, "ch");
	assert_int_equal(ch->kind, DIT_CLASS_STRUCTURAL);
	assert_int_equal(ch->oc_flags, 0);
	assert_true(ch->is_obsolete);
	assert_ptr_equal(ch->sups[1], class_of(*state, "pb"));
	assert_null(ch->sups[2]);
	assert_ptr_equal(class_of(*state, "pb")->sups[0], class_of(*state, "top"));
	assert_true(dit_class_is_a(ch, ch));
	assert_true(dit_class_is_a(ch, class_of(*state, "grand")));
	assert_false(dit_class_is_a(class_of(*state, "grand"), ch));
}

static void auxiliary_class_without_sup_has_none(void **state)
{
	define(*state, dit_schema_define_class, "( 1.2.4.1 NAME 'x' AUXILIARY )");
	define(*state, dit_schema_define_class, "( 1.2.4.2 NAME 'y' ABSTRACT )");

	assert_null(class_of(*state, "x")->sups[0]);
	assert_int_equal(class_of(*state, "x")->kind, DIT_CLASS_AUXILIARY);
	assert_null(class_of(*state, "y")->must[0]);
	assert_int_equal(class_of(*state, "y")->kind, DIT_CLASS_ABSTRACT);
}

static void content_rule_belongs_to_its_structural_class(void **state)
{
	const struct dit_class *person = class_of(*state, "person");
	const struct dit_content_rule *rule = NULL;

	assert_null(dit_schema_find_content_rule(*state, person));
	define(*state, dit_schema_define_content_rule,
	       "( 2.5.6.6 NAME ( 'pr' 'pr2' ) AUX ( dcObject $ extensibleObject ) "
	       "MUST uid MAY ( c $ description ) NOT telephoneNumber OBSOLETE )");
	rule = dit_schema_find_content_rule(*state, person);

	assert_string_equal(rule->name, "pr");
	assert_string_equal(rule->oid, "2.5.6.6");
	assert_ptr_equal(rule->structural, person);
	assert_true(rule->is_obsolete);
	assert_ptr_equal(rule->aux[0], class_of(*state, "dcObject"));
	assert_null(rule->aux[2]);
	assert_string_equal(join_names(rule->must), "uid");
	assert_string_equal(join_names(rule->may), "c description");
	assert_string_equal(join_names(rule->precluded), "telephoneNumber");

	define(*state, dit_schema_define_class, "( 1.2.4.1 NAME 'x' )");
	define(*state, dit_schema_define_content_rule, "( 1.2.4.1 )");
	rule = dit_schema_find_content_rule(*state, class_of(*state, "x"));
	assert_string_equal(rule->name, "1.2.4.1");
	assert_null(rule->must[0]);
}

static void syntaxes_can_be_defined_and_substituted(void **state)
{
	define(*state, dit_schema_define_syntax, "( 1.2.3.1 DESC 'any' )");
	define(*state, dit_schema_define_syntax, "( 1.2.3.2 X-SUBST '" S "8' )");
	define(*state, dit_schema_define_type, "( 1.2.4.1 NAME 'a' SYNTAX 1.2.3.1 )");
	define(*state, dit_schema_define_type,
	       "( 1.2.4.2 NAME 'b' SUP cn SYNTAX 1.2.3.2 )");

	assert_int_equal(type_of(*state, "a")->validator, DIT_VALID_NONE);
	assert_int_equal(type_of(*state, "b")->validator, DIT_VALID_CERTIFICATE);
	assert_int_equal(type_of(*state, "b")->syntax->flags, DIT_SYNTAX_BINARY);
	assert_string_equal(type_of(*state, "b")->equality->name, "caseIgnoreMatch");
}

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

static void refused_definitions_say_why_in_the_words_of_slapd(void **state)
{
	struct dit_schema *schema = *state;
	size_t ntypes = dit_schema_ntypes(schema);
	size_t nclasses = dit_schema_nclasses(schema);

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
	assert_int_equal(dit_schema_nclasses(schema), nclasses);
	assert_null(type_of(schema, "x"));
	assert_null(type_of(schema, "1.2.3"));
	assert_null(class_of(schema, "x"));
}

static void bad_substitutes_come_with_a_line_of_detail(void **state)
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
}

static void obsolete_superiors_need_obsolete_subordinates(void **state)
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

static void one_class_has_one_content_rule(void **state)
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
	assert_null(dit_schema_find_content_rule(*state, class_of(*state, "x")));
}

static void messages_are_cut_where_slapd_cuts_them(void **state)
{
	struct dit_schema_error error;
	char text[400];

	(void)snprintf(text, sizeof(text), "( 1.2.3 NAME '%0300d' SUP name )", 0);
	assert_int_equal(dit_schema_define_type(*state, text, &error), DIT_E_INVALID);
	assert_int_equal(strlen(error.text), 255);
}

static void modules_bring_their_elements_and_may_be_loaded_twice(void **state)
{
	static const struct {
		const char *module;
		const char *type;
		const char *oc;
	} cases[] = {
		{"ppolicy", "pwdAttribute", "pwdPolicy"},
		{"dynlist", "memberOf", NULL},
		{"memberof", "memberOf", NULL},
		{"accesslog", "reqStart", "auditAdd"},
		{"dds", "entryExpireTimestamp", NULL},
		{"lastbind", "authTimestamp", NULL},
		{"otp", "oathHOTPCounter", "oathTOTPUser"},
		{"pcache", "pcacheQueryID", "olmPCache"},
		{"retcode", "errCode", "errObject"},
	};
	size_t ntypes = 0;

	assert_null(type_of(*state, "memberOf"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(dit_schema_load_module(*state, cases[i].module), 0);
		assert_non_null(type_of(*state, cases[i].type));
		if (cases[i].oc != NULL) {
			assert_non_null(class_of(*state, cases[i].oc));
		}
	}
	assert_int_equal(class_of(*state, "pwdPolicy")->oc_flags, 0x10000);
	assert_int_equal(class_of(*state, "errObject")->oc_flags, 0x18000);
	ntypes = dit_schema_ntypes(*state);
	assert_int_equal(dit_schema_load_module(*state, "accesslog"), 0);
	assert_int_equal(dit_schema_load_module(*state, "nonesuch"), 0);
	assert_int_equal(dit_schema_ntypes(*state), ntypes);
}

static void module_refuses_names_that_mean_something_else(void **state)
{
	define(*state, dit_schema_define_type, "( 1.2.3 NAME 'memberOf' SUP name )");

	assert_int_equal(dit_schema_load_module(*state, "memberof"), DIT_E_DUPLICATE);
}

/* Syntaxes that a module brings may join the list of a rule that was there before. */
static void accesslog_syntax_joins_its_rule(void **state)
{
	struct dit_schema_error error;
	static const char text[] = "( 1.2.3 NAME 'x' EQUALITY "
				   "objectIdentifierFirstComponentMatch SYNTAX "
				   "1.3.6.1.4.1.4203.666.11.5.3.1 )";

	assert_int_equal(dit_schema_define_type(*state, text, &error), DIT_E_UNKNOWN);
	assert_int_equal(dit_schema_load_module(*state, "accesslog"), 0);
	define(*state, dit_schema_define_type, text);
}

static void releases_have_their_own_elements(void **state)
{
	struct dit_schema *schema = NULL;
	(void)state;

	assert_int_equal(dit_schema_new_of(&schema, DIT_OPENLDAP_2_5), 0);
	assert_int_equal(dit_schema_load_module(schema, "ppolicy"), 0);
	assert_null(type_of(schema, "pwdUseCheckModule"));
	assert_null(type_of(schema, "monitorLogLevel"));
	assert_false(type_of(schema, "pwdCheckModule")->flags & DIT_TYPE_OBSOLETE);
	dit_schema_free(schema);

	assert_int_equal(dit_schema_new_of(&schema, DIT_OPENLDAP_2_6), 0);
	assert_null(type_of(schema, "pwdUseCheckModule"));
	assert_int_equal(dit_schema_load_module(schema, "ppolicy"), 0);
	assert_non_null(type_of(schema, "pwdUseCheckModule"));
	assert_non_null(type_of(schema, "monitorLogLevel"));
	assert_true(type_of(schema, "pwdCheckModule")->flags & DIT_TYPE_OBSOLETE);
	assert_null(type_of(schema, "pwdDefaultHash"));
	dit_schema_free(schema);

	assert_int_equal(dit_schema_new_of(&schema, DIT_OPENLDAP_2_7), 0);
	assert_int_equal(dit_schema_load_module(schema, "ppolicy"), 0);
	assert_non_null(type_of(schema, "pwdUseCheckModule"));
	assert_ptr_equal(type_of(schema, "pwdDefaultHash")->equality,
	                 type_of(schema, "monitorLogLevel")->equality);
	assert_true(type_of(schema, "pwdRehashOnBind")->flags & DIT_TYPE_SINGLE);
	assert_true(dit_class_is_a(class_of(schema, "pwdHashingPolicy"),
	                           class_of(schema, "pwdPolicy")));
	assert_int_equal(class_of(schema, "pwdHashingPolicy")->kind, DIT_CLASS_AUXILIARY);
	assert_int_equal(class_of(schema, "pwdHashingPolicy")->oc_flags,
	                 class_of(schema, "pwdPolicy")->oc_flags);
	dit_schema_free(schema);
}

static void ordinals_are_dense(void **state)
{
	const struct dit_attr_type *x = NULL;
	size_t n = dit_schema_ntypes(*state);
	size_t nclasses = dit_schema_nclasses(*state);

	define(*state, dit_schema_define_type, "( 1.2.3 NAME 'x' SUP name )");
	define(*state, dit_schema_define_class, "( 1.2.4 NAME 'x' )");
	x = type_of(*state, "x");

	assert_int_equal(x->ordinal, n);
	assert_int_equal(x->ad.ordinal, n);
	assert_int_equal(dit_schema_nads(*state), n + 1);
	assert_int_equal(dit_schema_ntypes(*state), n + 1);
	assert_int_equal(class_of(*state, "x")->ordinal, nclasses);
	assert_int_equal(dit_schema_nclasses(*state), nclasses + 1);
	assert_int_equal(dit_schema_seal(*state), 0);
	assert_ptr_equal(type_of(*state, "1.2.3"), x);
}

#define TEST(name)        cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TEST_PERSON(name) cmocka_unit_test_setup_teardown(name, setup_person, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(hard_coded_types_are_found_by_name_alias_and_oid),
		TEST(hard_coded_types_carry_their_flags),
		TEST(class_valued_types_have_functions_of_their_own),
		TEST(hard_coded_classes_carry_what_is_stored_per_entry),
		TEST(rules_and_syntaxes_are_found),
		TEST_PERSON(type_inherits_and_overrides),
		TEST(macros_expand_in_oids_and_syntaxes),
		TEST(class_lists_hold_inherited_then_own_attributes_once),
		TEST(auxiliary_class_without_sup_has_none),
		TEST_PERSON(content_rule_belongs_to_its_structural_class),
		TEST(syntaxes_can_be_defined_and_substituted),
		TEST_PERSON(refused_definitions_say_why_in_the_words_of_slapd),
		TEST(bad_substitutes_come_with_a_line_of_detail),
		TEST(obsolete_superiors_need_obsolete_subordinates),
		TEST_PERSON(one_class_has_one_content_rule),
		TEST(messages_are_cut_where_slapd_cuts_them),
		TEST(modules_bring_their_elements_and_may_be_loaded_twice),
		TEST(module_refuses_names_that_mean_something_else),
		TEST(accesslog_syntax_joins_its_rule),
		TEST(releases_have_their_own_elements),
		TEST(ordinals_are_dense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
