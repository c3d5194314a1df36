/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of value rules: sortvals names types, multival gives descriptions a limit and
 * all others another; what is not configured makes no table. Each rule about stored bytes
 * is in the digest of its part.
 */
#include "test.h"

#include <errno.h>

#include "entry/entry_fixture.h"
#include "job/config_digest.h"
#include "job/value_rules.h"
#include "nomem.h"

static void sortvals_names_types(void **state)
{
	struct dit_settings settings = {0};
	const struct dit_attr_type *types[2] = {NULL, NULL};
	uint64_t *sorted = NULL;

	(void)state;
	assert_int_equal(fixture_schema_new(&settings.schema), 0);
	types[0] = dit_schema_find_type(settings.schema, DIT_SPAN("sn"));
	types[1] = dit_schema_find_type(settings.schema, DIT_SPAN("tOrd"));
	assert_int_equal(dit_sorted_types_make(&settings, &sorted), 0);
	assert_null(sorted);
	settings.sortvals = types;
	settings.nsortvals = 2;
	countdown = 0;
	assert_int_equal(dit_sorted_types_make(&settings, &sorted), -ENOMEM);
	countdown = -1;
	assert_int_equal(dit_sorted_types_make(&settings, &sorted), 0);
	for (uint32_t i = 0; i < dit_schema_ntypes(settings.schema); i++) {
		assert_int_equal(sorted[i / 64] >> (i % 64) & 1,
		                 i == types[0]->ordinal || i == types[1]->ordinal);
	}
	free(sorted);
	dit_schema_free(settings.schema);
}

static void multival_gives_limits(void **state)
{
	const struct dit_ad ads[2] = {{.ordinal = 3}, {.ordinal = 1}};
	struct dit_multival_spec specs[2] = {{.ad = &ads[0], .hi = 7},
	                                     {.ad = &ads[1], .hi = 9}};
	struct dit_database db = {.multival.hi = DIT_MULTIVAL_NONE};
	struct dit_split_rules *rules = NULL;

	(void)state;
	assert_int_equal(dit_split_rules_make(&db, &rules), 0);
	assert_null(rules);

	db.multival.hi = 5;
	assert_int_equal(dit_split_rules_make(&db, &rules), 0);
	assert_int_equal(rules->nlimits, 0);
	assert_int_equal(rules->limit, 5);
	free(rules);

	db.multival.specs = specs;
	db.multival.nspecs = 2;
	countdown = 0;
	assert_int_equal(dit_split_rules_make(&db, &rules), -ENOMEM);
	countdown = -1;
	assert_int_equal(dit_split_rules_make(&db, &rules), 0);
	assert_int_equal(rules->nlimits, 4);
	assert_int_equal(rules->limits[0], 5);
	assert_int_equal(rules->limits[1], 9);
	assert_int_equal(rules->limits[2], 5);
	assert_int_equal(rules->limits[3], 7);
	free(rules);
}

static void change_minlen(struct dit_settings *s)
{
	s->index.substr_if_minlen = 3;
}
static void change_maxlen(struct dit_settings *s)
{
	s->index.substr_if_maxlen = 5;
}
static void change_any(struct dit_settings *s)
{
	s->index.substr_any_len = 5;
}
static void change_intlen(struct dit_settings *s)
{
	s->index.intlen = 8;
}
static void change_hash(struct dit_settings *s)
{
	s->index.hash64 = true;
}
static void change_idlexp(struct dit_settings *s)
{
	s->idlexp = 20;
}
static void change_kinds(struct dit_settings *s)
{
	s->databases->indexes->kinds = DIT_INDEX_SUB;
}
static void change_hi(struct dit_settings *s)
{
	s->databases->multival.hi = 9;
}
static void change_lo(struct dit_settings *s)
{
	s->databases->multival.lo = 9;
}
static void change_spec_hi(struct dit_settings *s)
{
	s->databases->multival.specs->hi = 9;
}
static void change_spec_lo(struct dit_settings *s)
{
	s->databases->multival.specs->lo = 9;
}
static void change_sortvals(struct dit_settings *s)
{
	s->nsortvals = 0;
}

static void each_rule_changes_its_digest(void **state)
{
	static const struct {
		void (*change)(struct dit_settings *settings);
		enum dit_config_part part;
	} cases[] = {
		{change_minlen, DIT_CONFIG_INDEXES}, {change_maxlen, DIT_CONFIG_INDEXES},
		{change_any, DIT_CONFIG_INDEXES},    {change_intlen, DIT_CONFIG_INDEXES},
		{change_hash, DIT_CONFIG_INDEXES},   {change_idlexp, DIT_CONFIG_INDEXES},
		{change_kinds, DIT_CONFIG_INDEXES},  {change_hi, DIT_CONFIG_VALUES},
		{change_lo, DIT_CONFIG_VALUES},      {change_spec_hi, DIT_CONFIG_VALUES},
		{change_spec_lo, DIT_CONFIG_VALUES}, {change_sortvals, DIT_CONFIG_VALUES},
	};
	struct dit_schema *schema = NULL;
	const struct dit_attr_type *sorted[1];
	const struct dit_ad *cn = NULL;

	(void)state;
	assert_int_equal(fixture_schema_new(&schema), 0);
	assert_int_equal(dit_ad_find(schema, NULL, DIT_SPAN("cn"), &cn, NULL), 0);
	sorted[0] = cn->type;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_index_spec index = {cn, DIT_INDEX_EQ};
		struct dit_multival_spec spec = {.ad = cn, .hi = 7, .lo = 5};
		struct dit_database db = {
			.indexes = &index,
			.nindexes = 1,
			.multival = {.specs = &spec, .nspecs = 1, .hi = 100, .lo = 50}};
		struct dit_settings settings = {.schema = schema,
		                                .index = {2, 4, 4, 4, false},
		                                .sortvals = sorted,
		                                .nsortvals = 1,
		                                .idlexp = 16,
		                                .databases = &db,
		                                .ndatabases = 1};
		struct dit_sum128 before[DIT_CONFIG_NPARTS];
		struct dit_sum128 after[DIT_CONFIG_NPARTS];

		dit_config_digest(&settings, &db, before);
		cases[i].change(&settings);
		dit_config_digest(&settings, &db, after);
		for (size_t k = 0; k < DIT_CONFIG_NPARTS; k++) {
			assert_int_equal(
				memcmp(&before[k], &after[k], sizeof(before[k])) != 0,
				k == (size_t)cases[i].part);
		}
	}
	dit_schema_free(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sortvals_names_types),
		cmocka_unit_test(multival_gives_limits),
		cmocka_unit_test(each_rule_changes_its_digest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
