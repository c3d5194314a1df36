/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which entries indexes tell to match a filter perhaps: none that matches is missing, and
 * where they cannot tell they give no answer.
 */
#include "test.h"

#include "filter/filter_index.h"
#include "load/load_fixture.h"
#include "nomem.h"
#include "schema_test.h"

#define NPEOPLE 400u
#define MAX     50

struct fixture {
	struct load_fixture load;
	struct dit_settings *settings;
	struct dit_snapshot *snapshot;
	struct dit_ad_names names;
	struct dit_arena arena;
};

/* Each test runs with both kinds of keys. */
static bool has_byte_keys;

static int use_byte_keys(void **state)
{
	(void)state;
	has_byte_keys = true;
	return 0;
}

static void close_snapshot(struct fixture *f)
{
	dit_ad_names_deinit(&f->names);
	dit_snapshot_close(f->snapshot);
	f->snapshot = NULL;
}

static void open_snapshot(struct fixture *f)
{
	assert_int_equal(
		dit_snapshot_open_readers(&f->snapshot, f->load.database,
	                                  &(struct dit_snapshot_opts){.nreaders = 1}),
		0);
	assert_int_equal(
		dit_ad_names_read(&f->names, f->snapshot, 0, f->settings->schema), 0);
}

static int setup(void **state)
{
	struct fixture *f = test_alloc(sizeof(*f));
	struct dit_load_opts opts;

	load_fixture_init(&f->load, "");
	load_fixture_write_people(&f->load, NPEOPLE);
	opts = load_fixture_opts(&f->load);
	opts.byte_keys = has_byte_keys;
	assert_int_equal(load_fixture_run(&opts), 0);
	assert_int_equal(dit_settings_read(&f->settings, DIT_SETTINGS_FILE(f->load.conf),
	                                   NULL, NULL),
	                 0);
	test_arena_init(&f->arena, 4096);
	open_snapshot(f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	close_snapshot(f);
	dit_settings_free(f->settings);
	load_fixture_deinit(&f->load);
	return 0;
}

static struct dit_candidates_opts opts_for(const struct fixture *f)
{
	return (struct dit_candidates_opts){
		.settings = f->settings,
		.db = &f->settings->databases[f->settings->ndatabases - 1],
		.snapshot = f->snapshot,
		.names = &f->names,
		.max = MAX};
}

static struct dit_filter *read_filter(struct fixture *f, const char *text)
{
	struct dit_filter *filter = NULL;

	assert_int_equal(dit_filter_read(f->settings->schema, dit_span_of(text),
	                                 &f->arena, NULL, &filter),
	                 0);
	return filter;
}

/* @param ids  a text: "0 81", or "" for no answer */
static void assert_candidates(struct fixture *f, const char *filter, const char *ids)
{
	struct dit_candidates_opts opts = opts_for(f);
	struct dit_candidates candidates;
	char text[1000] = "";

	print_message("%s\n", filter);
	assert_int_equal(dit_candidates_find(&candidates, read_filter(f, filter), &opts),
	                 0);
	for (size_t i = 0; i < candidates.n && strlen(text) < 900; i++) {
		(void)sprintf(text + strlen(text), "%s%llu", i == 0 ? "" : " ",
		              (unsigned long long)candidates.ids[i]);
	}
	assert_string_equal(text, ids);
	dit_candidates_deinit(&candidates);
}

/* The suffix, three departments; u1 has ID 5, u2 6; u3 makes a hole of ID 7. */
static void answers(struct fixture *f)
{
	assert_candidates(f, "(uid=u1)", "0 5");
	assert_candidates(f, "(uid=U1)", "0 5");
	assert_candidates(f, "(uid=nobody)", "0");
	assert_candidates(f, "(uidNumber=2)", "0 6");
	assert_candidates(f, "(telephoneNumber=+1 5550001)", "0 5");
	assert_candidates(f, "(&(objectClass=person)(uid=u1))", "0 5");
	assert_candidates(f, "(&(sn=common)(description=*)(uid=u1))", "0 5");
	assert_candidates(f, "(|(uid=u2)(uid=u1)(uid=u2))", "0 5 6");
	assert_candidates(f, "(&(uid=u1)(|(uid=u2)(sn=common)))", "0 5");
	assert_candidates(f, "(&(uid=u1)(|(uid=u2)(uid=u1)))", "0 5");
	assert_candidates(f, "(&(|(uid=u2)(uid=u1))(uid=u1))", "0 5");
	assert_candidates(f, "(objectClass=domain)", "0 1");
	assert_candidates(f, "(seeAlso=uid=u0,ou=dept 1,dc=x)", "0 5");
	assert_candidates(f, "(|)", "0");
}

FIXTURE_TEST(values_asserted_whole_are_looked_up)
{
	answers(*state);
}

FIXTURE_TEST(no_answer_where_indexes_cannot_tell)
{
	static const char *const filters[] = {
		"(sn=common)",               /* too many */
		"(objectClass=person)",      /* too many */
		"(ou=dept 1)",               /* no index */
		"(description=\\c3\\bcber)", /* no index */
		"(uid=*)",                   /* too many */
		"(description=*)",
		"(uid=u*)", /* short */
		"(uid=*1*)",
		"(telephoneNumber=*)",
		"(cn=person number*)", /* too many */
		"(uidNumber>=1)",
		"(uid~=u1)",
		"(!(uid=u1))",
		"(|(uid=u1)(ou=dept 1))",
		"(&(sn=common)(ou=dept 1))",
		"(uid:=u1)",
		"(foo=1)",
		"(&)",
	};

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		assert_candidates(*state, filters[i], "");
	}
}

/* u1 is also the beginning of u10 to u19 and u100 to u199. */
FIXTURE_TEST(pieces_are_looked_up)
{
	struct fixture *f = *state;

	assert_candidates(f, "(telephoneNumber=*5550001)", "0 5");
	assert_candidates(f, "(telephoneNumber=+15550001*)", "0 5");
	assert_candidates(f, "(telephoneNumber=+1*50001*)", "0 5");
	assert_candidates(f, "(&(objectClass=person)(telephoneNumber=*5550001))", "0 5");
	assert_candidates(f, "(|(uid=u2)(telephoneNumber=*5550001))", "0 5 6");
	assert_candidates(f, "(uid=nobody*)", "0");
	assert_candidates(f, "(uid=*nobody)", "0");
	assert_candidates(f, "(uid=*body*)", "0");
}

/* An index of some options has no keys of values with more of them. */
FIXTURE_TEST(an_index_with_options_gives_no_answer)
{
	struct fixture *f = *state;
	struct dit_database *db = &f->settings->databases[f->settings->ndatabases - 1];
	const struct dit_ad *ad = NULL;

	assert_int_equal(dit_ad_find(f->settings->schema, NULL, dit_span_of("cn;lang-de"),
	                             &ad, NULL),
	                 0);
	for (size_t i = 0; i < db->nindexes; i++) {
		if (strcmp(db->indexes[i].ad->name.data, "cn") == 0) {
			db->indexes[i].ad = ad;
		}
	}
	assert_candidates(f, "(cn;lang-de=nummer 1)", "");
	assert_candidates(f, "(cn;lang-de=*mer 1)", "");
	assert_candidates(f, "(cn;lang-de=*)", "");
}

/* The values of cn are names, too, but there is no index of names. */
FIXTURE_TEST(subtypes_are_not_taken_for_the_type)
{
	assert_candidates(*state, "(name=person number 1)", "");
	assert_candidates(*state, "(cn;lang-de=nummer 1)",
	                  "0 5 56 106 156 206 256 306 356");
}

FIXTURE_TEST(a_database_without_the_index_gives_no_answer)
{
	struct fixture *f = *state;
	MDB_txn *txn = NULL;
	MDB_dbi dbi = 0;

	close_snapshot(f);
	txn = test_begin(f->load.database, MDB_NOSYNC);
	dbi = test_dbi(txn, "uid", 0);
	assert_int_equal(mdb_drop(txn, dbi, 1), 0);
	test_commit(txn);
	open_snapshot(f);
	assert_candidates(f, "(uid=u1)", "");
	assert_candidates(f, "(uidNumber=1)", "0 5");
}

/* The index was made with hashes of 32 bits. */
FIXTURE_TEST(keys_of_another_length_give_no_answer)
{
	struct fixture *f = *state;

	f->settings->index.hash64 = true;
	assert_candidates(f, "(uid=u1)", "");
	assert_candidates(f, "(uid=nobody)", "");
}

FIXTURE_TEST(lack_of_memory_is_told)
{
	struct fixture *f = *state;
	struct dit_filter *filter = read_filter(f, "(|(uid=u1)(&(sn=common)(uid=u2)))");
	struct dit_candidates_opts opts = opts_for(f);
	struct dit_candidates candidates;
	long n = calls_until_memory(dit_candidates_find(&candidates, filter, &opts));

	assert_int_equal(candidates.n, 3);
	assert_true(n > 10);
	dit_candidates_deinit(&candidates);
}

int main(void)
{
	return test_run("keys of integers", NULL, NULL) +
	       test_run("keys of bytes", use_byte_keys, NULL);
}
