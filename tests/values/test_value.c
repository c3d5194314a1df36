/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values: what each syntax accepts, pretty forms, normal forms (values.md 3.7, 4).
 *
 * The cases beyond the specification's examples were taken from loads of slapadd 2.5.13.
 */
#include "values/value.h"

#include "base/error.h"
#include "sample_context.h"

#define LIST_MAX 24

struct syntax_case {
	enum dit_validator validator;
	const char *accepted[LIST_MAX]; /* up to NULL */
	const char *refused[LIST_MAX];
};

#define UUID "aaaaaaaa-BBBB-cccc-dddd-0123456789ef"
#define CSN  "20220101000000.123456Z#00000A#00B#00000C"

static const struct syntax_case syntax_cases[] = {
	{DIT_VALID_NONE, {"", "\xFF"}, {NULL}},
	{DIT_VALID_ANY, {"", "\xFF"}, {NULL}},
	{DIT_VALID_UTF8,
         {"", "a", "\xC3\xA9", "\xE0\xA0\x80", "\xED\xA0\x80",
          "\xFC\x84\x80\x80\x80\x80"},
         {"\xE9", "\xC3", "\xE0\x9F\x80", "\xC1\x80", "\xFE"}},
	{DIT_VALID_UTF8_NONEMPTY, {"a", " ", "\xC3\xA9"}, {"", "\xE9"}},
	{DIT_VALID_IA5, {"", "a\x7F"}, {"\x80", "abcdefgh\xC3\xA9"}},
	{DIT_VALID_PRINTABLE,
         {"Az09'()+,-./:? =", " "},
         {"", "a_b", "a*", "a@b", "\xC3\xA9", "a\tb"}},
	{DIT_VALID_PRINTABLES,
         {"a", "a$b", "a$ $c"},
         {"", "$", "a$", "$a", "a$$b", "a$_"}},
	{DIT_VALID_COUNTRY, {"US", "d ", "0-"}, {"", "U", "USA", "U_"}},
	{DIT_VALID_NUMERIC, {"0", "1 2", " "}, {"", "-1", "1a", "1\t"}},
	{DIT_VALID_INTEGER,
         {"0", "1", "-1", "120", "-10"},
         {"", "-", "-0", "007", "-07", "+1", "1 ", "1a"}},
	{DIT_VALID_BOOLEAN, {"TRUE", "FALSE"}, {"", "true", "TRUE ", "False", "1"}},
	{DIT_VALID_BIT_STRING,
         {"''B", "'0'B", "'0110'B"},
         {"", "''", "'B", "'2'B", "'0'b", "0B", "'0' B"}},
	{DIT_VALID_NUMERICOID,
         {"0", "1", "1.2", "0.10.0", "2.5.4.3"},
         {"", ".", "1.", ".1", "1..2", "01", "1.02", "00", "1.a", "cn"}},
	{DIT_VALID_OID_OR_DESCRIPTOR,
         {"person", "a-b", "X1", "1.2", "0.1"},
         {"", "1", "1.", "-a", "a_b", "a.b", "1.02", "a "}},
	{DIT_VALID_GENERALIZED_TIME,
         {"2022010112Z", "202201011230Z", "20220101123060Z", "2022010112.5Z",
          "2022010112,50-0130", "00000229000000+23", "20000229000000Z",
          "20220101000000-2359"},
         {"",
          "2022",
          "2022010112",
          "20220101123061Z",
          "20220229000000Z",
          "19000229000000Z",
          "20221301000000Z",
          "20220001000000Z",
          "20220100000000Z",
          "20220101240000Z",
          "20220101006000Z",
          "20220101000000z",
          "20220101000000.Z",
          "20220101000000Z ",
          "20220101000000+24",
          "20220101000000+0060",
          "20220101000000+1",
          "20220101000000.5",
          "2022010112Z0",
          "0000010100+01",
          "9999123123-01"}},
	{DIT_VALID_POSTAL_ADDRESS,
         {"", "a", "a$b", "$$", "a\\24b", "\\5C$\\5c", "\xC3\xA9"},
         {"a\\", "\\2", "\\25", "\\5", "\\5d", "a\\$b", "\xE9", "\xE9$a", "a$\\2$4"}},
	{DIT_VALID_DELIVERY_METHOD,
         {"any", "mhs", "physical", "telex", "teletex", "g3fax", "g4fax", "ia5",
          "videotex", "telephone", "MHS$physical", "mhs  $  telex"},
         {"", "fax", "$", "mhs$", "$mhs", " mhs", "mhs ", "mhs telex", "mhs$fax"}},
	{DIT_VALID_NIS_NETGROUP,
         {"(,,)", "(a,b,c)", "(A.b;-,0,)"},
         {"", "()", "(,)", "(a,b)", "(a,b,c,d)", "( ,,)", "a,b,c", "(a,b,c", "(a,b,c)x",
          "(a_,,)", "(,a_,)", "(,,a_)"}},
	{DIT_VALID_BOOT_PARAMETER,
         {"a=b:c", "=:", "a=b:", "a.b=c;d:/e f"},
         {"", "a", "a=b", "a:b", "a_=b:c", "a=b_:c", "a=b:c_", "a b=c:d"}},
	{DIT_VALID_UUID,
         {UUID},
         {"", "aaaaaaaa-BBBB-cccc-dddd-0123456789e",
          "aaaaaaaaBBBBccccdddd0123456789efabcd",
          "gaaaaaaa-BBBB-cccc-dddd-0123456789ef"}},
	{DIT_VALID_SEQUENCE, {"0a", "0\x01"}, {"", "0", "1a"}},
	{DIT_VALID_CSN,
         {CSN, "20220101000000Z#00000A#0B#00000C", "20220101000000Z#00000A#00B#00000C"},
         {"", "x", "20220101000000.1Z#00000A#00B#00000C",
          "20221301000000Z#00000A#0B#00000C", "20220101000000Z#0000A#0B#00000C",
          "20220101000000Z#00000g#0B#00000C", "20220101000000Z#00000A#B#00000C",
          "20220101000000Z#00000A#0g#00000C", "20220101000000Z#00000A#0B#00000",
          "20220101000000Z#00000A#0B#00000g", "20220101000000Z#00000A#0B",
          "20220101000000Z#00000A"}},
	{DIT_VALID_SID, {"00a", "FFF"}, {"", "0", "0000", "00g"}},
	{DIT_VALID_DN,
         {"", "cn=a", "cn=a+cn=b", "cn=a,dc=x"},
         {"cn", "cn=", "foo=a", "cn=a,", "cn=a\\", "c=USA"}},
	{DIT_VALID_RDN, {"", "cn=a", "cn=a,,"}, {"cn", "foo=a", "cn=a+"}},
	{DIT_VALID_NAME_UID,
         {"", "cn=a", "cn=a#'01'B", "#''B", "cn=a#'2'B"},
         {"#", "foo=a#'1'B", "cn=a,#'1'B"}},
	{DIT_VALID_AUTHZ,
         {"", "dn:*", "u:x", "cn=a"},
         {"foo", "dn.x:cn=a", "group/person/foo:"}},
	{DIT_VALID_LOGGED_CONTROL,
         {"{1.2.3}", "{1}", "{3.4}", "{1.40}", "{ 1.2.3  }", "{1.2.3 criticality TRUE}",
          "{  1.2.3  CRITICALITY  FALSE }", "{1.2.3 controlValue \"\"}",
          "{1.2.3 controlvalue  \"00aBFf\" }",
          "{1.2.3 criticality TRUE  controlValue \"00\"  }"},
         {"",
          "{",
          "{}",
          "{ }",
          "1.2.3",
          "(1.2.3)",
          " {1.2.3}",
          "{1.2.3} ",
          "{1.2.3}}",
          "{1.2.3",
          "{\t1.2.3}",
          "{1.2.3\t}",
          "{cn}",
          "{01.2}",
          "{1..2}",
          "{1.2.}",
          "{0}{1.2.3}",
          "{1.2.3 x}",
          "{1.2.3criticality TRUE}",
          "{1.2.3 criticality",
          "{1.2.3 criticality}",
          "{1.2.3 critical TRUE}",
          "{1.2.3 criticality \"00\"}"}},
	{DIT_VALID_LOGGED_CONTROL,
         {NULL},
         {"{1.2.3 criticalityTRUE}",
          "{1.2.3 criticality true}",
          "{1.2.3 criticality TRUEx}",
          "{1.2.3 criticality TRUE",
          "{1.2.3 criticality\tTRUE}",
          "{1.2.3 criticality TRUE criticality TRUE}",
          "{1.2.3 criticality FALSEcontrolValue \"00\"}",
          "{1.2.3 controlValue}",
          "{1.2.3 controlValue ",
          "{1.2.3 controlValue\"00\"}",
          "{1.2.3 controlValue 00}",
          "{1.2.3 controlValue TRUE}",
          "{1.2.3 controlValue \"0\"}",
          "{1.2.3 controlValue \"0g\"}",
          "{1.2.3 controlValue \"00 00\"}",
          "{1.2.3 controlValue \"00}",
          "{1.2.3 controlValue \"00\"",
          "{1.2.3 controlValue \"00\"x}",
          "{1.2.3 controlValue \"00\"}}",
          "{1.2.3 controlValue \"00\" criticality TRUE}",
          "{1.2.3 controlValue \"00\" controlValue \"00\"}"}},
	{DIT_VALID_REJECT_ALL, {NULL}, {"", "a"}},
};

TEST(syntaxes_accept_and_refuse_what_they_should)
{
	struct context *context = *state;

	for (size_t i = 0; i < sizeof(syntax_cases) / sizeof(syntax_cases[0]); i++) {
		const struct syntax_case *c = &syntax_cases[i];

		for (size_t j = 0; j < LIST_MAX && c->accepted[j] != NULL; j++) {
			if (dit_value_validate(context->schema, c->validator,
			                       dit_span_of(c->accepted[j])) != 0) {
				fail_msg("validator %d refuses \"%s\"", c->validator,
				         c->accepted[j]);
			}
		}
		for (size_t j = 0; j < LIST_MAX && c->refused[j] != NULL; j++) {
			if (dit_value_validate(context->schema, c->validator,
			                       dit_span_of(c->refused[j])) !=
			    DIT_E_INVALID) {
				fail_msg("validator %d accepts \"%s\"", c->validator,
				         c->refused[j]);
			}
		}
	}
}

struct pretty_case {
	enum dit_validator validator;
	const char *in;
	const char *out; /* NULL: refused */
};

TEST(pretty_forms_are_those_of_slapd)
{
	static const struct pretty_case cases[] = {
		{DIT_VALID_NONE, " As it is ", " As it is "},
		{DIT_VALID_NONE, "", ""},
		{DIT_VALID_DN, "CN=A , DC=X", "cn=A,dc=X"},
		{DIT_VALID_DN, "foo=A", NULL},
		{DIT_VALID_NAME_UID, "CN=A,DC=X#'01'B", "cn=A,dc=X#'01'B"},
		{DIT_VALID_NAME_UID, "foo=A#'01'B", NULL},
		{DIT_VALID_RDN, "CN=A,DC=X", "cn=A"},
		{DIT_VALID_UUID, UUID, "aaaaaaaa-bbbb-cccc-dddd-0123456789ef"},
		{DIT_VALID_SID, "0AF", "0af"},
		{DIT_VALID_SID, "0AG", NULL},
		{DIT_VALID_CSN, CSN, "20220101000000.123456Z#00000A#00b#00000c"},
		{DIT_VALID_CSN, "x", NULL},
		{DIT_VALID_CLASS_NAME, "PERSON", "person"},
		{DIT_VALID_CLASS_NAME, "2.5.6.6", "person"},
		{DIT_VALID_CLASS_NAME, "foo", NULL},
		{DIT_VALID_AUTHZ, "CN=A", "dn:cn=A"},
	};
	struct context *context = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_span out = {0};
		int r = dit_value_pretty(context->schema, cases[i].validator,
		                         dit_span_of(cases[i].in), &context->arena, &out);

		if (cases[i].out == NULL) {
			assert_int_equal(r, DIT_E_INVALID);
			continue;
		}
		assert_int_equal(r, 0);
		assert_non_null(out.data);
		assert_span_equal(out, cases[i].out);
	}
}

struct norm_case {
	enum dit_normalizer normalizer;
	struct dit_span in;
	const char *out; /* NULL: refused */
};

#define S(literal)                                                                       \
 {                                                                                       \
  (literal), sizeof(literal) - 1                                                         \
 }

static const struct norm_case norm_cases[] = {
	{DIT_NORM_IA5_FOLD, S(" A  B "), "a b"},
	{DIT_NORM_IA5_FOLD, S("   "), ""},
	{DIT_NORM_IA5_FOLD, S(""), ""},
	{DIT_NORM_IA5_FOLD, S("A\0B"), "a"},
	{DIT_NORM_IA5_FOLD, S(" A \0B"), "a"},
	{DIT_NORM_IA5_EXACT, S("A\x80  B"), "A\x80 B"},
	{DIT_NORM_NUMERIC, S("1 2"), "12"},
	{DIT_NORM_NUMERIC,
         S("1 2\0"
           "3"),
         "12"},
	{DIT_NORM_NUMERIC,
         S("\0"
           "3"),
         " "},
	{DIT_NORM_NUMERIC, S(""), NULL},
	{DIT_NORM_TELEPHONE, S("+1 2-3"), "+123"},
	{DIT_NORM_TELEPHONE, S("- -"), " "},
	{DIT_NORM_TELEPHONE, S(""), NULL},
	{DIT_NORM_POSTAL_LIST, S(" A $\xC3\x89$$ "), "a$\xC3\xA9$$ "},
	{DIT_NORM_POSTAL_LIST, S("A$\xE9"), NULL},
	{DIT_NORM_GENERALIZED_TIME, S("20220301000000+01"), "20220228230000Z"},
	{DIT_NORM_GENERALIZED_TIME, S("20221231233000-0100"), "20230101003000Z"},
	{DIT_NORM_GENERALIZED_TIME, S("20220101000000+01"), "20211231230000Z"},
	{DIT_NORM_GENERALIZED_TIME, S("20220101123045.500Z"), "20220101123045.5Z"},
	{DIT_NORM_GENERALIZED_TIME, S("99991231235959-0001"), NULL},
	{DIT_NORM_GENERALIZED_TIME, S("00000101000000+0001"), NULL},
	{DIT_NORM_GENERALIZED_TIME, S("x"), NULL},
	/* slapd skips dashes anywhere and reads 36 characters. */
	{DIT_NORM_UUID16, S("6162636465666768-696A6B6C6D6E6F70----"), "abcdefghijklmnop"},
	{DIT_NORM_UUID16, S("6162636465666768696A6B6C6D6E6F70FFFFxyz"),
         "abcdefghijklmnop"},
	{DIT_NORM_UUID16, S("6162636465666768-696A6B6C6D6E6F7---"), NULL},
	{DIT_NORM_UUID16, S("6162636465666768-696A6B6C6D6E6F7x---"), NULL},
	{DIT_NORM_FIRST_COMPONENT_OID, S("( 1.2 NAME 'x' )"), "1.2"},
	{DIT_NORM_FIRST_COMPONENT_OID, S("{1.2}"), "1.2"},
	{DIT_NORM_FIRST_COMPONENT_OID, S("(1.2}"), NULL},
	{DIT_NORM_FIRST_COMPONENT_OID, S("(1.2)x)"), NULL},
	{DIT_NORM_FIRST_COMPONENT_OID, S("( )"), NULL},
	{DIT_NORM_FIRST_COMPONENT_OID, S("()"), NULL},
	{DIT_NORM_FIRST_COMPONENT_INTEGER, S("( -3 )"), "-3"},
	{DIT_NORM_FIRST_COMPONENT_INTEGER, S("5"), NULL},
	{DIT_NORM_CSN, S(CSN), "20220101000000.123456Z#00000A#00b#00000c"},
	{DIT_NORM_CSN, S("20220101000000.12#456Z#00000A#00B#00000C"), NULL},
	{DIT_NORM_CSN, S("20220101000000Z#00000A#0B#00000C"),
         "20220101000000.000000Z#00000A#00b#00000c"},
	{DIT_NORM_CSN, S("20221301000000Z#00000A#0B#00000C"), NULL},
	{DIT_NORM_CSN, S("20220101000000##00000A#0B#00000C"), NULL},
	{DIT_NORM_CSN, S("2022010100:00:00Z#0x00AB#A#00Cd"),
         "20220101000000.000000Z#0000AB#00A#0000cd"},
	{DIT_NORM_CSN, S("2022010100-00:00Z#0x00AB#A#00Cd"), NULL},
	{DIT_NORM_CSN, S("x"), NULL},
	{DIT_NORM_CSN_SID, S("a#b#0AF#c"), "0af"},
	{DIT_NORM_CSN_SID, S("##AF#"), "0af"},
	{DIT_NORM_CSN_SID, S("##AF"), NULL},
	{DIT_NORM_CSN_SID, S("##F#"), NULL},
	{DIT_NORM_CSN_SID, S("##AG#"), NULL},
	{DIT_NORM_NAME_UID, S("CN=A#'01'B"), "cn=a#'01'B"},
	{DIT_NORM_NAME_UID, S("CN=A#'02'B"), "cn=a#'02'b"},
	{DIT_NORM_NAME_UID, S("foo=A#'01'B"), NULL},
};

TEST(normal_forms_are_those_of_slapd)
{
	struct context *context = *state;

	for (size_t i = 0; i < sizeof(norm_cases) / sizeof(norm_cases[0]); i++) {
		const struct norm_case *c = &norm_cases[i];
		struct dit_span out = {0};
		int r = dit_value_normalize(context->schema, c->normalizer, c->in,
		                            &context->arena, &out);

		if (r != (c->out == NULL ? DIT_E_INVALID : 0)) {
			fail_msg("\"%s\": %d", c->in.data, r);
		}
		if (c->out != NULL) {
			assert_non_null(out.data);
			assert_span_equal(out, c->out);
		}
	}
}

TEST(an_order_prefix_stays_in_front_of_the_normal_form)
{
	static const struct {
		const char *type;
		const char *in;
		const char *out;
	} cases[] = {
		{"tOrdered", "{0}Foo", "{0}foo"},
		{"tOrdered", "{12} A  B", "{12}a b"},
		{"tOrdered", "{1 2} A", "{1 2}a"}, /* as in a numeric string */
		{"tOrdered", "{0}", "{0}"},
		{"tOrdered", "{} A", "{} a"},
		{"tOrdered", "{A}  B", "{a} b"},
		{"tOrdered", "{0 A", "{0 a"},
		{"tOrdered", "A", "a"},
		{"tOrdered", "", ""},
		{"tSiblings", "{0} A", "{0}a"},
		{"cn", "{0} A", "{0} a"},
	};
	struct context *context = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct dit_attr_type *type =
			dit_schema_find_type(context->schema, dit_span_of(cases[i].type));
		struct dit_span out = {0};

		assert_non_null(type);
		assert_int_equal(dit_attr_normalize(context->schema, type,
		                                    dit_span_of(cases[i].in),
		                                    &context->arena, &out),
		                 0);
		assert_span_equal(out, cases[i].out);
	}
}

TEST(a_bad_value_after_an_order_prefix_is_refused)
{
	struct context *context = *state;
	struct dit_span out = {0};

	assert_int_equal(dit_attr_normalize(context->schema,
	                                    dit_schema_find_type(context->schema,
	                                                         DIT_SPAN("tOrdered")),
	                                    DIT_SPAN("{0}\xE9"), &context->arena, &out),
	                 DIT_E_INVALID);
}

/* slapd leaves that byte to chance. */
TEST(a_uuid_with_a_digit_too_few_ends_in_zeros)
{
	struct context *context = *state;
	struct dit_span out = {0};

	assert_int_equal(
		dit_value_normalize(context->schema, DIT_NORM_UUID16,
	                            DIT_SPAN("6162636465666768-696A6B6C6D6E6F7----"),
	                            &context->arena, &out),
		0);
	assert_int_equal(out.len, 16);
	assert_memory_equal(out.data, "abcdefghijklmno\0", 16);
}

MAIN_WITH(setup, NULL)
