/* SPDX-License-Identifier: BSD-2-Clause */
/* Attribute descriptions by number, with and without a schema; odd records. */
#include "nomem.h"
#include "output/store_fixture.h"
#include "reader/ad_names.h"
#include "schema_test.h"

static char *published(void)
{
	static const char *const names[] = {"objectClass", "cn;lang-de", "madeUp"};
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);

	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(dit_output_put_ad(staging, i + 1, dit_span_of(names[i])),
		                 0);
	}
	(void)fixture_publish(staging);
	return dir;
}

TEST(names_and_descriptions_are_found_by_number)
{
	char *dir = published();
	struct dit_snapshot *snapshot = fixture_snapshot(dir);
	struct dit_schema *schema = test_schema(DIT_OPENLDAP_ASSUMED);
	struct dit_ad_names names;

	dit_schema_freeze(schema);
	assert_int_equal(dit_ad_names_read(&names, snapshot, 0, schema), 0);

	assert_int_equal(names.n, 4);
	assert_span_equal(dit_ad_names_get(&names, 1)->name, "objectClass");
	assert_string_equal(dit_ad_names_get(&names, 2)->ad->type->name, "cn");
	assert_span_equal(dit_ad_names_get(&names, 2)->ad->options, "lang-de");
	assert_span_equal(dit_ad_names_get(&names, 3)->name, "madeUp");
	assert_null(dit_ad_names_get(&names, 3)->ad);
	assert_null(dit_ad_names_get(&names, 0));
	assert_null(dit_ad_names_get(&names, 4));
	assert_null(dit_ad_names_get(&names, UINT32_MAX));
	dit_ad_names_deinit(&names);

	assert_int_equal(dit_ad_names_read(&names, snapshot, 0, NULL), 0);
	assert_span_equal(dit_ad_names_get(&names, 1)->name, "objectClass");
	assert_null(dit_ad_names_get(&names, 1)->ad);
	dit_ad_names_deinit(&names);
}

static int wants_cn(void *ctx, const struct dit_ad *ad)
{
	return strcmp(ad->type->name, "cn") == 0 ? 1 : *(int *)ctx;
}

TEST_IN("LMDB 0.9", readers_of_few_attributes_choose)
{
	char *dir = published();
	struct dit_snapshot *snapshot = fixture_snapshot(dir);
	struct dit_schema *schema = test_schema(DIT_OPENLDAP_ASSUMED);
	struct dit_ad_names names;
	int others = -EIO;

	dit_schema_freeze(schema);
	assert_int_equal(dit_ad_names_read(&names, snapshot, 0, schema), 0);
	assert_null(names.is_unwanted);
	assert_int_equal(dit_ad_names_choose(&names, wants_cn, &others), -EIO);
	assert_null(names.is_unwanted);
	assert_no_memory(dit_ad_names_choose(&names, wants_cn, &others));
	others = 0;
	assert_int_equal(dit_ad_names_choose(&names, wants_cn, &others), 0);
	assert_false(names.is_unwanted[0]); /* a number of no name is damage */
	assert_true(names.is_unwanted[1]);
	assert_false(names.is_unwanted[2]);
	assert_true(names.is_unwanted[3]); /* not in the schema */
	/* Again, in place of the first choice. */
	others = 1;
	assert_int_equal(dit_ad_names_choose(&names, wants_cn, &others), 0);
	assert_false(names.is_unwanted[1]);
	dit_ad_names_deinit(&names);
}

/* As another program could have left them. */
static const struct odd_record {
	uint32_t number;
	const char *name;
	bool is_forged;
} odd_records[] = {
	{0, "sn", false},
	{4, "cn\ndescription:< file:///etc/shadow", true},
	{5, "cn: x", true},
	{6, " cn", true},
	{7, "", true},
	{8, "2.5.4.3;x-a;range=0", false},
	{DIT_AD_NUMBER_MAX, "sn", false},
	{DIT_AD_NUMBER_MAX + 1, "sn", false},
};
#define NODD (sizeof(odd_records) / sizeof(odd_records[0]))

static void put_odd_records(const char *dir)
{
	MDB_txn *txn = test_begin(dir, 0);
	MDB_dbi dbi = test_dbi(txn, "ad2i", 0);

	for (size_t i = 0; i < NODD; i++) {
		const struct odd_record *odd = &odd_records[i];

		test_put(txn, dbi, &odd->number, sizeof(odd->number), odd->name,
		         strlen(odd->name));
	}
	test_commit(txn);
}

TEST_IN("LMDB 0.9", what_slapd_does_not_store_is_passed_over)
{
	char *dir = published();
	struct dit_snapshot *snapshot = NULL;
	struct dit_ad_names names;

	put_odd_records(dir);
	snapshot = fixture_snapshot(dir);
	assert_int_equal(dit_ad_names_read(&names, snapshot, 0, NULL), 0);
	assert_null(dit_ad_names_get(&names, 0));
	assert_span_equal(dit_ad_names_get(&names, DIT_AD_NUMBER_MAX)->name, "sn");
	assert_null(dit_ad_names_get(&names, DIT_AD_NUMBER_MAX + 1));
	for (size_t i = 1; i < NODD - 1; i++) {
		const struct odd_record *odd = &odd_records[i];
		const struct dit_ad_name *name = dit_ad_names_get(&names, odd->number);

		assert_int_equal(dit_ad_names_is_forged(&names, odd->number),
		                 odd->is_forged);
		assert_int_equal(name == NULL, odd->is_forged);
	}
	dit_ad_names_deinit(&names);
}

TEST(lack_of_memory_is_told)
{
	char *dir = published();
	struct dit_snapshot *snapshot = fixture_snapshot(dir);
	struct dit_ad_names names;

	assert_true(calls_until_memory(dit_ad_names_read(&names, snapshot, 0, NULL)) > 1);
	dit_ad_names_deinit(&names);
}

MAIN_OF_BOTH_LMDB
