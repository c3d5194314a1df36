/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attribute descriptions.
 *
 *   A description without options is the type's own, however the type is spelt.
 *   Options are lower-cased, sorted, and each is kept once.
 *   The same canonical name is the same pointer, in every thread and with every cache.
 *   A name that slapd refuses is refused with its reason.
 */
#include "schema/schema.h"

#include <pthread.h>

#include "base/error.h"
#include "schema/schema_private.h"
#include "schema_test.h"
#include "test.h"

static int setup(void **state)
{
	struct dit_schema_error error;
	struct dit_schema *schema = test_schema(DIT_OPENLDAP_ASSUMED);

	*state = schema;
	if (dit_schema_define_type(schema,
	                           "( 2.16.840.1.113730.3.1.40 NAME "
	                           "'userSMIMECertificate' SYNTAX "
	                           "1.3.6.1.4.1.1466.115.121.1.5 )",
	                           &error) != 0) {
		return -1;
	}
	return dit_schema_define_type(schema,
	                              "( 2.5.4.36 NAME 'userCertificate' EQUALITY "
	                              "certificateExactMatch SYNTAX "
	                              "1.3.6.1.4.1.1466.115.121.1.8 )",
	                              &error);
}

static const struct dit_ad *find(struct dit_schema *schema, const char *name)
{
	const struct dit_ad *ad = NULL;

	assert_int_equal(dit_ad_find(schema, NULL, dit_span_of(name), &ad, NULL), 0);
	return ad;
}

SETUP_TEST(plain_description_is_that_of_the_type)
{
	const struct dit_attr_type *cn = dit_schema_find_type(*state, DIT_SPAN("cn"));

	assert_ptr_equal(find(*state, "cn"), &cn->ad);
	assert_ptr_equal(find(*state, "CommonNAME"), &cn->ad);
	assert_ptr_equal(find(*state, "2.5.4.3"), &cn->ad);
	assert_int_equal(cn->ad.ordinal, cn->ordinal);
	assert_false(cn->ad.is_binary);
}

SETUP_TEST(options_become_canonical)
{
	static const struct {
		const char *typed;
		const char *name;
		const char *options;
		bool is_binary;
	} cases[] = {
		{"CommonName;lang-EN;lang-de;lang-en", "cn;lang-de;lang-en",
	         "lang-de;lang-en", false},
		{"2.5.4.3;LANG-", "cn;lang-", "lang-", false},
		{"cn;lang-a.b", "cn;lang-a.b", "lang-a.b", false},
		{"cn;x-2;x-1;X-10;x-2;x-1", "cn;x-1;x-10;x-2", "x-1;x-10;x-2", false},
		{"cn;Foo;foo", "cn;foo", "foo", false},
		{"cn;r=5;R=", "cn;r=;r=5", "r=;r=5", false},
		{"usercertificate;BINARY", "userCertificate;binary", "", true},
		{"userCertificate;x-b;binary;a", "userCertificate;a;binary;x-b", "a;x-b",
	         true},
		{"userCertificate;binary;a", "userCertificate;a;binary", "a", true},
	};
	struct dit_schema_error error;

	assert_int_equal(dit_schema_define_option(*state, "x-", &error), 0);
	assert_int_equal(dit_schema_define_option(*state, "lang-", &error), 0);
	assert_int_equal(dit_schema_define_option(*state, "foo", &error), 0);
	assert_int_equal(dit_schema_define_option(*state, "a", &error), 0);
	assert_int_equal(dit_schema_define_option(*state, "r=", &error), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct dit_ad *ad = find(*state, cases[i].typed);

		assert_string_equal(ad->name.data, cases[i].name);
		assert_int_equal(ad->name.len, strlen(cases[i].name));
		assert_span_equal(ad->options, cases[i].options);
		assert_int_equal(ad->is_binary, cases[i].is_binary);
		assert_ptr_equal(find(*state, cases[i].name), ad);
		assert_ptr_equal(find(*state, cases[i].typed), ad);
	}
}

SETUP_TEST(ordinals_of_new_descriptions_continue_those_of_types)
{
	uint32_t n = ((struct dit_schema *)*state)->nads;

	assert_int_equal(n, dit_schema_ntypes(*state));
	assert_int_equal(find(*state, "cn;lang-de")->ordinal, n);
	assert_int_equal(find(*state, "cn;lang-en")->ordinal, n + 1);
	assert_int_equal(find(*state, "cn;lang-de")->ordinal, n);
	assert_int_equal(((struct dit_schema *)*state)->nads, n + 2);
}

SETUP_TEST(refused_descriptions_come_with_slapds_reason)
{
	static const char inappropriate[] =
		"AttributeDescription contains inappropriate characters";
	static const char zero[] = "zero length option is invalid";
	static const struct {
		const char *typed;
		const char *reason;
	} cases[] = {
		{"", "empty AttributeDescription"},
		{"-cn", inappropriate},
		{".cn", inappropriate},
		{";lang-de", inappropriate},
		{"c_n", inappropriate},
		{"cn ", inappropriate},
		{"cn;lang_de", inappropriate},
		{"c=n", inappropriate},
		{"cn\xc3\xa4", inappropriate},
		{"nope", "attribute type undefined"},
		{"nope;;", "attribute type undefined"},
		{"1.2", "attribute type undefined"},
		{"createTimestamp;", "operational attribute with options undefined"},
		{"createTimestamp;binary",
	         "operational attribute with options undefined"},
		{"cn;", zero},
		{"cn;;lang-de", zero},
		{"userCertificate;binary;", zero},
		{"cn;binary", "option \"binary\" not supported with type"},
		{"userSMIMECertificate;binary",
	         "option \"binary\" not supported with type"},
		{"userCertificate;binary;BINARY",
	         "option \"binary\" specified multiple times"},
		{"cn;lang", "unrecognized option"},
		{"cn;binaryx", "unrecognized option"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct dit_ad *ad = NULL;
		const char *reason = "none";

		assert_int_equal(dit_ad_find(*state, NULL, dit_span_of(cases[i].typed),
		                             &ad, &reason),
		                 DIT_E_UNKNOWN);
		assert_string_equal(reason, cases[i].reason);
		assert_null(ad);
	}
}

/* "cn", @p n options x-1, x-2 ... and the text in @p more */
static char *many_options(unsigned n, const char *more)
{
	char *text = malloc(n * 12 + strlen(more) + 3);
	char *at = text;

	assert_non_null(text);
	at += sprintf(at, "cn");
	for (unsigned i = 1; i <= n; i++) {
		at += sprintf(at, ";x-%u", i);
	}
	(void)sprintf(at, "%s", more);
	return text;
}

SETUP_TEST(at_most_128_options_duplicates_included)
{
	static const struct {
		unsigned n;
		const char *more;
		int code;
	} cases[] = {
		{127, ";x-1", 0},
		{128, "", 0},
		{128, ";x-1", DIT_E_UNKNOWN},
		{129, "", DIT_E_UNKNOWN},
	};
	struct dit_schema_error error;

	assert_int_equal(dit_schema_define_option(*state, "x-", &error), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = many_options(cases[i].n, cases[i].more);
		const struct dit_ad *ad = NULL;
		const char *reason = NULL;

		assert_int_equal(
			dit_ad_find(*state, NULL, dit_span_of(text), &ad, &reason),
			cases[i].code);
		free(text);
		if (cases[i].code != 0) {
			assert_string_equal(reason, "too many tagging options");
		}
	}
}

SETUP_TEST(at_most_1024_bytes_of_options)
{
	char text[1100] = "cn;lang-";
	const struct dit_ad *ad = NULL;
	const char *reason = NULL;

	memset(text + 8, 'x', 1018);
	assert_int_equal(dit_ad_find(*state, NULL, dit_span_of(text), &ad, NULL), 0);
	assert_int_equal(ad->options.len, 1023);
	text[8 + 1018] = 'x';
	assert_int_equal(dit_ad_find(*state, NULL, dit_span_of(text), &ad, &reason),
	                 DIT_E_UNKNOWN);
	assert_string_equal(reason, "tagging options too long");
}

SETUP_TEST(registered_options_replace_the_default)
{
	struct dit_schema_error error;
	const struct dit_ad *ad = NULL;

	(void)find(*state, "cn;lang-de");
	assert_int_equal(dit_schema_define_option(*state, "foo", &error), 0);
	(void)find(*state, "cn;FOO");
	assert_int_equal(dit_ad_find(*state, NULL, DIT_SPAN("cn;lang-fr"), &ad, NULL),
	                 DIT_E_UNKNOWN);
	assert_int_equal(dit_schema_define_option(*state, "bar", &error), 0);
	(void)find(*state, "cn;foo");
	dit_schema_clear_options(*state);
	assert_int_equal(dit_ad_find(*state, NULL, DIT_SPAN("cn;bar"), &ad, NULL),
	                 DIT_E_UNKNOWN);
}

SETUP_TEST(options_are_registered_once)
{
	static const struct {
		const char *option;
		int code;
		const char *text;
	} cases[] = {
		{"foo", 0, ""},
		{"FOO", DIT_E_DUPLICATE, "option \"FOO\" is already defined"},
		{"binary", DIT_E_DUPLICATE, "option \"binary\" is already defined"},
		{"foo-", 0, ""},
		{"foo-bar", DIT_E_DUPLICATE, "option \"foo-bar\" is already defined"},
		{"x-y", 0, ""},
		{"x-", DIT_E_DUPLICATE, "option \"x-\" overrides previous option"},
		{"f_o", DIT_E_INVALID, "illegal option name \"f_o\""},
		{"b.c", DIT_E_INVALID, "illegal option name \"b.c\""},
		{"a=b", DIT_E_INVALID, "illegal option name \"a=b\""},
		{"==", DIT_E_INVALID, "illegal option name \"==\""},
		{"", DIT_E_INVALID, "illegal option name \"\""},
		{"1a", 0, ""},
		{"range=", 0, ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_schema_error error = {0};

		assert_int_equal(
			dit_schema_define_option(*state, cases[i].option, &error),
			cases[i].code);
		assert_string_equal(error.text, cases[i].text);
	}
}

SETUP_TEST(cache_tells_the_same_as_the_schema)
{
	struct dit_ad_cache *cache = test_alloc(sizeof(*cache));
	const struct dit_ad *ad = NULL;
	const char *reason = NULL;
	char name[64];

	/* More spellings than the cache keeps; the second round meets a mixed cache. */
	for (unsigned i = 0; i < 20000; i++) {
		(void)snprintf(name, sizeof(name), "cn;lang-%u", i % 9000);
		assert_int_equal(dit_ad_find(*state, cache, dit_span_of(name), &ad, NULL),
		                 0);
		assert_string_equal(ad->name.data, name);
	}
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(dit_ad_find(*state, cache, DIT_SPAN("Cn"), &ad, NULL),
		                 0);
		assert_ptr_equal(ad, find(*state, "cn"));
		assert_int_equal(
			dit_ad_find(*state, cache, DIT_SPAN("nope"), &ad, &reason),
			DIT_E_UNKNOWN);
		assert_string_equal(reason, "attribute type undefined");
	}
	/* The description after a spelling is the same as the last time, or is not. */
	for (unsigned i = 0; i < 1000; i++) {
		static const char *const names[] = {"cn", "CN", "cn;lang-a", "Cn"};
		const char *typed = names[i * i / 7 % 4];

		assert_int_equal(
			dit_ad_find(*state, cache, dit_span_of(typed), &ad, NULL), 0);
		assert_ptr_equal(ad, find(*state, typed));
	}
	/* The first one is as long as a name in the cache can be, the next is longer. */
	for (int len = DIT_AD_CACHE_BYTES - 8; len < DIT_AD_CACHE_BYTES - 6; len++) {
		(void)snprintf(name, sizeof(name), "cn;lang-%0*d", len, 1);
		for (unsigned i = 0; i < 2; i++) {
			assert_int_equal(
				dit_ad_find(*state, cache, dit_span_of(name), &ad, NULL),
				0);
			assert_string_equal(ad->name.data, name);
		}
	}
}

#define NNAMES 200

struct worker {
	pthread_t thread;
	struct dit_schema *schema;
	unsigned start;
	const struct dit_ad *found[NNAMES];
	int error;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	struct dit_ad_cache *cache = calloc(1, sizeof(*cache));
	char name[40];

	w->error = cache == NULL ? -ENOMEM : 0;
	for (unsigned i = 0; i < 10 * NNAMES && w->error == 0; i++) {
		unsigned n = (w->start + i) % NNAMES;

		(void)snprintf(name, sizeof(name), "%s;lang-%u",
		               i % 2 == 0 ? "cn" : "commonName", n);
		w->error = dit_ad_find(w->schema, cache, dit_span_of(name), &w->found[n],
		                       NULL);
	}
	free(cache);
	return NULL;
}

SETUP_TEST(threads_get_the_same_pointers)
{
	struct worker workers[4] = {{.schema = *state}};
	uint32_t nads = ((struct dit_schema *)*state)->nads;

	dit_schema_freeze(*state);
	for (unsigned i = 0; i < 4; i++) {
		workers[i].schema = *state;
		workers[i].start = i * 50;
		assert_int_equal(
			pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
	}
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(workers[i].error, 0);
		assert_memory_equal(workers[i].found, workers[0].found,
		                    sizeof(workers[0].found));
	}
	assert_int_equal(((struct dit_schema *)*state)->nads, nads + NNAMES);
}
