/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters are read against a schema: what is shown here is the tree, in words. */
#include "test.h"

#include "base/error.h"
#include "nomem.h"
#include "schema_test.h"
#include "values/filter.h"

struct fixture {
	struct dit_schema *schema;
	struct dit_arena arena;
	char text[2000];
};

static int setup(void **state)
{
	struct fixture *f = test_alloc(sizeof(*f));

	f->schema = test_schema(DIT_OPENLDAP_ASSUMED);
	dit_schema_freeze(f->schema);
	test_arena_init(&f->arena, 4096);
	*state = f;
	return 0;
}

static void put(struct fixture *f, const char *format, ...)
{
	size_t used = strlen(f->text);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(f->text + used, sizeof(f->text) - used, format, args);
	va_end(args);
}

static void put_filter(struct fixture *f, const struct dit_filter *filter)
{
	static const char *const names[] = {"and",  "or", "not", "undefined", "has", "eq",
	                                    "like", "ge", "le",  "sub",       "ext"};

	put(f, "%s", names[filter->kind]);
	if (filter->kind == DIT_FILTER_EXTENSIBLE) {
		put(f, " %s%s%s", filter->rule->name, filter->has_rule ? "" : "?",
		    filter->has_dn ? " dn" : "");
	}
	if (filter->ad != NULL && filter->kind > DIT_FILTER_UNDEFINED) {
		put(f, " %s", filter->ad->name.data);
	}
	if (filter->kind >= DIT_FILTER_EQUAL && filter->kind != DIT_FILTER_SUBSTRINGS) {
		put(f, " '%.*s'", DIT_SPAN_ARGS(filter->value));
	}
	for (uint32_t i = 0; filter->kind == DIT_FILTER_SUBSTRINGS && i < filter->npieces;
	     i++) {
		put(f, " '%.*s'", DIT_SPAN_ARGS(filter->pieces[i]));
	}
	for (const struct dit_filter *at = filter->first; at != NULL; at = at->next) {
		put(f, "[");
		put_filter(f, at);
		put(f, "]");
	}
}

static void assert_tree(struct fixture *f, const char *text, const char *expected)
{
	struct dit_filter *filter = NULL;

	assert_int_equal(
		dit_filter_read(f->schema, dit_span_of(text), &f->arena, NULL, &filter),
		0);
	f->text[0] = '\0';
	put_filter(f, filter);
	assert_string_equal(f->text, expected);
}

SETUP_TEST(items_have_kinds_and_normal_values)
{
	static const struct {
		const char *text;
		const char *tree;
	} cases[] = {
		{"(CN= A  B)", "eq cn 'a b'"},
		{"cn=a", "eq cn 'a'"},
		{"(2.5.4.3=a)", "eq cn 'a'"},
		{"(cn;lang-DE=a)", "eq cn;lang-de 'a'"},
		{"(cn=*)", "has cn"},
		{"(cn=A*)", "sub cn 'a' ''"},
		{"(cn=*A)", "sub cn '' 'a'"},
		{"(cn=a*B *c)", "sub cn 'a' 'b ' 'c'"},
		{"(cn= *a* )", "sub cn ' ' 'a' ''"},
		{"(cn=\\c2\\a0*\\c2\\a0*\\c2\\a0)", "sub cn ' ' ' ' ''"},
		{"(cn=\\2A)", "eq cn '*'"},
		{"(cn=\\28\\5c\\29)", "eq cn '(\\)'"},
		{"(cn=a\\2a*)", "sub cn 'a*' ''"},
		{"(cn~=A)", "like cn 'a'"},
		{"(cn>=a)", "undefined"}, /* cn has no ordering */
		{"(createTimestamp>=2026010203Z)",
	         "ge createTimestamp '20260102030000Z'"},
		{"(createTimestamp<=2026010203Z)",
	         "le createTimestamp '20260102030000Z'"},
		{"(createTimestamp=x)", "undefined"},
		{"(foo=x)", "undefined"},
		{"(userPassword=a*)", "undefined"}, /* no rule for pieces */
		{"(seeAlso=CN = A,cn=x)", "eq seeAlso 'cn=a,cn=x'"},
		{"(objectClass=TOP)", "eq objectClass 'top'"},
		{"(objectClass=foo)", "undefined"},
		{"(cn:=A)", "ext caseIgnoreMatch? cn 'a'"},
		{"(cn:dn:=A)", "ext caseIgnoreMatch? dn cn 'a'"},
		{"(cn:caseExactMatch:=A)", "ext caseExactMatch cn 'A'"},
		{"(cn:DN:2.5.13.5:=A)", "ext caseExactMatch dn cn 'A'"},
		{"(:dn:2.5.13.2:=A)", "ext caseIgnoreMatch dn 'a'"},
		{"(:caseIgnoreMatch:=A)", "ext caseIgnoreMatch 'a'"},
		{"(cn:caseIgnoreMatch:=\\e2\\85\\a7)", "ext caseIgnoreMatch cn 'VIII'"},
		{"(:caseIgnoreMatch:=\\e2\\85\\a7)", "ext caseIgnoreMatch 'viii'"},
		{"(cn:fooMatch:=A)", "undefined"},
		{"(objectClass:objectIdentifierMatch:=2.5.6.0)", "undefined"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_tree(*state, cases[i].text, cases[i].tree);
	}
}

SETUP_TEST(uuids_in_filters_are_bytes)
{
	struct fixture *f = *state;
	struct dit_filter *filter = NULL;

	assert_int_equal(
		dit_filter_read(
			f->schema,
			DIT_SPAN("(entryUUID=00010203-0405-0607-0809-0A0b0c0d0e0f)"),
			&f->arena, NULL, &filter),
		0);
	assert_int_equal(filter->value.len, 16);
	for (int i = 0; i < 16; i++) {
		assert_int_equal(filter->value.data[i], i);
	}
}

SETUP_TEST(filter_sets_are_trees)
{
	assert_tree(*state, "(&(cn=a)(|(cn=b)(!(foo=x)))(cn=*))",
	            "and[eq cn 'a'][or[eq cn 'b'][not[undefined]]][has cn]");
	assert_tree(*state, "(&)", "and");
	assert_tree(*state, "(|)", "or");
	assert_tree(*state, "(!(|))", "and");
	assert_tree(*state, "(& (cn=a) (cn=b) )", "and[eq cn 'a'][eq cn 'b']");
}

SETUP_TEST(text_that_is_no_filter_is_refused)
{
	static const char *const texts[] = {
		"",          "(",        "()",       "(cn)",      "(=a)",
		"(cn=a",     "cn=a)",    "((cn=a))", "(!)",       "(cn=**)",
		"(cn=\\zz)", "(&(cn=a)", "(1.2.=a)", "(1.2.;x=a)"};
	struct fixture *f = *state;
	struct dit_filter *filter = NULL;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		print_message("%s\n", texts[i]);
		assert_int_equal(dit_filter_read(f->schema, dit_span_of(texts[i]),
		                                 &f->arena, NULL, &filter),
		                 DIT_E_INVALID);
	}
	assert_null(filter);
}

SETUP_TEST(a_filter_that_nests_too_deeply_is_refused)
{
	struct fixture *f = *state;
	struct dit_filter *filter = NULL;
	char *text = test_alloc(5000);

	memset(text, 0, 5000);
	for (int i = 0; i < 2000; i++) {
		memcpy(text + 2 * i, "(!", 2);
	}
	assert_int_equal(
		dit_filter_read(f->schema, dit_span_of(text), &f->arena, NULL, &filter),
		DIT_E_UNSUPPORTED);
}

static void add_line(void *ctx, const struct dit_report *report)
{
	put(ctx, "%s\n", report->text);
}

SETUP_TEST(unknown_attributes_are_remarked_on_in_two_kinds_of_items)
{
	struct fixture *f = *state;
	struct dit_filter *filter = NULL;
	struct dit_notes notes;

	dit_notes_init(&notes, &f->arena);
	assert_int_equal(dit_filter_read(f->schema,
	                                 DIT_SPAN("(|(foo=*)(bar=a*)(baz=1)(x>=2)"
	                                          "(userPassword=a*)(cn=a*))"),
	                                 &f->arena, &notes, &filter),
	                 0);
	dit_notes_tell(&notes, add_line, f);
	assert_string_equal(f->text,
	                    "get_filter: conn 0 unknown attribute type=foo (17)\n"
	                    "get_ssa: conn 0 unknown attribute type=bar (17)\n");
}

static int read_in_new_arena(const struct dit_schema *schema)
{
	struct dit_filter *filter = NULL;
	struct dit_arena arena;
	int r = 0;

	dit_arena_init(&arena, 64);
	r = dit_filter_read(schema, DIT_SPAN("(&(cn=a*b*c)(seeAlso=cn=x))"), &arena, NULL,
	                    &filter);
	dit_arena_deinit(&arena);
	return r;
}

SETUP_TEST(lack_of_memory_is_told)
{
	struct fixture *f = *state;

	assert_true(calls_until_memory(read_in_new_arena(f->schema)) > 5);
}
