/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of value rules: sortvals names types, multival gives descriptions a limit and
 * all others another; what is not configured makes no table.
 */
#include "test.h"

#include "entry/entry_fixture.h"
#include "job/release_rules.h"
#include "nomem.h"

TEST(sortvals_names_types)
{
	struct dit_settings settings = {0};
	const struct dit_attr_type *types[2] = {NULL, NULL};
	uint64_t *sorted = NULL;

	assert_int_equal(fixture_schema_new(&settings.schema), 0);
	types[0] = dit_schema_find_type(settings.schema, DIT_SPAN("sn"));
	types[1] = dit_schema_find_type(settings.schema, DIT_SPAN("tOrd"));
	assert_int_equal(dit_sorted_types_make(&settings, &sorted), 0);
	assert_null(sorted);
	settings.sortvals = types;
	settings.nsortvals = 2;
	assert_no_memory(dit_sorted_types_make(&settings, &sorted));
	assert_int_equal(dit_sorted_types_make(&settings, &sorted), 0);
	for (uint32_t i = 0; i < dit_schema_ntypes(settings.schema); i++) {
		assert_int_equal(sorted[i / 64] >> (i % 64) & 1,
		                 i == types[0]->ordinal || i == types[1]->ordinal);
	}
	free(sorted);
	dit_schema_free(settings.schema);
}

TEST(multival_gives_limits)
{
	const struct dit_ad ads[2] = {{.ordinal = 3}, {.ordinal = 1}};
	struct dit_multival_spec specs[2] = {{.ad = &ads[0], .hi = 7},
	                                     {.ad = &ads[1], .hi = 9}};
	struct dit_database db = {.multival.hi = DIT_MULTIVAL_NONE};
	struct dit_split_rules *rules = NULL;

	assert_int_equal(dit_split_rules_make(&db, &rules), 0);
	assert_null(rules);

	db.multival.hi = 5;
	assert_int_equal(dit_split_rules_make(&db, &rules), 0);
	assert_int_equal(rules->nlimits, 0);
	assert_int_equal(rules->limit, 5);
	free(rules);

	db.multival.specs = specs;
	db.multival.nspecs = 2;
	assert_no_memory(dit_split_rules_make(&db, &rules));
	assert_int_equal(dit_split_rules_make(&db, &rules), 0);
	assert_int_equal(rules->nlimits, 4);
	assert_int_equal(rules->limits[0], 5);
	assert_int_equal(rules->limits[1], 9);
	assert_int_equal(rules->limits[2], 5);
	assert_int_equal(rules->limits[3], 7);
	free(rules);
}
