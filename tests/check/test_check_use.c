/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract: which index answers a filter is what slapd looks up; a search counts once,
 * however often it asks; what no index answered is told, the most searches first;
 * searches of other databases, of one entry, and texts that are no filters are counted
 * apart; no memory is an error.
 */
#include "test.h"

#include "base/error.h"
#include "check/check_use.h"
#include "nomem.h"
#include "schema_test.h"

#define NSPECS 6

struct fixture {
	struct dit_schema *schema;
	struct dit_index_spec specs[NSPECS];
	struct dit_database databases[2];
	struct dit_settings settings;
	/* Searches that next_search() gives. */
	const struct dit_check_search *searches;
	size_t nsearches;
	size_t at;
	/* The report of use. */
	char text[2000];
	size_t len;
};

static void set_spec(struct fixture *f, unsigned i, const char *name, unsigned kinds)
{
	f->specs[i].kinds = kinds;
	assert_int_equal(
		dit_ad_find(f->schema, NULL, dit_span_of(name), &f->specs[i].ad, NULL),
		0);
}

static int setup(void **state)
{
	struct fixture *f = test_alloc(sizeof(*f));

	f->schema = test_schema(DIT_OPENLDAP_ASSUMED);
	assert_int_equal(dit_schema_define_type(
				 f->schema, "( 2.5.4.4 NAME ( 'sn' ) SUP name )", NULL),
	                 0);
	dit_schema_freeze(f->schema);
	set_spec(f, 0, "objectClass", DIT_INDEX_EQ);
	set_spec(f, 1, "name", DIT_INDEX_EQ | DIT_INDEX_SUB);
	set_spec(f, 2, "cn;lang-de", DIT_INDEX_PRES);
	set_spec(f, 3, "uid", DIT_INDEX_PRES | DIT_INDEX_EQ);
	set_spec(f, 4, "sn", DIT_INDEX_EQ | DIT_INDEX_APPROX);
	set_spec(f, 5, "uidNumber", DIT_INDEX_EQ);
	f->databases[0] = (struct dit_database){.suffix = DIT_SPAN("CN=x"),
	                                        .suffix_norm = DIT_SPAN("cn=x"),
	                                        .has_suffix = true,
	                                        .type = "mdb",
	                                        .data = {.maxsize_bytes = 12345},
	                                        .indexes = f->specs,
	                                        .nindexes = NSPECS};
	f->databases[1] = (struct dit_database){.suffix = DIT_SPAN("cn=y"),
	                                        .suffix_norm = DIT_SPAN("cn=y"),
	                                        .has_suffix = true,
	                                        .type = "mdb"};
	f->settings = (struct dit_settings){.schema = f->schema,
	                                    .idlexp = 17,
	                                    .databases = f->databases,
	                                    .ndatabases = 2};
	*state = f;
	return 0;
}

static int next_search(void *ctx, struct dit_check_search *ret)
{
	struct fixture *f = ctx;

	if (f->at == f->nsearches) {
		return 0;
	}
	*ret = f->searches[f->at++];
	return 1;
}

static void add(struct fixture *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct fixture *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	f->len += (size_t)vsnprintf(f->text + f->len, sizeof(f->text) - f->len, format,
	                            args);
	va_end(args);
	assert_true(f->len < sizeof(f->text));
}

static void note(void *ctx, const struct dit_check_config *config)
{
	struct fixture *f = ctx;

	for (size_t i = 0; i < config->nindexes; i++) {
		for (unsigned kind = 0; kind < DIT_CHECK_INDEX_KINDS; kind++) {
			if (config->indexes[i].nuses[kind] > 0) {
				add(f, "%s/%u %llu, ", config->indexes[i].name,
				    1u << kind,
				    (unsigned long long)config->indexes[i].nuses[kind]);
			}
		}
	}
	add(f, "%llu of %llu without;", (unsigned long long)config->nunindexed,
	    (unsigned long long)config->nsearches);
	for (size_t i = 0; i < config->nmissing; i++) {
		add(f, " %s/%u %llu", config->missing[i].attribute,
		    config->missing[i].kind,
		    (unsigned long long)config->missing[i].nsearches);
	}
	if (config->nbases + config->nelsewhere + config->nunread > 0) {
		add(f, " base %llu elsewhere %llu unread %llu",
		    (unsigned long long)config->nbases,
		    (unsigned long long)config->nelsewhere,
		    (unsigned long long)config->nunread);
	}
	assert_int_equal(config->idlexp, 17);
	assert_int_equal(config->maxsize_bytes, 12345);
	assert_true(dit_span_eq(config->suffix, DIT_SPAN("CN=x")));
	assert_string_equal(config->file, "data.mdb");
}

/* The results of searches. */
static int count(struct fixture *f, const struct dit_check_search *searches, size_t n)
{
	struct dit_check_use *use = NULL;
	const struct dit_check_opts opts = {.searches = next_search, .searches_ctx = f};
	int r = dit_check_use_new(&use, &f->settings, &f->databases[0]);

	f->searches = searches;
	f->nsearches = n;
	f->at = 0;
	f->len = 0;
	r = r ?: dit_check_searches_read(&opts, &f->settings, &use, 1);
	r = r ?: dit_check_use_tell(use, "data.mdb", note, f);
	dit_check_use_free(use);
	return r;
}

SETUP_TEST(an_index_answers_what_slapd_looks_up)
{
	static const struct {
		const char *filter;
		const char *expected;
	} cases[] = {
		{"(uid=a)", "uid/2 1, 0 of 1 without;"},
		{"(UserId=a)", "uid/2 1, 0 of 1 without;"},
		{"(uid=*)", "uid/1 1, 0 of 1 without;"},
		{"(uid=a*)", "1 of 1 without; uid/8 1"},
		{"(uidNumber>=7)", "uidNumber/2 1, 0 of 1 without;"},
		{"(uidNumber<=7)", "uidNumber/2 1, 0 of 1 without;"},
		{"(sn~=a)", "sn/4 1, 0 of 1 without;"},
		{"(uidNumber~=7)", "uidNumber/2 1, 0 of 1 without;"},
		{"(cn=a)", "name/2 1, 0 of 1 without;"}, /* the supertype's */
		{"(sn=*a*)", "1 of 1 without; sn/8 1"},  /* sn has one of its own */
		{"(cn;lang-de=*)", "cn;lang-de/1 1, 0 of 1 without;"},
		{"(cn;lang-de=a)", "1 of 1 without; cn/2 1"},
		{"(cn;lang-en=a)", "name/2 1, 0 of 1 without;"},
		{"(seeAlso=cn=a)", "1 of 1 without; seeAlso/2 1"},
		{"(&(uid=a)(seeAlso=cn=a))", "uid/2 1, 0 of 1 without;"},
		{"(|(uid=a)(seeAlso=cn=a))", "uid/2 1, 1 of 1 without; seeAlso/2 1"},
		{"(|(uid=a)(uid=b)(uid=c))", "uid/2 1, 0 of 1 without;"},
		{"(|(&(uid=a)(description=b))(sn=a))",
	         "uid/2 1, sn/2 1, 0 of 1 without;"},
		{"(!(uid=a))", "1 of 1 without;"},
		{"(&(uid=a)(!(description=b)))", "uid/2 1, 0 of 1 without;"},
		{"(objectClass=*)", "1 of 1 without;"},
		{"(objectClass=alias)", "objectClass/2 1, 0 of 1 without;"},
		/* objectClass alone is a poor answer. */
		{"(&(objectClass=alias)(description=b))",
	         "objectClass/2 1, 1 of 1 without; description/2 1"},
		{"(&(objectClass=alias)(uid=a))",
	         "objectClass/2 1, uid/2 1, 0 of 1 without;"},
		{"(unheardof=a)", "0 of 1 without;"},
		{"(entryDN=cn=x)", "0 of 1 without;"},
		{"(uid:caseExactMatch:=a)", "1 of 1 without;"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct dit_check_search search = {
			.scope = 2, .filter = dit_span_of(cases[i].filter)};

		assert_int_equal(count(f, &search, 1), 0);
		if (strcmp(f->text, cases[i].expected) != 0) {
			fail_msg("%s: %s", cases[i].filter, f->text);
		}
	}
}

SETUP_TEST(searches_go_to_the_databases_that_they_reach)
{
	static const struct {
		const char *base; /* NULL: not known */
		int scope;
		const char *filter;
	} cases[] = {
		{"cn=x", 2, "(uid=a)"},
		{"UID=a, CN=X", 1, "(uid=a)"},
		{NULL, 2, "(uid=a)"},
		{"", 2, "(uid=a)"}, /* above cn=x */
		{"cn=y", 2, "(uid=a)"},
		{"uid=a,cn=y", 0, "(uid=a)"},
		{"cn=x", 0, "(uid=a)"},
		{"cn=x", 2, "(uid=a"},
		{"cn=x", 2, ""},
		{"no dn", 2, "(uid=a)"},
		{"cn=x", 2, "(seeAlso=*)"},
		{"cn=x", 2, "(description=*)"},
		{"cn=x", 2, "(seeAlso=*)"},
	};
	struct dit_check_search searches[sizeof(cases) / sizeof(cases[0])];
	size_t n = sizeof(cases) / sizeof(cases[0]);
	struct fixture *f = *state;

	for (size_t i = 0; i < n; i++) {
		searches[i] = (struct dit_check_search){
			.base = cases[i].base == NULL ? (struct dit_span){0}
		                                      : dit_span_of(cases[i].base),
			.scope = cases[i].scope,
			.filter = dit_span_of(cases[i].filter)};
	}
	assert_int_equal(count(f, searches, n), 0);
	assert_string_equal(f->text,
	                    "uid/2 4, 3 of 7 without; seeAlso/1 2 description/1 1 "
	                    "base 1 elsewhere 2 unread 3");
}

SETUP_TEST(no_memory_is_an_error)
{
	static const struct dit_check_search searches[] = {
		{.scope = 2, .filter = {"(&(uid=a)(seeAlso=*))", 21}},
		{.base = {"cn=x", 4}, .scope = 2, .filter = {"(seeAlso=*)", 11}}};

	assert_in_range(calls_until_memory(count(*state, searches, 2)), 5, 60);
}

static int fail_to_read(void *ctx, struct dit_check_search *ret)
{
	(void)ctx;
	(void)ret;
	return -EIO;
}

SETUP_TEST(an_error_and_a_stop_end_the_reading)
{
	static const struct dit_check_search search = {.scope = 2,
	                                               .filter = {"(uid=a)", 7}};
	volatile sig_atomic_t stop = 1;
	struct fixture *f = *state;
	struct dit_check_opts opts = {.searches = fail_to_read, .searches_ctx = f};

	assert_int_equal(dit_check_searches_read(&opts, &f->settings, NULL, 0), -EIO);
	opts.searches = next_search;
	opts.stop = &stop;
	f->searches = &search;
	f->nsearches = 1;
	f->at = 0;
	assert_int_equal(dit_check_searches_read(&opts, &f->settings, NULL, 0),
	                 DIT_E_STOPPED);
}
