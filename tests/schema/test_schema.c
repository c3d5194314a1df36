/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registry.
 *
 *   The hard-coded set is there from the start and can be found by any name or OID.
 *   A definition resolves what it names, and inherits.
 */
#include "schema/schema.h"

#include "base/error.h"
#include "schema/schema_private.h"
#include "schema_fixture.h"

SETUP_TEST(hard_coded_types_are_found_by_name_alias_and_oid)
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

SETUP_TEST(hard_coded_types_carry_their_flags)
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

	assert_int_equal(dit_schema_load_module(*state, "back_mdb", NULL), 0);
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

SETUP_TEST(class_valued_types_have_functions_of_their_own)
{
	const struct dit_attr_type *oc = type_of(*state, "objectClass");
	const struct dit_attr_type *sub = NULL;

	assert_int_equal(oc->validator, DIT_VALID_CLASS_NAME);
	assert_int_equal(type_of(*state, "attributeTypes")->validator,
	                 DIT_VALID_OID_OR_DESCRIPTOR);
	assert_int_equal(oc->syntax->validator, DIT_VALID_NUMERICOID);

	/* A subtype inherits them, unless it chooses a syntax. */
	define(*state, dit_schema_define_type, "( 1.2.3.1 NAME 'kind' SUP objectClass )");
	sub = type_of(*state, "kind");
	assert_int_equal(sub->validator, DIT_VALID_CLASS_NAME);
}

SETUP_TEST(hard_coded_classes_carry_what_is_stored_per_entry)
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

	assert_int_equal(dit_schema_load_module(*state, "monitor_mdb", NULL), 0);
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

SETUP_TEST(rules_and_syntaxes_are_found)
{
	const struct dit_rule *rule = dit_schema_find_rule(*state, DIT_SPAN("2.5.13.20"));
	const struct dit_syntax *syntax =
		dit_schema_find_syntax(*state, dit_span_of(S "8"));

	assert_ptr_equal(dit_schema_find_rule(*state, DIT_SPAN("TELEPHONEnumberMatch")),
	                 rule);
	assert_int_equal(rule->normalizer, DIT_NORM_TELEPHONE);
	assert_int_equal(rule->indexer, DIT_INDEXER_HASH);
	assert_string_equal(rule->syntax->oid, S "50");
	assert_int_equal(syntax->flags, DIT_SYNTAX_BINARY | DIT_SYNTAX_OPAQUE);
	assert_int_equal(syntax->validator, DIT_VALID_CERTIFICATE);
	syntax = dit_schema_find_syntax(*state, dit_span_of(S "28")); /* JPEG */
	assert_int_equal(syntax->flags, DIT_SYNTAX_OPAQUE);
	assert_null(dit_schema_find_rule(*state, DIT_SPAN("nope")));
	assert_null(dit_schema_find_syntax(*state, DIT_SPAN("1.2.3")));
	assert_null(class_of(*state, "nope"));
}

PERSON_TEST(type_inherits_and_overrides)
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

SETUP_TEST(macros_expand_in_oids_and_syntaxes)
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
SETUP_TEST(class_lists_hold_inherited_then_own_attributes_once)
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

/* A look from superclass to superclass needs 2^60 steps here. */
SETUP_TEST(many_superclass_paths_take_linear_time)
{
	char text[200];

	define(*state, dit_schema_define_class,
	       "( 1.2.3.7.1 NAME 'elsewhere' SUP top ABSTRACT )");
	for (int level = 0; level < 60; level++) {
		for (int side = 0; side < 2; side++) {
			char sups[60] = "top";

			if (level > 0) {
				(void)snprintf(sups, sizeof(sups), "( l%da $ l%db )",
				               level - 1, level - 1);
			}
			(void)snprintf(text, sizeof(text),
			               "( 1.2.3.8.%d.%d NAME 'l%d%c' SUP %s ABSTRACT )",
			               level, side, level, 'a' + side, sups);
			define(*state, dit_schema_define_class, text);
		}
	}
	assert_true(dit_class_is_a(class_of(*state, "l59b"), class_of(*state, "l0a")));
	assert_true(dit_class_is_a(class_of(*state, "l59b"), class_of(*state, "top")));
	assert_false(dit_class_is_a(class_of(*state, "l59b"), class_of(*state, "l59a")));
	assert_false(
		dit_class_is_a(class_of(*state, "l59b"), class_of(*state, "elsewhere")));
}

SETUP_TEST(auxiliary_class_without_sup_has_none)
{
	define(*state, dit_schema_define_class, "( 1.2.4.1 NAME 'x' AUXILIARY )");
	define(*state, dit_schema_define_class, "( 1.2.4.2 NAME 'y' ABSTRACT )");

	assert_null(class_of(*state, "x")->sups[0]);
	assert_int_equal(class_of(*state, "x")->kind, DIT_CLASS_AUXILIARY);
	assert_null(class_of(*state, "y")->must[0]);
	assert_int_equal(class_of(*state, "y")->kind, DIT_CLASS_ABSTRACT);
}

PERSON_TEST(content_rule_belongs_to_its_structural_class)
{
	const struct dit_class *person = class_of(*state, "person");
	const struct dit_content_rule *rule = NULL;

	assert_null(person->content_rule);
	define(*state, dit_schema_define_content_rule,
	       "( 2.5.6.6 NAME ( 'pr' 'pr2' ) AUX ( dcObject $ extensibleObject ) "
	       "MUST uid MAY ( c $ description ) NOT telephoneNumber OBSOLETE )");
	rule = person->content_rule;

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
	rule = class_of(*state, "x")->content_rule;
	assert_string_equal(rule->name, "1.2.4.1");
	assert_null(rule->must[0]);
}

SETUP_TEST(syntaxes_can_be_defined_and_substituted)
{
	define(*state, dit_schema_define_syntax, "( 1.2.3.1 DESC 'any' )");
	define(*state, dit_schema_define_syntax, "( 1.2.3.2 X-SUBST '" S "8' )");
	define(*state, dit_schema_define_type, "( 1.2.4.1 NAME 'a' SYNTAX 1.2.3.1 )");
	define(*state, dit_schema_define_type,
	       "( 1.2.4.2 NAME 'b' SUP cn SYNTAX 1.2.3.2 )");

	assert_int_equal(type_of(*state, "a")->validator, DIT_VALID_NONE);
	assert_int_equal(type_of(*state, "b")->validator, DIT_VALID_CERTIFICATE);
	assert_int_equal(type_of(*state, "b")->syntax->flags,
	                 DIT_SYNTAX_BINARY | DIT_SYNTAX_OPAQUE);
	assert_string_equal(type_of(*state, "b")->equality->name, "caseIgnoreMatch");
}

SETUP_TEST(modules_bring_their_elements_and_may_be_loaded_twice)
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
		assert_int_equal(dit_schema_load_module(*state, cases[i].module, NULL),
		                 0);
		assert_non_null(type_of(*state, cases[i].type));
		if (cases[i].oc != NULL) {
			assert_non_null(class_of(*state, cases[i].oc));
		}
	}
	assert_int_equal(class_of(*state, "pwdPolicy")->oc_flags, 0x10000);
	assert_int_equal(class_of(*state, "errObject")->oc_flags, 0x18000);
	ntypes = dit_schema_ntypes(*state);
	assert_int_equal(dit_schema_load_module(*state, "accesslog", NULL), 0);
	assert_int_equal(dit_schema_load_module(*state, "nonesuch", NULL), 0);
	assert_int_equal(dit_schema_ntypes(*state), ntypes);
}

SETUP_TEST(module_refuses_names_that_mean_something_else)
{
	define(*state, dit_schema_define_type, "( 1.2.3 NAME 'memberOf' SUP name )");

	assert_int_equal(dit_schema_load_module(*state, "memberof", NULL),
	                 DIT_E_DUPLICATE);
}

/* Syntaxes that a module brings may join the list of a rule that was there before. */
SETUP_TEST(accesslog_syntax_joins_its_rule)
{
	struct dit_schema_error error;
	static const char text[] = "( 1.2.3 NAME 'x' EQUALITY "
				   "objectIdentifierFirstComponentMatch SYNTAX "
				   "1.3.6.1.4.1.4203.666.11.5.3.1 )";

	assert_int_equal(dit_schema_define_type(*state, text, &error), DIT_E_UNKNOWN);
	assert_int_equal(dit_schema_load_module(*state, "accesslog", NULL), 0);
	define(*state, dit_schema_define_type, text);
}

SETUP_TEST(releases_have_their_own_elements)
{
	struct dit_schema *schema = test_schema(DIT_OPENLDAP_2_5);

	assert_int_equal(dit_schema_load_module(schema, "ppolicy", NULL), 0);
	assert_null(type_of(schema, "pwdUseCheckModule"));
	assert_null(type_of(schema, "monitorLogLevel"));
	assert_false(type_of(schema, "pwdCheckModule")->flags & DIT_TYPE_OBSOLETE);

	schema = test_schema(DIT_OPENLDAP_2_6);
	assert_null(type_of(schema, "pwdUseCheckModule"));
	assert_int_equal(dit_schema_load_module(schema, "ppolicy", NULL), 0);
	assert_non_null(type_of(schema, "pwdUseCheckModule"));
	assert_non_null(type_of(schema, "monitorLogLevel"));
	assert_true(type_of(schema, "pwdCheckModule")->flags & DIT_TYPE_OBSOLETE);
	assert_null(type_of(schema, "pwdDefaultHash"));

	schema = test_schema(DIT_OPENLDAP_2_7);
	assert_int_equal(dit_schema_load_module(schema, "ppolicy", NULL), 0);
	assert_non_null(type_of(schema, "pwdUseCheckModule"));
	assert_ptr_equal(type_of(schema, "pwdDefaultHash")->equality,
	                 type_of(schema, "monitorLogLevel")->equality);
	assert_true(type_of(schema, "pwdRehashOnBind")->flags & DIT_TYPE_SINGLE);
	assert_true(dit_class_is_a(class_of(schema, "pwdHashingPolicy"),
	                           class_of(schema, "pwdPolicy")));
	assert_int_equal(class_of(schema, "pwdHashingPolicy")->kind, DIT_CLASS_AUXILIARY);
	assert_int_equal(class_of(schema, "pwdHashingPolicy")->oc_flags,
	                 class_of(schema, "pwdPolicy")->oc_flags);
}

SETUP_TEST(ordinals_are_dense)
{
	const struct dit_attr_type *x = NULL;
	size_t n = dit_schema_ntypes(*state);
	size_t nclasses = ((struct dit_schema *)*state)->nclasses;

	define(*state, dit_schema_define_type, "( 1.2.3 NAME 'x' SUP name )");
	define(*state, dit_schema_define_class, "( 1.2.4 NAME 'x' )");
	x = type_of(*state, "x");

	assert_int_equal(x->ordinal, n);
	assert_int_equal(x->ad.ordinal, n);
	assert_int_equal(((struct dit_schema *)*state)->nads, n + 1);
	assert_int_equal(dit_schema_ntypes(*state), n + 1);
	assert_int_equal(class_of(*state, "x")->ordinal, nclasses);
	assert_int_equal(((struct dit_schema *)*state)->nclasses, nclasses + 1);
	dit_schema_freeze(*state);
	assert_ptr_equal(type_of(*state, "1.2.3"), x);
}
