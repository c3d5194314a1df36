/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters against an entry: true, false, undefined. tests/oracle/cat.sh compares several
 * hundred with slapcat.
 */
#include "test.h"

#include "filter/filter_match.h"
#include "schema_test.h"

#define NATTRS 5

struct fixture {
	struct dit_schema *schema;
	struct dit_arena arena;
	struct dit_attr_view attrs[NATTRS];
	struct dit_entry_view entry;
};

static void set_attr(struct fixture *f, unsigned i, const char *name,
                     const struct dit_span *values, const struct dit_span *normal)
{
	f->attrs[i] =
		(struct dit_attr_view){.nvalues = 1, .values = values, .normal = normal};
	assert_int_equal(
		dit_ad_find(f->schema, NULL, dit_span_of(name), &f->attrs[i].ad, NULL),
		0);
}

static int setup(void **state)
{
	static const struct dit_span values[] = {{"Jon  Smythe", 11},
	                                         {"top", 3},
	                                         {"CN=B,cn=x", 9},
	                                         {"20260101000000Z", 15}};
	static const struct dit_span normal[] = {
		{"jon smythe", 10}, {"", 0}, {"cn=b,cn=x", 9}, {"20260101000000Z", 15}};
	struct fixture *f = test_alloc(sizeof(*f));

	f->schema = test_schema(DIT_OPENLDAP_ASSUMED);
	dit_schema_freeze(f->schema);
	test_arena_init(&f->arena, 4096);
	set_attr(f, 0, "cn;lang-de", &values[0], &normal[0]);
	set_attr(f, 1, "objectClass", &values[1], NULL);
	set_attr(f, 2, "seeAlso", &values[2], &normal[2]);
	set_attr(f, 3, "createTimestamp", &values[3], &normal[3]);
	/* One that the schema does not know matches nothing. */
	f->attrs[4] = (struct dit_attr_view){.nvalues = 1, .values = &values[0]};
	f->entry = (struct dit_entry_view){.id = 1,
	                                   .dn = DIT_SPAN("cn=A+description=Q,cn=X"),
	                                   .norm_dn = DIT_SPAN("cn=a+description=q,cn=x"),
	                                   .nattrs = NATTRS,
	                                   .attrs = f->attrs};
	*state = f;
	return 0;
}

static void assert_truth(struct fixture *f, const char *text, enum dit_truth expected)
{
	struct dit_filter *filter = NULL;
	int r = 0;

	assert_int_equal(
		dit_filter_read(f->schema, dit_span_of(text), &f->arena, NULL, &filter),
		0);
	r = dit_filter_match(f->schema, filter, &f->entry, &f->arena);
	if (r != (int)expected) {
		print_error("%s: %d\n", text, r);
	}
	assert_int_equal(r, expected);
}

SETUP_TEST(items_are_true_false_or_undefined)
{
	static const struct {
		const char *text;
		enum dit_truth truth;
	} cases[] = {
		{"(cn=JON smythe)", DIT_TRUE},
		{"(cn;lang-de=jon smythe)", DIT_TRUE},
		{"(cn;lang-=jon smythe)", DIT_TRUE},
		{"(cn;lang-de-=jon smythe)", DIT_TRUE},
		{"(cn;lang-d=jon smythe)", DIT_FALSE},
		{"(cn;lang-d-=jon smythe)", DIT_FALSE},
		{"(cn;lang-en=jon smythe)", DIT_FALSE},
		{"(name=jon smythe)", DIT_TRUE}, /* cn is a name */
		{"(cn=jon)", DIT_FALSE},
		{"(foo=jon)", DIT_UNDEFINED},
		{"(cn=*)", DIT_TRUE},
		{"(description=*)", DIT_FALSE},
		{"(foo=*)", DIT_UNDEFINED},
		{"(cn=jon*)", DIT_TRUE},
		{"(cn=*n s*the)", DIT_TRUE},
		{"(cn=*the*y*)", DIT_FALSE},
		{"(cn=jon smy*ythe)", DIT_FALSE}, /* they may not overlap */
		{"(cn~=jahn smith)", DIT_TRUE},
		{"(cn~=smith)", DIT_TRUE},
		{"(cn~=smith jon)", DIT_FALSE},
		{"(cn~= )", DIT_FALSE}, /* no word is asserted */
		{"(!(cn~= ))", DIT_TRUE},
		{"(objectClass=top)", DIT_TRUE},
		{"(objectClass=alias)", DIT_FALSE},
		{"(createTimestamp>=20260101000000Z)", DIT_TRUE},
		{"(createTimestamp>=20260101000001Z)", DIT_FALSE},
		{"(createTimestamp<=20260101000000.5Z)", DIT_TRUE},
		{"(createTimestamp<=20251231235959Z)", DIT_FALSE},
		{"(cn>=a)", DIT_UNDEFINED},
		{"(entryDN=CN=A+description=Q,cn=x)", DIT_TRUE},
		{"(entryDN=*)", DIT_TRUE},
		{"(entryDN=cn=x)", DIT_FALSE},
		{"(subschemaSubentry=*)", DIT_TRUE},
		{"(subschemaSubentry=cn=subschema)", DIT_FALSE},
		{"(hasSubordinates=TRUE)", DIT_FALSE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_truth(*state, cases[i].text, cases[i].truth);
	}
}

SETUP_TEST(a_class_that_the_schema_lacks_is_undefined)
{
	static const struct dit_span values[] = {{"top", 3}, {"lost", 4}, {"alias", 5}};
	struct fixture *f = *state;

	set_attr(f, 1, "objectClass", values, NULL);
	f->attrs[1].nvalues = 3;
	assert_truth(f, "(objectClass=top)", DIT_TRUE);
	assert_truth(f, "(objectClass=alias)", DIT_UNDEFINED);
	assert_truth(f, "(objectClass~=alias)", DIT_UNDEFINED);
	assert_truth(f, "(!(objectClass:=domain))", DIT_UNDEFINED);
	set_attr(f, 4, "objectClass", &values[2], NULL);
	assert_truth(f, "(objectClass=alias)", DIT_TRUE);
	assert_truth(f, "(objectClass:=alias)", DIT_UNDEFINED);
}

/* slapd looks at the one in the middle first. */
SETUP_TEST(sorted_classes_are_sought_as_slapd_seeks_them)
{
	static const struct dit_span values[] = {
		{"top", 3}, {"alias", 5}, {"referral", 8}, {"lost", 4}};
	struct fixture *f = *state;

	set_attr(f, 1, "objectClass", values, NULL);
	f->attrs[1].nvalues = 3;
	f->attrs[1].is_sorted = true;
	assert_truth(f, "(objectClass=top)", DIT_TRUE);
	assert_truth(f, "(objectClass=alias)", DIT_TRUE);
	assert_truth(f, "(objectClass=referral)", DIT_FALSE);
	assert_truth(f, "(objectClass~=referral)", DIT_TRUE);
	assert_truth(f, "(objectClass:=referral)", DIT_TRUE);
	set_attr(f, 1, "objectClass", values + 2, NULL);
	f->attrs[1].nvalues = 2;
	f->attrs[1].is_sorted = true;
	/* It passes over one that the schema lacks, and goes to the right. */
	assert_truth(f, "(objectClass=referral)", DIT_FALSE);
	f->attrs[1].is_sorted = false;
	assert_truth(f, "(objectClass=referral)", DIT_TRUE);
}

SETUP_TEST(orderings_look_at_an_end_of_sorted_values)
{
	static const struct dit_span values[] = {{"20260101000000Z", 15},
	                                         {"20250101000000Z", 15},
	                                         {"20240101000000Z", 15}};
	struct fixture *f = *state;

	set_attr(f, 3, "createTimestamp", values, NULL);
	f->attrs[3].nvalues = 3;
	assert_truth(f, "(createTimestamp>=20250601000000Z)", DIT_TRUE);
	assert_truth(f, "(createTimestamp<=20250601000000Z)", DIT_TRUE);
	/* As if the equality rule had sorted them so. */
	f->attrs[3].is_sorted = true;
	assert_truth(f, "(createTimestamp>=20250601000000Z)", DIT_FALSE);
	assert_truth(f, "(createTimestamp<=20250601000000Z)", DIT_FALSE);
	assert_truth(f, "(createTimestamp>=20240101000000Z)", DIT_TRUE);
	assert_truth(f, "(createTimestamp<=20260101000000Z)", DIT_TRUE);
	assert_truth(f, "(createTimestamp=20250101000000Z)", DIT_TRUE);
}

SETUP_TEST(extensible_items_look_by_rule_and_into_the_dn)
{
	static const struct {
		const char *text;
		enum dit_truth truth;
	} cases[] = {
		{"(cn:caseExactMatch:=Jon Smythe)", DIT_TRUE},
		{"(cn:caseExactMatch:=jon smythe)", DIT_FALSE},
		{"(:caseExactMatch:=Jon Smythe)", DIT_TRUE},
		{"(:caseIgnoreMatch:=a)", DIT_FALSE},
		{"(:dn:caseIgnoreMatch:=a)", DIT_TRUE},
		{"(:dn:caseIgnoreMatch:=q)", DIT_TRUE},
		{"(:dn:caseIgnoreMatch:=x)", DIT_TRUE},
		{"(cn:dn:=a)", DIT_TRUE},
		{"(cn:dn:=q)", DIT_FALSE},
		{"(sn:dn:=a)", DIT_UNDEFINED}, /* sn is in no core schema */
		{"(seeAlso:dnSubtreeMatch:=cn=x)", DIT_TRUE},
		{"(seeAlso:dnSubtreeMatch:=cn=b,cn=x)", DIT_TRUE},
		{"(seeAlso:dnOneLevelMatch:=cn=x)", DIT_TRUE},
		{"(seeAlso:dnOneLevelMatch:=cn=b,cn=x)", DIT_FALSE},
		{"(entryDN:dnOneLevelMatch:=)", DIT_FALSE},
		{"(seeAlso:dnSubordinateMatch:=cn=b,cn=x)", DIT_FALSE},
		{"(seeAlso:dnSuperiorMatch:=cn=c,cn=b,cn=x)", DIT_TRUE},
		{"(seeAlso:dnSuperiorMatch:=cn=b,cn=x)", DIT_FALSE},
		{"(entryDN:dnSubtreeMatch:=cn=x)", DIT_TRUE},
		{"(cn:caseIgnoreOrderingMatch:=k)", DIT_TRUE},
		{"(cn:directoryStringApproxMatch:=jahn smith)", DIT_TRUE},
		{"(cn:1.3.6.1.4.1.4203.666.4.4:=smith jon)", DIT_FALSE},
		{"(:directoryStringApproxMatch:=jahn)", DIT_TRUE},
		{"(!(:caseExactIA5SubstringsMatch:=a))", DIT_TRUE}, /* suits no type */
		{"(!(:UUIDMatch:=00000000-0000-0000-0000-000000000000))", DIT_TRUE},
		{"(!(:certificateMatch:=a))", DIT_UNDEFINED},
		{"(cn:caseIgnoreOrderingMatch:=jon smythe)", DIT_FALSE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_truth(*state, cases[i].text, cases[i].truth);
	}
}

/* Each pair of true, false and undefined (foo=1). */
SETUP_TEST(logic_has_three_values)
{
	static const char *const items[] = {"(cn=x)", "(cn=*)", "(foo=1)"};
	static const enum dit_truth ands[3][3] = {
		{DIT_FALSE, DIT_FALSE, DIT_FALSE},
		{DIT_FALSE, DIT_TRUE, DIT_UNDEFINED},
		{DIT_FALSE, DIT_UNDEFINED, DIT_UNDEFINED}};
	static const enum dit_truth ors[3][3] = {
		{DIT_FALSE, DIT_TRUE, DIT_UNDEFINED},
		{DIT_TRUE, DIT_TRUE, DIT_TRUE},
		{DIT_UNDEFINED, DIT_TRUE, DIT_UNDEFINED}};
	static const enum dit_truth nots[3] = {DIT_TRUE, DIT_FALSE, DIT_UNDEFINED};
	char text[100];

	for (unsigned a = 0; a < 3; a++) {
		(void)snprintf(text, sizeof(text), "(!%s)", items[a]);
		assert_truth(*state, text, nots[a]);
		for (unsigned b = 0; b < 3; b++) {
			(void)snprintf(text, sizeof(text), "(&%s%s)", items[a], items[b]);
			assert_truth(*state, text, ands[a][b]);
			(void)snprintf(text, sizeof(text), "(|%s%s)", items[a], items[b]);
			assert_truth(*state, text, ors[a][b]);
		}
	}
	assert_truth(*state, "(&)", DIT_TRUE);
	assert_truth(*state, "(|)", DIT_FALSE);
}

/* No name is right below the empty one. */
SETUP_TEST(the_empty_name_has_no_children)
{
	struct fixture *f = *state;
	const struct dit_rule *one =
		dit_schema_find_rule(f->schema, DIT_SPAN("dnOneLevelMatch"));

	assert_int_equal(dit_rule_matches(one, DIT_SPAN("cn=x"), DIT_SPAN("")),
	                 DIT_FALSE);
	assert_int_equal(dit_rule_matches(one, DIT_SPAN("cn=a,cn=x"), DIT_SPAN("cn=x")),
	                 DIT_TRUE);
}

SETUP_TEST(bits_are_those_of_numbers)
{
	struct fixture *f = *state;
	const struct dit_rule *all =
		dit_schema_find_rule(f->schema, DIT_SPAN("integerBitAndMatch"));
	const struct dit_rule *any =
		dit_schema_find_rule(f->schema, DIT_SPAN("integerBitOrMatch"));

	assert_int_equal(dit_rule_matches(all, DIT_SPAN("13"), DIT_SPAN("9")), DIT_TRUE);
	assert_int_equal(dit_rule_matches(all, DIT_SPAN("13"), DIT_SPAN("2")), DIT_FALSE);
	assert_int_equal(dit_rule_matches(any, DIT_SPAN("13"), DIT_SPAN("6")), DIT_TRUE);
	assert_int_equal(dit_rule_matches(any, DIT_SPAN("13"), DIT_SPAN("2")), DIT_FALSE);
	assert_int_equal(
		dit_rule_matches(any, DIT_SPAN("99999999999999999999"), DIT_SPAN("1")),
		DIT_UNDEFINED);
	assert_int_equal(
		dit_rule_matches(all, DIT_SPAN("1"), DIT_SPAN("-99999999999999999999")),
		DIT_UNDEFINED);
}
