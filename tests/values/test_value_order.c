/* SPDX-License-Identifier: BSD-2-Clause */
/* Each rule orders values as slapadd 2.5.13 does, under sortvals and in id2v. */
#include "test.h"

#include "schema_test.h"
#include "values/value_order.h"

#define STRING "1.3.6.1.4.1.1466.115.121.1.15"

struct order_case {
	const char *definition;
	const char *values[16]; /* ascending; "=" before one that equals the last */
};

static const struct order_case cases[] = {
	{"( 1.1.1 NAME 't1' EQUALITY caseIgnoreMatch SYNTAX " STRING " )",
         {"", "b", "z", "=z", "aa", "zz", "abc"}},
	{"( 1.1.2 NAME 't2' SYNTAX " STRING " )", {"ZZ", "zz", "abc"}},
	{"( 1.1.3 NAME 't3' EQUALITY integerMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 )",
         {"-100", "-11", "-10", "-9", "-1", "0", "1", "=1", "7", "10", "15", "123"}},
	{"( 1.1.4 NAME 't4' EQUALITY booleanMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.7 )",
         {"FALSE", "TRUE", "=TRUF", "AB"}},
	{"( 1.1.5 NAME 't5' EQUALITY uniqueMemberMatch "
         "SYNTAX 1.3.6.1.4.1.1466.115.121.1.34 )",
         {"cn=b#''B", "cn=b#'1'B", "cn=aa#'1'B", "cn=bb#'1'B", "cn=b#'01'B",
          "cn=c#'0101'B", "=cn=c#'0101'B", "cn=a", "cn=b", "cn=bb", "cn=b#x1"}},
	{"( 1.1.6 NAME 't6' EQUALITY integerFirstComponentMatch "
         "SYNTAX 1.3.6.1.4.1.1466.115.121.1.17 )",
         {"-10", "-2", "5", "10"}},
	{"( 1.1.7 NAME 't7' EQUALITY integerMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 "
         "X-ORDERED 'VALUES' )",
         {"{0}9", "{1}1", "{0}-1", "{0}10"}},
	{"( 1.1.8 NAME 't8' EQUALITY distinguishedNameMatch "
         "SYNTAX 1.3.6.1.4.1.1466.115.121.1.12 )",
         {"cn=c", "cn=bb", "cn=a,dc=x"}},
	{"( 1.1.9 NAME 't9' EQUALITY objectIdentifierMatch "
         "SYNTAX 1.3.6.1.4.1.1466.115.121.1.38 )",
         {"cn", "sn", "2.5.4.3"}},
};

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

static void check_case(struct dit_value_order order, const struct order_case *c)
{
	for (size_t i = 0; c->values[i] != NULL; i++) {
		for (size_t j = i; c->values[j] != NULL; j++) {
			const char *a = c->values[i];
			const char *b = c->values[j];
			/* Equal if all between are marked. */
			int expected = 0;
			int got = 0;

			for (size_t k = i + 1; k <= j; k++) {
				expected = c->values[k][0] != '=' ? -1 : expected;
			}
			a += a[0] == '=';
			b += b[0] == '=';
			got = dit_value_compare(order, dit_span_of(a), dit_span_of(b));
			if (sign(got) != expected) {
				print_message("%s: \"%s\" \"%s\": %d\n", c->definition, a,
				              b, got);
			}
			assert_int_equal(sign(got), expected);
			assert_int_equal(sign(dit_value_compare(order, dit_span_of(b),
			                                        dit_span_of(a))),
			                 -expected);
		}
	}
}

TEST(rules_order_values_as_slapadd_does)
{
	struct dit_schema *schema = test_schema(DIT_OPENLDAP_ASSUMED);
	struct dit_schema_error error;
	struct dit_value_order order = {NULL, false};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char name[8];

		assert_int_equal(
			dit_schema_define_type(schema, cases[i].definition, &error), 0);
		(void)snprintf(name, sizeof(name), "t%zu", i + 1);
		order.by_value =
			dit_value_order(dit_schema_find_type(schema, dit_span_of(name)));
		check_case(order, &cases[i]);
	}
}

#define INTEGER "1.3.6.1.4.1.1466.115.121.1.27"

/* The checks know places; the store does not, see t7 above. */
static const struct order_case match_cases[] = {
	{"( 1.2.1 NAME 't1' EQUALITY caseIgnoreMatch SYNTAX " STRING
         " X-ORDERED 'VALUES' )",
         {"{01}c", "{1}b", "{1}aa", "{10}a", "{10}bb", "{2}a", "{2}c"}},
	{"( 1.2.2 NAME 't2' EQUALITY integerMatch SYNTAX " INTEGER
         " X-ORDERED 'SIBLINGS' )",
         {"{1}-10", "{1}5", "{10}-3", "{2}1", "{2}10"}},
	{"( 1.2.3 NAME 't3' EQUALITY booleanMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.7 "
         "X-ORDERED 'VALUES' )",
         {"{1}FALSE", "=FALSE", "{1}TRUE"}},
	{"( 1.2.4 NAME 't4' EQUALITY uniqueMemberMatch "
         "SYNTAX 1.3.6.1.4.1.1466.115.121.1.34 X-ORDERED 'VALUES' )",
         {"{1}cn=b#''B", "{1}cn=a"}},
	{"( 1.2.5 NAME 't5' EQUALITY integerMatch SYNTAX " INTEGER " )",
         {"-11", "-10", "1"}},
};

TEST(the_order_prefix_of_a_value_is_told_from_the_rest)
{
	struct dit_schema *schema = test_schema(DIT_OPENLDAP_ASSUMED);
	struct dit_schema_error error;
	struct dit_value_order order;

	for (size_t i = 0; i < sizeof(match_cases) / sizeof(match_cases[0]); i++) {
		char name[8];

		assert_int_equal(
			dit_schema_define_type(schema, match_cases[i].definition, &error),
			0);
		(void)snprintf(name, sizeof(name), "t%zu", i + 1);
		check_case(dit_value_match_order(
				   dit_schema_find_type(schema, dit_span_of(name))),
		           &match_cases[i]);
	}
	order = dit_value_match_order(dit_schema_find_type(schema, DIT_SPAN("t1")));
	assert_int_equal(dit_value_compare(order, DIT_SPAN("{3}b"), DIT_SPAN("b")), 0);
	assert_int_equal(dit_value_compare(order, DIT_SPAN("b"), DIT_SPAN("{3}b")), 0);
	assert_int_equal(dit_value_compare(order, DIT_SPAN("{3}b"), DIT_SPAN("{3}")), 0);
	assert_true(dit_value_compare(order, DIT_SPAN("{3}"), DIT_SPAN("{3}b")) < 0);
	assert_true(dit_value_compare(order, DIT_SPAN("{4}b"), DIT_SPAN("{3}")) > 0);
	assert_true(dit_value_compare(order, DIT_SPAN("b"), DIT_SPAN("{3}")) > 0);
	assert_true(dit_value_compare(order, DIT_SPAN("{}b"), DIT_SPAN("b")) > 0);
}

TEST(object_classes_are_ordered_as_they_are_written)
{
	struct dit_schema *schema = test_schema(DIT_OPENLDAP_ASSUMED);
	dit_value_order_fn order = NULL;

	order = dit_value_order(dit_schema_find_type(schema, DIT_SPAN("objectClass")));
	assert_true(order(DIT_SPAN("top"), DIT_SPAN("TOP")) > 0);
	assert_true(order(DIT_SPAN("top"), DIT_SPAN("alias")) < 0);
	assert_true(order(DIT_SPAN("alias"), DIT_SPAN("top")) > 0);
}
