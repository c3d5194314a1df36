/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distinguished names (values.md 5).
 *
 *   Both forms are those of slapd, with a cache and without.
 *   The offsets tell where the RDNs begin; the AVAs are those of the first RDN.
 *   Nothing in a result points into the text, but a normal form may be the text itself.
 */
#include "values/dn.h"

#include "base/error.h"
#include "sample_context.h"
#include "values/value.h"

struct dn_case {
	const char *text;
	const char *pretty; /* NULL: refused */
	const char *norm;
};

#define UUID_UPPER "AAAAAAAA-bbbb-CCCC-dddd-0123456789EF"
#define UUID_LOWER "aaaaaaaa-bbbb-cccc-dddd-0123456789ef"

static const struct dn_case dn_cases[] = {
	/* values.md 5.4, in its order */
	{"CN=Foo Bar,DC=Example,DC=com", "cn=Foo Bar,dc=Example,dc=com",
         "cn=foo bar,dc=example,dc=com"},
	{"cn = Foo   Bar , dc=X", "cn=Foo   Bar,dc=X", "cn=foo bar,dc=x"},
	{"commonName=Foo,domainComponent=X", "cn=Foo,dc=X", "cn=foo,dc=x"},
	{"2.5.4.3=Foo;dc=x", "cn=Foo,dc=x", "cn=foo,dc=x"},
	{"SN=b+CN=a,dc=x", "cn=a+sn=b,dc=x", "cn=a+sn=b,dc=x"},
	{"cn=A\\,B,dc=x", "cn=A\\2CB,dc=x", "cn=a\\2Cb,dc=x"},
	{"cn=\"A,B\",dc=x", "cn=A\\2CB,dc=x", "cn=a\\2Cb,dc=x"},
	{"cn=A\\2CB,dc=x", "cn=A\\2CB,dc=x", "cn=a\\2Cb,dc=x"},
	{"cn=A\\ ,dc=x", "cn=A\\20,dc=x", "cn=a,dc=x"},
	{"cn=\\#A,dc=x", "cn=\\23A,dc=x", "cn=\\23a,dc=x"},
	{"cn=A=B,dc=x", "cn=A\\3DB,dc=x", "cn=a\\3Db,dc=x"},
	{"cn=A#B", "cn=A#B", "cn=a#b"},
	{"cn=\\C3\\89t\\C3\\A9,dc=x", "cn=\xC3\x89t\xC3\xA9,dc=x",
         "cn=\xC3\xA9t\xC3\xA9,dc=x"},
	{"cn=\xEF\xBC\xA1\xEF\xBC\xA2,dc=x", "cn=\xEF\xBC\xA1\xEF\xBC\xA2,dc=x",
         "cn=ab,dc=x"},
	{"cn=a\\00b,dc=x", "cn=a\\00b,dc=x", "cn=a\\00b,dc=x"},
	{"cn=  \\  ,dc=x", "cn=\\20,dc=x", "cn=\\20,dc=x"},
	{"cn=a\\ \\ ,dc=x", "cn=a \\20,dc=x", "cn=a,dc=x"},
	{"cn=\" a \"", "cn=\\20a\\20", "cn=a"},
	{"cn = \"a + b\"", "cn=a \\2B b", "cn=a \\2B b"},
	{"cn;lang-en=a,dc=x", "cn=a,dc=x", "cn=a,dc=x"},
	{"cn=a/dc=x", "cn=a/dc\\3Dx", "cn=a/dc\\3Dx"},
	{"member=cn\\=A\\,dc\\=X,dc=x", "member=cn\\3DA\\2Cdc\\3DX,dc=x",
         "member=cn\\3Da\\2Cdc\\3Dx,dc=x"},
	{"uidNumber=7,dc=x", "uidNumber=7,dc=x", "uidNumber=7,dc=x"},
	{"entryUUID=" UUID_UPPER, "entryUUID=" UUID_LOWER, "entryUUID=" UUID_LOWER},
	{"telephoneNumber=\\+1 2-3", "telephoneNumber=\\2B1 2-3",
         "telephoneNumber=\\2B123"},
	{"", "", ""},
	/* more of the grammar */
	{"\n\tcn\r= \ta\n,\r dc = x\t", "cn=a,dc=x", "cn=a,dc=x"},
	{"cn=a\\\\ ", "cn=a\\5C\\20", "cn=a\\5C"},
	{"cn=a\\\\  ,dc=x", "cn=a\\5C\\20,dc=x", "cn=a\\5C,dc=x"},
	{"cn=\\09a\\0A", "cn=\\09a\\0A", "cn=\\09a\\0A"},
	{"cn=a\tb", "cn=a\tb", "cn=a\tb"},
	{"cn=\"a\\41\\\"\" ,dc=x", "cn=a41\\22,dc=x", "cn=a41\\22,dc=x"},
	{"cn=\"#a\"", "cn=\\23a", "cn=\\23a"},
	{"cn==", "cn=\\3D", "cn=\\3D"},
	{"cn=a;dc=x", "cn=a,dc=x", "cn=a,dc=x"},
	{"cn=a+sn=b;ou=c+cn;x-y;z=D", "cn=a+sn=b,cn=D+ou=c", "cn=a+sn=b,cn=d+ou=c"},
	{"uidNumber=5+cn=A", "cn=A+uidNumber=5", "cn=a+uidNumber=5"},
	{"tGT=2022010112+o=b+ou=c", NULL, NULL},
	{"ou=c+tGT=2022010112Z+o=b", "o=b+ou=c+tGT=2022010112Z",
         "o=b+ou=c+tGT=20220101120000Z"},
	{"tIFC=( 1 x )", "tIFC=( 1 x )", "tIFC=( 1 x )"},
	{"tSID=0AF", "tSID=0af", "tSID=0af"},
	{"objectClass=PERSON", "objectClass=person", "objectClass=person"},
	{"tAuthz=cn\\=A", "tAuthz=dn:cn\\3DA", "tAuthz=dn:cn\\3Da"},
	{"tUM=CN=A\\#'1'B", "tUM=cn\\3DA#'1'B", "tUM=cn\\3Da#'1'B"},
	{"tRDN=CN=A", "tRDN=cn\\3DA", "tRDN=cn\\3Da"},
	{"tCEI=A  B", "tCEI=A  B", "tCEI=A B"},
	{"tSiblings={0}A", "tSiblings={0}A", "tSiblings={0}a"},
	/* full width equals sign: plain before it is normalised, not after */
	{"cn=\xEF\xBC\x9D", "cn=\xEF\xBC\x9D", "cn=\\3D"},
	/* spaces that show only in the normal form */
	{"cn=\xC2\xA0", "cn=\xC2\xA0", "cn=\\20"},
	{"telephoneNumber=-", "telephoneNumber=-", "telephoneNumber=\\20"},
	/* nothing is left of it in the normal form */
	{"dc=\\20", NULL, NULL},
	{"postalAddress=a$ $b", "postalAddress=a$ $b", "postalAddress=a$ $b"},
};

static const char *const refused[] = {
	/* values.md 5.4 */
	"cn=#41",
	"cn=",
	"dc=x,",
	"dc=x;",
	"cn=a,,dc=x",
	"foo=bar",
	"oid.2.5.4.3=a",
	"cn=a+sn=b+cn=c",
	"cn=a\"b",
	"cn=a<b>",
	"cn=a>b",
	"cn=a\\",
	"cn=a\\4",
	"cn=a\\zz",
	"cn=\"A\"B",
	"cn=\"a",
	"c=USA",
	"uidNumber=007",
	"cn",
	"=a",
	"cn=a+",
	"+cn=a",
	" ",
	"cn=a;b",
	"/cn=a",
	"<cn=a>",
	/* more */
	"cn=\"\"",
	"cn=\"a\\",
	"cn=a,dc=",
	"cn=a, ",
	"cn=a;",
	"cn=\\",
	"2.5.4=a",
	"2.5.4.3;x=a",
	"cn!=a",
	"cn;a!=b",
	"cn=a,foo=b",
	"cn=a\\zz,dc=x",
	"cn=\\e9",
	"cn=\xE9",
	"dc=\xC3\xA9",
	"tOCT=\\e9",
	"tOrdered={0}a",
	"objectClass=foo",
	"entryUUID=x",
	"cn=a\",dc=x",
	"1cn=a",
	"-cn=a",
	"cn =",
	"cn=a,=b",
	"tAuthz=foo",
	"cn=a+commonName=b",
	"tCert=0a",
};

/* @p text in memory of its own, freed before the result is looked at. */
static int parse(struct context *context, const char *text, struct dit_dn_cache *cache,
                 struct dit_dn *ret)
{
	size_t len = strlen(text);
	char *copy = malloc(len + 1);
	int r = 0;

	assert_non_null(copy);
	memcpy(copy, text, len);
	r = dit_dn_parse(context->schema, (struct dit_span){copy, len}, &context->arena,
	                 cache, ret);
	memset(copy, 'X', len + 1);
	free(copy);
	return r;
}

static void check_forms(struct context *context, const struct dn_case *c,
                        struct dit_dn_cache *cache)
{
	struct dit_dn dn = {0};
	int r = parse(context, c->text, cache, &dn);

	if (r != (c->pretty == NULL ? DIT_E_INVALID : 0)) {
		fail_msg("\"%s\": %d", c->text, r);
	}
	if (c->pretty != NULL) {
		assert_non_null(dn.pretty.data);
		assert_non_null(dn.norm.data);
		assert_span_equal(dn.pretty, c->pretty);
		assert_span_equal(dn.norm, c->norm);
	}
}

TEST(both_forms_are_those_of_slapd)
{
	struct dit_dn_cache cache = {0};

	for (size_t i = 0; i < sizeof(dn_cases) / sizeof(dn_cases[0]); i++) {
		check_forms(*state, &dn_cases[i], NULL);
		check_forms(*state, &dn_cases[i], &cache);
		check_forms(*state, &dn_cases[i], &cache);
	}
	dit_dn_cache_deinit(&cache);
}

TEST(malformed_names_are_refused)
{
	struct context *context = *state;
	struct dit_dn_cache cache = {0};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct dit_dn dn = {0};
		struct dit_span out = {0};

		if (parse(context, refused[i], NULL, &dn) != DIT_E_INVALID ||
		    parse(context, refused[i], &cache, &dn) != DIT_E_INVALID) {
			fail_msg("\"%s\" is accepted", refused[i]);
		}
		assert_int_equal(dit_value_pretty(context->schema, DIT_VALID_DN,
		                                  dit_span_of(refused[i]),
		                                  &context->arena, &out),
		                 DIT_E_INVALID);
	}
	dit_dn_cache_deinit(&cache);
}

TEST(a_nul_in_the_text_is_refused)
{
	struct context *context = *state;
	struct dit_dn_cache cache = {0};
	struct dit_dn dn = {0};
	struct dit_span out = {0};
	struct dit_span text = DIT_SPAN("cn=a,dc=x\0");

	assert_int_equal(
		dit_dn_parse(context->schema, text, &context->arena, &cache, &dn),
		DIT_E_INVALID);
	assert_int_equal(dit_value_normalize(context->schema, DIT_NORM_DN, text,
	                                     &context->arena, &out),
	                 DIT_E_INVALID);
	text = DIT_SPAN("cn=\"\0\",dc=x");
	assert_int_equal(dit_value_normalize(context->schema, DIT_NORM_RDN, text,
	                                     &context->arena, &out),
	                 DIT_E_INVALID);
	dit_dn_cache_deinit(&cache);
}

TEST(one_form_alone_is_the_same_as_both)
{
	struct context *context = *state;

	for (size_t i = 0; i < sizeof(dn_cases) / sizeof(dn_cases[0]); i++) {
		struct dit_span text = dit_span_of(dn_cases[i].text);
		struct dit_span out = {0};

		if (dn_cases[i].pretty == NULL) {
			continue;
		}
		assert_int_equal(dit_value_pretty(context->schema, DIT_VALID_DN, text,
		                                  &context->arena, &out),
		                 0);
		assert_span_equal(out, dn_cases[i].pretty);
		assert_int_equal(dit_value_validate(context->schema, DIT_VALID_DN, text),
		                 0);
		if (strstr(dn_cases[i].norm, UUID_LOWER) != NULL ||
		    strstr(dn_cases[i].text, "PERSON") != NULL ||
		    strstr(dn_cases[i].text, "tSID") != NULL) {
			continue; /* see the next test */
		}
		assert_int_equal(dit_value_normalize(context->schema, DIT_NORM_DN, text,
		                                     &context->arena, &out),
		                 0);
		assert_span_equal(out, dn_cases[i].norm);
	}
}

TEST(a_normal_form_alone_is_made_of_the_raw_values)
{
	struct context *context = *state;
	struct dit_span out = {0};

	assert_int_equal(dit_value_normalize(context->schema, DIT_NORM_DN,
	                                     DIT_SPAN("entryUUID=" UUID_UPPER),
	                                     &context->arena, &out),
	                 0);
	assert_span_equal(out, "entryUUID=" UUID_UPPER);

	assert_int_equal(dit_value_normalize(context->schema, DIT_NORM_DN,
	                                     DIT_SPAN("objectClass=PERSON"),
	                                     &context->arena, &out),
	                 0);
	assert_span_equal(out, "objectClass=PERSON");
}

TEST(the_normal_form_of_an_rdn_stops_at_the_first)
{
	static const char *const cases[][2] = {
		{"CN=Foo", "cn=foo"},
		{"SN=b+CN=A,DC=x", "cn=a+sn=b"},
		{"CN=Foo,,;", "cn=foo"},
		{"CN=\"Foo\"junk", "cn=foo"},
		{"", ""},
	};
	struct context *context = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_span out = {0};

		assert_int_equal(dit_value_normalize(context->schema, DIT_NORM_RDN,
		                                     dit_span_of(cases[i][0]),
		                                     &context->arena, &out),
		                 0);
		assert_span_equal(out, cases[i][1]);
	}
}

TEST(offsets_and_avas_describe_the_result)
{
	struct context *context = *state;
	struct dit_dn_cache cache = {0};

	for (int round = 0; round < 3; round++) {
		struct dit_dn dn = {0};

		assert_int_equal(parse(context, "SN= B=1 +2.5.4.3=Foo  A,OU=a\\,b;DC=X",
		                       round == 0 ? NULL : &cache, &dn),
		                 0);

		assert_span_equal(dn.pretty, "cn=Foo  A+sn=B\\3D1,ou=a\\2Cb,dc=X");
		assert_span_equal(dn.norm, "cn=foo a+sn=b\\3D1,ou=a\\2Cb,dc=x");
		assert_int_equal(dn.nrdns, 3);
		assert_int_equal(dn.pretty_at[0], 0);
		assert_int_equal(dn.pretty_at[1], 19);
		assert_int_equal(dn.pretty_at[2], 28);
		assert_int_equal(dn.norm_at[0], 0);
		assert_int_equal(dn.norm_at[1], 18);
		assert_int_equal(dn.norm_at[2], 27);
		assert_int_equal(dn.navas, 2);
		assert_string_equal(dn.avas[0].type->name, "cn");
		assert_span_equal(dn.avas[0].value, "Foo  A");
		assert_span_equal(dn.avas[0].norm, "foo a");
		assert_string_equal(dn.avas[1].type->name, "sn");
		assert_span_equal(dn.avas[1].value, "B=1");
		assert_span_equal(dn.avas[1].norm, "b=1");
	}
	dit_dn_cache_deinit(&cache);
}

TEST(the_root_has_no_rdns)
{
	struct dit_dn dn = {.nrdns = 7};

	assert_int_equal(parse(*state, "", NULL, &dn), 0);

	assert_int_equal(dn.nrdns, 0);
	assert_int_equal(dn.navas, 0);
	assert_int_equal(dn.pretty.len, 0);
	assert_int_equal(dn.norm.len, 0);
}

TEST(a_cache_follows_its_parents)
{
	static const char *const texts[][2] = {
		{"cn=A,OU=x,dc=x", "cn=a,ou=x,dc=x"},
		{"cn=B,OU=x,dc=x", "cn=b,ou=x,dc=x"},
		{"cn=A,OU=y,dc=x", "cn=a,ou=y,dc=x"},
		{"cn=A,OU=y", "cn=a,ou=y"},
		{"cn=\\41,OU=y", "cn=a,ou=y"},
		{"cn=A", "cn=a"},
		{"cn=B,OU=y", "cn=b,ou=y"},
	};
	struct context *context = *state;
	struct dit_dn_cache cache = {0};
	struct dit_dn dn = {0};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(parse(context, texts[i][0], &cache, &dn), 0);
		assert_span_equal(dn.norm, texts[i][1]);

		/* A parent that is refused does not stay. */
		assert_int_equal(parse(context, "cn=a,foo=y", &cache, &dn),
		                 DIT_E_INVALID);
	}
	dit_dn_cache_deinit(&cache);
}

static void check_normalize(struct context *context, struct dit_span text,
                            struct dit_dn_cache *cache)
{
	struct dit_span want = {0};
	struct dit_span got = {0};
	int r = dit_value_normalize(context->schema, DIT_NORM_DN, text, &context->arena,
	                            &want);

	assert_int_equal(
		dit_dn_normalize(context->schema, text, &context->arena, cache, &got), r);
	if (r == 0) {
		assert_int_equal(got.len, want.len);
		assert_memory_equal(got.data, want.data, want.len);
	}
}

TEST(a_cache_changes_no_normal_form)
{
	struct dit_dn_cache cache = {0};

	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < sizeof(dn_cases) / sizeof(dn_cases[0]); i++) {
			check_normalize(*state, dit_span_of(dn_cases[i].text), &cache);
		}
		for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
			check_normalize(*state, dit_span_of(refused[i]), &cache);
		}
	}
	dit_dn_cache_deinit(&cache);
}

TEST(a_dn_that_is_its_own_normal_form_is_not_copied)
{
	static const struct {
		const char *text;
		bool is_kept;
	} cases[] = {
		{"cn=a-1._@b,dc=x", true},   {"cn=a,dc=x", true},
		{"cn=a;dc=x", false},        {"cn=A,dc=x", false},
		{"cn=a b,dc=x", false},      {"cn=a ,dc=x", false},
		{"cn =a,dc=x", false},       {"CN=a,dc=x", false},
		{"cn;x-a=a,dc=x", false},    {"cn=#04,dc=x", false},
		{"cn=,dc=x", false},         {"cn=a+sn=b,dc=x", false},
		{"cn=a\\2Cb,dc=x", false},   {"cn=a,dc=X", false},
		{"cn=a, dc=x", false},       {"cn=a", false},
		{"uidNumber=7,dc=x", false},
	};
	struct context *context = *state;
	struct dit_dn_cache cache = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_span text = dit_span_of(cases[i].text);
		struct dit_span got = {0};
		int r = 0;

		check_normalize(context, DIT_SPAN("cn=b,dc=x"), &cache);
		check_normalize(context, text, &cache);
		check_normalize(context, DIT_SPAN("cn=b,dc=x"), &cache);
		r = dit_dn_normalize(context->schema, text, &context->arena, &cache,
		                     &got);
		if ((r == 0 && got.data == text.data) != cases[i].is_kept) {
			fail_msg("%s", cases[i].text);
		}
	}
	dit_dn_cache_deinit(&cache);
}

/* More parents than there are places, and more bytes than a cache keeps. */
TEST(a_cache_takes_any_number_of_parents)
{
	struct context *context = *state;
	struct dit_dn_cache dns = {0};
	struct dit_dn_cache values = {0};
	char text[300];

	for (int i = 0; i < 3000; i++) {
		struct dit_dn alone = {0};
		struct dit_dn cached = {0};
		struct dit_span span = {text, 0};

		span.len = (size_t)snprintf(text, sizeof(text), "cn=A%d,OU=%0*d,DC=x", i,
		                            100 + i % 50, i % 7 == 0 ? 7 : i);
		check_normalize(context, span, &values);
		assert_int_equal(parse(context, text, NULL, &alone), 0);
		assert_int_equal(parse(context, text, &dns, &cached), 0);
		assert_int_equal(cached.norm.len, alone.norm.len);
		assert_memory_equal(cached.norm.data, alone.norm.data, alone.norm.len);
		assert_int_equal(cached.pretty.len, alone.pretty.len);
		assert_memory_equal(cached.pretty.data, alone.pretty.data,
		                    alone.pretty.len);
		assert_true(dns.arena.total_bytes < (size_t)1 << 20);
		assert_true(values.arena.total_bytes < (size_t)1 << 20);
	}
	dit_dn_cache_deinit(&dns);
	dit_dn_cache_deinit(&values);
}

TEST(entry_names_have_a_length_limit_and_normal_forms_have_none)
{
	struct context *context = *state;
	char *text = test_alloc(DIT_DN_MAX + 1);
	struct dit_span span = {text, DIT_DN_MAX};
	struct dit_dn dn = {0};
	struct dit_span out = {0};

	memset(text, 'a', DIT_DN_MAX + 1);
	memcpy(text, "cn=", 3);

	assert_int_equal(dit_dn_parse(context->schema, span, &context->arena, NULL, &dn),
	                 0);
	assert_int_equal(dn.norm.len, DIT_DN_MAX);
	span.len++;
	assert_int_equal(dit_dn_parse(context->schema, span, &context->arena, NULL, &dn),
	                 DIT_E_INVALID);
	assert_int_equal(dit_value_pretty(context->schema, DIT_VALID_DN, span,
	                                  &context->arena, &out),
	                 DIT_E_INVALID);
	assert_int_equal(dit_value_validate(context->schema, DIT_VALID_DN, span),
	                 DIT_E_INVALID);
	assert_int_equal(dit_value_normalize(context->schema, DIT_NORM_DN, span,
	                                     &context->arena, &out),
	                 0);
	assert_int_equal(out.len, DIT_DN_MAX + 1);
}

TEST(names_in_names_nest_to_a_limit)
{
	struct context *context = *state;
	char text[200] = "";
	struct dit_span out = {0};

	for (int i = 0; i < 15; i++) {
		(void)strcat(text, "owner=");
	}
	(void)strcat(text, "cn=A");
	assert_int_equal(dit_value_normalize(context->schema, DIT_NORM_DN,
	                                     dit_span_of(text), &context->arena, &out),
	                 0);

	(void)memmove(text + 6, text, strlen(text) + 1);
	(void)memcpy(text, "owner=", 6);
	assert_int_equal(dit_value_normalize(context->schema, DIT_NORM_DN,
	                                     dit_span_of(text), &context->arena, &out),
	                 DIT_E_UNSUPPORTED);
}

TEST(a_type_name_longer_than_its_alias_fits)
{
	struct context *context = *state;
	char text[200] = "tL=A";
	char want[800] = "tLongCanonicalName=a";
	struct dit_span out = {0};

	for (int i = 0; i < 20; i++) {
		(void)strcat(text, ",tL=A");
		(void)strcat(want, ",tLongCanonicalName=a");
		assert_int_equal(dit_value_normalize(context->schema, DIT_NORM_DN,
		                                     dit_span_of(text), &context->arena,
		                                     &out),
		                 0);
		assert_span_equal(out, want);
	}
}

/* Bug: the output was trimmed though a copied value lay after it, in another block. */
TEST(copied_values_do_not_disturb_the_arena)
{
	struct context *context = *state;
	struct dit_arena *arena = test_arena(64);

	for (int i = 0; i < 100; i++) {
		struct dit_span out = {0};

		assert_int_equal(
			dit_value_normalize(context->schema, DIT_NORM_DN,
		                            DIT_SPAN("cn=A\\42C,cn=\"DEF\",dc=x"), arena,
		                            &out),
			0);
		assert_span_equal(out, "cn=abc,cn=def,dc=x");
	}
}

TEST(below_counts_at_an_rdn_boundary)
{
	struct dit_span dn = DIT_SPAN("cn=a,ou=x,dc=x");

	assert_true(dit_dn_is_below(dn, dn));
	assert_true(dit_dn_is_below(dn, DIT_SPAN("ou=x,dc=x")));
	assert_true(dit_dn_is_below(dn, DIT_SPAN("")));
	assert_true(dit_dn_is_below(DIT_SPAN(""), DIT_SPAN("")));
	assert_false(dit_dn_is_below(dn, DIT_SPAN("u=x,dc=x")));
	assert_false(dit_dn_is_below(dn, DIT_SPAN("ou=y,dc=x")));
	assert_false(dit_dn_is_below(DIT_SPAN("dc=x"), dn));
	assert_false(dit_dn_is_below(DIT_SPAN(""), dn));
}

MAIN_WITH(setup, NULL)
