/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters: what is read is matched with an entry, and its negation says the opposite.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "filter/filter_match.h"
#include "fuzz/fuzz_target.h"

#define NATTRS 4

static struct dit_schema *make_schema(void)
{
	struct dit_schema *schema = NULL;

	CHECK(dit_schema_new(&schema, DIT_OPENLDAP_ASSUMED) == 0);
	dit_schema_freeze(schema);
	return schema;
}

static struct dit_attr_view make_attr(struct dit_schema *schema, const char *name,
                                      const struct dit_span *values)
{
	struct dit_attr_view attr = {.nvalues = 1, .values = values};

	CHECK(dit_ad_find(schema, NULL, dit_span_of(name), &attr.ad, NULL) == 0);
	return attr;
}

static int match(struct dit_schema *schema, struct dit_span text, struct dit_arena *arena)
{
	static const struct dit_span values[NATTRS] = {
		{"a b", 3}, {"top", 3}, {"cn=a b,cn=x", 11}, {"20260101000000Z", 15}};
	const struct dit_attr_view attrs[NATTRS] = {
		make_attr(schema, "cn;lang-de", &values[0]),
		make_attr(schema, "objectClass", &values[1]),
		make_attr(schema, "seeAlso", &values[2]),
		make_attr(schema, "createTimestamp", &values[3])};
	const struct dit_entry_view entry = {.id = 1,
	                                     .dn = DIT_SPAN("cn=A b,cn=x"),
	                                     .norm_dn = DIT_SPAN("cn=a b,cn=x"),
	                                     .nattrs = NATTRS,
	                                     .attrs = attrs};
	struct dit_filter *filter = NULL;
	int r = dit_filter_read(schema, text, arena, NULL, &filter);

	return r < 0 ? r : dit_filter_match(schema, filter, &entry, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct dit_schema *schema;
	struct dit_span parts[] = {
		DIT_SPAN("(!"), {(const char *)data, size}, DIT_SPAN(")")};
	struct dit_arena arena;
	struct dit_span negated;
	int truth = 0;
	int opposite = 0;

	if (schema == NULL) {
		schema = make_schema();
	}
	dit_arena_init(&arena, 4096);
	truth = match(schema, parts[1], &arena);
	CHECK(truth <= DIT_UNDEFINED);
	if (truth >= 0 && data[0] == '(') {
		CHECK(dit_arena_join(&arena, parts, 3, &negated) == 0);
		opposite = match(schema, negated, &arena);
		CHECK(opposite == (truth == DIT_UNDEFINED ? truth : !truth) ||
		      opposite == DIT_E_UNSUPPORTED);
	}
	dit_arena_deinit(&arena);
	return 0;
}
