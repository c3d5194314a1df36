/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DNs: the cache changes nothing, the offsets are right, and the pretty form is one that
 * parses to itself and to the same normal form.
 */
#include <stdint.h>
#include <stdlib.h>

#include "fuzz/fuzz_target.h"
#include "values/dn.h"
#include "values/value.h"

static struct dit_schema *make_schema(void)
{
	static const char *const types[] = {
		"( 2.5.4.4 NAME ( 'sn' 'surname' ) SUP name )",
		"( 2.5.4.31 NAME ( 'm' 'member' ) SUP distinguishedName )",
		"( 2.5.4.20 NAME 'tel' EQUALITY telephoneNumberMatch "
		"SYNTAX 1.3.6.1.4.1.1466.115.121.1.50 )",
		"( 0.9.2342.19200300.100.1.25 NAME ( 'dc' 'domainComponent' ) "
		"EQUALITY caseIgnoreIA5Match SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 )",
		"( 1.3.6.1.4.1.99999.1.9 NAME 'um' EQUALITY uniqueMemberMatch "
		"SYNTAX 1.3.6.1.4.1.1466.115.121.1.34 )",
		"( 1.3.6.1.4.1.99999.1.23 NAME 'authz' EQUALITY authzMatch "
		"SYNTAX 1.3.6.1.4.1.4203.666.2.7 )",
	};
	struct dit_schema *schema = NULL;
	struct dit_schema_error error;

	CHECK(dit_schema_new(&schema, DIT_OPENLDAP_ASSUMED) == 0);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		CHECK(dit_schema_define_type(schema, types[i], &error) == 0);
	}
	dit_schema_freeze(schema);
	return schema;
}

static void check_offsets(struct dit_span text, const uint32_t *at, unsigned n)
{
	CHECK(n == 0 ? text.len == 0 : at[0] == 0);
	for (unsigned i = 1; i < n; i++) {
		CHECK(at[i] > at[i - 1] && at[i] < text.len);
		CHECK(text.data[at[i] - 1] == ',');
	}
}

static void check_same(const struct dit_dn *a, const struct dit_dn *b)
{
	CHECK(dit_span_eq(a->pretty, b->pretty) && dit_span_eq(a->norm, b->norm));
	CHECK(a->nrdns == b->nrdns && a->navas == b->navas);
	for (unsigned i = 0; i < a->nrdns; i++) {
		CHECK(a->pretty_at[i] == b->pretty_at[i]);
		CHECK(a->norm_at[i] == b->norm_at[i]);
	}
	for (unsigned i = 0; i < a->navas; i++) {
		CHECK(a->avas[i].type == b->avas[i].type);
		CHECK(dit_span_eq(a->avas[i].value, b->avas[i].value));
		CHECK(dit_span_eq(a->avas[i].norm, b->avas[i].norm));
	}
}

static void check_accepted(const struct dit_schema *schema, struct dit_span text,
                           struct dit_arena *arena, const struct dit_dn *dn)
{
	struct dit_dn again = {0};
	struct dit_span out = {0};

	check_offsets(dn->pretty, dn->pretty_at, dn->nrdns);
	check_offsets(dn->norm, dn->norm_at, dn->nrdns);
	CHECK(dit_dn_is_below(dn->norm, dn->norm));
	CHECK(dit_value_pretty(schema, DIT_VALID_DN, text, arena, &out) == 0);
	CHECK(dit_span_eq(out, dn->pretty));
	if (dn->pretty.len <= DIT_DN_MAX) {
		CHECK(dit_dn_parse(schema, dn->pretty, arena, NULL, &again) == 0);
		check_same(dn, &again);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct dit_schema *schema;
	struct dit_span text = {(const char *)data, size};
	struct dit_span out = {0};
	struct dit_dn_cache cache = {0};
	struct dit_dn_cache values = {0};
	struct dit_arena arena;
	struct dit_dn dn = {0};
	struct dit_dn cached = {0};
	int r = 0;

	if (schema == NULL) {
		schema = make_schema();
	}
	dit_arena_init(&arena, 256);
	r = dit_dn_parse(schema, text, &arena, NULL, &dn);
	for (int i = 0; i < 2; i++) {
		/* With two faults in a name the other one may be found first. */
		CHECK((dit_dn_parse(schema, text, &arena, &cache, &cached) == 0) ==
		      (r == 0));
		if (r == 0) {
			check_same(&dn, &cached);
		}
	}
	if (r == 0) {
		check_accepted(schema, text, &arena, &dn);
	}
	r = dit_value_normalize(schema, DIT_NORM_DN, text, &arena, &out);
	for (int i = 0; i < 2; i++) {
		struct dit_span again = {0};

		CHECK(dit_dn_normalize(schema, text, &arena, &values, &again) == r);
		CHECK(r < 0 || dit_span_eq(again, out));
	}
	(void)dit_value_normalize(schema, DIT_NORM_RDN, text, &arena, &out);
	(void)dit_value_validate(schema, DIT_VALID_DN, text);
	dit_dn_cache_deinit(&cache);
	dit_dn_cache_deinit(&values);
	dit_arena_deinit(&arena);
	return 0;
}
